import type { Written } from "../protocol/operations";

type Effect = Pick<Written, "links_rewritten" | "links_broken" | "files" | "warnings">;

/** Say what else follows when something is renamed. */
export function follows({ links_rewritten: links, links_broken: broken, files, warnings }: Effect): string {
	const others = files - 1;
	const where = others > 0 ? `, in ${others === 1 ? "1 other file" : `${others.toLocaleString()} other files`}` : "";
	const said = links === 0 ? "No link follows." : links === 1 ? `1 link follows${where}.` : `${links.toLocaleString()} links follow${where}.`;
	const lost = broken.map(({ path, line, text }) => `This leaves a link unresolved: ${text} in ${path}, line ${line}.`);
	return [said, ...lost, ...warnings].join(" ");
}
