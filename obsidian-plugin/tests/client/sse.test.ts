import { expect, test } from "vitest";
import { EventReader } from "../../src/client/sse";

const STREAM = 'retry: 2000\n\n:\n\nid: 7\nevent: note_changed\ndata: {"path":"a.md"}\n\nid: 8\r\nevent: reset\r\ndata: {}\r\n\r\n';
const EVENTS = [
	{ id: "7", kind: "note_changed", data: '{"path":"a.md"}' },
	{ id: "8", kind: "reset", data: "{}" },
];

test("events are read whole", () => {
	expect(new EventReader().read(STREAM)).toEqual(EVENTS);
});

test.each([1, 2, 3, 7])("events are read in pieces of %i", (size) => {
	const reader = new EventReader();
	const pieces = STREAM.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
	expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(EVENTS);
});

test("what is not finished is not told", () => {
	expect(new EventReader().read("event: reset\ndata: {}")).toEqual([]);
});
