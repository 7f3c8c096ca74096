import type { IconName, TFile, WorkspaceLeaf } from "obsidian";
import { PaneFollower, type PanePlace } from "../../core/pane-follower";
import { type HiddenNotes, hide, unhide } from "../../core/hidden-notes";
import { sortHits } from "../../core/missing-links";
import { explainRefusal } from "../../client/client";
import { showText } from "../lines";
import { type Host, RELATED } from "../host";
import { Pane } from "../pane";
import { currentPlace, watchPlace } from "./cursor";
import { Head } from "./head";
import { HiddenPart } from "./hidden-part";
import { LinkMaker } from "./link-maker";
import { LinkSuggestionPart } from "./link-suggestions";
import { MentionPart } from "./mentions";
import { RelatedHits } from "./related-hits";

const MAX_NOTES = 20;
/** How long the cursor rests before it counts as being somewhere. */
const REST_MS = 400;
const SETTLE_MS = 150;
/** How long a pointer that lies still counts as using the pane. */
const USED_MS = 4_000;
const LATE_MS = 500;

/** What is drawn while the bridge is connected. */
interface Parts {
	readonly head: Head;
	readonly body: HTMLElement;
	readonly empty: HTMLElement;
	readonly suggestions: LinkSuggestionPart;
	readonly mentions: MentionPart;
	readonly hits: RelatedHits;
	readonly hidden: HiddenPart;
}

