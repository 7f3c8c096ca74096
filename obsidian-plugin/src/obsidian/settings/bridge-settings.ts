import { Notice, type SettingDefinition } from "obsidian";
import type { CheckedGlob, ListedClient, ListedModel, VaultStatus } from "../../protocol/operations";
import { isOpen } from "../../core/connection";
import { Listeners } from "../../core/listeners";
import { AnswerOrder } from "../../core/answer-order";
import { explainRefusal } from "../../client/client";
import { StoredSettings, explainClosed } from "../../core/settings/stored-settings";
import type { RuleName } from "../../core/settings/rules";
import type { Host } from "../host";
import { showRefusal } from "../notices";

export const RULES: readonly RuleName[] = ["deny", "exclude", "readonly"];

/** What was read of the bridge, all at one time. */
export interface Known {
	readonly stored: StoredSettings;
	readonly clients: readonly ListedClient[];
	readonly models: readonly ListedModel[];
	/** What each glob of the rules means now. */
	readonly globs: ReadonlyMap<string, CheckedGlob>;
	readonly vault: VaultStatus | null;
}

const SETTLE_MS = 300;

/** What the bridge keeps, as long as somebody looks at it. */
export class BridgeSettings {
	known: Known | null = null;
	/** Why it could not be read. */
	trouble: string | null = null;
	/** Hears whenever it was read. */
	readonly read = new Listeners<Known | null>();
	readonly #newest = new AnswerOrder();
	/** How far the index is. */
	#vault: VaultStatus | null = null;
	/** Of how far the index is: one reading of everything takes longer than one of only that. */
	readonly #newestVault = new AnswerOrder();
	#timer: number | undefined;
	#progressOnly = false;
	/** Whether a reading was still due when following stopped, which happens whenever the settings are redrawn. */
	#isDue = false;

	/**
	 * @param onChange Something was read that may be new; or `refused`, so that what is shown is not what is stored.
	 */
	constructor(
		readonly host: Host,
		private readonly onChange: (refused: boolean) => void,
	) {}

	/** Why nothing of it can be changed now; null when it can be. */
	get closedReason(): string | null {
		const { link } = this.host;
		return explainClosed(link.connection, link.owns) ?? this.trouble ?? (this.known === null ? "It is being read." : null);
	}

	/** Keep up with changes that are made elsewhere. Returns a function that stops it. */
	follow(): () => void {
		const { connections, events } = this.host;
		const undo = [
			connections.add((connection) => this.#soon(isOpen(connection) === (this.known !== null))),
			events.add(({ kind }) => {
				if (kind === "settings_changed") this.#soon(false);
				else if (kind === "index_progress") this.#soon(true);
			}),
		];
		if (this.#isDue) this.#soon(this.#progressOnly);
		return () => {
			this.#isDue = this.#timer !== undefined;
			window.clearTimeout(this.#timer);
			this.#timer = undefined;
			undo.forEach((stop) => stop());
		};
	}

	/** Read everything again; what is known afterwards is at least as new as this call. */
	async load(): Promise<void> {
		const isLate = this.#newest.ask();
		const [known, trouble] = await this.#readAll();
		if (!isLate()) this.#set(known, trouble);
	}

	/** Returns what was read, or null and why it could not be. */
	async #readAll(): Promise<[Known | null, string | null]> {
		const { link } = this.host;
		if (!isOpen(link.connection)) return [null, null];
		const [settings] = await Promise.all([link.call("read_settings", { models: true, clients: link.owns }), this.#readVault()]);
		if (!settings.ok) return [null, explainRefusal(settings.error)];
		const stored = new StoredSettings(settings.result);
		const { models = [], clients = [] } = settings.result;
		return [{ stored, clients: clients ?? [], globs: await this.#checkRules(stored), models: models ?? [], vault: this.#vault }, null];
	}

	async #readVault(): Promise<void> {
		const isLate = this.#newestVault.ask();
		const status = await this.host.link.call("status", {});
		if (!isLate() && status.ok) this.#vault = status.result.vaults[0] ?? null;
	}

	/** Change what the bridge keeps; what is refused is told. Returns whether it was done. */
	async change(changes: Readonly<Record<string, unknown>>): Promise<boolean> {
		const answer = await this.host.link.call("change_settings", { changes });
		if (!answer.ok) showRefusal(answer.error);
		await this.load();
		if (!answer.ok) this.onChange(true);
		else for (const left of answer.result.problems) if (!this.known?.stored.problems.includes(left)) new Notice(left, 0);
		return answer.ok;
	}

	/** Say of a glob what it would mean; null when nobody answers. */
	async check(glob: string): Promise<CheckedGlob | null> {
		const answer = await this.host.link.call("read_settings", { globs: [glob] });
		return answer.ok ? (answer.result.globs?.[0] ?? null) : null;
	}

	async #checkRules(stored: StoredSettings): Promise<ReadonlyMap<string, CheckedGlob>> {
		const globs = [...new Set(RULES.flatMap((rule) => stored.list(rule)))];
		const answer = this.host.link.owns ? await this.host.link.call("read_settings", { globs }) : null;
		return new Map(answer?.ok ? (answer.result.globs ?? []).map((glob) => [glob.glob, glob]) : []);
	}

	#set(known: Known | null, trouble: string | null): void {
		this.known = known;
		this.trouble = trouble;
		this.read.notify(known);
		this.onChange(false);
	}

	/**
	 * Read it again soon.
	 *
	 * @param progressOnly Whether only how far the index is may have changed.
	 */
	#soon(progressOnly: boolean): void {
		this.#progressOnly = progressOnly && (this.#progressOnly || this.#timer === undefined);
		this.#timer ??= window.setTimeout(() => {
			this.#timer = undefined;
			void (this.#progressOnly ? this.#look() : this.load());
		}, SETTLE_MS);
	}

	/** Read how far the index is. */
	async #look(): Promise<void> {
		if (this.known === null) return;
		await this.#readVault();
		if (this.known !== null) this.#set({ ...this.known, vault: this.#vault }, null);
	}
}

/** A row that says why what follows cannot be changed now; none when it can. */
export function closedRows(bridge: BridgeSettings): SettingDefinition[] {
	const why = bridge.closedReason;
	return why === null ? [] : [{ name: "Cannot be changed now", desc: why, searchable: false }];
}

/** The same, where it was said above. */
export function closedToo(bridge: BridgeSettings): SettingDefinition[] {
	return bridge.closedReason === null ? [] : [{ name: "Cannot be changed now", desc: "It is kept by the bridge, too.", searchable: false }];
}
