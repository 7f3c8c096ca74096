import { Notice } from "obsidian";
import type { Operations } from "../../protocol/operations";
import { withHint } from "../../core/refusal";
import type { Host } from "../host";
import { offering } from "../undoing";

/** Leave a row out of its report from now on, and offer to list it again. */
export async function dismiss({ link }: Host, row: Operations["dismiss"]["arguments"], said: string, again: () => void): Promise<void> {
	const answer = await link.call("dismiss", row);
	if (!answer.ok) {
		new Notice(withHint(answer.error));
		return;
	}
	again();
	offering(`${said} is not listed again.`, "Undo", () => {
		void link.call("revive", row).then((back) => {
			if (back.ok) again();
			else new Notice(withHint(back.error));
		});
	});
}
