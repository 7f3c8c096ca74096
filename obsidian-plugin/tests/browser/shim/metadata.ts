import { Events } from "./component";
import type { TFile, Vault } from "./vault";

interface Heading {
	readonly heading: string;
	readonly level: number;
	readonly position: { readonly start: { readonly line: number } };
}

/** obsidian.d.ts: class MetadataCache, of the files as they are saved: here their headings, aliases and the properties of one line alone, and those of files that were read. */
export class MetadataCache extends Events {
	constructor(private readonly vault: Vault) {
		super();
	}

	getFileCache(file: TFile): { headings?: Heading[]; frontmatter?: { aliases: string[]; [property: string]: unknown } } | null {
		const text = this.vault.texts__.get(file);
		if (text === undefined) return null;
		const headings = headingsOf(text);
		// CachedMetadata.headings is optional: there is none where there are none.
		return { ...(headings.length === 0 ? {} : { headings }), frontmatter: { ...propertiesOf(text), aliases: aliasesOf(text) } };
	}
}

/** The properties of a note that stand in one line, as text; undefined without any. */
export function propertiesOf(text: string): Record<string, string> | undefined {
	const block = /^---\n((?:.*\n)*?)---\n/.exec(text)?.[1];
	return block === undefined ? undefined : Object.fromEntries([...block.matchAll(/^([^:\n]+): (.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));
}

function aliasesOf(text: string): string[] {
	const listed = /^---\n(?:.*\n)*?aliases: \[(.*)\]\n/.exec(text)?.[1];
	return listed === undefined ? [] : listed.split(",").map((alias) => alias.trim());
}

/** obsidian.d.ts: function parseFrontMatterAliases. */
export function parseFrontMatterAliases(frontmatter: { aliases?: string[] } | null): string[] | null {
	return frontmatter?.aliases ?? null;
}

function headingsOf(text: string): Heading[] {
	let fence = false;
	return text.split("\n").flatMap((line, at) => {
		if (line.startsWith("```")) fence = !fence;
		const found = fence ? null : /^(#{1,6}) (.+)$/.exec(line);
		return found === null ? [] : [{ heading: found[2] ?? "", level: found[1]?.length ?? 0, position: { start: { line: at } } }];
	});
}
