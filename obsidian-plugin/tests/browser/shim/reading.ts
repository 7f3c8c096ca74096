import { MarkdownRenderChild } from "./component";
import { makeEl } from "./dom";
import { propertiesOf } from "./metadata";

/** obsidian.d.ts: interface MarkdownPostProcessorContext. */
export interface Context {
	readonly docId: string;
	readonly sourcePath: string;
	readonly frontmatter: Record<string, unknown> | undefined;
	readonly addChild: (child: MarkdownRenderChild) => void;
	readonly getSectionInfo: (el: HTMLElement) => { text: string; lineStart: number; lineEnd: number } | null;
}

export type PostProcessor = (el: HTMLElement, context: Context) => unknown;

interface Section {
	readonly source: string;
	readonly el: HTMLElement;
	readonly children: MarkdownRenderChild[];
	lineStart: number;
}

const TASK = /^(\s*(?:[-*+]|\d+[.)])\s+\[)(.)(\]\s+)(.*)$/;

/** obsidian.d.ts: class MarkdownPreviewView: the note as it is read, section by section; only those that changed are rendered again. */
export class ReadingView {
	readonly containerEl: HTMLElement;
	private readonly sizer: HTMLElement;
	private sections: Section[] = [];
	private text = "";

	/**
	 * @param path The note, by the name that it has when a section is rendered.
	 * @param write Changes the note, as a click on a box does.
	 */
	constructor(
		parent: HTMLElement,
		private readonly path: () => string,
		private readonly processors: readonly PostProcessor[],
		private readonly write: (change: (text: string) => string) => void,
	) {
		this.containerEl = makeEl("div", { cls: "markdown-reading-view" }, parent);
		this.sizer = makeEl("div", { cls: "markdown-preview-sizer" }, makeEl("div", { cls: "markdown-preview-view markdown-rendered" }, this.containerEl));
	}

	set(text: string): void {
		this.text = text;
		const old = this.sections;
		this.sections = blocks(text).map(({ source, lineStart }) => {
			const at = old.findIndex((section) => section.source === source);
			const [known] = at < 0 ? [] : old.splice(at, 1);
			return Object.assign(known ?? { source, el: makeEl("div"), children: [], lineStart }, { lineStart });
		});
		for (const { el, children } of old) {
			for (const child of children) child.unload();
			el.remove();
		}
		const fresh = this.sections.filter(({ el }) => el.childElementCount === 0);
		this.sizer.append(...this.sections.map(({ el }) => el));
		for (const section of fresh) this.render(section);
	}

	/** Render all sections again (MarkdownPreviewView.rerender with `full`). */
	rerender__(): void {
		const { text } = this;
		this.set("");
		this.set(text);
	}

	private render(section: Section): void {
		const { el, children, source } = section;
		fill(el, source);
		for (const box of el.querySelectorAll<HTMLInputElement>(".task-list-item-checkbox")) {
			box.addEventListener("click", () => this.tick(section.lineStart + Number(box.dataset["line"])));
		}
		const context: Context = {
			docId: "0",
			sourcePath: this.path(),
			frontmatter: propertiesOf(this.text),
			addChild: (child) => {
				children.push(child);
				child.load();
			},
			getSectionInfo: (inside) => (el.contains(inside) && el.isConnected ? { text: this.text, lineStart: section.lineStart, lineEnd: section.lineStart + source.split("\n").length - 1 } : null),
		};
		for (const process of this.processors) process(el, context);
	}

	private tick(line: number): void {
		this.write((text) => {
			const lines = text.split("\n");
			lines[line] = (lines[line] ?? "").replace(TASK, (_, start: string, box: string, ...rest: string[]) => `${start}${box === " " ? "x" : " "}${rest[0]}${rest[1]}`);
			return lines.join("\n");
		});
	}
}

/** What stands between blank lines, and headings. */
function blocks(text: string): { source: string; lineStart: number }[] {
	const found: { source: string; lineStart: number }[] = [];
	const properties = /^---\n(?:.*\n)*?---(?=\n)/.exec(text)?.[0].split("\n").length ?? 0;
	let open = false;
	text.split("\n").forEach((line, at) => {
		const last = found.at(-1);
		if (at < properties && at > 0 && last !== undefined) last.source += `\n${line}`;
		else if (line.trim() === "" || at === properties) open = false;
		if (at > 0 && (at < properties || line.trim() === "")) return;
		if (open && last !== undefined && !line.startsWith("#")) last.source += `\n${line}`;
		else found.push({ source: line, lineStart: at });
		open = !line.startsWith("#");
	});
	return found;
}

function fill(el: HTMLElement, source: string): void {
	const heading = /^(#{1,6}) (.+)$/.exec(source);
	const cls = source.startsWith("---\n") ? "mod-frontmatter" : heading !== null ? `el-h${heading[1]?.length ?? 0}` : /^\s*[-*+] /.test(source) ? "el-ul" : "el-p";
	el.className = cls;
	if (cls === "mod-frontmatter") makeEl("pre", { text: source }, el).hidden = true;
	else if (heading !== null) inline(makeEl(`h${heading[1]?.length ?? 0}`, {}, el), heading[2] ?? "");
	else if (cls === "el-ul") list(makeEl("ul", { cls: "contains-task-list" }, el), source);
	else inline(makeEl(source.startsWith(">") ? "blockquote" : "p", {}, el), source);
}

function list(ul: HTMLElement, source: string): void {
	source.split("\n").forEach((line, at) => {
		const task = TASK.exec(line);
		// Indented items are inside the one before.
		const parent = /^\s/.test(line) && ul.lastElementChild !== null ? makeEl("ul", {}, ul.lastElementChild) : ul;
		const li = makeEl("li", { cls: task === null ? "" : "task-list-item", attr: { "data-line": at } }, parent);
		if (task !== null) {
			const box = makeEl("input", { cls: "task-list-item-checkbox", attr: { type: "checkbox", "data-line": at } }, li) as HTMLInputElement;
			box.checked = task[2] !== " ";
		}
		inline(li, task?.[4] ?? line.replace(/^\s*[-*+] /, ""));
	});
}

/** Links by what they show, code, and no ids of blocks. */
function inline(el: HTMLElement, text: string): void {
	for (const part of text.replace(/ \^[\w-]+\s*$/, "").split(/(\[\[[^\]]*\]\]|`[^`]*`)/)) {
		if (part.startsWith("[[")) makeEl("a", { cls: "internal-link", text: part.slice(2, -2).split("|").at(-1) ?? "" }, el);
		else if (part.startsWith("`")) makeEl("code", { text: part.slice(1, -1) }, el);
		else el.append(part);
	}
}
