import type { Hit } from "../protocol/operations";
import { stripStyle } from "./markdown-text";

export type Placed = Pick<Hit, "path" | "title" | "heading">;

/** The headings that a hit stands under, without one that only repeats the title. */
export function headings(hit: Placed): readonly string[] {
	const all = hit.heading === "" ? [] : hit.heading.split(" > ");
	return all[0] === hit.title ? all.slice(1) : all;
}

/** The name of a note as its file has it. */
export function titleOf(path: string): string {
	return (path.split("/").at(-1) ?? path).replace(/\.md$/, "");
}

/** The folder of a note, empty for the vault's own. */
export function folderOf(path: string): string {
	return path.split("/").slice(0, -1).join("/");
}

/** Where a hit is, to be read: its folder, and the headings that it stands under. */
export function placeOf(hit: Placed): string {
	return [folderOf(hit.path), readable(headings(hit))].filter((part) => part !== "").join(" · ");
}

/** Headings as a reader sees them: links show their words, and marks of style are not shown. */
export function readable(all: readonly string[]): string {
	return all.map(stripStyle).join(" › ");
}
