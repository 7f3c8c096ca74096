import { ADMIN, type OperationName, type Operations } from "../protocol/operations";
import type { Spoken } from "../core/compatibility";

/** Where a bridge listens, what it takes as proof, and which of its vaults is meant. */
export interface Address {
	readonly url: string;
	readonly token: string;
	readonly vault: string;
	/** Whether the token is that of another program than the person's own, so that what it changes waits. */
	readonly paired?: boolean;
	/** What it takes as proof where settings are concerned; without, this window may not change them. */
	readonly owner?: string | null;
}

/** What this program is called by the bridge. */
export const CLIENT = "Obsidian";

/** Sends a request outside of the page, so that neither CORS nor an Origin comes into play; rejects when nobody answers. */
export type Send = (request: {
	readonly url: string;
	readonly method: "GET" | "POST";
	readonly headers: Record<string, string>;
	readonly body?: string;
}) => Promise<{ readonly status: number; readonly text: string }>;

export interface Refusal<Code extends string> {
	readonly code: Code | "unreachable";
	readonly message: string;
	readonly hint: string;
	/** The places that stood in the way of a change. */
	readonly conflicts?: readonly Clash[];
}

/** A place that was changed in two ways. */
export interface Clash {
	readonly path: string;
	readonly why: string;
	/** What stands there now. */
	readonly ours: string;
	/** What would stand there. */
	readonly theirs: string;
}

export type Answer<Name extends OperationName> =
	| { readonly ok: true; readonly result: Operations[Name]["result"] }
	| { readonly ok: false; readonly error: Refusal<Operations[Name]["error"]> };

export type Raw = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: Refusal<string> };

export const UNREACHABLE: Refusal<never> = {
	code: "unreachable",
	message: "The bridge does not answer.",
	hint: "The plugin keeps looking for it; the status bar shows the state.",
};

/** Call an operation. Whatever goes wrong is a value with a way out; nothing is thrown. */
export async function call<Name extends OperationName>(
	send: Send,
	address: Address,
	name: Name,
	given: Operations[Name]["arguments"],
): Promise<Answer<Name>> {
	const body = JSON.stringify({ vault: address.vault, ...given });
	const { owner } = address;
	const by = owner != null && ADMIN.has(name) ? { ...address, token: owner } : address;
	// The form of each answer was compared when the bridge was met.
	return (await request(send, by, "POST", `/api/${name}`, body)) as Answer<Name>;
}

/** List what a bridge can do, and how each thing is called. */
export async function spoken(send: Send, address: Address): Promise<readonly Spoken[] | Refusal<string>> {
	const answer = await request(send, address, "GET", "/api/operations");
	if (!answer.ok) return answer.error;
	const listed = field(answer.result, "operations");
	if (!Array.isArray(listed)) return { ...UNREACHABLE, message: "The program at this address is not a bridge." };
	return listed.map((entry: unknown) => ({ name: text(entry, "name"), form: text(entry, "form") }));
}

/** Exchange a pairing code for a token of our own. */
export async function pair(send: Send, url: string, code: string, client: string): Promise<string | Refusal<string>> {
	const address = { url, token: "", vault: "" };
	const answer = await request(send, address, "POST", "/api/pair", JSON.stringify({ code, client }));
	return answer.ok ? text(answer.result, "token") : answer.error;
}

async function request(send: Send, address: Address, method: "GET" | "POST", path: string, body?: string): Promise<Raw> {
	const headers: Record<string, string> = { "X-Vaultside-Client": CLIENT };
	if (address.token !== "") headers["Authorization"] = `Bearer ${address.token}`;
	if (body !== undefined) headers["Content-Type"] = "application/json";
	let answer: { readonly status: number; readonly text: string };
	try {
		answer = await send({ url: address.url + path, method, headers, ...(body === undefined ? {} : { body }) });
	} catch {
		return { ok: false, error: UNREACHABLE };
	}
	const value = parseJson(answer.text);
	return answer.status < 400 ? { ok: true, result: value } : { ok: false, error: refusalOf(value) };
}

/** Read an error of the bridge. */
export function refusalOf(value: unknown): Refusal<string> {
	const error = field(value, "error");
	const refusal = { code: text(error, "code") || "internal", message: text(error, "message"), hint: text(error, "hint") };
	const told = field(error, "conflicts");
	return Array.isArray(told) ? { ...refusal, conflicts: told.map(clash) } : refusal;
}

function clash(told: unknown): Clash {
	return { path: text(told, "path"), why: text(told, "why"), ours: text(told, "ours"), theirs: text(told, "theirs") };
}

/** Read JSON; null when it is none. */
export function parseJson(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return null;
	}
}

function field(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown, name: string): string {
	const found = field(value, name);
	return typeof found === "string" ? found : "";
}

/** Say what went wrong, and the way out. */
export function explainRefusal({ message, hint }: Pick<Refusal<string>, "message" | "hint">): string {
	return `${message} ${hint}`.trim();
}
