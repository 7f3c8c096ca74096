import { expect, test } from "vitest";
import { calloutEdit } from "../../src/core/markdown-text";

test("a first summary goes to the top of the note", () => {
	expect(calloutEdit("Rye.\n", "It keeps.\n\nA week.\n")).toEqual({ op: "prepend", text: "> [!summary]\n> It keeps.\n>\n> A week." });
});

test.each(["---\na: 1\n---\n\n> [!summary]\n> Old.\n\nRye.\n", "---\na: 1\n---\n\n> [!Summary]- Title\n> Old."])("a later one takes its place in %j", (note) => {
	expect(calloutEdit(note, "New.")).toEqual({ op: "replace_lines", lines: [5, 6], text: "> [!summary]\n> New." });
});
