import type { Setting, SettingDefinition, SettingDefinitionItem } from "obsidian";
import type { ListedModel } from "../../protocol/operations";
import { facts, installCommand, progressOf } from "../../core/settings/models";
import { showCommand } from "../lines";
import { type BridgeSettings, closedToo } from "./bridge-settings";

/** What search by meaning is done with. */
export function model(bridge: BridgeSettings): SettingDefinitionItem[] {
	return [
		{
			type: "group",
			heading: "Model",
			items: [
				...closedToo(bridge),
				{
					name: "Search by meaning",
					desc: "Another model embeds everything again; the one before answers until then.",
					aliases: ["Embedding", "Language"],
					render: (setting) => progress(setting, bridge),
				},
				...modelRows(bridge, "embed"),
			],
		},
		{
			type: "group",
			heading: "Chat model",
			items: [
				{
					name: "Written answers",
					desc: "A chat model writes answers from your notes, on this computer. Without one, answers are quotes.",
					aliases: ["Ask", "Language model"],
					render: (setting) => withoutChatModel(setting, bridge),
				},
				...modelRows(bridge, "chat"),
			],
		},
	];
}

/** The models of one purpose, a row each. */
function modelRows(bridge: BridgeSettings, purpose: ListedModel["purpose"]): SettingDefinition[] {
	const models = bridge.known?.models.filter((one) => one.purpose === purpose) ?? [];
	return models.map((one) => ({
		name: one.title,
		desc: facts(one),
		searchable: false,
		render: (setting) => row(setting, bridge, one),
	}));
}

/** Offer to do without a chat model. */
function withoutChatModel(setting: Setting, bridge: BridgeSettings): void {
	if (!bridge.known?.models.some(({ purpose, chosen }) => purpose === "chat" && chosen)) return;
	setting.addButton((button) =>
		button
			.setButtonText("Use none")
			.setTooltip("Answer with quotes only")
			.setDisabled(bridge.closedReason !== null)
			.onClick(() => bridge.change({ chat_model: "" })),
	);
}

/** Tell how far it is, in place. */
function progress(setting: Setting, bridge: BridgeSettings): (() => void) | void {
	const bar = setting.controlEl.createEl("progress", { cls: "vaultside-progress", attr: { "aria-label": "Embedded" } });
	const show = (): void => {
		const vault = bridge.known?.vault ?? null;
		bar.toggle(vault?.model != null && vault.pending.vectors > 0);
		if (vault === null) return;
		setting.setDesc(progressOf(vault));
		bar.max = Math.max(vault.passages, 1);
		bar.value = Math.max(0, vault.passages - vault.pending.vectors);
	};
	show();
	return bridge.read.add(show);
}

function row(setting: Setting, bridge: BridgeSettings, one: ListedModel): void {
	setting.setClass("vaultside-rule");
	if (one.chosen) setting.controlEl.createSpan({ cls: "vaultside-hit-mark", text: one.installed ? "in use" : "chosen" });
	if (!one.installed) showCommand(setting.controlEl, installCommand(one));
	else if (!one.chosen) {
		setting.addButton((button) =>
			button
				.setButtonText("Use")
				.setTooltip(`Use ${one.title}`)
				.setDisabled(bridge.closedReason !== null)
				.onClick(() => bridge.change(one.purpose === "chat" ? { chat_model: one.id } : { model: one.id })),
		);
	}
}
