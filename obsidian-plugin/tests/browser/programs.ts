import type { Bridge } from "./bridge";

/** Calls operations as one program. */
export type Program = <T>(operation: string, given: object) => Promise<T>;

/** Let a program in, and return its token. */
export async function pairing(bridge: Bridge, client: string): Promise<string> {
	const { code } = await bridge.call<{ code: string }>("open_pairing");
	const answer = await fetch(`${bridge.url}/api/pair`, { method: "POST", headers: JSON_SENT, body: JSON.stringify({ code, client }) });
	return ((await answer.json()) as { token: string }).token;
}

/** Pair as a program that is not the person's own: what it changes is only proposed. */
export async function paired(bridge: Bridge, client: string): Promise<Program> {
	const token = await pairing(bridge, client);
	return async <T>(operation: string, given: object) => {
		const said = await fetch(`${bridge.url}/api/${operation}`, { method: "POST", headers: { ...JSON_SENT, Authorization: `Bearer ${token}` }, body: JSON.stringify({ vault: bridge.vault, ...given }) });
		if (!said.ok) throw new Error(await said.text());
		return (await said.json()) as T;
	};
}

/** A request of MCP, and its result. */
export type Ask = <T>(method: string, params: object) => Promise<T>;

/** Connect to MCP as a program does, with the capabilities that it declares. */
export async function connect(bridge: Bridge, name: string, token = bridge.token, capabilities: object = {}): Promise<Ask> {
	const headers: Record<string, string> = { ...JSON_SENT, Authorization: `Bearer ${token}`, Accept: "application/json, text/event-stream" };
	const post = async (message: object): Promise<Response> => {
		const answer = await fetch(`${bridge.url}/mcp`, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
		if (!answer.ok) throw new Error(await answer.text());
		return answer;
	};
	const hello = await post({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name, version: "1" } } });
	Object.assign(headers, { "Mcp-Session-Id": hello.headers.get("mcp-session-id"), "MCP-Protocol-Version": "2025-11-25" });
	await post({ method: "notifications/initialized" });
	return async <T>(method: string, params: object) => {
		const said = await (await post({ id: 2, method, params })).text();
		const [, last] = /^data: (.*"id":2.*)$/m.exec(said) ?? [];
		const { result, error } = JSON.parse(last ?? said) as { result: T; error?: unknown };
		if (error !== undefined) throw new Error(said);
		return result;
	};
}

/** Open a session over MCP, as an agent of the person's own does. */
export async function inSession(bridge: Bridge, client: string): Promise<(tool: string, given: object) => Promise<void>> {
	const ask = await connect(bridge, client);
	return async (name, given) => {
		const said = await ask<{ isError?: boolean }>("tools/call", { name, arguments: { vault: bridge.vault, ...given } });
		if (said.isError) throw new Error(JSON.stringify(said));
	};
}

const JSON_SENT = { "Content-Type": "application/json" };
