import { type App, type Plugin, PluginSettingTab, type SettingDefinitionItem } from "obsidian";
import { fromLines, toLines } from "../../core/settings/stored-settings";
import type { Host } from "../host";
import { agents } from "./agents";
import { appearance } from "./appearance";
import { BridgeSettings } from "./bridge-settings";
import { connection, RESTARTS } from "./connection";
import { features } from "./features";
import { model } from "./model";
import { privacy } from "./privacy";
import { search } from "./search";
import { writeAccessRows } from "./write-access";

/** Stands before the names of settings that the bridge keeps. */
export const KEPT = "bridge.";

/** A field in which somebody types. */
const TYPED = "input:focus:not([type=checkbox], [type=range])";

/** Time to finish typing a path before the bridge is looked for there. */
const TYPED_MS = 800;

/** The settings: what the plugin keeps, and what the bridge does, which is read anew whenever it changes. */
export class SettingsTab extends PluginSettingTab {
	readonly #bridge: BridgeSettings;
	#timer: number | undefined;
	#isStale = true;
	/** Whether what changes was changed by a control here, which shows it already. */
	#isOwn = false;
	#drawn = "";

	constructor(
		app: App,
		plugin: Plugin,
		private readonly host: Host,
	) {
		super(app, plugin);
		this.#bridge = new BridgeSettings(host, (refused) => this.#redraw(refused));
	}

	override getSettingDefinitions(): SettingDefinitionItem[] {
		const bridge = this.#bridge;
		this.#drawn = this.#state();
		return [
			...connection(this.host, () => this.#look()),
			...privacy(bridge),
			...model(bridge),
			...writeAccessRows(bridge),
			...agents(bridge),
			...search(bridge),
			...features(bridge),
			...appearance(),
		];
	}

	override getControlValue(key: string): unknown {
		return key.startsWith(KEPT) ? toLines(this.#bridge.known?.stored.get(key.slice(KEPT.length))) : super.getControlValue(key);
	}

	override async setControlValue(key: string, value: unknown): Promise<void> {
		if (key.startsWith(KEPT)) {
			const name = key.slice(KEPT.length);
			const isList = Array.isArray(this.#bridge.known?.stored.get(name));
			this.#isOwn = true;
			await this.#bridge.change({ [name]: isList ? fromLines(String(value)) : value });
			this.#isOwn = false;
			return;
		}
		Object.assign(this.host.settings, { [key]: value });
		await this.host.saveSettings();
		if (!RESTARTS.has(key)) return;
		window.clearTimeout(this.#timer);
		this.#timer = window.setTimeout(() => void this.host.restart(), TYPED_MS);
	}

	override hide(): void {
		super.hide();
		this.#isStale = true;
	}

	/** Somebody looks at the tab now. Returns what is to be done when nobody does. */
	#look(): () => void {
		if (this.#isStale) {
			this.#isStale = false;
			void this.#bridge.load();
		}
		return this.#bridge.follow();
	}

	/** Draw anew, but only what is new, and not while somebody types. */
	#redraw(refused = false): void {
		if (this.#isOwn && !refused) this.#drawn = this.#state();
		if (this.#state() === this.#drawn && !refused) return;
		const typed = this.containerEl.querySelector(TYPED);
		if (typed === null) this.update();
		else typed.addEventListener("blur", () => window.setTimeout(() => this.#redraw(refused), TYPED_MS), { once: true });
	}

	#state(): string {
		const { known, closedReason } = this.#bridge;
		// How far the vectors are is told in its place.
		return JSON.stringify([closedReason, known && { ...known, vault: null, globs: [...known.globs] }]);
	}
}
