import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "vitest";
import { picture } from "./picture";
import { paired } from "./programs";
import { type Given, bridge, home, obsidian, open, vaultForEach } from "./stage";

const LONG = "A name that is far too long for any pane and goes on and on without an end in sight";
const NOTE = `Ein Ordner mit einem langen Namen/${LONG}.md`;
const NOTES: Readonly<Record<string, string>> = {
	[NOTE]: `# ${LONG}\n\n面包和馒头 beside [[خبز عربي طويل الاسم]]. Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen.\n\n## ${"Heading ".repeat(20)}\n\nبالعربية: العجين يرتاح ساعة واحدة. [[Nobody wrote this one yet, and it has a long name, too]].\n`,
	"خبز عربي طويل الاسم.md": `# خبز عربي طويل الاسم\n\nالعجين يرتاح ساعة واحدة قبل الخبز في الفرن. [[面包和馒头]].\n`,
	"面包和馒头.md": `面包和馒头都是发酵的面团做的，一个烤，一个蒸。[[${LONG}]]\n`,
};

vaultForEach({
	before: async () => {
		for (const [path, text] of Object.entries(NOTES)) {
			await mkdir(dirname(join(home.vault, path)), { recursive: true });
			await writeFile(join(home.vault, path), text);
		}
	},
	after: async () => {
		const quill = await paired(bridge, "A program whose name is long");
		const { digest } = await quill<{ digest: string }>("read_note", { path: NOTE });
		await quill("edit_note", { path: NOTE, digest, edits: [{ op: "replace_text", old: "beside", new: "far from, and never again beside," }, { op: "replace_text", old: "ساعة واحدة", new: "ساعتين" }], reason: "因为 she said so, at length, and nobody could stop her from saying it." });
		await bridge.call("edit_note", { path: "面包和馒头.md", edits: [{ op: "append", text: "完。\n" }] });
	},
});

async function read(path: string): Promise<void> {
	await obsidian.page.evaluate(async (name) => {
		const file = window.app.vault.getFileByPath(name);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, path);
}

/** Each state of a pane: what is done to come to it. */
const STATES: Readonly<Record<string, () => Promise<void>>> = {
	"search-long": async () => {
		await obsidian.run("search");
		await obsidian.page.getByRole("combobox").fill("العجين OR 面包 OR Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen");
		await obsidian.page.locator(".vaultside-hit").nth(1).waitFor();
	},
	"search-nothing": async () => {
		await obsidian.page.getByRole("combobox").fill("qqqzzzqqq");
		await obsidian.page.getByText(/^Nothing found/).waitFor();
	},
	"search-noticed": async () => {
		await obsidian.page.getByRole("combobox").fill('title:( "unclosed');
		await obsidian.page.getByText(/quotation mark is not closed/).waitFor();
	},
	"related-long": async () => {
		await obsidian.run("related");
		await obsidian.page.locator(".vaultside-hit:visible").first().waitFor();
	},
	"graph-long": async () => {
		await obsidian.run("graph");
		await obsidian.page.locator(".vaultside-graph-group").first().waitFor();
		await obsidian.page.locator(".vaultside-graph-picture").focus();
		await obsidian.page.keyboard.press("ArrowDown");
		await obsidian.page.locator(".vaultside-graph-tell-title").waitFor();
	},
	"graph-list-long": async () => {
		await obsidian.page.getByRole("button", { name: "Show as a list" }).click();
		await obsidian.page.locator(".vaultside-graph-row").first().waitFor();
	},
	"changes-long": async () => {
		await obsidian.run("changes");
		await obsidian.page.locator(".vaultside-change > summary").first().click();
		await obsidian.page.locator(".vaultside-diff").first().waitFor();
	},
	"status-long": async () => {
		await obsidian.run("status");
		await obsidian.page.getByText(/checks are fine/).waitFor();
		await obsidian.page.locator(".vaultside-passage").first().waitFor();
	},
};

const NARROW = ".workspace-split.mod-sidedock { width: 240px }";

const WAYS: Readonly<Record<string, { readonly given: Given; readonly turn: () => Promise<unknown> }>> = {
	narrow: { given: {}, turn: () => obsidian.page.addStyleTag({ content: NARROW }) },
	rtl: { given: { dark: true }, turn: () => obsidian.page.evaluate(() => (document.dir = "rtl")) },
	contrast: { given: {}, turn: () => obsidian.page.emulateMedia({ forcedColors: "active", contrast: "more" }) },
	"contrast-dark": { given: { dark: true }, turn: () => obsidian.page.emulateMedia({ forcedColors: "active", contrast: "more", colorScheme: "dark" }) },
};

test.each(Object.keys(WAYS))("with long names in many scripts, found and not, nothing is cut off: %s", async (way) => {
	const { given, turn } = WAYS[way] ?? { given: {}, turn: () => Promise.resolve() };
	await open(given);
	await obsidian.state("ready");
	await turn();
	await read(NOTE);
	for (const [name, come] of Object.entries(STATES)) {
		await come();
		await picture(obsidian, `${name}-${way}`, given.dark === true);
	}
});
