import { type Host, TIDY } from "../host";
import { makeSign } from "../sign";

/**
 * Tell that a plan was made until the person looks at it.
 *
 * @param bar An item of the status bar.
 * @returns A function that stops it.
 */
export function tellPlan(host: Host, bar: HTMLElement): () => void {
	const show = makeSign(bar, "vaultside-plan", () => {
		show("", "", "");
		return host.reveal(TIDY);
	});
	show("", "", "");
	return host.events.add((event) => {
		// An open pane shows it by itself.
		if (event.kind === "plan_ready" && host.app.workspace.getLeavesOfType(TIDY).length === 0) show("list-checks", String(event.findings), "There is a plan to tidy your notes");
	});
}
