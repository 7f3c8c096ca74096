import { setIcon } from "obsidian";
import type { Finding } from "../../protocol/operations";
import { explainRefusal } from "../../client/client";
import { errors } from "../../core/status/vault";
import { addStatusLine, showCommand, showText } from "../lines";
import type { Host } from "../host";
import { addButton, addButtonRow } from "../button";
import { showRefusal } from "../notices";

const ICONS: Readonly<Record<Finding["verdict"], string>> = { ok: "check", warn: "alert-triangle", fail: "x" };
const DAYS = 7;

/** What the bridge finds when it checks itself, with what to do about it, and how calls ended lately. */
export class Findings {
	readonly #listEl: HTMLElement;
	readonly #sayEl: HTMLElement;
	readonly #errorsEl: HTMLElement;
	readonly #againEl: HTMLButtonElement;
	#round = 0;

	constructor(
		el: HTMLElement,
		private readonly host: Host,
	) {
		el.createEl("h6", { cls: "vaultside-part", text: "Health" });
		this.#listEl = el.createDiv({ cls: "vaultside-body" });
		this.#sayEl = addStatusLine(el, "vaultside-small");
		this.#errorsEl = el.createDiv({ cls: "vaultside-small" });
		this.#againEl = addButtonRow(el).createEl("button", { text: "Check again" });
		this.#againEl.addEventListener("click", () => void this.check());
	}

	/** Let the bridge check itself; what was found before stands until it has. */
	async check(): Promise<void> {
		const round = (this.#round += 1);
		this.#againEl.disabled = true;
		this.#sayEl.setText("Checking…");
		const [doctor, usage] = await Promise.all([this.host.link.call("doctor", {}), this.host.link.call("usage", { days: DAYS })]);
		if (round !== this.#round) return;
		this.#againEl.disabled = false;
		this.#errorsEl.setText(usage.ok ? errors(usage.result) : "");
		if (!doctor.ok) {
			this.#sayEl.setText(explainRefusal(doctor.error));
			return;
		}
		const { findings } = doctor.result;
		const wrong = findings.filter(({ verdict }) => verdict !== "ok");
		this.#listEl.empty();
		for (const finding of wrong) this.#show(finding);
		this.#sayEl.setText(`${findings.length - wrong.length} of ${findings.length} checks are fine.`);
	}

	#show(finding: Finding): void {
		const row = this.#listEl.createDiv({ cls: "vaultside-finding", attr: { "data-verdict": finding.verdict } });
		setIcon(row.createDiv({ cls: "vaultside-finding-icon" }), ICONS[finding.verdict]);
		const text = row.createDiv();
		showText(text.createDiv(), finding.message);
		if (finding.do !== "") showText(text.createDiv({ cls: "vaultside-small" }), finding.do);
		const { fix } = finding;
		if (fix === null) return;
		const { operation } = fix;
		if (operation === null) {
			showCommand(text, fix.command);
			return;
		}
		addButton(addButtonRow(text), { text: fix.label }, () => {
			void this.host.link.call(operation, {}).then((answer) => {
				if (!answer.ok) showRefusal(answer.error);
				void this.check();
			});
		});
	}
}
