import type { BridgeEvent } from "../protocol/events";

/** An event as it comes, before its data is read. */
export interface Pushed {
	readonly id: string;
	readonly kind: string;
	readonly data: string;
}

/** Read an event's data; null when that is not what a bridge sends. */
export function eventOf({ kind, data }: Pushed): BridgeEvent | null {
	try {
		// A kind that a newer bridge has is passed on, and nobody heeds it.
		return { ...(JSON.parse(data) as BridgeEvent), kind } as BridgeEvent;
	} catch {
		return null;
	}
}

/** Reads a stream of server-sent events, in whatever pieces it comes. */
export class EventReader {
	#rest = "";
	#id = "";

	/** Take a piece and return the events that are whole now. */
	read(piece: string): readonly Pushed[] {
		const blocks = (this.#rest + piece).replaceAll("\r\n", "\n").split("\n\n");
		this.#rest = blocks.pop() ?? "";
		return blocks.flatMap((block) => this.#event(block));
	}

	#event(block: string): readonly Pushed[] {
		let kind = "message";
		const data: string[] = [];
		for (const line of block.split("\n")) {
			const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
			if (name === "id") this.#id = value ?? "";
			if (name === "event") kind = value ?? "";
			if (name === "data") data.push(value ?? "");
		}
		return data.length === 0 ? [] : [{ id: this.#id, kind, data: data.join("\n") }];
	}
}
