import { folderOf, titleOf } from "../place";

/** A note to start another from. */
export interface Template {
	readonly name: string;
	readonly path: string;
}

/** The folder that the settings of Obsidian's templates name; null without one. */
export function templateFolder(settings: string): string | null {
	try {
		const { folder } = JSON.parse(settings) as { readonly folder?: unknown };
		const clean = typeof folder === "string" ? folder.replace(/^\/+|\/+$/g, "") : "";
		return clean === "" ? null : clean;
	} catch {
		return null;
	}
}

/** The notes in folders of templates, by name. */
export function listTemplates(paths: readonly string[], folders: readonly string[]): readonly Template[] {
	return paths
		.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
		.map((path) => ({ name: titleOf(path), path }))
		.sort((one, other) => one.name.localeCompare(other.name) || one.path.localeCompare(other.path));
}

/** The path of a new note; without a name it is the first that is free. */
export function newPath(folder: string, name: string, exists: (path: string) => boolean): string {
	const inside = (title: string): string => [folder, `${title}.md`].filter((part) => part !== "" && part !== "/").join("/");
	const wanted = name.trim().replace(/\.md$/i, "");
	if (wanted !== "") return inside(wanted);
	for (let count = 0; ; count++) {
		const path = inside(count === 0 ? "Untitled" : `Untitled ${count}`);
		if (!exists(path)) return path;
	}
}

/** Where a template stands, for those of the same name. */
export function placeOfTemplate({ path }: Template): string {
	return folderOf(path);
}
