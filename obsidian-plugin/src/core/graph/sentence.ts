/** A sentence of a note as it is read: links by what they show, marks left out. */
export function plain(text: string): string {
	return text
		.replace(/!?\[\[([^\]|]*\|)?([^\]]*)\]\]/g, "$2")
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replace(/^[\s>]*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?|^[\s>#|]+/, "")
		.replace(/\*\*|__|==|\s*\|\s*$/g, "")
		.trim();
}
