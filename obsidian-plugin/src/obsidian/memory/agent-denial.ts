import { CLIENT, explainRefusal } from "../../client/client";
import { PROPOSED } from "../changes/change-row";
import { Choice } from "../modals";
import type { Host } from "../host";

const MAX_SESSIONS = 500;
const DENY = "deny_agents";

/** Keep a note from all sessions of an agent; return what to tell the person, and whether it went wrong. */
export async function denyAgent({ link }: Host, path: string, client: string): Promise<readonly [said: string, wrong: boolean]> {
	const read = await link.call("read_note", { path, max_chars: 1 });
	if (!read.ok) return [explainRefusal(read.error), true];
	const { digest, properties } = read.result;
	const own = Object.keys(properties).find((name) => name.toLowerCase() === DENY) ?? DENY;
	const names: unknown[] = [properties[own] ?? []].flat();
	if (!names.every((name) => typeof name === "string")) return [`The property ${own} is no list of names.`, true];
	const others = names.filter((name) => name.toLowerCase() !== client.toLowerCase());
	const answer = await link.call("set_properties", { path, digest, properties: { [own]: [...others, client] } });
	if (!answer.ok) return [explainRefusal(answer.error), true];
	return [answer.result.state === "proposed" ? PROPOSED : `${client} is no longer given this note.`, false];
}

/** Let the person choose one of the agents that worked here, and keep a note from all its sessions. */
export async function chooseAgent(host: Host, path: string, onResult: (said: string, wrong: boolean) => void): Promise<void> {
	const answer = await host.link.call("list_sessions", { limit: MAX_SESSIONS });
	if (!answer.ok) return onResult(explainRefusal(answer.error), true);
	const clients = answer.result.sessions.flatMap(({ client }) => (client === null || client === CLIENT ? [] : [client]));
	if (clients.length === 0) return onResult("No agent has worked here yet.", false);
	new Choice(host, "Never tell…", [...new Set(clients)], (client) => client, (client) => void denyAgent(host, path, client).then((told) => onResult(...told))).open();
}
