import type { Address } from "./client";
import type { BridgeEvent } from "../protocol/events";
import { eventOf, EventReader, type Pushed } from "./sse";
import { byNode, byPage, type Way } from "./ways";

export interface Listener {
	/** The stream is open; what happens from now on is told. */
	readonly opened: () => void;
	/** Something happened; the stream goes on after its id. */
	readonly pushed: (event: BridgeEvent, id: string) => void;
	/** It ended, or never began; with the status that refused it. */
	readonly ended: (status: number | null) => void;
}

/** A stream says something every 15 s; one that was silent for longer is dead, though nobody closed it. */
const SILENCE_MS = 45_000;

/**
 * Follow a bridge's events.
 *
 * @param ways How it is asked: the next one when there is no answer by the one before.
 * @returns A function that stops it; then nothing more is told.
 */
export function follow(address: Address, after: string, listener: Listener, ways: readonly Way[] = [byNode, byPage]): () => void {
	const headers: Record<string, string> = { Authorization: `Bearer ${address.token}`, Accept: "text/event-stream" };
	if (after !== "") headers["Last-Event-ID"] = after;
	// Who may not change notes at once may not take changes of others either, and would be refused the stream.
	const applies = address.paired === true ? "" : `?applies=${encodeURIComponent(address.vault)}`;
	const reader = new EventReader();
	let breakOff = (): void => {};
	let timer: number | undefined;
	let over = false;
	const stop = (): void => {
		over = true;
		window.clearTimeout(timer);
		breakOff();
	};
	const end = (status: number | null): void => {
		if (over) return;
		stop();
		listener.ended(status);
	};
	const push = (pushed: Pushed): void => {
		const event = over ? null : eventOf(pushed);
		if (event !== null) listener.pushed(event, pushed.id);
	};
	const hear = (): void => {
		window.clearTimeout(timer);
		timer = window.setTimeout(() => end(null), SILENCE_MS);
	};
	const ask = ([way, ...others]: readonly Way[]): void => {
		if (way === undefined) {
			end(null);
			return;
		}
		let answered = false;
		hear();
		breakOff = way(`${address.url}/api/events${applies}`, headers, {
			answered: (status) => {
				answered = true;
				if (status !== 200) end(status);
				else if (!over) listener.opened();
			},
			said: (piece) => {
				if (over) return;
				hear();
				reader.read(piece).forEach(push);
			},
			ended: () => {
				if (over) return;
				if (answered) end(null);
				else ask(others);
			},
		});
	};
	ask(ways);
	return stop;
}
