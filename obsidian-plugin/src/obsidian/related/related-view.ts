import { type IconName, setIcon, type TFile, type WorkspaceLeaf } from "obsidian";
import type { Hit } from "../../bridge/operations";
import { hide, showAll } from "../../core/hidden";
import { HitList } from "../search/hit-list";
import { type Host, RELATED } from "../host";
import { Pane } from "../pane";

const MOST = 20;
const SETTLE_MS = 250;

/** Shows what is close to the active note: what it is not linked with, and below what it is. */
export class RelatedView extends Pane {
	private path: string | null = null;
	private pinned = false;
	private timer: number | undefined;
	private round = 0;
	private body: HTMLElement | null = null;
	private titleEl: HTMLElement | null = null;
	private drawPin = (): void => {};

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "waypoints";
	}

	getViewType(): string {
		return RELATED;
	}

	getDisplayText(): string {
		return "Related notes";
	}

	override getIcon(): IconName {
		return "waypoints";
	}

	/** Show what is related to a file, and stay with it unless it is the active one. */
	showFile(file: TFile): void {
		this.pinned = this.app.workspace.getActiveFile()?.path !== file.path;
		this.path = file.path;
		this.drawPin();
		void this.ask();
	}

	protected show(el: HTMLElement): void {
		const head = el.createDiv({ cls: "vault-bridge-head" });
		this.titleEl = head.createDiv({ cls: "vault-bridge-head-title", attr: { dir: "auto" } });
		const pin = head.createEl("button", { cls: "clickable-icon" });
		this.drawPin = (): void => {
			setIcon(pin, this.pinned ? "pin-off" : "pin");
			pin.setAttrs({ "aria-label": this.pinned ? "Follow the active note" : "Stay with this note", "aria-pressed": String(this.pinned) });
		};
		this.drawPin();
		pin.addEventListener("click", () => {
			this.pinned = !this.pinned;
			this.drawPin();
			this.follow();
		});
		this.body = el.createDiv({ cls: "vault-bridge-body", attr: { "aria-live": "polite" } });
		const opened = this.app.workspace.on("file-open", () => this.follow());
		const active = this.app.workspace.on("active-leaf-change", () => this.follow());
		this.whileShown(() => {
			this.app.workspace.offref(opened);
			this.app.workspace.offref(active);
		});
		this.whileShown(this.host.events.add(({ kind, data }) => {
			if (kind === "note_changed" && this.path !== null && data.includes(JSON.stringify(this.path))) this.soon();
		}));
		this.path ??= this.app.workspace.getActiveFile()?.path ?? null;
		void this.ask();
	}

	protected override hide(): void {
		window.clearTimeout(this.timer);
		this.round += 1;
		this.body = this.titleEl = null;
	}

	private follow(): void {
		const file = this.app.workspace.getActiveFile();
		if (this.pinned || file === null || file.path === this.path) return;
		this.path = file.path;
		this.soon();
	}

	private soon(): void {
		window.clearTimeout(this.timer);
		this.timer = window.setTimeout(() => void this.ask(), SETTLE_MS);
	}

	private async ask(): Promise<void> {
		const { path, host } = this;
		const round = (this.round += 1);
		this.titleEl?.setText(path === null ? "No note is open" : titleOf(path));
		if (path === null) {
			this.body?.empty();
			return;
		}
		const [related, links] = await Promise.all([
			host.link.call("related_notes", { path, limit: MOST }),
			host.link.call("note_links", { path }),
		]);
		if (round !== this.round || this.body === null) return;
		this.body.empty();
		if (!related.ok) {
			this.body.createDiv({ cls: "vault-bridge-empty", text: [related.error.message, related.error.hint].join(" ") });
			return;
		}
		const linked = new Set(links.ok ? [...links.result.links, ...links.result.backlinks].map((link) => link.path) : []);
		const hidden = new Set(host.settings.hidden[path] ?? []);
		const shown = related.result.hits.filter((hit) => !hidden.has(hit.path));
		this.part(this.body, path, "Not linked yet", shown.filter((hit) => !linked.has(hit.path)));
		this.part(this.body, path, "Linked", shown.filter((hit) => linked.has(hit.path)));
		if (shown.length === 0) this.body.createDiv({ cls: "vault-bridge-empty", text: "Nothing is close to this note." });
		if (hidden.size > 0) this.offerHidden(this.body, path, hidden.size);
	}

	private part(body: HTMLElement, path: string, name: string, hits: readonly Hit[]): void {
		if (hits.length === 0) return;
		body.createEl("h6", { cls: "vault-bridge-part", text: name });
		const list = new HitList(body, this.app, name, {
			menu: (menu, hit) => {
				menu.addSeparator();
				menu.addItem((item) => item.setTitle("Hide beside this note").setIcon("eye-off").onClick(() => {
					this.remember(hide(this.host.settings.hidden, path, hit.path));
				}));
			},
		});
		list.show(hits);
	}

	private offerHidden(body: HTMLElement, path: string, count: number): void {
		const button = body.createEl("button", { text: count === 1 ? "Show 1 hidden note" : `Show ${count} hidden notes` });
		button.addEventListener("click", () => this.remember(showAll(this.host.settings.hidden, path)));
	}

	private remember(hidden: Host["settings"]["hidden"]): void {
		this.host.settings.hidden = hidden;
		void this.host.keep();
		void this.ask();
	}
}

function titleOf(path: string): string {
	return (path.split("/").at(-1) ?? path).replace(/\.md$/, "");
}
