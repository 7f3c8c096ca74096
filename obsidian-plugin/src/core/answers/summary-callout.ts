type CalloutEdit = { readonly op: "prepend"; readonly text: string } | { readonly op: "replace_lines"; readonly lines: readonly [number, number]; readonly text: string };

/** The edit that puts a summary into a note's callout of this type, or into a new one at its top. */
export function calloutEdit(note: string, summary: string): CalloutEdit {
	const text = ["> [!summary]", ...summary.trim().split("\n").map((line) => `> ${line}`.trimEnd())].join("\n");
	const lines = note.split("\n");
	const first = lines.findIndex((line) => /^>\s*\[!summary\]/i.test(line));
	if (first < 0) return { op: "prepend", text };
	const rest = lines.slice(first).findIndex((line) => !line.startsWith(">"));
	return { op: "replace_lines", lines: [first + 1, rest < 0 ? lines.length : first + rest], text };
}
