import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Given, bridge, home, obsidian, open, serve, vaultForEach } from "./stage";

const NOTE = "Bread/Oven log.md";
const TEXT = "# Oven log\n\nBake at 230 degrees.\n";
const CHANGED = TEXT.replace("230", "250");

vaultForEach({ after: () => bridge.call("create_note", { path: NOTE, text: TEXT }) });

async function opened(given: Given = {}): Promise<void> {
	await open(given);
	await obsidian.state("ready");
}

/** Open the note, in as many panes as there are names of places. */
async function read(...places: readonly (string | false)[]): Promise<void> {
	await obsidian.page.evaluate(async ([path, all]) => {
		const file = window.app.vault.getFileByPath(path);
		for (const place of all) if (file !== null) await window.app.workspace.getLeaf(place).openFile(file);
	}, [NOTE, places] as const);
}

/** What every open pane holds, in whichever window. */
async function shown(): Promise<string[]> {
	return obsidian.page.evaluate(() =>
		window.app.workspace.getLeavesOfType("markdown").map(({ view }) => (view as unknown as { editor: { getValue: () => string } }).editor.getValue()),
	);
}

interface Done {
	readonly change_id: string;
	readonly state: string;
	readonly by: string;
}

const DIGEST = createHash("sha256").update(TEXT).digest("hex");
const edit = (): Promise<Done> => bridge.call("edit_note", { path: NOTE, digest: DIGEST, edits: [{ op: "replace_text", old: "230", new: "250" }] });
const disk = (path = NOTE): Promise<string> => readFile(join(home.vault, path), "utf8");
const asked = (operation: string): number => obsidian.node.requests.filter(({ url }) => url.endsWith(operation)).length;

/** The change that was offered. */
async function offered(): Promise<Done> {
	const { body } = obsidian.node.requests.find(({ url }) => url.endsWith("/claim_change")) ?? { body: "{}" };
	return bridge.call("show_change", JSON.parse(body) as object);
}

/** End the bridge as a crash would, at a moment that comes once; what is asked at that moment is lost. */
function crashing(moment: "sent" | "answered", operation: string): Promise<void> {
	return new Promise((resolve) => {
		obsidian.node.meanwhile[moment] = async (url) => {
			if (!url.endsWith(operation)) return;
			delete obsidian.node.meanwhile[moment];
			await bridge.stop("SIGKILL");
			resolve();
			throw new Error("The connection was lost.");
		};
	});
}

/** Do something in the page between the look at a note and the writing of it. */
async function between(act: "rename" | "type" | "unload"): Promise<void> {
	await obsidian.page.evaluate((what) => {
		const { vault, workspace } = window.app;
		const process = vault.process.bind(vault);
		vault.process = async (file, change) => {
			if (what === "rename") await vault.rename(file, "Elsewhere.md");
			if (what === "type") workspace.getLeavesOfType("markdown").forEach(({ view }) => (view as unknown as { editor: { replaceSelection: (text: string) => void } }).editor.replaceSelection("x"));
			if (what === "unload") window.plugin.unload();
			return process(file, change);
		};
		workspace.keepUnsaved__ = true;
	}, act);
}

test("a note that is renamed while a change of it is on its way stays as it is", async () => {
	await opened();
	await between("rename");
	await expect(edit()).rejects.toThrow("note_changed");
	expect(await disk("Elsewhere.md")).toBe(TEXT);
});

test("a note into which something is typed while a change of it is on its way keeps both", async () => {
	await opened();
	await read(false);
	await between("type");
	await expect(edit()).rejects.toThrow("unsaved");
	expect(await disk()).toBe(TEXT);
	expect(await obsidian.page.locator(".cm-content").innerText()).toContain("x# Oven log");
});

test.each(["split", "window"])("a note that is open twice is not written over what is unsaved in the other %s", async (place) => {
	await opened();
	await read(false, place);
	await obsidian.page.evaluate(() => {
		window.app.workspace.keepUnsaved__ = true;
		const [first] = window.app.workspace.getLeavesOfType("markdown");
		(first?.view as unknown as { editor: { replaceSelection: (text: string) => void } }).editor.replaceSelection("Typed. ");
	});
	await expect(edit()).rejects.toThrow("unsaved");
	expect(await disk()).toBe(TEXT);
	await obsidian.page.evaluate(() => {
		const [first] = window.app.workspace.getLeavesOfType("markdown");
		(first?.view as unknown as { editor: { setValue: (text: string) => void } }).editor.setValue("# Oven log\n\nBake at 230 degrees.\n");
	});
	expect(await edit()).toMatchObject({ state: "applied", by: "obsidian" });
	await expect.poll(() => shown()).toEqual([CHANGED, CHANGED]);
});

test("a plugin that is switched off with a change in its hands does not write it", async () => {
	await opened();
	await between("unload");
	await expect(edit()).rejects.toThrow("change_conflict");
	expect(await disk()).toBe(TEXT);
	expect((await offered()).state).toBe("conflict");
});

// What follows starts the bridge again.

test("an acknowledgement that was lost with the bridge is said again when it is back", async () => {
	await opened();
	const crashed = crashing("sent", "/acknowledge_change");
	const lost = edit().catch(() => null);
	await crashed;
	expect(await lost).toBeNull();
	expect(await disk()).toBe(CHANGED);
	await serve();
	await obsidian.state("ready");
	await expect.poll(() => asked("/acknowledge_change")).toBeGreaterThanOrEqual(2);
	await expect.poll(offered).toMatchObject({ state: "applied", by: "obsidian" });
});

test.each([
	["a refusal", "sent", "/acknowledge_change"],
	["a claim of which nobody knows whether it counted", "answered", "/claim_change"],
] as const)("%s that was lost with the bridge leaves no conflict", async (_, moment, operation) => {
	await opened();
	await read(false);
	await obsidian.page.evaluate(() => (window.app.workspace.keepUnsaved__ = true));
	await obsidian.page.locator(".cm-content").click();
	await obsidian.page.keyboard.type("Typed. ");
	const crashed = crashing(moment, operation);
	const lost = edit().catch(() => null);
	await crashed;
	await lost;
	await serve();
	await obsidian.state("ready");
	await expect.poll(async () => (await offered()).state).toBe("rejected");
	expect(await disk()).toBe(TEXT);
});

const loopback6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

// The page must come from an address that the bridge lets in, which is one of its own: the one that it does not listen at.
test.skipIf(!loopback6)("without Node's http the page itself listens, and comes back as well (needs ::1)", async () => {
	const port = Number(bridge.port);
	await opened({ without: "node:http", from: { host: "::1", port } });
	expect(await edit()).toMatchObject({ state: "applied", by: "obsidian" });
	expect(obsidian.node.open).toBe(0);
	await bridge.stop();
	await obsidian.state("off");
	await serve(["--port", String(port)]);
	await obsidian.state("ready");
	expect(await bridge.call("edit_note", { path: NOTE, edits: [{ op: "append", text: "Again.\n" }] })).toMatchObject({ by: "obsidian" });
	expect(await obsidian.unload()).toMatchObject({ listening: 0, alive: 0 });
});
