import type { Operations } from "../../protocol/operations";
import type { Host } from "../host";
import { offerAction } from "../undoing";
import { sayRefusal } from "../say-refusal";

/** Leave a row out of its report from now on, and offer to list it again. */
export async function dismiss({ link }: Host, row: Operations["dismiss"]["arguments"], said: string, again: () => void): Promise<void> {
	const answer = await link.call("dismiss", row);
	if (!answer.ok) {
		sayRefusal(answer.error);
		return;
	}
	again();
	offerAction(`${said} is not listed again.`, "Undo", () => {
		void link.call("dismiss", { ...row, undo: true }).then((back) => {
			if (back.ok) again();
			else sayRefusal(back.error);
		});
	});
}
