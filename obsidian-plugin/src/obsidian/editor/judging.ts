import type { JudgeLinkArguments } from "../../protocol/operations";
import type { Host } from "../host";

const MAX_TEXT_CHARS = 200;

/** Tell the bridge what became of a link, so that it learns; of a note that it does not know yet it cannot. */
export function judge({ link }: Host, path: string, target: string, text: string, verdict: JudgeLinkArguments["verdict"]): void {
	const words = [...text.trim()].slice(0, MAX_TEXT_CHARS).join("");
	if (words !== "") void link.call("judge_link", { path, target, text: words, verdict });
}
