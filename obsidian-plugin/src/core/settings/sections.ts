import type { Setting } from "../../protocol/operations";

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

/** How a setting of a feature is called: `memory.keep_days` is “Keep days”. */
export function settingTitle({ name }: Setting): string {
	return capital(name.slice(name.indexOf(".") + 1));
}

/** The values among which a setting chooses; none when it takes others. */
export function choices({ type }: Setting): readonly string[] {
	return [...type.matchAll(/'([^']*)'/gu)].map(([, value]) => value ?? "");
}

function capital(name: string): string {
	return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}
