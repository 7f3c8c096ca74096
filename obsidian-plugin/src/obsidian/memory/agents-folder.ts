import { folderOf } from "../../core/place";
import { type Answer, explainRefusal } from "../../client/client";
import type { Host } from "../host";

/** Where agents keep their notes, and whether that folder was set up; or why it cannot be known. */
export type AgentsFolder = Extract<Answer<"set_up_memory">, { ok: false }> | { readonly ok: true; readonly path: string; readonly isSetUp: boolean };

/** Find the folder of the agents by what setting it up would do. */
export async function findAgentsFolder({ link, app }: Host): Promise<AgentsFolder> {
	const planned = await link.call("set_up_memory", { dry_run: true });
	if (!planned.ok) return planned;
	const about = planned.result.path ?? "";
	return { ok: true, path: folderOf(about), isSetUp: app.vault.getFileByPath(about) !== null };
}

/** Say what the memory is for, and offer to make its folder where there is none. */
export async function offerSetUp(el: HTMLElement, host: Host, onMade: () => void): Promise<void> {
	const folder = await findAgentsFolder(host);
	const now = JSON.stringify(folder);
	// Recreating the button while it is being pressed would lose the click.
	if (el.dataset["says"] === now) return;
	el.dataset["says"] = now;
	el.empty();
	const box = el.createDiv({ cls: "vaultside-empty" });
	if (!folder.ok) {
		box.setText(explainRefusal(folder.error));
		return;
	}
	if (folder.isSetUp) {
		box.setText(`Nothing is remembered yet. What agents remember becomes notes in ${folder.path}, which you can edit and delete.`);
		return;
	}
	box.createEl("p", { text: "Agents can keep what they learn as notes of their own, for later sessions, once you make a folder for it." });
	const button = box.createEl("button", { cls: "mod-cta", text: `Make the folder ${folder.path}` });
	const refused = box.createDiv({ attr: { role: "alert" } });
	button.addEventListener("click", () => {
		button.disabled = true;
		void host.link.call("set_up_memory", { confirm: true }).then((answer) => {
			button.disabled = false;
			if (answer.ok) onMade();
			else refused.setText(explainRefusal(answer.error));
		});
	});
}
