// Written by `python -m bridge.export`: what the bridge publishes. Do not edit.

/** A change is offered to programs in Obsidian, which claim it. */
export interface ApplyChange {
	readonly kind: "apply_change";
	/** The vault; null for all. */
	readonly vault: string | null;
	/** Its id. */
	readonly change: string;
	/** The note it changes. */
	readonly path: string;
}

/** A change awaits approval. */
export interface ChangeProposed {
	readonly kind: "change_proposed";
	/** The vault; null for all. */
	readonly vault: string | null;
	/** Its id. */
	readonly change: string;
	/** The operation that made it. */
	readonly operation: string;
	/** The program that made it; null if unknown. */
	readonly client: string | null;
	/** What became of it. */
	readonly state: string;
	/** The first hundred files it names. */
	readonly paths: readonly string[];
}

/** A change was made, undone or otherwise settled. */
export interface ChangeRecorded {
	readonly kind: "change_recorded";
	/** The vault; null for all. */
	readonly vault: string | null;
	/** Its id. */
	readonly change: string;
	/** The operation that made it. */
	readonly operation: string;
	/** The program that made it; null if unknown. */
	readonly client: string | null;
	/** What became of it. */
	readonly state: string;
	/** The first hundred files it names. */
	readonly paths: readonly string[];
}

/** An agent asked the user for something, or the user answered. */
export interface DecisionsChanged {
	readonly kind: "decisions_changed";
	/** The vault; null for all. */
	readonly vault: string | null;
}

/** The index has changed. */
export interface IndexProgress {
	readonly kind: "index_progress";
	/** The vault; null for all. */
	readonly vault: string | null;
	/** What is left to do. */
	readonly pending: PendingCounts;
	/** How many notes are indexed. */
	readonly notes: number;
}

/** Notes were brought into a session, or the user chose which may be. */
export interface MemoryGiven {
	readonly kind: "memory_given";
	/** The vault; null for all. */
	readonly vault: string | null;
	/** The session. */
	readonly session: string;
}

/** One note was indexed again, or is gone; many at once are only published as progress. */
export interface NoteUpdate {
	readonly kind: "note_changed";
	/** The vault; null for all. */
	readonly vault: string | null;
	/** The note. */
	readonly path: string;
	/** What became of it. */
	readonly change: "indexed" | "gone";
}

/** What is left to index. */
export interface PendingCounts {
	/** Notes to be read. */
	readonly keyword: number;
	/** Passages to be embedded. */
	readonly vectors: number;
}

/** A plan to tidy the vault was written, which waits for the user. */
export interface PlanReady {
	readonly kind: "plan_ready";
	/** The vault; null for all. */
	readonly vault: string | null;
	/** The note of the plan. */
	readonly path: string;
	/** How many findings it has. */
	readonly findings: number;
}

/** Events were missed that cannot be replayed: anything may have changed. */
export interface Reset {
	readonly kind: "reset";
	/** The vault; null for all. */
	readonly vault: string | null;
}

/** The settings or the clients have changed. */
export interface SettingsChanged {
	readonly kind: "settings_changed";
	/** The vault; null for all. */
	readonly vault: string | null;
}

/** What happened. */
export type BridgeEvent = IndexProgress | NoteUpdate | ChangeRecorded | ChangeProposed | ApplyChange | MemoryGiven | PlanReady | DecisionsChanged | SettingsChanged | Reset;
