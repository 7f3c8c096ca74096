import { setIcon } from "obsidian";
import type { Host } from "../host";

const ICONS: Readonly<Record<string, string>> = { ok: "check", warn: "alert-triangle", fail: "x" };

/** Show what the bridge finds when it checks itself, with what to do about it. */
export async function showFindings(el: HTMLElement, host: Host): Promise<void> {
	el.empty();
	el.createEl("h6", { cls: "vault-bridge-part", text: "Health" });
	const waiting = el.createDiv({ cls: "vault-bridge-small", text: "Checking…" });
	const answer = await host.link.call("doctor", {});
	waiting.remove();
	if (!answer.ok) {
		el.createDiv({ cls: "vault-bridge-empty", text: answer.error.message });
		return;
	}
	const { findings } = answer.result;
	const wrong = findings.filter((finding) => finding.verdict !== "ok");
	for (const finding of wrong) {
		const row = el.createDiv({ cls: "vault-bridge-finding", attr: { "data-verdict": finding.verdict } });
		setIcon(row.createDiv({ cls: "vault-bridge-finding-icon" }), ICONS[finding.verdict] ?? "alert-triangle");
		const text = row.createDiv();
		text.createDiv({ text: finding.message });
		if (finding.do !== "") text.createDiv({ cls: "vault-bridge-small", text: finding.do });
	}
	const fine = findings.length - wrong.length;
	if (fine > 0) el.createDiv({ cls: "vault-bridge-small", text: `${fine} of ${findings.length} checks are fine.` });
	const again = el.createDiv({ cls: "vault-bridge-buttons" }).createEl("button", { text: "Check again" });
	again.addEventListener("click", () => void showFindings(el, host));
}
