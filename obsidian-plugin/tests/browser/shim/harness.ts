import * as state from "@codemirror/state";
import * as view from "@codemirror/view";
import { alive, type Facts, modules } from "./node";
import * as obsidian from "./obsidian";

type Made = obsidian.Plugin & { onUserEnable?: () => void };

interface Boot {
	readonly source: string;
	readonly manifest: { readonly id: string };
	readonly base: string;
	readonly facts: Facts;
	readonly settings: Record<string, unknown>;
	readonly secrets: Readonly<Record<string, string>>;
	/** A module that is not given away. */
	readonly without: string;
}

declare global {
	interface Window {
		boot: (given: Boot) => Promise<{ loadMs: number }>;
		app: obsidian.App;
		plugin: Made;
		left: () => Record<string, number>;
	}
}

/** Start the app and load the plugin as the app does: `main.js` as CommonJS, with the app's `require`. */
window.boot = async ({ source, manifest, base, facts, settings, secrets, without }) => {
	const app = new obsidian.App(document.querySelector<HTMLElement>(".app-container") as HTMLElement, base);
	if (Object.keys(settings).length > 0) app.stored = JSON.stringify(settings);
	for (const [id, secret] of Object.entries(secrets)) app.secretStorage.setSecret(id, secret);
	// "You should never bundle your own version of CodeMirror": the app has one for all (docs, "Editor extensions").
	const given: Record<string, unknown> = { ...modules(facts), obsidian, "@codemirror/state": state, "@codemirror/view": view };
	const required = (id: string): unknown => {
		const found = given[id];
		if (found === undefined || id === without) throw new Error(`The app has no module ${id}.`);
		return found;
	};
	const module = { exports: {} as { default: new (app: obsidian.App, manifest: unknown) => Made } };
	const begun = performance.now();
	new Function("require", "module", "exports", source)(required, module, module.exports);
	const plugin = new module.exports.default(app, manifest);
	Object.assign(window, { app, plugin });
	await plugin.load();
	const loadMs = performance.now() - begun;
	await Promise.all([app.vault.read__(), app.fileManager.read__()]);
	app.workspace.becomeReady__();
	return { loadMs };
};

/** What the plugin left behind. */
window.left = () => ({
	commands: window.app.commands.size,
	views: window.app.workspace.makers.size,
	listening: window.app.vault.listening + window.app.workspace.listening + window.app.metadataCache.listening,
	ribbon: window.app.ribbon.childElementCount,
	statusBar: window.app.statusBar.childElementCount,
	alive: alive(),
	extensions: window.app.workspace.extensions__.length,
	processors: window.app.workspace.processors__.length,
	suggests: window.app.workspace.editorSuggest.added__,
	scopes: window.app.keymap.depth,
});
