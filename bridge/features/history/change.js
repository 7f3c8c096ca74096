/**
 * A change, part by part. What waits can be rejected here, and accepted only where the program of an agent has no part:
 * a click in this page reaches the bridge as a call of that program, which could make the same call without a click.
 */

const STATES = {
	applied: "Made",
	proposed: "Waits for you",
	rejected: "Rejected",
	expired: "Expired",
	undone: "Undone",
	conflict: "Was cut off",
};

const PARTS = 12;
const ROWS = 60;

let id = null;
let state = null;

/** Draw a change; the result of a tool that changed something says only which, and it is then asked for. */
function draw(result, text) {
	id = result.change_id ?? null;
	if (Array.isArray(result.hunks)) drawChange(result);
	else if (id === null || !canCall) drawText(text);
	else void refresh();
}

/** Draw the change as it is now; with `since` only if that is another state than the one that is shown. */
async function refresh(since) {
	try {
		const change = await call("show_change", { change_id: id });
		if (change.state !== since) drawChange(change);
	} catch (error) {
		page.replaceChildren(make("p", { cls: "refusal", text: error.message, unseen: true }));
	}
}

function drawChange(change) {
	({ id, state } = change);
	const names = change.paths.map((path) => plain(path.replace(/\.md$/, "")));
	const what = names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(" and ");
	const title = make("h1", { text: what || plain(change.operation) });
	const sign = make("span", { cls: "state", text: STATES[state] ?? state, attrs: { "data-state": state, role: "status" } });
	const by = `${plain(change.client ?? "Somebody")} · ${plain(change.operation).replaceAll("_", " ")}`;
	const parts = [make("div", { cls: "head", of: [title, sign] }), make("p", { cls: "faint", text: by })];
	if (change.reason) parts.push(make("p", { text: change.reason, unseen: true }));
	if (state === "proposed") parts.push(...drawWays());
	page.replaceChildren(...parts, drawHunks(change));
}

/** Where the change can be accepted, and the button that rejects it. */
function drawWays() {
	const vault = given.vault === undefined ? "" : ` --vault ${quote(given.vault)}`;
	const command = `vaultside decide ${id} accept${vault}`;
	const where = make("p", { of: ["To accept it, open ", make("b", { text: "Changes by agents" }), " in Obsidian, or run ", make("code", { cls: "command", text: command })] });
	if (!canCall) return [where];
	const told = make("span", { cls: "refusal", attrs: { role: "alert" } });
	const button = make("button", { text: "Reject", attrs: { type: "button" } });
	button.addEventListener("click", () => void reject(button, told));
	return [where, make("div", { cls: "acts", of: [button, told] })];
}

function quote(text) {
	return /^[\w./-]+$/.test(text) ? text : `'${plain(text).replaceAll("'", "'\\''")}'`;
}

async function reject(button, told) {
	button.disabled = true;
	try {
		await call("undo_change", { change_id: id });
	} catch (error) {
		told.replaceChildren(...visible(error.message));
		button.disabled = false;
		return;
	}
	await refresh();
	// A program that does not take this is not told.
	const text = `The user rejected the proposed change ${id}; nothing of it was written.`;
	await request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => undefined);
}

function drawHunks(change) {
	const all = make("div");
	if (change.hunks.length === 0 && change.diff) all.append(make("pre", { text: change.diff, unseen: true }));
	let path = null;
	const add = (hunks) => {
		for (const hunk of hunks) {
			if (hunk.path !== path && change.paths.length > 1) all.append(make("h2", { text: plain(hunk.path) }));
			path = hunk.path;
			all.append(drawHunk(hunk, change.state));
		}
	};
	addPiecewise(all, change.hunks, PARTS, "parts", add);
	return all;
}

function drawHunk(hunk, now) {
	const rows = splitLines(hunk.words);
	const line = Math.max(1, hunk[now === "applied" ? "after" : "before"][0]);
	const el = make("div", { cls: "hunk", attrs: { role: "group", "aria-label": `${plain(hunk.path)}, line ${line}` } });
	addPiecewise(el, rows, ROWS, "lines", (some) => el.append(...some.map(drawRow)));
	return el;
}

/** Add the first of many things, and a button that adds all others. */
function addPiecewise(el, all, most, what, add) {
	add(all.slice(0, most));
	const rest = all.slice(most);
	if (rest.length === 0) return;
	const more = make("button", { text: `Show ${rest.length} more ${what}`, attrs: { type: "button" } });
	more.addEventListener("click", () => {
		more.remove();
		add(rest);
	});
	el.append(more);
}

const SIGNS = { same: " ", removed: "−", added: "+", both: "±" };

function drawRow(runs) {
	const kinds = new Set(runs.map((run) => run.kind));
	const kind = kinds.size > 1 ? "both" : ([...kinds][0] ?? "same");
	const text = make("div", { cls: "text", attrs: { dir: "auto" } });
	for (const run of runs) {
		if (run.kind === "same") text.append(...visible(run.text));
		else text.append(make(run.kind === "removed" ? "del" : "ins", { text: run.text, unseen: true }));
	}
	return make("div", { cls: "row", attrs: { "data-kind": kind }, of: [make("span", { cls: "sign", text: SIGNS[kind], attrs: { "aria-hidden": "true" } }), text] });
}

/** Cut words that stayed, went and came into lines; an end that went or came where nothing else shows it is shown. */
function splitLines(words) {
	const all = [[]];
	for (const { kind, text } of words) {
		for (const [at, piece] of text.split("\n").entries()) {
			if (at > 0) {
				const line = all[all.length - 1];
				if (kind !== "same" && line.every((run) => run.kind !== kind)) line.push({ kind, text: "↵" });
				all.push([]);
			}
			if (piece !== "") all[all.length - 1].push({ kind, text: piece });
		}
	}
	if (all[all.length - 1].length === 0) all.pop();
	return all;
}

/** What waited may have been answered elsewhere meanwhile. */
addEventListener("focus", () => {
	if (canCall && state === "proposed") void refresh(state);
});
