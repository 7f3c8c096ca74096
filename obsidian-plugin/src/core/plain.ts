/** A text as it is read: links by what they show, and without the marks of style. */
export function stripStyle(text: string): string {
	return text
		.replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1")
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replace(/(\*{1,2}|__|==|~~|`)(?=\S)(.*?\S)\1/g, "$2");
}

/** The same of a whole line, without what begins it and without what ends a row of a table. */
export function plain(line: string): string {
	return stripRowEnd(stripStyle(unbegun(line))).trim();
}

/** A line without what makes it a quote, an item of a list, a task, a heading or a row of a table. */
export function unbegun(line: string): string {
	return line.replace(/^[\s>]*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?|^[\s>#|]+/, "");
}

/** A line without the bar that ends a row of a table. */
export function stripRowEnd(line: string): string {
	return line.replace(/\s*\|\s*$/, "");
}
