import type { Setting, SettingsInUse } from "../../protocol/operations";
import { type Connection, explainConnection, isOpen } from "../connection";

/** What the bridge keeps, by name. */
export class StoredSettings {
	readonly #values: ReadonlyMap<string, unknown>;

	constructor(private readonly read: SettingsInUse) {
		this.#values = new Map(read.settings.map(({ name, value }) => [name, value]));
	}

	/** The file it is kept in. */
	get path(): string {
		return this.read.path;
	}

	/** Lines of the file that were not taken, and why. */
	get problems(): readonly string[] {
		return this.read.problems;
	}

	/** Every setting. */
	get all(): readonly Setting[] {
		return this.read.settings;
	}

	get(name: string): unknown {
		return this.#values.get(name);
	}

	/** A list of strings; empty where it is kept back. */
	list(name: string): readonly string[] {
		const value = this.#values.get(name);
		return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
	}
}

/**
 * Say why what the bridge keeps cannot be changed here; null when it can.
 *
 * @param owns Whether the bridge lets this window change its settings.
 */
export function explainClosed(connection: Connection, owns: boolean): string | null {
	if (!isOpen(connection)) return `It is kept by the bridge, which is not connected. ${explainConnection(connection)}`;
	if (owns) return null;
	return "This window is let in by pairing, as other programs are, and those may not change the bridge's settings. Change them where the bridge runs: “vaultside change-settings”.";
}

/** Why a number cannot be taken; undefined when it can. */
export function explainOutOfRange(value: number, least: number): string | undefined {
	return Number.isInteger(value) && value >= least ? undefined : `A whole number, at least ${least}.`;
}

/** The settings of one feature of the bridge. */
export interface SettingSection {
	/** The feature, as a heading. */
	readonly heading: string;
	readonly settings: readonly Setting[];
}

/** The settings of features, which are named `section.setting`; the others have rows of their own. */
export function settingSections(settings: readonly Setting[]): SettingSection[] {
	const sections = new Map<string, Setting[]>();
	for (const setting of settings) {
		const [section, key] = setting.name.split(".");
		if (section === undefined || key === undefined) continue;
		sections.set(section, [...(sections.get(section) ?? []), setting]);
	}
	return [...sections].map(([section, of]) => ({ heading: capital(section), settings: of }));
}

/** A list as the lines of a field, and back. */
export function toLines(value: unknown): unknown {
	return Array.isArray(value) ? value.join("\n") : value;
}

export function fromLines(text: string): string[] {
	return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** The values among which a setting chooses; none when it takes others. */
export function choices({ type }: Setting): readonly string[] {
	return [...type.matchAll(/'([^']*)'/gu)].map(([, value]) => value ?? "");
}

function capital(name: string): string {
	return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}
