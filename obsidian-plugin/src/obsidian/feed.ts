import { type App, Component } from "obsidian";
import type { Reported, Seen } from "../protocol/operations";
import { ChangeQueue, isDocument } from "../core/change-queue";

/** What the feed tells, and whether somebody is there to be told. */
export interface FeedTarget {
	readonly isConnected: () => boolean;
	readonly sendSnapshot: (files: readonly Seen[]) => void;
	readonly sendChanges: (batch: readonly Reported[]) => void;
}

/** Tells the bridge what the app does to the vault: once everything, then each change. */
export class Feed extends Component {
	readonly #changes = new ChangeQueue();
	#timer: number | undefined;

	constructor(
		private readonly app: App,
		private readonly target: FeedTarget,
	) {
		super();
	}

	/** Begin; only once the layout is ready, as the app tells of every file as new before. */
	override onload(): void {
		const { vault } = this.app;
		this.registerEvent(vault.on("create", (file) => this.#add({ kind: "upsert", path: file.path })));
		this.registerEvent(vault.on("modify", (file) => this.#add({ kind: "upsert", path: file.path })));
		this.registerEvent(vault.on("delete", (file) => this.#add({ kind: "delete", path: file.path })));
		this.registerEvent(vault.on("rename", (file, from) => this.#add({ kind: "rename", path: file.path, from })));
	}

	override onunload(): void {
		window.clearTimeout(this.#timer);
		this.#changes.forget();
	}

	/** Tell of every file, in place of all that happened before. */
	sendEverything(): void {
		this.#changes.forget();
		const files = this.app.vault.getFiles().filter((file) => isDocument(file.path));
		this.target.sendSnapshot(files.map((file) => ({ path: file.path, mtime: file.stat.mtime, size: file.stat.size })));
	}

	#add(change: Reported): void {
		// A folder says nothing that its files do not say; and when nobody hears it, the next snapshot says it.
		if (!(isDocument(change.path) || isDocument(change.from ?? "")) || !this.target.isConnected()) return;
		const now = performance.now();
		this.#changes.add(change, now);
		window.clearTimeout(this.#timer);
		this.#timer = window.setTimeout(() => this.#send(), this.#changes.due(now));
	}

	#send(): void {
		for (const batch of this.#changes.take()) if (this.target.isConnected()) this.target.sendChanges(batch);
	}
}
