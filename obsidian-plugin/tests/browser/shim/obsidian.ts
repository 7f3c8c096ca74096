/** What `require("obsidian")` answers: the part of the app that the plugin uses, over a real page. */
import "./dom";

export { App, Plugin } from "./app";
export { Component, Events, MarkdownRenderChild } from "./component";
export { FileSystemAdapter, TAbstractFile, TFile, TFolder } from "./vault";
export { Editor, editorEditorField, editorInfoField, editorLivePreviewField } from "./editor";
export { Keymap, Scope } from "./keymap";
export { stripHeadingForLink } from "./links";
export { parseFrontMatterAliases } from "./metadata";
export { MarkdownView } from "./markdown";
export { FuzzySuggestModal, Modal, SuggestModal } from "./modals";
export { AbstractInputSuggest, EditorSuggest, PopoverSuggest } from "./suggest";
export { ItemView, View } from "./views";
export { ButtonComponent, PluginSettingTab, Setting } from "./settings";
export { displayTooltip, Menu, Notice, SearchComponent, setIcon, setTooltip } from "./widgets";
export { WorkspaceLeaf } from "./workspace";

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
