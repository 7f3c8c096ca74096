import type { Address } from "./client";
import type { BridgeEvent } from "../protocol/events";
import { eventOf, EventReader, type Pushed } from "./sse";
import { nodeTransport, pageTransport, type Transport } from "./transports";

export interface StreamListener {
	/** The stream is open; what happens from now on is told. */
	readonly onOpen: () => void;
	/** Something happened; the stream goes on after its id. */
	readonly onEvent: (event: BridgeEvent, id: string) => void;
	/** It ended, or never began; with the status that refused it. */
	readonly onEnd: (status: number | null) => void;
}

/** A stream says something every 15 s; one that was silent for longer is dead, though nobody closed it. */
const SILENCE_MS = 45_000;

/**
 * Follow a bridge's events.
 *
 * @param transports How it is asked: the next one when there is no answer by the one before.
 * @returns A function that stops it; then nothing more is told.
 */
export function followEvents(address: Address, after: string, listener: StreamListener, transports: readonly Transport[] = [nodeTransport, pageTransport]): () => void {
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
		listener.onEnd(status);
	};
	const push = (pushed: Pushed): void => {
		const event = over ? null : eventOf(pushed);
		if (event !== null) listener.onEvent(event, pushed.id);
	};
	const restartTimer = (): void => {
		window.clearTimeout(timer);
		timer = window.setTimeout(() => end(null), SILENCE_MS);
	};
	const ask = ([transport, ...others]: readonly Transport[]): void => {
		if (transport === undefined) {
			end(null);
			return;
		}
		let answered = false;
		restartTimer();
		breakOff = transport(`${address.url}/api/events${applies}`, headers, {
			onStatus: (status) => {
				answered = true;
				if (status !== 200) end(status);
				else if (!over) listener.onOpen();
			},
			onText: (piece) => {
				if (over) return;
				restartTimer();
				reader.read(piece).forEach(push);
			},
			onEnd: () => {
				if (over) return;
				if (answered) end(null);
				else ask(others);
			},
		});
	};
	ask(transports);
	return stop;
}
