/** What `require("obsidian")` answers: the part of the app that the plugin uses, over a real page. */
import "./dom";

export { App, Plugin } from "./app";
export { Component, Events } from "./component";
export { FileSystemAdapter, TAbstractFile, TFile, TFolder } from "./vault";
export { FuzzySuggestModal, Menu, Modal, Notice, PluginSettingTab, SearchComponent, Setting, setIcon, setTooltip } from "./widgets";
export { Editor, ItemView, MarkdownView, View, WorkspaceLeaf } from "./workspace";

/** obsidian.d.ts: class Keymap, "Translates an event into the type of pane that should open." */
export const Keymap = {
	isModEvent(event: MouseEvent | KeyboardEvent): string | false {
		const mod = event.ctrlKey || event.metaKey;
		if (event instanceof MouseEvent && event.button === 1) return "tab";
		if (!mod) return false;
		return event.altKey ? (event.shiftKey ? "window" : "split") : "tab";
	},
};

interface Asked {
	readonly url: string;
	readonly throw?: boolean;
}

/** obsidian.d.ts: function requestUrl, "Similar to `fetch()`, request a URL using HTTP/HTTPS, without any CORS restrictions." */
export async function requestUrl(asked: Asked): Promise<{ status: number; text: string; json: unknown }> {
	const { status, text } = (await window.doInNode("request", asked)) as { status: number; text: string };
	if (status >= 400 && asked.throw !== false) throw new Error(`Request failed, status ${status}`);
	return {
		status,
		text,
		get json(): unknown {
			return JSON.parse(text);
		},
	};
}
