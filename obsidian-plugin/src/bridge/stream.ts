import { request } from "node:http";
import type { Address } from "./client";
import { EventReader, type Pushed } from "./sse";

export interface Listener {
	/** The stream is open; what happens from now on is told. */
	readonly opened: () => void;
	readonly pushed: (event: Pushed) => void;
	/** It ended, or never began; with the status that refused it. */
	readonly ended: (status: number | null) => void;
}

/** A stream says something every 15 s; one that was silent for longer is dead, though nobody closed it. */
const SILENCE_MS = 45_000;

/**
 * Follow a bridge's events by Node, which sends no Origin and may set headers, unlike the page.
 *
 * @returns A function that stops it; then nothing more is told.
 */
export function follow(address: Address, after: string, listener: Listener): () => void {
	const headers: Record<string, string> = { Authorization: `Bearer ${address.token}`, Accept: "text/event-stream" };
	if (after !== "") headers["Last-Event-ID"] = after;
	let over = false;
	const end = (status: number | null): void => {
		if (over) return;
		over = true;
		sent.destroy();
		listener.ended(status);
	};
	// Who may not change notes at once may not take changes of others either, and would be refused the stream.
	const applies = address.paired === true ? "" : `?applies=${encodeURIComponent(address.vault)}`;
	const sent = request(`${address.url}/api/events${applies}`, { headers, timeout: SILENCE_MS }, (response) => {
		if (response.statusCode !== 200) {
			end(response.statusCode ?? null);
			return;
		}
		const reader = new EventReader();
		response.setEncoding("utf8");
		response.on("data", (piece: string) => {
			for (const event of over ? [] : reader.read(piece)) listener.pushed(event);
		});
		response.on("close", () => end(null));
		if (!over) listener.opened();
	});
	sent.on("timeout", () => end(null));
	sent.on("error", () => end(null));
	sent.end();
	return () => {
		over = true;
		sent.destroy();
	};
}
