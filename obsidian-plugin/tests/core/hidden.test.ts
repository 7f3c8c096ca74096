import { expect, test } from "vitest";
import { hide, showAll } from "../../src/core/hidden";

test("a note is hidden beside one note alone, once, until all are shown again", () => {
	const hidden = hide(hide(hide({}, "a.md", "x.md"), "a.md", "x.md"), "b.md", "x.md");
	expect(hidden).toEqual({ "a.md": ["x.md"], "b.md": ["x.md"] });
	expect(showAll(hidden, "a.md")).toEqual({ "b.md": ["x.md"] });
});
