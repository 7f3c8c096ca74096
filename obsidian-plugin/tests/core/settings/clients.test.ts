import { expect, test } from "vitest";
import { setClient, describeClient } from "../../../src/core/settings/clients";

test("a client is put into a list once, and taken out whatever its case", () => {
	expect(setClient([], "Quill", ["Quill"], true)).toEqual(["Quill"]);
	expect(setClient(["quill"], "Quill", ["Quill"], true)).toEqual(["quill"]);
	expect(setClient(["quill", "Pen"], "Quill", ["Quill", "Pen"], false)).toEqual(["Pen"]);
});

test("of a list that names all, one can be taken out", () => {
	expect(setClient(["*"], "Quill", ["Quill", "Pen", "Ink"], false)).toEqual(["Pen", "Ink"]);
	expect(setClient(["*"], "Quill", ["Quill", "Pen"], true)).toEqual(["*"]);
});

test("a client is told with what it may do and when it was here", () => {
	const client = { id: "1", name: "Quill", preset: null, applies: false, links: false, created: "2026-03-02T10:00:00+01:00" };
	expect(describeClient({ ...client, scopes: ["read", "write"], last_used: "2026-03-04" }, "en-GB")).toBe("May read and write · let in 2 Mar 2026 · last here 4 Mar 2026");
	expect(describeClient({ ...client, scopes: ["read", "write", "admin"], last_used: null }, "en-GB")).toContain("May read, write and change settings · let in 2 Mar 2026 · never here yet");
});
