import type { SettingDefinition } from "obsidian";
import type { BridgeSettings } from "./bridge-settings";

/** A row that says why what follows cannot be changed now; none when it can. */
export function closedRows(bridge: BridgeSettings): SettingDefinition[] {
	const why = bridge.closedReason;
	return why === null ? [] : [{ name: "Cannot be changed now", desc: why, searchable: false }];
}

/** The same, where it was said above. */
export function closedToo(bridge: BridgeSettings): SettingDefinition[] {
	return bridge.closedReason === null ? [] : [{ name: "Cannot be changed now", desc: "It is kept by the bridge, too.", searchable: false }];
}
