import lucide from "@iconify-json/lucide/icons.json";

interface Drawn {
	readonly body: string;
}

const drawn: Readonly<Record<string, Drawn>> = lucide.icons;
const renamed: Readonly<Record<string, { readonly parent: string }>> = lucide.aliases;

/** Return the drawing of an icon of Lucide, which the app's icons are; undefined when there is none. */
export function icon(id: string): string | undefined {
	const found = drawn[id] ?? drawn[renamed[id]?.parent ?? ""];
	return found && `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" class="svg-icon lucide-${id}" aria-hidden="true">${found.body}</svg>`;
}
