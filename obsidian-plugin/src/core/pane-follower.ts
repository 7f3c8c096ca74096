import type { Section } from "./sections";

/** What a pane is about: a note, or one section of it. */
export interface PanePlace {
	readonly path: string;
	readonly section: Section | null;
}

/** What the follower asks of the pane. */
export interface FollowerPane {
	/** Where the person is; null when no note is open. */
	readonly currentPlace: () => PanePlace | null;
	/** Whether the person is using the pane, so that nothing may move under their hands. */
	readonly isInUse: () => boolean;
	/** Show what belongs to a place. */
	readonly show: (place: PanePlace | null) => void;
	/** Something is to be shown once the pane is not used any more: call `look` then. */
	readonly onDelay: () => void;
}

/**
 * Decides what a pane about the active note shows, and when it is asked for.
 *
 * Pinned, it stays with its note and keeps it up to date; paused, it asks for nothing and shows what it has.
 */
export class PaneFollower {
	#at: PanePlace | null = null;
	#stays = false;
	#rests = false;
	#stale = false;

	constructor(private readonly pane: FollowerPane) {}

	get place(): PanePlace | null {
		return this.#at;
	}

	get isPinned(): boolean {
		return this.#stays;
	}

	get isPaused(): boolean {
		return this.#rests;
	}

	/** The person may have gone elsewhere, or left the pane. */
	look(): void {
		if (this.#stale || this.#next() !== null) this.#refreshUnlessUsed();
	}

	/** Something was found out about a note. */
	markStale(path: string): void {
		if (this.#rests || path !== this.#at?.path) return;
		this.#stale = true;
		this.#refreshUnlessUsed();
	}

	/** A file has another path now. */
	followRename(from: string, to: string): void {
		if (this.#at?.path !== from) return;
		this.#at = { ...this.#at, path: to };
		this.markStale(to);
	}

	/** Go where the person is, at once. */
	go(): void {
		this.#at = this.#next() ?? this.#at;
		this.refresh();
	}

	/** Show the same place anew, as the person did something there. */
	refresh(): void {
		this.#stale = false;
		this.pane.show(this.#at);
	}

	pin(on: boolean): void {
		this.#stays = on;
		if (!on && !this.#rests) this.go();
	}

	/** Neither stay nor rest. */
	follow(): void {
		[this.#stays, this.#rests] = [false, false];
		this.go();
	}

	/** Stay with a place. */
	pinTo(place: PanePlace): void {
		[this.#at, this.#stays, this.#rests] = [place, true, false];
		this.refresh();
	}

	pause(on: boolean): void {
		this.#rests = on;
		if (!on) this.go();
	}

	/** Where to go; null when it is not elsewhere, or not to be followed. */
	#next(): PanePlace | null {
		if (this.#stays || this.#rests) return null;
		const here = this.pane.currentPlace();
		return here === null || isSamePlace(here, this.#at) ? null : here;
	}

	#refreshUnlessUsed(): void {
		if (this.pane.isInUse()) this.pane.onDelay();
		else this.go();
	}
}

/** Whether two places are one, wherever in it the cursor is. */
export function isSamePlace(one: PanePlace, other: PanePlace | null): boolean {
	return one.path === other?.path && one.section?.heading === other.section?.heading && one.section?.nth === other.section?.nth;
}
