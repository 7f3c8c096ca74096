/** How things stand with the bridge, as a value; what happens turns one into the next. */
export type Connection =
	| { readonly is: "off"; readonly why: Absence }
	| { readonly is: "connecting" }
	| { readonly is: "indexing"; readonly done: number }
	| { readonly is: "ready"; readonly note: string | null }
	| { readonly is: "refused" }
	| { readonly is: "incompatible"; readonly update: Outdated };

/** Why there is no bridge: none is installed, none runs, it does not answer, it failed to start, or the person does not want one. */
export type Absence =
	| { readonly kind: "not_installed" }
	| { readonly kind: "not_running" }
	| { readonly kind: "silent" }
	| { readonly kind: "failed"; readonly reason: string }
	| { readonly kind: "switched_off" };

/** Which of the two is too old. */
export type Outdated = "plugin" | "bridge";

export type Happening =
	| { readonly what: "try" }
	| { readonly what: "lost"; readonly why: Absence }
	| { readonly what: "refused" }
	| { readonly what: "mismatch"; readonly update: Outdated }
	| { readonly what: "progress"; readonly done: number; readonly note: string | null };

export const OFF: Connection = { is: "off", why: { kind: "switched_off" } };

/** Say how things stand after something happened. */
export function next(now: Connection, happened: Happening): Connection {
	switch (happened.what) {
		case "try":
			return { is: "connecting" };
		case "lost":
			return { is: "off", why: happened.why };
		case "refused":
			return { is: "refused" };
		case "mismatch":
			return { is: "incompatible", update: happened.update };
		case "progress":
			if (!isOpen(now) && now.is !== "connecting") return now;
			return happened.done < 1 ? { is: "indexing", done: happened.done } : { is: "ready", note: happened.note };
	}
}

/** Whether calls can be made. */
export function isOpen(connection: Connection): boolean {
	return connection.is === "ready" || connection.is === "indexing";
}

/** How often a bridge that does not start is started. */
const STARTS = 3;

/**
 * Whether trying again by itself can help: a wrong token and an old version stay what they are.
 *
 * @param failures How often it failed in a row.
 */
export function heals(connection: Connection, failures: number): boolean {
	if (connection.is !== "off" || connection.why.kind === "switched_off") return false;
	return connection.why.kind !== "failed" || failures < STARTS;
}

const FIRST_MS = 500;
const MAX_PAUSE_MS = 15_000;

/**
 * Milliseconds to wait before trying again, so that many windows do not come back in step.
 *
 * @param failures How often it failed in a row, from 1.
 * @param random From 0 to 1.
 */
export function backOff(failures: number, random: number): number {
	return Math.min(FIRST_MS * 2 ** (failures - 1), MAX_PAUSE_MS) * (0.75 + random / 2);
}

/** What the status bar says. */
export function inWords(connection: Connection): string {
	switch (connection.is) {
		case "off":
			return "Bridge off";
		case "connecting":
			return "Connecting…";
		case "indexing":
			return `Indexing ${Math.floor(connection.done * 100)} %`;
		case "ready":
			return "Bridge ready";
		case "refused":
			return "Bridge refuses";
		case "incompatible":
			return connection.update === "plugin" ? "Update the plugin" : "Update the bridge";
	}
}

/** What a person should know and can do about it, in one or two sentences. */
export function explainConnection(connection: Connection): string {
	switch (connection.is) {
		case "off":
			return absent(connection.why);
		case "connecting":
			return "Looking for the bridge of this vault.";
		case "indexing":
			return "Search by words works for what was read already; search by meaning follows.";
		case "ready":
			return connection.note ?? "Everything is indexed.";
		case "refused":
			return "The bridge rejects the token. Pair again in the settings, or restart the bridge and try again.";
		case "incompatible":
			return connection.update === "plugin"
				? "The bridge is newer than this plugin and does not fit it. Update the plugin."
				: "The bridge is older than this plugin and does not fit it. Update the bridge.";
	}
}

function absent(why: Absence): string {
	switch (why.kind) {
		case "not_installed":
			return "No bridge runs for this vault and none was found on this computer.";
		case "not_running":
			return "No bridge runs for this vault. The plugin keeps looking for one.";
		case "silent":
			return "The connection was lost. The plugin keeps looking for the bridge.";
		case "failed":
			return why.reason;
		case "switched_off":
			return "The bridge is not used.";
	}
}
