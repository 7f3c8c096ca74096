export interface Pushed {
	readonly id: string;
	readonly kind: string;
	readonly data: string;
}

/** Reads a stream of server-sent events, in whatever pieces it comes. */
export class EventReader {
	private rest = "";
	private id = "";

	/** Take a piece and return the events that are whole now. */
	read(piece: string): readonly Pushed[] {
		const blocks = (this.rest + piece).replaceAll("\r\n", "\n").split("\n\n");
		this.rest = blocks.pop() ?? "";
		return blocks.flatMap((block) => this.event(block));
	}

	private event(block: string): readonly Pushed[] {
		let kind = "message";
		const data: string[] = [];
		for (const line of block.split("\n")) {
			const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
			if (name === "id") this.id = value ?? "";
			if (name === "event") kind = value ?? "";
			if (name === "data") data.push(value ?? "");
		}
		return data.length === 0 ? [] : [{ id: this.id, kind, data: data.join("\n") }];
	}
}