/** Shows what is close to the active note or to the section that the cursor is in, and which links are missing. */
export class RelatedView extends Pane {
	readonly #follower = new PaneFollower({
		currentPlace: () => currentPlace(this.app, this.host.settings.followSection),
		isInUse: () => !this.containerEl.isShown() || this.#isUsed(),
		show: (place) => void this.#ask(place),
		onDelay: () => this.#lookLater(),
	});
	readonly #maker = new LinkMaker(this.host, () => this.#refresh());
	readonly #unfolded = new Set<string>();
	#parts: Parts | null = null;
	#timer: number | undefined;
	#lateTimer: number | undefined;
	#touched = -Infinity;
	#round = 0;
	/** The note whose missing links are shown as they are. */
	#known: string | null = null;

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
		if (this.app.workspace.getActiveFile() === file) this.#follower.follow();
		else this.#follower.pinTo({ path: file.path, section: null });
	}

	protected show(el: HTMLElement): void {
		const { settings, settingsListeners: kept } = this.host;
		const head = new Head(el, this.#follower, {
			bySection: () => settings.followSection,
			why: () => settings.showWhy,
			setBySection: (on) => this.#set({ followSection: on }),
			setWhy: (on) => this.#set({ showWhy: on }),
		});
		let bySection = settings.followSection;
		this.whileShown(kept.add(({ followSection }) => {
			head.draw(this.#follower.place);
			if (followSection === bySection) return;
			bySection = followSection;
			this.#follower.go();
		}));
		const body = el.createDiv({ cls: "vaultside-body vaultside-related" });
		for (const kind of ["pointermove", "pointerdown", "wheel"]) body.addEventListener(kind, () => (this.#touched = performance.now()), { passive: true });
		body.addEventListener("pointerleave", () => (this.#touched = -Infinity));
		this.#parts = {
			head,
			body,
			suggestions: new LinkSuggestionPart(body, this.host, this.#maker, this.#unfolded),
			mentions: new MentionPart(body, this.host, this.#maker, this.#unfolded),
			empty: body.createDiv({ cls: "vaultside-empty" }),
			hits: new RelatedHits(body, this.host, (path) => this.#hideHere((hidden, beside) => hide(hidden, beside, path))),
			hidden: new HiddenPart(body, this.#unfolded, (path) => this.#hideHere((hidden, beside) => unhide(hidden, beside, path))),
		};
		const renamed = this.app.vault.on("rename", (file, from) => this.#follower.followRename(from, file.path));
		this.whileShown(() => this.app.vault.offref(renamed));
		this.whileShown(watchPlace(this.app, (far) => this.#lookIn(far ? SETTLE_MS : REST_MS)));
		this.whileShown(this.host.events.add((event) => {
			this.#maker.handleEvent(event);
			if (event.kind === "note_changed" && event.path === this.#follower.place?.path) this.#markStale();
		}));
		// What was asked of an index that is not done is answered better now.
		this.whileShown(this.host.connections.add(({ is }) => is === "ready" && this.#markStale()));
		this.#follower.go();
	}

	protected override hide(): void {
		window.clearTimeout(this.#timer);
		window.clearTimeout(this.#lateTimer);
		this.#maker.settle();
		this.#round += 1;
		this.#parts = this.#known = null;
	}

	/** Called too when the pane comes to the front, behind which it asked for nothing. */
	override onResize(): void {
		this.#lookIn(SETTLE_MS);
	}

	#lookIn(ms: number): void {
		window.clearTimeout(this.#timer);
		if (this.#parts !== null) this.#timer = window.setTimeout(() => this.#follower.look(), ms);
	}

	#lookLater(): void {
		if (!this.containerEl.isShown()) return;
		this.#parts?.head.wait();
		window.clearTimeout(this.#lateTimer);
		this.#lateTimer = window.setTimeout(() => {
			this.#parts?.head.draw(this.#follower.place);
			this.#follower.look();
		}, LATE_MS);
	}

	/** Whether a person reads or works here now, so that nothing may jump. */
	#isUsed(): boolean {
		if (this.#parts === null) return false;
		const { body } = this.#parts;
		return body.contains(body.doc.activeElement) || performance.now() - this.#touched < USED_MS;
	}

	/** What is known of the note is not true any more. */
	#markStale(): void {
		const path = this.#follower.place?.path;
		if (path === undefined) return;
		this.#known = null;
		this.#follower.markStale(path);
	}

	#refresh(): void {
		this.#known = null;
		this.#follower.refresh();
	}

	#set(changed: Partial<Host["settings"]>): void {
		Object.assign(this.host.settings, changed);
		void this.host.saveSettings();
	}

	#hideHere(change: (hidden: HiddenNotes, beside: string) => HiddenNotes): void {
		const beside = this.#follower.place?.path;
		if (beside === undefined) return;
		this.#set({ hidden: change(this.host.settings.hidden, beside) });
		this.#follower.refresh();
	}

	async #ask(shown: PanePlace | null): Promise<void> {
		const { host } = this;
		const parts = this.#parts;
		const round = (this.#round += 1);
		if (parts === null) return;
		// A place that is stayed with may have a section though none is to be followed any more.
		const place = shown && { ...shown, section: host.settings.followSection ? shown.section : null };
		parts.head.draw(place);
		parts.body.setAttr("aria-busy", "true");
		const path = place?.path ?? null;
		if (path !== this.#known || path === null) {
			this.#known = path;
			const note = path?.endsWith(".md") === true ? path : null;
			void parts.suggestions.show(note);
			void parts.mentions.show(note);
		}
		if (place === null) return this.#draw(parts, { unlinked: [], linked: [] }, [], "");
		const hidden = host.settings.hidden[place.path] ?? [];
		const line = place.section === null ? {} : { line: place.section.line };
		const [related, links] = await Promise.all([
			host.link.call("related_notes", { path: place.path, limit: Math.min(MAX_NOTES + hidden.length, 100), ...line }),
			host.link.call("note_links", { path: place.path }),
		]);
		if (round !== this.#round) return;
		if (!related.ok) return this.#draw(parts, { unlinked: [], linked: [] }, hidden, explainRefusal(related.error));
		const found = sortHits(related.result.hits, links.ok ? links.result : null, hidden);
		const none = found.unlinked.length + found.linked.length === 0;
		this.#draw(parts, found, hidden, none ? `Nothing is close to this ${place.section === null ? "note" : "section"}.` : "");
	}

	#draw(parts: Parts, found: Parameters<RelatedHits["show"]>[0], hidden: readonly string[], empty: string): void {
		parts.body.setAttr("aria-busy", "false");
		showText(parts.empty, empty);
		parts.hits.show(found);
		parts.hidden.show(hidden);
	}
}
