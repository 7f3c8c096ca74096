import { expect, test } from "vitest";
import type { ListedChange } from "../../src/protocol/operations";
import { changesDecisions } from "../../src/core/bridge-events";
import { countWaiting, formatTime, groupChanges, inForce, labelOf, nameNotes, today } from "../../src/core/history";

let made = 0;

function change(client: string | null, session: string | null, more: Partial<ListedChange> = {}): ListedChange {
	made += 1;
	const always = { time: "2026-01-02T03:04:05Z", operation: "edit_note", reason: null, paths: ["a.md"], diff: "", expires: null, by: null };
	return { id: String(made), client, session, state: "applied", undoes: [], ...always, ...more };
}

test("what one program did in one session stands together, the newest first", () => {
	const [a, b, c, d] = [change("Quill", "1"), change("Pen", "2"), change("Quill", "1"), change("Quill", "3")];
	expect(groupChanges([a, b, c, d]).map((group) => [group.client, group.session, group.changes.map(({ id }) => id)])).toEqual([
		["Quill", "1", [a.id, c.id]],
		["Pen", "2", [b.id]],
		["Quill", "3", [d.id]],
	]);
	expect(groupChanges([change(null, null)])[0]?.client).toBe("A program without a name");
});

test("a session's undo counts what is in force and turned nothing back itself", () => {
	const more = [{}, { state: "undone" as const }, { operation: "undo_change", undoes: ["1"] }, { operation: "redo_change" }, {}];
	const [group] = groupChanges(more.map((one) => change("Quill", "1", one)));
	expect(group && inForce(group)).toBe(2);
	const [loose] = groupChanges([change("Quill", null)]);
	expect(loose && inForce(loose)).toBe(0);
});

test("things are said in words", () => {
	expect([labelOf("edit_note"), labelOf("brand_new")]).toEqual(["Edit note", "Brand new"]);
	expect([nameNotes(["Bread/Staling.md"]), nameNotes(["a.md", "b.md", "c.canvas"]), nameNotes([])]).toEqual(["Staling", "a and 2 more", ""]);
	expect([countWaiting(0, 50), countWaiting(3, 50), countWaiting(51, 50)]).toEqual(["", "3", "50+"]);
});

test("a time of today is told without the day", () => {
	const noon = new Date(2026, 0, 2, 12, 0);
	expect(formatTime(noon.toISOString(), noon, "en-GB")).toBe("12:00");
	expect(formatTime(noon.toISOString(), new Date(2026, 0, 3, 12, 0), "en-GB")).toBe("2 Jan 2026, 12:00");
});

test("a file is found by what it is called today, where that is known", () => {
	expect(today({ paths: ["a.md", "b.md"], now: ["a.md", "c.md"] }, "b.md")).toBe("c.md");
	expect(today({ paths: ["a.md"], now: ["a.md", "c.md"] }, "a.md")).toBe("a.md");
});

test("events of changes and decisions concern what waits, those of the editor and the index do not", () => {
	const kinds = ["change_recorded", "change_proposed", "decisions_changed", "apply_change", "note_changed", "index_progress", "settings_changed"];
	expect(kinds.filter(changesDecisions)).toEqual(kinds.slice(0, 3));
});
