import { expect, test } from "vitest";
import { paired } from "./programs";
import { bridge, obsidian, open, vaultForEach } from "./stage";

const NOTE = "Bread/Starters/Sourdough starter.md";
const HEBREW = "מחמצת.md";

vaultForEach({
	after: async () => {
		await bridge.call("create_note", { path: HEBREW, text: "# מחמצת\n\nהחיידקים במחמצת מעדיפים מלטוז. [[Sourdough starter]]\n", confirm: true });
		await bridge.call("set_up_memory", { confirm: true });
		await bridge.call("remember", { title: "Rye needs a sour starter", text: "Without one the loaf stays flat.", kind: "decision", confirm: true });
		const quill = await paired(bridge, "Quill");
		const { digest } = await quill<{ digest: string }>("read_note", { path: NOTE });
		await quill("edit_note", { path: NOTE, digest, edits: [{ op: "replace_text", old: "Equal weights of flour", new: "Equal weights of rye" }], reason: "It is rye." });
		await bridge.readable();
	},
});

/** Texts with less contrast than 4.5, and controls smaller than 24 pixels, in the pane that is shown. */
async function faults(): Promise<readonly string[]> {
	await obsidian.settled();
	return obsidian.page.evaluate(() => {
		type Colour = readonly [red: number, green: number, blue: number, alpha: number];
		const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
		const read = (colour: string): Colour => {
			context.clearRect(0, 0, 1, 1);
			context.fillStyle = colour;
			context.fillRect(0, 0, 1, 1);
			const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
			return [red, green, blue, alpha / 255];
		};
		const over = ([red, green, blue, alpha]: Colour, [r, g, b]: Colour): Colour => [red * alpha + r * (1 - alpha), green * alpha + g * (1 - alpha), blue * alpha + b * (1 - alpha), 1];
		const light = ([red, green, blue]: Colour): number => {
			const [r, g, b] = [red, green, blue].map((value) => (value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const contrast = (el: Element, colour: string): number => {
			const above: Colour[] = [];
			let [seen, at]: [number, Element | null] = [1, el];
			for (; at !== null; at = at.parentElement) {
				const { backgroundColor, opacity } = getComputedStyle(at);
				seen *= Number(opacity);
				above.push(read(backgroundColor));
			}
			const behind = above.reduceRight((below, colour) => over(colour, below), [255, 255, 255, 1] as Colour);
			const [red, green, blue, alpha] = read(colour);
			const [one, other] = [light(over([red, green, blue, alpha * seen], behind)), light(behind)];
			return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
		};
		const isShown = (el: Element): boolean => el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && el.getBoundingClientRect().width > 0;
		const found = new Map<string, string>();
		const report = (el: Element, measured: string, text: string): void => void found.set(`${el.tagName}.${el.className} ${measured}`, text.trim().slice(0, 30));
		const judge = (el: Element, colour: string, text: string): void => {
			const measured = contrast(el, colour);
			if (measured < 4.5) report(el, measured.toFixed(2), text);
		};
		for (const pane of document.querySelectorAll(".vaultside-pane, .vaultside-search-modal, .vaultside-preview")) {
			if (!isShown(pane)) continue;
			const texts = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT);
			for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
				const el = node.parentElement!;
				const text = node.textContent ?? "";
				if (text.trim() !== "" && isShown(el) && el.closest(":disabled") === null) judge(el, getComputedStyle(el).color, text);
			}
			for (const el of pane.querySelectorAll<HTMLInputElement>("input[placeholder]")) if (isShown(el)) judge(el, getComputedStyle(el, "::placeholder").color, el.placeholder);
			for (const el of pane.querySelectorAll("a, button, summary, input, select, [role=option], [role=tab]")) {
				const { width, height } = (el.closest("label") ?? el).getBoundingClientRect();
				if (isShown(el) && (width < 24 || height < 24)) report(el, `${width.toFixed(1)}×${height.toFixed(1)}`, el.getAttribute("aria-label") ?? el.textContent);
			}
		}
		return [...found].map((one) => one.join(": "));
	});
}

async function unfold(): Promise<void> {
	await obsidian.page.evaluate(() => document.querySelectorAll<HTMLDetailsElement>(".vaultside-pane details:not([open])").forEach((el) => (el.open = true)));
	do await obsidian.settled();
	while (obsidian.node.waiting > 0);
}

async function hover(selector: string): Promise<void> {
	const all = obsidian.page.locator(`.vaultside-pane ${selector}:visible`);
	await all.first().waitFor();
	await all.first().hover();
}

const field = () => obsidian.page.getByRole("combobox");

/** What is done to come to each state, one after the other. */
const STATES: Readonly<Record<string, () => Promise<unknown>>> = {
	search: async () => {
		await obsidian.run("search");
		await hover(".vaultside-hit");
	},
	"search, found": async () => {
		await field().fill("bread starter");
		await obsidian.page.locator(".vaultside-say", { hasText: /\d ms(?! …)/ }).waitFor();
		await hover(".vaultside-hit mark");
	},
	"search, selected": () => field().press("ArrowDown"),
	"search, refused": async () => {
		await field().fill('title:( "unclosed');
		await obsidian.page.getByText(/quotation mark is not closed/).waitFor();
	},
	ask: async () => {
		await obsidian.run("ask");
		await obsidian.page.getByText("no chat model is in use").waitFor();
		await unfold();
	},
	"ask, answered": async () => {
		await obsidian.page.getByLabel("Question").fill("What do the bacteria in a sourdough starter prefer?");
		await obsidian.page.getByRole("button", { name: "Ask", exact: true }).click();
		await hover(".vaultside-quote button");
		await unfold();
	},
	related: async () => {
		await obsidian.run("related");
		await hover(".vaultside-hit");
		await unfold();
	},
	"related, a name": () => hover(".vaultside-missing-title, .vaultside-fold summary"),
	graph: async () => {
		await obsidian.run("graph");
		await hover(".vaultside-graph-group");
	},
	"graph, dimmed": async () => {
		await obsidian.page.locator("button.vaultside-graph-group").first().click();
		await obsidian.page.locator(".vaultside-graph-group.is-dim").first().waitFor();
	},
	"graph, list": async () => {
		await obsidian.page.getByRole("button", { name: "Show as a list" }).click();
		await hover(".vaultside-graph-row");
	},
	changes: async () => {
		await obsidian.run("changes");
		await obsidian.page.locator(".vaultside-change > summary").first().click();
		await hover(".vaultside-diff");
	},
	memory: async () => {
		await obsidian.run("memory");
		await hover(".vaultside-memory");
	},
	"memory, sessions": () => obsidian.page.locator(".vaultside-segments button:visible").last().click(),
	tidy: async () => {
		await obsidian.run("tidy");
		await hover(".vaultside-fold summary");
		await unfold();
	},
	"tidy, a name": () => hover("button.vaultside-missing-title"),
	"tidy, a plan": async () => {
		await obsidian.page.getByRole("button", { name: "Make a plan" }).click();
		await obsidian.page.getByText(/Tick what is right/).waitFor();
		await unfold();
	},
	status: async () => {
		await obsidian.run("status");
		await obsidian.page.getByText(/checks are fine/).waitFor();
		await unfold();
	},
	"a search in a window": async () => {
		await obsidian.run("search-window");
		await obsidian.page.locator(".vaultside-search-modal input").fill("bread");
		await obsidian.page.locator(".vaultside-search-modal .vaultside-hit mark").first().hover();
		await obsidian.page.keyboard.press("ArrowDown");
	},
	"without a bridge": async () => {
		await obsidian.page.keyboard.press("Escape");
		await obsidian.page.keyboard.press("Escape");
		await obsidian.page.evaluate(() => (window.plugin as unknown as { link: { close: () => void } }).link.close());
		await obsidian.page.locator(".vaultside-absence:visible").first().waitFor();
		await unfold();
	},
};

test.each([false, true])("in every pane text has contrast, and controls are large enough to hit, dark: %s", async (dark) => {
	await open({ dark });
	await obsidian.state("ready");
	await obsidian.page.evaluate(async (path) => {
		const file = window.app.vault.getFileByPath(path);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, NOTE);
	const found: string[] = [];
	for (const [state, come] of Object.entries(STATES)) {
		await come();
		for (const fault of await faults()) found.push(`${state}: ${fault}`);
	}
	expect(found).toEqual([]);
});

test("hits begin right below what is said of them, and a title from right to left where its text does", async () => {
	await open();
	await obsidian.state("ready");
	await obsidian.run("search");
	await field().fill("מחמצת");
	await obsidian.page.locator(".vaultside-say", { hasText: /\d ms(?! …)/ }).waitFor();
	const [hole, ...begins] = await obsidian.page.evaluate(() => {
		const edge = (el: Element): number => {
			const range = document.createRange();
			range.selectNodeContents(el);
			return Math.round(range.getBoundingClientRect().right);
		};
		const find = (selector: string): Element => document.querySelector(`.vaultside-pane ${selector}`)!;
		const hole = find(".vaultside-hit").getBoundingClientRect().top - find(".vaultside-say").getBoundingClientRect().bottom;
		return [hole, edge(find(".vaultside-hit-title")), edge(find(".vaultside-hit-text"))];
	});
	expect(hole).toBeLessThanOrEqual(8);
	expect(begins[0]).toBe(begins[1]);
});
