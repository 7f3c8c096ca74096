import { disk } from "./node";
import type { TAbstractFile, TFile, Vault } from "./vault";

/** "Prepares headings for linking by stripping out some bad combinations of special characters that could break links." */
export function stripHeadingForLink(heading: string): string {
	return heading.replace(/[#|^\\:%[\]]+/g, " ").replace(/\s+/g, " ").trim();
}

interface Preferences {
	readonly useMarkdownLinks?: boolean;
	readonly newLinkFormat?: "shortest" | "relative" | "absolute";
}

/** obsidian.d.ts: class FileManager. The preferences are those of the vault's `app.json`. */
export class FileManager {
	private preferences: Preferences = {};

	constructor(private readonly vault: Vault) {}

	async read__(): Promise<void> {
		const path = `${this.vault.adapter.getBasePath()}/${this.vault.configDir}/app.json`;
		this.preferences = JSON.parse(await disk.read(path).catch(() => "{}")) as Preferences;
	}

	/** "Generate a Markdown link based on the user's preferences. alias: The display text if it's to be different than the file name." */
	generateMarkdownLink(file: TFile, source: string, subpath = "", alias = ""): string {
		const to = file.path === source && subpath !== "" ? subpath : `${this.linktext(file, source)}${subpath}`;
		if (this.preferences.useMarkdownLinks !== true) return alias === "" ? `[[${to}]]` : `[[${to}|${alias}]]`;
		const path = file.path === source && subpath !== "" ? "" : this.written(file, source);
		return `[${alias || file.basename}](${encodeURI(path + subpath)})`;
	}

	/** "Gets the folder that new files should be saved to, given the user's preferences": the vault's own. */
	getNewFileParent(): { readonly path: string } {
		return { path: "/" };
	}

	renameFile(file: TAbstractFile, to: string): Promise<void> {
		return this.vault.rename(file, to);
	}

	private linktext(file: TFile, source: string): string {
		const written = this.written(file, source);
		return file.extension === "md" ? written.replace(/\.md$/, "") : written;
	}

	private written(file: TFile, source: string): string {
		const { newLinkFormat = "shortest" } = this.preferences;
		if (newLinkFormat === "absolute") return file.path;
		if (newLinkFormat === "relative") return relative(file.path, source);
		const alone = this.vault.getFiles().filter(({ name }) => name.toLowerCase() === file.name.toLowerCase()).length === 1;
		return alone ? file.name : file.path;
	}
}

function relative(path: string, source: string): string {
	const [to, from] = [path.split("/"), source.split("/").slice(0, -1)];
	while (from.length > 0 && to.length > 1 && from[0] === to[0]) {
		from.shift();
		to.shift();
	}
	return [...from.map(() => ".."), ...to].join("/");
}
