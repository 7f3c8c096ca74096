import { Notice, type Setting, type SettingDefinition, type SettingDefinitionItem } from "obsidian";
import type { ListedClient } from "../../protocol/operations";
import { explainRefusal } from "../../client/client";
import { setClient, describeClient } from "../../core/settings/clients";
import { type BridgeSettings, closedToo } from "./bridge-settings";
import { Confirm } from "../modals";
import { showRefusal } from "../notices";

/** Which programs are let in, and what becomes of what they change. */
export function agents(bridge: BridgeSettings): SettingDefinitionItem[] {
	const clients = bridge.known?.clients ?? [];
	return [
		{
			type: "group",
			heading: "Agents",
			items: [
				...closedToo(bridge),
				{
					name: "Let a program in",
					desc: "Shows six digits for two minutes. The program that is given them may read, and propose changes.",
					aliases: ["Pairing"],
					render: (setting) => letIn(setting, bridge),
				},
				{
					name: "Tools",
					desc: "The tools offered to an agent that does not choose. This is not a limit: what a program may do is set below.",
					control: {
						type: "dropdown",
						key: "bridge.mcp_preset",
						options: { default: "The usual ones", "read-only": "Only those that read", full: "All" },
						disabled: () => bridge.closedReason !== null,
					},
				},
				...clients.map((client): SettingDefinition => ({
					name: client.name,
					desc: describeClient(client),
					searchable: false,
					render: (setting) => row(setting, bridge, client),
				})),
				...(bridge.closedReason === null && clients.length === 0 ? [{ name: "No program is let in yet", desc: "Programs that you let in are listed here and can be shut out again.", searchable: false }] : []),
				{
					name: "Agents that you start yourself",
					desc: "One that uses “vaultside mcp” and is not in this list changes notes at once; you can undo it. “vaultside tokens create NAME” adds it to the list.",
					searchable: false,
				},
			],
		},
	];
}

function row(setting: Setting, bridge: BridgeSettings, client: ListedClient): void {
	const { known } = bridge;
	const isClosed = bridge.closedReason !== null;
	const everybody = known?.clients.map(({ name }) => name) ?? [];
	const put = (name: string, named: boolean): void => {
		void bridge.change({ [name]: setClient(known?.stored.list(name) ?? [], client.name, everybody, named) });
	};
	setting.setClass("vaultside-client");
	if (client.scopes.includes("write")) {
		setting.addDropdown((dropdown) => {
			dropdown.selectEl.setAttr("aria-label", `Changes by ${client.name}`);
			dropdown
				.addOptions({ propose: "Its changes need your approval", apply: "Its changes apply at once" })
				.setValue(client.applies ? "apply" : "propose")
				.setDisabled(isClosed)
				.onChange((value) => put("apply_clients", value === "apply"));
		});
		setting.addDropdown((dropdown) => {
			dropdown.selectEl.setAttr("aria-label", `Names of notes in what ${client.name} writes`);
			dropdown
				.addOptions({ plain: "Names stay as written", link: "Names become links" })
				.setValue(client.links ? "link" : "plain")
				.setDisabled(isClosed)
				.onChange((value) => put("auto_link_clients", value === "link"));
		});
	}
	setting.addExtraButton((button) =>
		button
			.setIcon("trash-2")
			.setTooltip(`Shut out ${client.name}`)
			.setDisabled(isClosed)
			.onClick(() => new Confirm(bridge.host.app, `Shut out ${client.name}?`, "Its token is revoked at once, and it must be let in again to return. Its changes stay and can be undone.", "Shut out", () => shutOut(bridge, client)).open()),
	);
}

async function shutOut(bridge: BridgeSettings, { id, name }: ListedClient): Promise<void> {
	const answer = await bridge.host.link.call("revoke_client", { client: id });
	await bridge.load();
	new Notice(answer.ok ? `${name} is shut out.` : explainRefusal(answer.error));
}

function letIn(setting: Setting, bridge: BridgeSettings): () => void {
	let timer: number | undefined;
	const code = setting.controlEl.createEl("code", { cls: "vaultside-code", attr: { role: "status" } });
	setting.addButton((button) =>
		button
			.setButtonText("Show a code")
			.setDisabled(bridge.closedReason !== null)
			.onClick(async () => {
				const answer = await bridge.host.link.call("open_pairing", {});
				if (!answer.ok) {
					showRefusal(answer.error);
					return;
				}
				code.setText(answer.result.code);
				window.clearTimeout(timer);
				timer = window.setTimeout(() => code.setText(""), answer.result.expires_in_s * 1000);
			}),
	);
	return () => window.clearTimeout(timer);
}
