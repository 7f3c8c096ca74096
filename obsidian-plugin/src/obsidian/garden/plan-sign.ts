import { GARDEN, type Host } from "../host";
import { makeSign } from "../sign";
import { GardenView } from "./garden-view";

/**
 * Tell that the gardener wrote a plan until the person looks at it.
 *
 * @param bar An item of the status bar.
 * @returns A function that stops it.
 */
export function tellPlan(host: Host, bar: HTMLElement): () => void {
	const panes = (): GardenView[] => host.app.workspace.getLeavesOfType(GARDEN).flatMap(({ view }) => (view instanceof GardenView ? [view] : []));
	let plan = "";
	const show = makeSign(bar, "vaultside-plan", async () => {
		show("", "", "");
		await host.reveal(GARDEN);
		for (const pane of panes()) pane.showPlan(plan);
	});
	show("", "", "");
	return host.events.add((event) => {
		// An open pane shows it by itself.
		if (event.kind !== "plan_ready" || panes().length > 0) return;
		plan = event.path;
		show("sprout", String(event.findings), "The gardener wrote a plan");
	});
}
