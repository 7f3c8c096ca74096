import { folderOf } from "../../core/place";
import type { Answer } from "../../client/client";
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
