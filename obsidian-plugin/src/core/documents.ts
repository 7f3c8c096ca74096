const SUFFIXES = [".md", ".canvas", ".pdf", ".excalidraw"];

/** Whether the bridge reads a file for search. */
export function isDocument(path: string): boolean {
	const lower = path.toLowerCase();
	return SUFFIXES.some((suffix) => lower.endsWith(suffix));
}
