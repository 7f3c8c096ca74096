"use strict";

/**
 * What a page and the program that shows it say to each other: JSON-RPC by `postMessage`, as MCP Apps has it.
 * Each page has a function `draw`, which gets the result of the tool that opened it, and what the model reads of it.
 */

const page = document.getElementById("page");

/** The arguments with which the tool was called, which say in which vault. */
let given = {};

/** Whether the program lets the page call tools. */
let canCall = false;

const waiting = new Map();
let sent = 0;

function send(message) {
	parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
	const id = ++sent;
	return new Promise((resolve, reject) => {
		waiting.set(id, { resolve, reject });
		send({ id, method, params });
	});
}

function receive({ source, data }) {
	if (source !== parent || data?.jsonrpc !== "2.0") return;
	if (data.method === undefined) {
		const { resolve, reject } = waiting.get(data.id) ?? {};
		waiting.delete(data.id);
		if (data.error === undefined) resolve?.(data.result);
		else reject?.(new Error(String(data.error.message)));
	} else if (data.id === undefined) tell(data.method, data.params);
	else if (data.method === "ping" || data.method === "ui/resource-teardown") send({ id: data.id, result: {} });
	else send({ id: data.id, error: { code: -32601, message: "A page does not do this." } });
}

function tell(method, params) {
	switch (method) {
		case "ui/notifications/tool-input":
			given = params?.arguments ?? {};
			break;
		case "ui/notifications/tool-result":
			show(params);
			break;
		case "ui/notifications/tool-cancelled":
			show({ isError: true, content: [{ type: "text", text: "Cancelled." }] });
			break;
		case "ui/notifications/host-context-changed":
			dress(params);
			break;
	}
}

/** Show what a tool answered; an error, and what came without data, in the words that the model reads. */
function show(answer) {
	const result = resultOf(answer);
	if (result === undefined || answer.isError) drawText(textOf(answer));
	else draw(result, textOf(answer));
}

function drawText(text) {
	page.replaceChildren(make("pre", { text, unseen: true }));
}

function resultOf(answer) {
	return answer?._meta?.["vaultside/result"] ?? answer?.structuredContent;
}

function textOf(answer) {
	return (answer?.content ?? []).map((part) => part.text ?? "").join("\n");
}

/** Call a tool as the program would, and return its result. */
async function call(name, args) {
	const vault = given.vault === undefined ? {} : { vault: given.vault };
	const answer = await request("tools/call", { name, arguments: { ...vault, ...args } });
	if (answer?.isError) throw new Error(textOf(answer).split("\n", 1)[0]);
	return resultOf(answer);
}

/** Take the program's colours and fonts; each may be missing. */
function dress(context) {
	const root = document.documentElement;
	if (context?.theme === "light" || context?.theme === "dark") root.dataset.theme = context.theme;
	for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) {
		if (/^--(color|font)-[a-z-]+$/.test(name) && typeof value === "string") root.style.setProperty(name, value);
	}
}

/** Controls, marks of direction and what has no width: they would show a text other than it is. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/u;

const SVG = "http://www.w3.org/2000/svg";

/** Make an element; text from notes is only ever text, and with `unseen` also what hides in it is shown. */
function make(tag, { cls, text, unseen, attrs = {}, of = [] } = {}) {
	const el = /^(svg|g|line|circle|text)$/.test(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
	if (cls !== undefined) el.setAttribute("class", cls);
	for (const [name, value] of Object.entries(attrs)) el.setAttribute(name, String(value));
	if (text !== undefined && unseen) el.append(...visible(text));
	else if (text !== undefined) el.textContent = text;
	el.append(...of);
	return el;
}

function visible(text) {
	return text.split(new RegExp(`(${UNSEEN.source})`, "u")).map((part) => {
		if (!UNSEEN.test(part)) return part;
		return make("span", { cls: "unseen", text: `U+${part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}` });
	});
}

/** A name without what hides in it. */
function plain(text) {
	return String(text).replace(new RegExp(UNSEEN.source, "gu"), "");
}

async function start() {
	addEventListener("message", receive);
	const hello = await request("ui/initialize", {
		protocolVersion: "2026-01-26",
		appInfo: { name: "vaultside", version: "1" },
		appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
	});
	canCall = hello?.hostCapabilities?.serverTools !== undefined;
	dress(hello?.hostContext);
	send({ method: "ui/notifications/initialized", params: {} });
	new ResizeObserver(() => {
		const { width, height } = document.documentElement.getBoundingClientRect();
		send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
	}).observe(document.documentElement);
}

void start();
