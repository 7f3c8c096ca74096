import type { ViewNode } from "../../protocol/operations";

/**
 * The nodes whose title says what was typed, and those that a search found; null when nothing was typed.
 *
 * @param paths What a search by words and meaning found.
 */
export function findNodes(nodes: readonly ViewNode[], typed: string, paths: ReadonlySet<string>): ReadonlySet<number> | null {
	const wanted = foldText(typed.trim());
	if (wanted === "") return null;
	const fits = ({ title, path }: ViewNode): boolean => foldText(title).includes(wanted) || (path !== null && paths.has(path));
	return new Set(nodes.filter(fits).map((node) => node.id));
}

/** Without case and accents. */
function foldText(text: string): string {
	return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}
