import { expect, test } from "vitest";
import { hide, unhide } from "../../src/core/hidden-notes";

test("a note is hidden beside one note alone, once, until it is shown again", () => {
	const hidden = hide(hide(hide({}, "a.md", "x.md"), "a.md", "x.md"), "b.md", "x.md");
	expect(hidden).toEqual({ "a.md": ["x.md"], "b.md": ["x.md"] });
	expect(unhide(hidden, "a.md", "x.md")).toEqual({ "b.md": ["x.md"] });
	expect(unhide(hide(hidden, "a.md", "y.md"), "a.md", "x.md")).toEqual({ "a.md": ["y.md"], "b.md": ["x.md"] });
	expect(unhide(hidden, "c.md", "x.md")).toEqual(hidden);
});
