// Written by `python -m bridge.export`: what the bridge can do. Do not edit.

/** The bridge that this was written from. */
export const VERSION = "0.1.0";

/** The form of each operation; with another it is called or answered differently. */
export const FORMS = {
	search: "7eed86a491f9",
	related_notes: "07d9429623b3",
	pick_link: "9711f0fb767b",
	find_notes: "dc8a4bdea1dc",
	list_folders: "b88ee7f439c2",
	list_tags: "53d5f8fd4475",
	read_note: "7336ef095042",
	read_notes: "52b603bd8431",
	create_note: "c77d3de86542",
	edit_note: "9165ccbd3ba4",
	set_properties: "99fe2d217b3a",
	move_note: "237dc863aa82",
	rename_heading: "d05f8f2702cd",
	rename_alias: "e9e5a8c67fde",
	delete_note: "9e215e1d2392",
	daily_note: "a41ea3243afb",
	change_set: "849ad82d33fa",
	list_tasks: "2e5051d20628",
	toggle_task: "3e04fcd3094e",
	add_task: "5479d8dce93f",
	list_changes: "752f552f2d51",
	show_change: "6dc88704d854",
	undo_change: "4fe755771c1b",
	undo_session: "8699f994fb51",
	redo_change: "817ef512cdba",
	accept_change: "4e6303a46a0a",
	reject_change: "89994512324a",
	claim_change: "771dc599ca4f",
	acknowledge_change: "c01084f4f67a",
	note_links: "37d721254a53",
	resolve_link: "c512cf228b19",
	suggest_links: "d5bb8e8f8a97",
	judge_link: "a11a23625bef",
	apply_links: "abfffa44c726",
	find_prospects: "d3d99e94a5fe",
	link_report: "7624f7324bdd",
	graph_neighbours: "d674ddfb705d",
	graph_path: "41b89f5ae297",
	graph_insights: "ed1c1671f8fb",
	graph_view: "0ddb51c14d25",
	graph_history: "9cfdab5de1c4",
	export_graph: "29b7db956d7d",
	status: "3df375e0ca69",
	index_status: "2e6baa65b1c8",
	report_changes: "eadeb5b000e8",
	wait_until_indexed: "7b86e0e7afa9",
	reindex: "cee2e4c35aca",
	job_status: "49261ba5d5aa",
	pause_indexing: "b636e35dac89",
	resume_indexing: "b636e35dac89",
	doctor: "a19b65f3f6da",
	usage: "b4dd020cc886",
	read_settings: "f4e0fa575426",
	change_settings: "7df0e72c2e86",
	check_globs: "2be683f630fb",
	list_models: "2ab29cd03574",
	list_clients: "c3f2860a70bf",
	revoke_client: "5837519f92db",
	open_pairing: "3ceefd3165ba",
	find_tool: "ad39072db692",
	run_tool: "11e6879817e2",
	give_feedback: "d05c665ab332",
} as const;

/** What any call can be refused with. */
export type AnyCallError = "unauthorized" | "forbidden" | "bad_host" | "too_large" | "rate_limited" | "internal";

export interface AcceptChangeArguments {
	/** Id of the proposal, from `list_changes`. */
	readonly change_id: string;
	/** Only these parts of it, as `show_change` numbers them; the others are rejected. */
	readonly hunks?: readonly number[] | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface AcknowledgeChangeArguments {
	/** Its id. */
	readonly change_id: string;
	/** Whether it was made. */
	readonly applied: boolean;
	/** Why not: `unsaved`, the note has edits in Obsidian that are not saved; `changed`, it is not what `before` says; or `failed`. */
	readonly reason?: "unsaved" | "changed" | "failed" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** What became of a change that a program claimed. */
export interface Acknowledged {
	/** Its id. */
	readonly change_id: string;
	/** `applied`; `rejected`, when it was not made, or `proposed`, when it waits for the user again; `conflict`, when the note is neither as the change makes it, nor does the program say that it did not make it. */
	readonly state: "applied" | "proposed" | "rejected" | "expired" | "undone" | "conflict";
}

/** Add an item behind the last one of a list, marked and indented like it; starts a list where there is none. */
export interface AddItem {
	/** `add_item`. */
	readonly op: "add_item";
	/** The heading above the list, or its path as `A > B`; without, the note's last list. */
	readonly heading?: string | null;
	/** The item without its marker; more lines go below it. */
	readonly text: string;
	/** Give it a box. */
	readonly task?: boolean;
	/** Add the heading if the note lacks it. */
	readonly create_heading?: boolean;
}

/** Add a task to a note. */
export interface AddTask {
	/** The note. */
	readonly path: string;
	/** What is to be done. */
	readonly text: string;
	/** The heading above the list, or its path as `A > B`; without, the note's last list. */
	readonly heading?: string | null;
	/** The day it is due. */
	readonly due?: string | null;
	/** How urgent it is. */
	readonly priority?: "highest" | "high" | "medium" | "low" | "lowest" | null;
	/** Add the heading if the note lacks it. */
	readonly create_heading?: boolean;
	/** What is asked. */
	readonly op: "add_task";
}

export interface AddTaskArguments {
	/** The note. */
	readonly path: string;
	/** What is to be done. */
	readonly text: string;
	/** The heading above the list; without, the note's last list. */
	readonly heading?: string | null;
	/** The day it is due. */
	readonly due?: string | null;
	/** How urgent it is. */
	readonly priority?: "highest" | "high" | "medium" | "low" | "lowest" | null;
	/** Add the heading if the note lacks it. */
	readonly create_heading?: boolean;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although it is large. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A name of several notes that links use without a folder. */
export interface AmbiguousName {
	/** The name. */
	readonly name: string;
	/** The notes that have it. */
	readonly notes: readonly string[];
	/** Links that say it without a folder. */
	readonly links: number;
	/** The first notes with such links. */
	readonly sources: readonly string[];
}

/** Add text at the end of the note. */
export interface Append {
	/** `append`. */
	readonly op: "append";
	/** Markdown. */
	readonly text: string;
}

export interface ApplyLinksArguments {
	/** The note. */
	readonly path: string;
	/** Link to these notes alone, however unlikely; without, to all that `suggest_links` would suggest. */
	readonly targets?: readonly string[];
	/** Make just these links; then `targets`, `strictness` and `all` do not count. */
	readonly suggestions?: readonly ChosenLink[];
	/** How likely a link must be when no targets are given, as in `suggest_links`. */
	readonly strictness?: "conservative" | "balanced" | "aggressive";
	/** Every place that names a note, not the first alone. */
	readonly all?: boolean;
	/** The note's digest as you read it; refused when the note is another now. */
	readonly digest?: string | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A note without which the graph falls apart. */
export interface Articulation {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Notes that would lose touch with the largest part. */
	readonly holds: number;
}

/** A name that links ask for, that no note has, and that means one nevertheless. */
export interface BrokenName {
	/** The name, as first written. */
	readonly name: string;
	/** Notes that link to it. */
	readonly wanted: number;
	/** The first of them. */
	readonly notes: readonly string[];
	/** The note that it likely means. */
	readonly meant: string;
	/** What speaks for that. */
	readonly why: string;
}

export interface ChangeSetArguments {
	/** The changes, each as the operation that `op` names takes it. */
	readonly edits: readonly (CreateNote | EditNote | SetProperties | MoveNote | RenameHeading | RenameAlias | DeleteNote | ToggleTask | AddTask)[];
	/** What they should do together; refused when they would do something else. */
	readonly expect?: Expectation | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although many files change. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ChangeSettingsArguments {
	/** New values by name; null takes a setting back to its default. */
	readonly changes: Readonly<Record<string, unknown>>;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A file that a change touches. */
export interface ChangedFile {
	/** The file or folder, by the path that it has afterwards; of a removed file the one that it had. */
	readonly path: string;
	/** SHA-256 of the whole file afterwards; null for a folder, a removed file, and in a dry run. */
	readonly digest: string | null;
	/** Lines that it gains. */
	readonly added: number;
	/** Lines that it loses. */
	readonly removed: number;
	/** The path that it had before; null for one that is not moved. */
	readonly moved_from?: string | null;
	/** Whether it is deleted. */
	readonly deleted?: boolean;
	/** Where it lies in the vault's trash; null for one that does not, or when that is not known. */
	readonly trash?: string | null;
}

export interface CheckGlobsArguments {
	/** The globs. */
	readonly globs: readonly string[];
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** One glob. */
export interface CheckedGlob {
	/** The glob. */
	readonly glob: string;
	/** Why it cannot be used; null when it can. */
	readonly problem: string | null;
	/** Notes that it means, those too that another rule hides; null where no vault is open. */
	readonly notes: number | null;
	/** Some of them. */
	readonly first: readonly string[];
}

/** The globs. */
export interface CheckedGlobs {
	/** In the order in which they were given. */
	readonly globs: readonly CheckedGlob[];
}

/** A suggestion that shall be made a link. */
export interface ChosenLink {
	/** The note it shall lead to. */
	readonly target: string;
	/** The words that shall become the link. */
	readonly text: string;
	/** First character and the one after the last, as `suggest_links` said. */
	readonly span: readonly [number, number];
}

export interface ClaimChangeArguments {
	/** Its id. */
	readonly change_id: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A change that is the caller's to make, and nobody else's. */
export interface ClaimedChange {
	/** Its id. */
	readonly change_id: string;
	/** The note. */
	readonly path: string;
	/** SHA-256 of the whole file as it must be. */
	readonly before: string;
	/** The same afterwards. */
	readonly after: string;
	/** The whole text of the note afterwards. */
	readonly text: string;
}

/** Notes that hang together. */
export interface Community {
	/** Its number in this answer and in `graph_view`; 0 is the largest. */
	readonly number: number;
	/** The words that set it apart, of its titles and tags. */
	readonly name: string;
	/** Notes in it. */
	readonly size: number;
	/** Those that are joined to most. */
	readonly notes: readonly string[];
}

/** Make a note. */
export interface CreateNote {
	/** Where, with `.md`; folders that are missing are made. */
	readonly path: string;
	/** Its text. */
	readonly text?: string;
	/** Its properties. */
	readonly properties?: Readonly<Record<string, unknown>>;
	/** A note whose text comes first, with `{{title}}`, `{{date}}` and `{{time}}` filled in. */
	readonly template?: string | null;
	/** What is asked. */
	readonly op: "create_note";
}

export interface CreateNoteArguments {
	/** Where, ending in `.md`; folders that are missing are made. */
	readonly path: string;
	/** Its Markdown. */
	readonly text?: string;
	/** Its properties by name. */
	readonly properties?: Readonly<Record<string, unknown>> | null;
	/** A note to begin with; `{{title}}`, `{{date}}` and `{{time}}` in it are filled in. */
	readonly template?: string | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although it is large, or much like another. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The daily note of a day. */
export interface DailyNote {
	/** Where it lies, by the vault's own settings, whether or not there is one. */
	readonly path: string;
	/** The day. */
	readonly date: string;
	/** Its whole text, after what was appended; null when there is none. */
	readonly text: string | null;
	/** SHA-256 of the whole file; null when there is none. */
	readonly digest: string | null;
	/** The change that appended; null when nothing was written. */
	readonly change_id: string | null;
	/** What changed, as a unified diff. */
	readonly diff: string;
	/** `applied`; or `proposed`, when it waits until the user accepts it. */
	readonly state: "applied" | "proposed";
	/** What to know about it. */
	readonly warnings: readonly string[];
	/** Whether nothing was written because only a dry run was asked for. */
	readonly dry_run: boolean;
	/** What the change does, in a line; empty when nothing was asked for. */
	readonly would: string;
	/** Why the call itself must be confirmed; null when it need not be, and when it was no dry run. */
	readonly confirmation: string | null;
}

export interface DailyNoteArguments {
	/** The day. */
	readonly date?: string;
	/** Markdown to add. */
	readonly append?: string | null;
	/** Add it under this heading instead of at the end. */
	readonly heading?: string | null;
	/** Add the heading if the note lacks it. */
	readonly create_heading?: boolean;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although it is large. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Delete a note, as the user's Obsidian does. */
export interface DeleteNote {
	/** The note. */
	readonly path: string;
	/** The note's digest as it was read; needed unless this change set made the note. */
	readonly digest?: string | null;
	/** What is asked. */
	readonly op: "delete_note";
}

export interface DeleteNoteArguments {
	/** The note. */
	readonly path: string;
	/** The note's digest as you read it, 12 digits at least. */
	readonly digest: string;
	/** Only tell what would happen, and which links would break. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although links in many notes break. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Everything that was looked at. */
export interface Diagnosis {
	/** The worst of the findings. */
	readonly verdict: "ok" | "warn" | "fail";
	/** The findings. */
	readonly findings: readonly Finding[];
}

/** Bytes that all vaults share. */
export interface Disk {
	/** The models, also those that are not in use. */
	readonly models: number;
	/** What is free where the data folder lies. */
	readonly free: number;
}

export interface DoctorArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Change the text of a note. */
export interface EditNote {
	/** The note. */
	readonly path: string;
	/** The edits, all or none; their places are those of the text as it was read. */
	readonly edits: readonly (Append | Prepend | InsertUnder | ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText | AddItem)[];
	/** The note's digest as it was read; needed where something is replaced that this change set did not write. */
	readonly digest?: string | null;
	/** What is asked. */
	readonly op: "edit_note";
}

export interface EditNoteArguments {
	/** The note. */
	readonly path: string;
	/** What to change, such as `[{"op": "replace_text", "old": "teh", "new": "the"}]`. Lines and text are those of the note as you read it; edits do not overlap. */
	readonly edits: readonly (Append | Prepend | InsertUnder | ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText | AddItem)[];
	/** The note's digest as you read it, 12 digits at least; needed to replace anything. */
	readonly digest?: string | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although it is large. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** How embedding gets on. */
export interface Embedding {
	/** Passages a second, lately. */
	readonly per_second: number;
	/** Seconds until the last one has its vector, if it goes on like this. */
	readonly seconds_left: number;
}

/** How often calls ended in one kind of error. */
export interface ErrorCount {
	/** The error's code. */
	readonly code: string;
	/** How many ended so. */
	readonly calls: number;
}

/** What the caller thinks that a change does; what is null is not expected in any number. */
export interface Expectation {
	/** Files that are written, moved or removed. */
	readonly files?: number | null;
	/** Links in other places that are written anew. */
	readonly links_rewritten?: number | null;
	/** Links that are unresolved afterwards. */
	readonly links_broken?: number | null;
}

export interface ExportGraphArguments {
	/** GraphML, or JSON with nodes and links. */
	readonly format?: "graphml" | "json";
	/** What joins notes, as in `graph_neighbours`; every note is a node, joined or not. */
	readonly kinds?: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Also the names that no note has, as nodes. */
	readonly stubs?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The graph as text. */
export interface ExportedGraph {
	/** What it is written in. */
	readonly format: "graphml" | "json";
	/** GraphML, or JSON with `nodes` and `links` as D3 and NetworkX read it. */
	readonly text: string;
	/** How many nodes it has. */
	readonly nodes: number;
	/** How many edges. */
	readonly edges: number;
}

/** What is known of a tool now. */
export interface Feedback {
	/** The tool. */
	readonly tool: string;
	/** How often it was the right one, 0 to 1; null until enough was said about that. */
	readonly accuracy: number | null;
	/** How often somebody said whether it was the right one. */
	readonly judged: number;
}

export interface FindNotesArguments {
	/** Only notes in this folder and below. */
	readonly folder?: string | null;
	/** Only notes with all of these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only notes with these values, such as `{"status": "done"}`; a list means any of them. */
	readonly properties?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean | null)[] | null>>;
	/** Only notes that link to this file. */
	readonly links_to?: string | null;
	/** Only notes that this note links to. */
	readonly linked_from?: string | null;
	/** Only notes changed at or after this moment; `last week` counts from its Monday on. */
	readonly modified_after?: string | null;
	/** Only notes changed before this moment. */
	readonly modified_before?: string | null;
	/** The order; `-` reverses it: `-modified` is newest first. */
	readonly sort?: "path" | "-path" | "title" | "-title" | "modified" | "-modified";
	/** Most notes to return. */
	readonly limit?: number;
	/** Notes to skip. */
	readonly offset?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface FindProspectsArguments {
	/** Most names to return. */
	readonly limit?: number;
	/** Names to pass over, for the next page. */
	readonly offset?: number;
	/** Only what notes in this folder and below say. */
	readonly folder?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface FindToolArguments {
	/** What is to be done, in a few English words. */
	readonly task: string;
	/** Most tools to return. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** One thing that was looked at. */
export interface Finding {
	/** What was looked at. */
	readonly check: string;
	/** `ok`, `warn` or `fail`. */
	readonly verdict: "ok" | "warn" | "fail";
	/** What was found. */
	readonly message: string;
	/** What to do about it; empty when nothing. */
	readonly do: string;
	/** The vault it concerns; null when all. */
	readonly vault: string | null;
}

/** The folders that hold notes. */
export interface FolderList {
	/** The folders, by path. */
	readonly folders: readonly ListedFolder[];
}

/** A page of a list of notes. */
export interface FoundNotes {
	/** The notes of this page. */
	readonly notes: readonly ListedNote[];
	/** How many there are without `limit` and `offset`. */
	readonly total: number;
	/** What to know about it, such as a folder, tag or property that does not exist. */
	readonly notices?: readonly string[];
}

/** A passage of a note. */
export interface FoundPassage {
	/** Heading path of the passage; empty before the first heading. */
	readonly heading: string;
	/** First and last line of the passage. */
	readonly lines: readonly [number, number];
	/** The passage as it reads. */
	readonly text: string;
}

/** A tool that may do a task. */
export interface FoundTool {
	/** Its name, for `run_tool`. */
	readonly name: string;
	/** What it does. */
	readonly summary: string;
	/** What it takes. */
	readonly arguments: readonly ToolArgument[];
	/** What a token needs to run it. */
	readonly scope: "read" | "write" | "admin";
	/** Whether it changes nothing. */
	readonly reads: boolean;
	/** Whether the caller is offered it at once and calls it directly. */
	readonly listed: boolean;
	/** How often it was the right one, 0 to 1; null until enough was said about that. */
	readonly accuracy: number | null;
	/** How often somebody said whether it was the right one. */
	readonly judged: number;
}

/** Tools that may do a task. */
export interface FoundTools {
	/** The tools, the likeliest first; empty when none fits. */
	readonly tools: readonly FoundTool[];
	/** What to know about it, such as which tool comes closest when none fits. */
	readonly notices: readonly string[];
}

/** What the index still lacks. */
export interface Freshness {
	/** Notes whose words cannot be found yet. */
	readonly pending_keyword: number;
	/** Passages that cannot be found by meaning yet. */
	readonly pending_vectors: number;
}

/** Two notes that are linked to together and not to each other. */
export interface Gap {
	/** One of them. */
	readonly source: string;
	/** The other. */
	readonly target: string;
	/** Notes that link to both. */
	readonly together: number;
	/** How telling that is: notes with few links, and targets that few others link to, count more. */
	readonly score: number;
}

export interface GiveFeedbackArguments {
	/** The tool. */
	readonly tool: string;
	/** Whether it was. */
	readonly helped: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** How the graph grew. */
export interface GraphHistory {
	/** The first day that is known; what was before it is not told. */
	readonly since: string;
	/** The weeks in which the bridge ran, the latest first. */
	readonly weeks: readonly GraphWeek[];
}

export interface GraphHistoryArguments {
	/** How many weeks to look back, this one included. */
	readonly weeks?: number;
	/** Most notes of each sort in a week. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** What stands out in the graph; parts that were not asked for are absent. */
export interface GraphInsights {
	/** How much there is of everything. */
	readonly counts: LinkCounts;
	/** How many there are of each part. */
	readonly totals: PartTotals;
	/** How many of each part come before these. */
	readonly offset: number;
	/** Notes joined to many that are joined to many, the greatest first. */
	readonly hubs?: readonly Hub[] | null;
	/** Notes that a reader who follows links comes by most, by PageRank; many of them are hubs too. */
	readonly pagerank?: readonly Hub[] | null;
	/** Notes without any link in either direction. */
	readonly orphans?: NoteCount | null;
	/** Notes that are linked to and link nowhere. */
	readonly dead_ends?: NoteCount | null;
	/** Notes that link and that nothing links to. */
	readonly sources?: NoteCount | null;
	/** Names that notes link to and that no note has, the most wanted first. */
	readonly stubs?: readonly Stub[] | null;
	/** Groups of notes with more links inside than between them, by Leiden's method, the largest first. */
	readonly communities?: readonly Community[] | null;
	/** Pairs whose link alone joins two parts of the graph, those that join most first. */
	readonly bridges?: readonly SoleLink[] | null;
	/** Notes without which the graph falls apart, those that hold most first. */
	readonly articulations?: readonly Articulation[] | null;
	/** Notes that link to each other both ways, those with most links first. */
	readonly strong_pairs?: readonly StrongPair[] | null;
	/** Notes that others keep linking to together and that do not link to each other: perhaps they should. */
	readonly gaps?: readonly Gap[] | null;
}

export interface GraphInsightsArguments {
	/** Only these; without, all. */
	readonly parts?: readonly ("hubs" | "pagerank" | "orphans" | "dead_ends" | "sources" | "stubs" | "communities" | "bridges" | "articulations" | "strong_pairs" | "gaps")[];
	/** What joins notes, as in `graph_neighbours`; orphans, dead ends, sources, stubs and strong pairs are always about what is written. */
	readonly kinds?: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Most notes, names or pairs of each part. */
	readonly limit?: number;
	/** How many of each part to pass over, for the next page of a part. */
	readonly offset?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface GraphNeighboursArguments {
	/** The note to start from. */
	readonly path: string;
	/** Most steps to take. */
	readonly depth?: number;
	/** Whether to follow links as they point (`out`), against that (`in`), or both ways. */
	readonly direction?: "any" | "out" | "in";
	/** What to walk along; `tag` joins notes with a tag that at most ten carry, `folder` those of a small folder, `similar` those that are each among the nearest in meaning of the other. */
	readonly kinds?: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Share of the score that each step passes on. */
	readonly decay?: number;
	/** Most notes to return. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** One way from a note to another. */
export interface GraphPath {
	/** The notes on the way, both ends included. */
	readonly notes: readonly string[];
	/** What leads from each to the next. */
	readonly steps: readonly GraphStep[];
}

export interface GraphPathArguments {
	/** The note to start from. */
	readonly source: string;
	/** The note to reach. */
	readonly target: string;
	/** What to walk along, as in `graph_neighbours`. */
	readonly kinds?: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Whether links may be walked both ways, or only as they point. */
	readonly direction?: "any" | "out";
	/** Most ways to return; the longest has at most three steps more than the shortest. */
	readonly alternatives?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Ways from a note to another. */
export interface GraphPaths {
	/** The ways, those with the fewest steps first; none when nothing joins the two. */
	readonly paths: readonly GraphPath[];
}

/** What leads from one note to the next. */
export interface GraphStep {
	/** Where the step begins. */
	readonly source: string;
	/** Where it leads. */
	readonly target: string;
	/** What joins the two, the most telling if it is several things. */
	readonly kind: "wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar";
	/** The note that says it: `target` when the link is walked against its direction; null when nobody wrote it. */
	readonly note: string | null;
	/** The line it stands on. */
	readonly line: number | null;
	/** The sentence around it, the label of an arrow, or what both have in common. */
	readonly text: string;
}

/** A picture of the graph. */
export interface GraphView {
	/** What to draw. */
	readonly nodes: readonly ViewNode[];
	/** What joins them. */
	readonly edges: readonly ViewEdge[];
	/** The groups that are drawn, the largest first. */
	readonly communities: readonly ViewCommunity[];
	/** Whether nodes stand for communities. */
	readonly folded: boolean;
	/** Nodes that pass the filters, drawn or not. */
	readonly total: number;
}

export interface GraphViewArguments {
	/** The note in the middle; without, all notes are drawn. */
	readonly path?: string | null;
	/** Most steps from the note in the middle. */
	readonly depth?: number;
	/** What joins notes, as in `graph_neighbours`. */
	readonly kinds?: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Draw names that no note has, too. */
	readonly stubs?: boolean;
	/** Only notes in this folder and below. */
	readonly folder?: string | null;
	/** Only notes with all of these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only these kinds of file. */
	readonly types?: readonly ("note" | "canvas" | "excalidraw" | "pdf")[];
	/** Only notes changed at or after this moment; `last week` counts from its Monday on. */
	readonly modified_after?: string | null;
	/** Only notes changed before this moment. */
	readonly modified_before?: string | null;
	/** Only notes of this community. */
	readonly community?: number | null;
	/** Only these notes, such as those on a way of `graph_path`. */
	readonly notes?: readonly string[];
	/** Tell the tags of each note. */
	readonly tagged?: boolean;
	/** Draw communities in place of their notes; without, that is done from 2,000 nodes on. */
	readonly fold?: boolean | null;
	/** Most nodes; at most and unless said 300 around a note, 10,000 in all. Those joined to most are drawn. */
	readonly limit?: number | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A week of the graph. */
export interface GraphWeek {
	/** Its Monday. */
	readonly week: string;
	/** How much there was at its end. */
	readonly counts: LinkCounts;
	/** Notes that are new, those joined to most first. */
	readonly appeared: readonly string[];
	/** Notes that are gone; a note that was moved has vanished and appeared. */
	readonly vanished: readonly string[];
	/** Notes joined to more or fewer notes than before, those that changed most first. */
	readonly grown: readonly Grown[];
}

/** A note that was joined to more notes, or to fewer. */
export interface Grown {
	/** The note. */
	readonly path: string;
	/** How many more; negative when fewer. */
	readonly more: number;
}

/** One note, shown by its best passage. */
export interface Hit {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Heading path of the passage, such as `A > B`; empty before the first heading. */
	readonly heading: string;
	/** First and last line of the passage. */
	readonly lines: readonly [number, number];
	/** The words of the passage around the match, matches marked with `==…==`. */
	readonly snippet: string;
	/** 0 to 1: the share of what could speak for a note; below 0.1 hardly anything does. */
	readonly score: number;
	/** Why it is here, in short sentences. */
	readonly why: readonly string[];
	/** The note's tags, without `#`. */
	readonly tags: readonly string[];
	/** When the file was last changed. */
	readonly modified: string;
	/** The first digits of its SHA-256, to change it by. */
	readonly digest: string;
	/** The whole passages that were asked for, in their order. */
	readonly passages?: readonly FoundPassage[];
}

/** A note that much hangs together with. */
export interface Hub {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Eigenvector centrality from 0 to 100, the greatest hub's. */
	readonly score: number;
	/** How often a reader who follows links comes by; 1 is the average note. */
	readonly pagerank: number;
	/** Notes that it is joined to. */
	readonly joined: number;
	/** The number of its community. */
	readonly community: number;
}

/** What the index holds of one file. */
export interface IndexStatus {
	/** The file. */
	readonly path: string;
	/** `indexed`, `pending`, `skipped` or `failed`. */
	readonly state: string;
	/** Why it is not in the index, when it is not. */
	readonly reason: string | null;
	/** SHA-256 of the file as the index read it. */
	readonly digest: string | null;
	/** Its passages. */
	readonly passages: readonly Passage[];
	/** What was left out of the embedding, such as lines that recur across many notes. */
	readonly left_out: readonly string[];
	/** What could not be read of it. */
	readonly problems: readonly string[];
}

export interface IndexStatusArguments {
	/** The file. */
	readonly path: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Whether the index caught up. */
export interface Indexed {
	/** True when the index holds the note; false when the time ran out. */
	readonly indexed: boolean;
}

/** Add text at the end of what stands under a heading, above its subheadings; a new subsection goes below them. */
export interface InsertUnder {
	/** `insert_under`. */
	readonly op: "insert_under";
	/** The heading, or its path as `A > B`; of several that are alike also its line, as `A > B (line 12)`. */
	readonly heading: string;
	/** Markdown; its headings are made deeper to fit. */
	readonly text: string;
	/** Add the heading if the note lacks it: at its end, or below `A`. */
	readonly create_heading?: boolean;
}

/** Work that goes on in the background. */
export interface JobStarted {
	/** Its name for `job_status`. */
	readonly job_id: string;
}

/** How far a job is. */
export interface JobStatus {
	/** The job. */
	readonly job_id: string;
	/** What it does. */
	readonly kind: string;
	/** `running`, `done`, `failed` or `cancelled`. */
	readonly state: string;
	/** Steps done. */
	readonly done: number;
	/** Steps in all, 0 while unknown. */
	readonly total: number;
	/** What it is doing, or how it ended. */
	readonly message: string;
}

export interface JobStatusArguments {
	/** The job, as `reindex` named it. */
	readonly job_id: string;
	/** Most seconds to wait for its end. */
	readonly wait?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface JudgeLinkArguments {
	/** The note that the link stands in, or would. */
	readonly path: string;
	/** The note that it leads to. */
	readonly target: string;
	/** The words that were suggested, as the suggestion gave them. */
	readonly text: string;
	/** `accept` when it was made a link, `decline` when it shall not be suggested there again, `revive` to suggest what was declined again. */
	readonly verdict: "accept" | "decline" | "revive";
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** One file that is not in the index. */
export interface Left {
	/** The file, or a folder with all that is in it when it ends with `/`. */
	readonly path: string;
	/** Why. */
	readonly reason: string;
}

/** Files that are not in the index for one reason. */
export interface LeftFor {
	/** The reason. */
	readonly reason: string;
	/** How many. */
	readonly count: number;
	/** The first of them. */
	readonly first: readonly string[];
}

/** Files that are not in the index. */
export interface LeftOut {
	/** How many. */
	readonly count: number;
	/** Some of them. */
	readonly first: readonly Left[];
	/** The most frequent reasons. */
	readonly reasons: readonly LeftFor[];
}

/** How much there is. */
export interface LinkCounts {
	/** Notes. */
	readonly notes: number;
	/** Pairs of notes of which one links to the other, or that an arrow joins. */
	readonly links: number;
	/** Names that notes link to and that no note has. */
	readonly stubs: number;
}

/** An edit that makes links. */
export interface LinkEdit {
	/** The note. */
	readonly path: string;
	/** The edit as a unified diff; empty when there is nothing to link. */
	readonly diff: string;
	/** SHA-256 of the whole file after the edit. */
	readonly digest: string;
	/** SHA-256 of the whole file that the edit is for. */
	readonly before: string;
	/** The links it makes, in order. */
	readonly links: readonly MadeLink[];
	/** The links it does not make, in order, and why. */
	readonly refused: readonly RefusedLink[];
	/** The change that was made or proposed; null when nothing was written. */
	readonly change_id: string | null;
	/** `applied`; or `proposed`, when it waits until the user accepts it. */
	readonly state: "applied" | "proposed";
	/** What to know about it. */
	readonly warnings: readonly string[];
	/** Whether nothing was written because only a dry run was asked for. */
	readonly dry_run: boolean;
}

/** What was said so far to the links that were suggested. */
export interface LinkJudged {
	/** Acceptances of links to this note. */
	readonly accepted: number;
	/** Refusals of links to this note. */
	readonly declined: number;
	/** The share of all suggestions of the vault that were accepted; null before the first. */
	readonly rate: number | null;
}

/** What could be better about the links of a vault. */
export interface LinkReport {
	/** How many there are of each sort, whatever `limit` and `offset` are. */
	readonly totals: ReportTotals;
	/** How many of each sort come before these. */
	readonly offset: number;
	/** How many names links ask for that no note has, as `graph_insights` counts them in a whole vault. */
	readonly unresolved: number;
	/** Those that likely mean a note, the most wanted first. */
	readonly broken: readonly BrokenName[];
	/** Those that mean none, the most wanted first. */
	readonly stubs: readonly Stub[];
	/** Notes that are mentioned without a link, those first to which most links are missing. */
	readonly unlinked: readonly UnlinkedNote[];
	/** Names that mean several notes, those with most links first. */
	readonly ambiguous: readonly AmbiguousName[];
	/** Suggested links that were accepted. */
	readonly accepted: number;
	/** Suggested links that were declined, or taken out again. */
	readonly declined: number;
	/** The share that was accepted; null before the first. */
	readonly rate: number | null;
	/** The `offset` of the next page; absent on the last. */
	readonly next_offset?: number | null;
	/** What was left out, in sentences. */
	readonly notices?: readonly string[];
}

export interface LinkReportArguments {
	/** Most entries of each sort. */
	readonly limit?: number;
	/** How many of each sort to pass over, for the next page. */
	readonly offset?: number;
	/** Only links and mentions in notes of this folder and below. */
	readonly folder?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A link that may be missing. */
export interface LinkSuggestion {
	/** The note it should lead to. */
	readonly target: string;
	/** The words that should become the link. */
	readonly text: string;
	/** First and last line they stand on. */
	readonly lines: readonly [number, number];
	/** First character and the one after the last, counted in the text of the file. */
	readonly span: readonly [number, number];
	/** How likely it should be a link, 0 to 1. */
	readonly score: number;
	/** What speaks for it. */
	readonly why: readonly string[];
}

/** The links a text may miss. */
export interface LinkSuggestions {
	/** Likeliest first, one a note. */
	readonly suggestions: readonly LinkSuggestion[];
	/** SHA-256 of the whole file they were found in; empty for a text. */
	readonly digest: string;
	/** What was left out, in sentences. */
	readonly notices?: readonly string[];
}

/** How many there are of each sort. */
export interface LinkTotals {
	/** Links in the note that lead somewhere. */
	readonly links: number;
	/** Links to the note. */
	readonly backlinks: number;
	/** Unresolved links in the note. */
	readonly unresolved: number;
}

export interface ListChangesArguments {
	/** Only changes that touched this file or folder, by its name then or today. */
	readonly path?: string | null;
	/** Only those in this state; `proposed` ones wait for the user. */
	readonly state?: "applied" | "proposed" | "rejected" | "expired" | "undone" | "conflict" | null;
	/** Only those of this program. */
	readonly client?: string | null;
	/** Only those of this session. */
	readonly session?: string | null;
	/** Only those that this operation made. */
	readonly operation?: string | null;
	/** Only those from this moment on. */
	readonly since?: string | null;
	/** Only those before this moment. */
	readonly until?: string | null;
	/** Most changes to return. */
	readonly limit?: number;
	/** Changes to leave out at the start. */
	readonly offset?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListClientsArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListFoldersArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListModelsArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListTagsArguments {
	/** Only tags that begin with this, whatever their case. */
	readonly prefix?: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListTasksArguments {
	/** Only tasks of this note. */
	readonly path?: string | null;
	/** Only tasks of notes in this folder and below. */
	readonly folder?: string | null;
	/** `all`, `open` (neither done nor cancelled), a `meaning` such as `done`, or characters of the box: `/!`. */
	readonly status?: string;
	/** Only tasks due on this day, or within this period: `this week`, `2026-11`. */
	readonly due_on?: string | null;
	/** Only tasks due on this day or later; `next week` counts from its Monday on. */
	readonly due_after?: string | null;
	/** Only tasks due before this day; `next week` counts up to the Sunday before it. */
	readonly due_before?: string | null;
	/** Only tasks due before today, and open unless `status` says otherwise. */
	readonly overdue?: boolean;
	/** Only tasks with all of these tags in their line; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only tasks whose line says this, in any case. */
	readonly text?: string;
	/** The order; by `due` the earliest come first, by `-due` the latest, those without a day last. */
	readonly sort?: "path" | "due" | "-due";
	/** Most tasks to return. */
	readonly limit?: number;
	/** Tasks to skip. */
	readonly offset?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A change to notes. */
export interface ListedChange {
	/** Its id. */
	readonly id: string;
	/** When it was made or proposed. */
	readonly time: string;
	/** The program that asked for it. */
	readonly client: string | null;
	/** What tells that program's calls at that time from others. */
	readonly session: string | null;
	/** What it asked for. */
	readonly operation: string;
	/** Why, in its words. */
	readonly reason: string | null;
	/** The files it touched, as they were called then. */
	readonly paths: readonly string[];
	/** What changed, as a unified diff; in a list a long one is cut. */
	readonly diff: string;
	/** What became of it: `conflict` needs a look, since a crash and somebody's edit left it half made. */
	readonly state: "applied" | "proposed" | "rejected" | "expired" | "undone" | "conflict";
	/** When a proposal is given up. */
	readonly expires: string | null;
	/** The changes that it turned back. */
	readonly undoes: readonly string[];
	/** What wrote: the bridge itself, to the `disk`, or `obsidian`; null when nothing was written yet. */
	readonly by: "disk" | "obsidian" | null;
}

/** Changes. */
export interface ListedChanges {
	/** The newest first. */
	readonly changes: readonly ListedChange[];
}

/** A program that holds a token of its own. */
export interface ListedClient {
	/** Its id. */
	readonly id: string;
	/** Its name. */
	readonly name: string;
	/** What it may do. */
	readonly scopes: readonly ("read" | "write" | "admin")[];
	/** Which tools it is offered, when its token says so. */
	readonly preset: "default" | "writing" | "read-only" | "full" | null;
	/** When it got its token. */
	readonly created: string;
	/** The day on which it was last here; null when it never was. */
	readonly last_used: string | null;
	/** Whether its changes are made at once; those of others wait for the user. */
	readonly applies: boolean;
	/** Whether the names of notes become links in what it writes. */
	readonly links: boolean;
}

/** The clients. */
export interface ListedClients {
	/** Every client, oldest first. */
	readonly clients: readonly ListedClient[];
}

/** A folder in a list. */
export interface ListedFolder {
	/** The folder. */
	readonly path: string;
	/** Notes in it and below. */
	readonly notes: number;
	/** Notes in it alone. */
	readonly direct: number;
}

/** A model. */
export interface ListedModel {
	/** Its name in the settings. */
	readonly id: string;
	/** What its makers call it. */
	readonly title: string;
	/** Numbers in one of its vectors. */
	readonly dimensions: number;
	/** The size of its file in MB; null when that is not known. */
	readonly size_mb: number | null;
	/** The languages it was made for. */
	readonly languages: string;
	/** The licence it comes under. */
	readonly license: string;
	/** Whether it is on this machine. */
	readonly installed: boolean;
	/** Whether the settings name it. */
	readonly chosen: boolean;
}

/** The models. */
export interface ListedModels {
	/** Those that can be installed by name, and those that were made of files. */
	readonly models: readonly ListedModel[];
}

/** A note in a list. */
export interface ListedNote {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Its tags, without `#`. */
	readonly tags: readonly string[];
	/** When the file was last changed. */
	readonly modified: string;
	/** SHA-256 of the file as the index read it. */
	readonly digest: string;
}

/** A tag in a list. */
export interface ListedTag {
	/** The tag, without `#`, as most notes write it. */
	readonly tag: string;
	/** Notes that carry it. */
	readonly count: number;
}

/** A task in a list. */
export interface ListedTask {
	/** The note. */
	readonly path: string;
	/** Its line. */
	readonly line: number;
	/** What is to be done, without dates and signs; tags stay. */
	readonly text: string;
	/** The character in its box. */
	readonly status: string;
	/** What the character says; `other` is a mark of a theme's or the user's own. */
	readonly meaning: "todo" | "in_progress" | "done" | "cancelled" | "other";
	/** The day it is due. */
	readonly due: string | null;
	/** The tags of its line, without `#`. */
	readonly tags: readonly string[];
	/** The heading path it stands under, such as `A > B`. */
	readonly heading?: string | null;
	/** The line of the task that it is nested in. */
	readonly parent?: number | null;
	/** The day it is planned for. */
	readonly scheduled?: string | null;
	/** The day before which nothing is to be done. */
	readonly start?: string | null;
	/** The day it was done. */
	readonly done?: string | null;
	/** How urgent it is. */
	readonly priority?: "highest" | "high" | "medium" | "low" | "lowest" | null;
	/** How often it comes again, in words. */
	readonly recurrence?: string | null;
	/** First 12 digits of the SHA-256 of the note, as the index read it. */
	readonly digest?: string;
}

/** A link that a change breaks. */
export interface LostLink {
	/** The note that has it. */
	readonly path: string;
	/** Its line. */
	readonly line: number;
	/** What it points at, as written. */
	readonly text: string;
}

/** A link that the edit makes. */
export interface MadeLink {
	/** The note it leads to. */
	readonly target: string;
	/** The line it stands on. */
	readonly line: number;
	/** The link as it is written. */
	readonly link: string;
}

/** The model that embeds the vault. */
export interface ModelInUse {
	/** Its name in the catalogue. */
	readonly id: string;
	/** Numbers in one of its vectors. */
	readonly dimensions: number;
	/** SHA-256 of its file. */
	readonly digest: string;
	/** Processes that run it. */
	readonly workers: number;
	/** The vectors that answer queries now; those of the previous model until the new ones are complete. */
	readonly answering: string | null;
}

/** Move or rename a note, another file or a folder; links follow. */
export interface MoveNote {
	/** What. */
	readonly path: string;
	/** Its full new path; with `/` at its end, the folder that it goes into. */
	readonly to: string;
	/** The file's digest as it was read; refused when the file is another now. */
	readonly digest?: string | null;
	/** What is asked. */
	readonly op: "move_note";
}

export interface MoveNoteArguments {
	/** The file or folder. */
	readonly path: string;
	/** Its full new path; with `/` at its end, the folder that it goes into. */
	readonly to: string;
	/** The file's digest as you read it; refused when the file is another now. */
	readonly digest?: string | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although many files change. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A name that several notes say and no note has. */
export interface NameProspect {
	/** The name, as most write it. */
	readonly name: string;
	/** What makes it a name: a `stub` is linked to already. */
	readonly kind: "stub" | "name" | "camel case" | "acronym" | "quoted" | "ticket";
	/** How many notes say it or link to it. */
	readonly notes: number;
	/** How sure it is that it deserves a note, 0 to 1. */
	readonly confidence: number;
	/** The first of those notes. */
	readonly examples: readonly string[];
}

/** Names that deserve a note. */
export interface NameProspects {
	/** The surest first. */
	readonly prospects: readonly NameProspect[];
	/** How many there are in all. */
	readonly total: number;
	/** How many of them come before these. */
	readonly offset: number;
	/** What was left out, in sentences. */
	readonly notices?: readonly string[];
}

/** A note near another in the graph. */
export interface Neighbour {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Steps from the note that was asked about. */
	readonly distance: number;
	/** 0 to 1: what arrives of 1 that starts there; a way through a note with many links passes on little. */
	readonly score: number;
	/** The note before it on the way that brings most; null for direct neighbours. */
	readonly via: string | null;
	/** How it is joined to the note before it. */
	readonly kinds: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
}

/** The notes around a note. */
export interface Neighbours {
	/** The notes, by distance, then by score. */
	readonly nodes: readonly Neighbour[];
	/** How many there are without `limit`. */
	readonly total: number;
}

/** Arguments that read on where this answer was cut. */
export interface Next {
	/** The lines that are left. */
	readonly lines: readonly [number, number];
	/** Characters of them that were already read. */
	readonly offset: number;
}

/** Some of many notes. */
export interface NoteCount {
	/** How many there are. */
	readonly total: number;
	/** The first of them, the most recently changed first. */
	readonly notes: readonly string[];
}

/** One link in a note. */
export interface NoteLink {
	/** The file it leads to; of a backlink, the note it stands in; null when it is unresolved. */
	readonly path: string | null;
	/** The line it stands on. */
	readonly line: number;
	/** What it shows: its alias, or its target as written. */
	readonly text: string;
	/** How it is written: `wiki`, `embed`, `markdown`, `property` or `canvas`. */
	readonly kind: string;
	/** Its target as written, with `#heading` and `^block`. */
	readonly target: string;
	/** Whether it embeds its target. */
	readonly embed: boolean;
	/** The heading in its target that follows `#`; null without one. */
	readonly heading?: string | null;
	/** The id of the block in its target that follows `#^`; null without one. */
	readonly block?: string | null;
	/** The sentence around it, when asked for; of the first 300 links, and of a note as it is on disk. */
	readonly context?: string | null;
}

/** The links of a note, in both directions. */
export interface NoteLinks {
	/** The first 12 digits of the note's SHA-256, which every edit takes; empty for any other file. */
	readonly digest: string;
	/** How many there are of each sort in the directions asked for, whatever `limit` and `offset` are. */
	readonly totals: LinkTotals;
	/** How many of each sort come before these. */
	readonly offset: number;
	/** Links in the note that lead somewhere, in order. */
	readonly links: readonly NoteLink[];
	/** Links to the note in other notes, by path and line. */
	readonly backlinks: readonly NoteLink[];
	/** Unresolved links in the note, in order. */
	readonly unresolved: readonly NoteLink[];
	/** Places in other notes that say the note's name and are not links, by path and line, when asked for; of the first 300 notes that say it. */
	readonly mentions?: readonly NoteMention[] | null;
	/** How many mentions there are, when asked for. */
	readonly mentions_total?: number | null;
}

export interface NoteLinksArguments {
	/** The note, or any other file for its backlinks. */
	readonly path: string;
	/** `out` for the links in the note only, `in` for those to it, `any` for both. */
	readonly direction?: "any" | "out" | "in";
	/** Add the sentence around each link. */
	readonly context?: boolean;
	/** Add where other notes say its name without a link. */
	readonly mentions?: boolean;
	/** Most links of each sort, and most mentions. */
	readonly limit?: number;
	/** How many of each sort to pass over, for the next page. */
	readonly offset?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A place that says a note's name and is no link. */
export interface NoteMention {
	/** The note it stands in. */
	readonly path: string;
	/** The line it stands on. */
	readonly line: number;
	/** The name as it is said there. */
	readonly text: string;
	/** First character and the one after the last, counted in the text of the file, as `apply_links` takes it. */
	readonly span: readonly [number, number];
	/** The sentence around it. */
	readonly context: string;
}

export interface OpenPairingArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A section of a note. */
export interface OutlinedSection {
	/** Its heading path, such as `A > B`. */
	readonly heading: string;
	/** First and last line of the section, subsections included. */
	readonly lines: readonly [number, number];
	/** Characters of its text, subsections included. */
	readonly chars: number;
}

/** A chance for one client to pair. */
export interface PairingOpened {
	/** Six digits for the client to send. */
	readonly code: string;
	/** Seconds for which they count. */
	readonly expires_in_s: number;
}

/** How many there are in all of the parts that were asked for; orphans, dead ends and sources tell theirs. */
export interface PartTotals {
	/** Notes that are joined to others. */
	readonly hubs?: number | null;
	/** The same notes, in another order. */
	readonly pagerank?: number | null;
	/** Names that notes link to and that no note has. */
	readonly stubs?: number | null;
	/** Groups of three notes or more. */
	readonly communities?: number | null;
	/** Pairs whose link alone joins two parts. */
	readonly bridges?: number | null;
	/** Notes without which the graph falls apart. */
	readonly articulations?: number | null;
	/** Notes that link to each other both ways. */
	readonly strong_pairs?: number | null;
}

/** One passage of a note as the index holds it. */
export interface Passage {
	/** The heading path it stands under. */
	readonly heading: string;
	/** Its first and last line. */
	readonly lines: readonly [number, number];
	/** Whether it can be found by meaning. */
	readonly embedded: boolean;
}

export interface PauseIndexingArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Whether embedding stands still. */
export interface Paused {
	/** True while it does; words are kept up to date all the same. */
	readonly paused: boolean;
}

/** What is still to be done. */
export interface Pending {
	/** Notes to be read. */
	readonly keyword: number;
	/** Passages without a vector. */
	readonly vectors: number;
}

export interface PickLinkArguments {
	/** The words that shall become the link, or what the note is about. */
	readonly words: string;
	/** The note that the link will stand in, which is not found. */
	readonly path?: string | null;
	/** Most notes to return. */
	readonly limit?: number;
	/** Whether words, meaning or both count. */
	readonly mode?: "hybrid" | "keyword" | "semantic";
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Add text at the start of the note, below its properties. */
export interface Prepend {
	/** `prepend`. */
	readonly op: "prepend";
	/** Markdown. */
	readonly text: string;
}

/** What a tool answered. */
export interface RanTool {
	/** The tool. */
	readonly name: string;
	/** Its answer, as if it had been called directly. */
	readonly result: Readonly<Record<string, unknown>>;
}

/** A note, or the part of it that was asked for. */
export interface ReadNote {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** The text that was asked for. */
	readonly text: string;
	/** SHA-256 of the whole file as it was read. */
	readonly digest: string;
	/** First and last line of `text`. */
	readonly lines: readonly [number, number];
	/** Lines of the whole note. */
	readonly total_lines: number;
	/** Its properties, with YAML 1.2 meaning. */
	readonly properties: Readonly<Record<string, unknown>>;
	/** The heading path of each section, such as `A > B`, or `A > B (line 12)` where several have it; each can be given as `section`. */
	readonly headings: readonly string[];
	/** Its tags, without `#`. */
	readonly tags: readonly string[];
	/** Its other names. */
	readonly aliases: readonly string[];
	/** What could not be read of it. */
	readonly problems: readonly string[];
	/** Present when `text` was cut: arguments that read on. */
	readonly next?: Next | null;
	/** Present when only the outline was asked for: its sections with their lines and sizes. */
	readonly outline?: readonly OutlinedSection[] | null;
}

export interface ReadNoteArguments {
	/** The note. */
	readonly path: string;
	/** Only the section under this heading, such as `A > B`. */
	readonly section?: string | null;
	/** Only these lines, first and last. */
	readonly lines?: readonly [number, number] | null;
	/** Characters to skip at the start, as `next` said. */
	readonly offset?: number;
	/** Most characters of text to return; `next` reads on. */
	readonly max_chars?: number | null;
	/** Only the headings with their lines and sizes, without text: for a long note. */
	readonly outline?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Several notes. */
export interface ReadNotes {
	/** What was asked for, in that order. */
	readonly notes: readonly ReadPart[];
}

export interface ReadNotesArguments {
	/** The notes; `path#A#B` or `path#A > B` is only the section under that heading. */
	readonly paths: readonly string[];
	/** `whole`, `head` (the properties and the first lines) or `outline` (the headings without text). */
	readonly view?: "whole" | "head" | "outline";
	/** Only the section under this heading, of each note whose path names none. */
	readonly section?: string | null;
	/** Most characters of text in all; long notes are cut first, and `next` of each reads on by `read_note`. */
	readonly max_chars?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** One of the notes, or why there is nothing of it. */
export interface ReadPart {
	/** What was asked for. */
	readonly asked: string;
	/** The note, or the part of it that was asked for; null when it could not be read. */
	readonly note: ReadNote | null;
	/** Why not; null when it was read. */
	readonly problem: string | null;
}

export interface ReadSettingsArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** What can be searched by. */
export interface Ready {
	/** Whether the first full scan is done. */
	readonly keyword: boolean;
	/** Whether words are ready, a model answers queries and at least half of the passages have a vector. */
	readonly semantic: boolean;
}

export interface RedoChangeArguments {
	/** Id of the change, from `list_changes`. */
	readonly change_id: string;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A link that the edit leaves out. */
export interface RefusedLink {
	/** The note it should have led to. */
	readonly target: string;
	/** The line of the words. */
	readonly line: number;
	/** Why it cannot stand there. */
	readonly why: string;
}

export interface ReindexArguments {
	/** Notes to read again even if they look unchanged. */
	readonly paths?: readonly string[];
	/** Read every note again and learn anew which lines recur; vectors of unchanged text are kept. */
	readonly full?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface RejectChangeArguments {
	/** Id of the proposal, from `list_changes`. */
	readonly change_id: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface RelatedNotesArguments {
	/** The note; give this or `text`. */
	readonly path?: string | null;
	/** Only the passage at this line counts. */
	readonly line?: number | null;
	/** The text; give this or `path`. */
	readonly text?: string | null;
	/** Most hits. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Rename an alias of a note. */
export interface RenameAlias {
	/** The note. */
	readonly path: string;
	/** The alias, exactly. */
	readonly alias: string;
	/** What it shall be. */
	readonly to: string;
	/** The note's digest as it was read; refused when the note is another now. */
	readonly digest?: string | null;
	/** Whether links that show the alias shall show the new one. */
	readonly links?: boolean;
	/** What is asked. */
	readonly op: "rename_alias";
}

export interface RenameAliasArguments {
	/** The note. */
	readonly path: string;
	/** The alias, exactly. */
	readonly alias: string;
	/** What it shall be. */
	readonly to: string;
	/** The note's digest as you read it; refused when the note is another now. */
	readonly digest?: string | null;
	/** Whether links that show the alias shall show the new one. */
	readonly links?: boolean;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although many files change. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Rename a heading; links follow. */
export interface RenameHeading {
	/** The note. */
	readonly path: string;
	/** The heading's text, or its path as `A > B`. */
	readonly heading: string;
	/** Its new text. */
	readonly to: string;
	/** The note's digest as it was read; refused when the note is another now. */
	readonly digest?: string | null;
	/** What is asked. */
	readonly op: "rename_heading";
}

export interface RenameHeadingArguments {
	/** The note. */
	readonly path: string;
	/** The heading, or its path as `A > B`. */
	readonly heading: string;
	/** Its new text. */
	readonly to: string;
	/** The note's digest as you read it; refused when the note is another now. */
	readonly digest?: string | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although many files change. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Replace the block that an id names; it keeps the id. */
export interface ReplaceBlock {
	/** `replace_block`. */
	readonly op: "replace_block";
	/** The block's id, such as `^like-this`. */
	readonly block: string;
	/** Markdown. */
	readonly text: string;
}

/** Replace whole lines by exactly the text. */
export interface ReplaceLines {
	/** `replace_lines`. */
	readonly op: "replace_lines";
	/** First and last line, as `read_note` counts them. */
	readonly lines: readonly [number, number];
	/** What stands there instead; empty to remove them. */
	readonly text: string;
}

/** Replace all that stands under a heading, subsections too; the heading's own line stays. */
export interface ReplaceSection {
	/** `replace_section`. */
	readonly op: "replace_section";
	/** The heading, or its path as `A > B`; of several that are alike also its line, as `A > B (line 12)`. */
	readonly heading: string;
	/** Markdown, with or without the heading itself; its headings are made deeper to fit. */
	readonly text: string;
}

/** Replace words that stand in the note once. */
export interface ReplaceText {
	/** `replace_text`. */
	readonly op: "replace_text";
	/** The text exactly as it stands. */
	readonly old: string;
	/** What stands there instead. */
	readonly new: string;
	/** Replace it wherever it stands. */
	readonly all?: boolean;
}

export interface ReportChangesArguments {
	/** Every file as the caller sees it; what differs from the index is read again. */
	readonly snapshot?: readonly Seen[];
	/** Single changes. */
	readonly changes?: readonly Reported[];
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** What a report brought. */
export interface ReportTaken {
	/** Notes whose change was not known yet. */
	readonly news: number;
}

/** How many there are of each sort. */
export interface ReportTotals {
	/** Names that are an alias of a note or almost its name, and those of this page that are close in meaning. */
	readonly broken: number;
	/** All other names that no note has. */
	readonly stubs: number;
	/** Notes that are mentioned without a link. */
	readonly unlinked: number;
	/** Names that mean several notes. */
	readonly ambiguous: number;
}

/** A change that another program noticed. */
export interface Reported {
	/** What happened. */
	readonly kind: "upsert" | "rename" | "delete";
	/** The file, after a rename its new path. */
	readonly path: string;
	/** After a rename, its old path. */
	readonly from?: string | null;
}

export interface ResolveLinkArguments {
	/** The inner text of the link, without brackets or alias. */
	readonly link: string;
	/** The note that the link stands in. */
	readonly source: string;
	/** How the link is written. */
	readonly kind?: "wiki" | "embed" | "markdown";
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Where a link leads. */
export interface ResolvedLink {
	/** The file; null when there is none. */
	readonly path: string | null;
	/** The heading after `#`, if any. */
	readonly heading: string | null;
	/** The block id after `#^`, if any. */
	readonly block: string | null;
}

export interface ResumeIndexingArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface RevokeClientArguments {
	/** Its name or id. */
	readonly client: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface RunToolArguments {
	/** Name of the tool to run. */
	readonly name: string;
	/** Its arguments. */
	readonly arguments?: Readonly<Record<string, unknown>>;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The process that serves the vaults. */
export interface RunningBridge {
	/** Where it listens. */
	readonly url: string;
	/** Its process id. */
	readonly pid: number;
	/** When it started. */
	readonly since: string;
}

export interface SearchArguments {
	/** What to look for. */
	readonly query: string;
	/** Most hits. */
	readonly limit?: number;
	/** Whether words, meaning or both count. */
	readonly mode?: "hybrid" | "keyword" | "semantic";
	/** Only notes in this folder and below. */
	readonly folder?: string | null;
	/** Only notes with all of these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only notes whose properties have these values; a list means any of them. */
	readonly properties?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean | null)[] | null>>;
	/** Only notes changed at this time or later. */
	readonly modified_after?: string | null;
	/** Only notes changed before this time. */
	readonly modified_before?: string | null;
	/** Only these kinds of file. */
	readonly types?: readonly ("note" | "canvas" | "excalidraw" | "pdf")[];
	/** Numbers behind the order. */
	readonly explain?: boolean;
	/** Whole passages, so many tokens. */
	readonly passage_tokens?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Hits, best first, one a note. */
export interface SearchResult {
	/** The notes found. */
	readonly hits: readonly Hit[];
	/** How they were found; `keyword` when there is no model to search by meaning. */
	readonly mode_used: "hybrid" | "keyword" | "semantic";
	/** How long it took, in milliseconds. */
	readonly took_ms: number;
	/** What the index still lacks. */
	readonly freshness: Freshness;
	/** What to know about this answer, such as a part of the query that was not understood. */
	readonly notices: readonly string[];
	/** The numbers behind the order, when asked for. */
	readonly explain?: Readonly<Record<string, unknown>> | null;
	/** How many notes answer; `hits` are the best of them. */
	readonly total?: number;
}

/** A file as another program sees it. */
export interface Seen {
	/** The file. */
	readonly path: string;
	/** When it was last changed, in seconds since 1970, or in milliseconds as Obsidian counts. */
	readonly mtime: number;
	/** Its bytes. */
	readonly size: number;
}

/** Change the properties of a note. */
export interface SetProperties {
	/** The note. */
	readonly path: string;
	/** The note's digest as it was read; refused when the note is another now. */
	readonly digest?: string | null;
	/** New values by name. */
	readonly properties?: Readonly<Record<string, unknown>>;
	/** Names of properties to take away. */
	readonly remove?: readonly string[];
	/** What is asked. */
	readonly op: "set_properties";
}

export interface SetPropertiesArguments {
	/** The note. */
	readonly path: string;
	/** The note's digest as you read it; refused when the note is another now. */
	readonly digest?: string | null;
	/** New values by name. */
	readonly properties?: Readonly<Record<string, unknown>> | null;
	/** Properties to take away. */
	readonly remove?: readonly string[];
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although it is large. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** One setting. */
export interface Setting {
	/** Its name in the file. */
	readonly name: string;
	/** Its value now; null for `deny` unless the caller may change it, since it names what must seem missing. */
	readonly value: unknown;
	/** What it is without a line in the file. */
	readonly default: unknown;
	/** What it takes. */
	readonly type: string;
	/** What it does. */
	readonly meaning: string;
	/** Whether a change is taken up only by the next start. */
	readonly restart: boolean;
}

/** The settings in use. */
export interface SettingsInUse {
	/** The file they are kept in. */
	readonly path: string;
	/** Every setting. */
	readonly settings: readonly Setting[];
	/** Lines of the file that were not taken, and why. */
	readonly problems: readonly string[];
}

/** What became of changes. */
export interface Settled {
	/** The changes that were asked for, as they stand now. */
	readonly changes: readonly ListedChange[];
	/** The change that did it; null when nothing was written. */
	readonly change_id: string | null;
	/** What was written, as a unified diff. */
	readonly diff: string;
	/** `applied`; or `proposed`, when it waits until the user accepts it. */
	readonly state: "applied" | "proposed";
	/** What to know about it. */
	readonly warnings: readonly string[];
	/** Whether nothing was written because only a dry run was asked for. */
	readonly dry_run: boolean;
}

export interface ShowChangeArguments {
	/** Its id, as the write or `list_changes` told it. */
	readonly change_id: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A change to notes, with all that is kept of it. */
export interface ShownChange {
	/** Its id. */
	readonly id: string;
	/** When it was made or proposed. */
	readonly time: string;
	/** The program that asked for it. */
	readonly client: string | null;
	/** What tells that program's calls at that time from others. */
	readonly session: string | null;
	/** What it asked for. */
	readonly operation: string;
	/** Why, in its words. */
	readonly reason: string | null;
	/** The files it touched, as they were called then. */
	readonly paths: readonly string[];
	/** What those files are called today. */
	readonly now: readonly string[];
	/** What changed, as a unified diff. */
	readonly diff: string;
	/** What became of it. */
	readonly state: "applied" | "proposed" | "rejected" | "expired" | "undone" | "conflict";
	/** When a proposal is given up. */
	readonly expires: string | null;
	/** The changes that it turned back. */
	readonly undoes: readonly string[];
	/** What wrote: the bridge itself, to the `disk`, or `obsidian`; null when nothing was written yet. */
	readonly by: "disk" | "obsidian" | null;
	/** What changed, in parts that can be accepted or undone one by one. */
	readonly hunks: readonly ShownHunk[];
}

/** Lines of a note that differ, and those around them. */
export interface ShownHunk {
	/** By which it is accepted or undone. */
	readonly number: number;
	/** The note. */
	readonly path: string;
	/** Its lines before; when there are none, the last is one less than the first. */
	readonly before: readonly [number, number];
	/** Its lines afterwards, likewise. */
	readonly after: readonly [number, number];
	/** The lines, word by word. */
	readonly words: readonly Words[];
	/** Whether it was turned back, alone or with the whole change. */
	readonly undone: boolean;
}

/** Two notes whose link alone joins two parts of the graph. */
export interface SoleLink {
	/** One of them. */
	readonly source: string;
	/** The other. */
	readonly target: string;
	/** Notes that would lose touch with the larger part. */
	readonly holds: number;
}

/** How far the bridge is. */
export interface Status {
	/** Every vault, or the one that was asked for. */
	readonly vaults: readonly VaultStatus[];
	/** The bridge's version. */
	readonly version: string;
	/** The process that serves them; null when a command opened them by itself. */
	readonly bridge: RunningBridge | null;
	/** What all vaults share, when asked for. */
	readonly disk?: Disk | null;
}

export interface StatusArguments {
	/** Add how much disk each part takes; its files are looked at for it. */
	readonly disk?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Two notes that link to each other. */
export interface StrongPair {
	/** The one with more links to the other. */
	readonly source: string;
	/** The other. */
	readonly target: string;
	/** Links from one to the other, both ways. */
	readonly links: number;
}

/** A name that no note has. */
export interface Stub {
	/** The name, as first written. */
	readonly name: string;
	/** Notes that link to it. */
	readonly wanted: number;
	/** The first of them. */
	readonly notes: readonly string[];
}

export interface SuggestLinksArguments {
	/** The note; give this or `text`. */
	readonly path?: string | null;
	/** Markdown that need not be in the vault; give this or `path`. */
	readonly text?: string | null;
	/** Only what stands on these lines, first and last. */
	readonly lines?: readonly [number, number] | null;
	/** How likely a link must be: `conservative` is right four times in five, `aggressive` misses little. */
	readonly strictness?: "conservative" | "balanced" | "aggressive";
	/** Most suggestions to return. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The tags in use. */
export interface TagList {
	/** The tags, most used first. */
	readonly tags: readonly ListedTag[];
	/** What to know about it, such as a `prefix` that no tag has. */
	readonly notices?: readonly string[];
}

/** A page of a list of tasks. */
export interface TaskList {
	/** The tasks of this page. */
	readonly tasks: readonly ListedTask[];
	/** How many there are without `limit` and `offset`. */
	readonly total: number;
	/** What to know about it, such as a folder or tag that does not exist. */
	readonly notices?: readonly string[];
}

/** Change the box of a task. */
export interface ToggleTask {
	/** The note. */
	readonly path: string;
	/** The task's line. */
	readonly line: number;
	/** The task as it was read, with or without dates; refused when another stands there. */
	readonly text: string;
	/** The character for the box; without, the one that a click in Obsidian gives. */
	readonly status?: string | null;
	/** What is asked. */
	readonly op: "toggle_task";
}

export interface ToggleTaskArguments {
	/** The note. */
	readonly path: string;
	/** The task's line, as `list_tasks` told it. */
	readonly line: number;
	/** The task as `list_tasks` told it; refused when another stands in the line now. */
	readonly text: string;
	/** The character for the box; without, a click's. */
	readonly status?: string | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Make it although it is large. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** An argument of a tool. */
export interface ToolArgument {
	/** Its name. */
	readonly name: string;
	/** What it must be. */
	readonly takes: string;
	/** What it does. */
	readonly meaning: string;
	/** Whether it has no default. */
	readonly required: boolean;
}

export interface UndoChangeArguments {
	/** Id of the change, from `list_changes`. */
	readonly change_id: string;
	/** Only these parts of it, as `show_change` numbers them. */
	readonly hunks?: readonly number[] | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface UndoSessionArguments {
	/** The session, as `list_changes` tells it; without, the one that the caller's own changes belong to. */
	readonly session?: string | null;
	/** Only tell what would happen. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A note that others mention without a link. */
export interface UnlinkedNote {
	/** The note. */
	readonly path: string;
	/** The names by which they mention it, the most frequent first. */
	readonly said: readonly string[];
	/** Notes that say one of its names, in words that are likely to mean it, and do not link to it. */
	readonly mentioned: number;
	/** Notes that link to it. */
	readonly linked: number;
	/** The first of those that do not. */
	readonly notes: readonly string[];
	/** Where these mention it. */
	readonly places: readonly UnlinkedPlace[];
}

/** A place that says a note's name without a link. */
export interface UnlinkedPlace {
	/** The note it stands in. */
	readonly path: string;
	/** The line it stands on. */
	readonly line: number;
	/** The name as it is said there. */
	readonly text: string;
}

export interface UsageArguments {
	/** How many days to look back. */
	readonly days?: number;
	/** Only the calls of this client. */
	readonly client?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The calls of some days. */
export interface UsageReport {
	/** The days it covers, up to now. */
	readonly days: number;
	/** All calls together. */
	readonly total: Use;
	/** Errors by code, the most frequent first. */
	readonly errors: readonly ErrorCount[];
	/** Each tool, the most called first. */
	readonly tools: readonly Use[];
	/** Each client, the most active first. */
	readonly clients: readonly Use[];
}

/** The calls of one kind. */
export interface Use {
	/** The tool or the client. */
	readonly name: string;
	/** How many there were. */
	readonly calls: number;
	/** How many of them ended in an error. */
	readonly errors: number;
	/** Milliseconds that half of them took at most. */
	readonly p50_ms: number;
	/** Milliseconds that 95 % of them took at most. */
	readonly p95_ms: number;
	/** Tokens that were sent, estimated as characters / 4. */
	readonly tokens_out: number;
	/** Tokens of the whole Markdown notes that the answers were about, estimated as bytes / 4. A note counts once for each session of a client, or once a day where the client names no session. */
	readonly tokens_whole: number;
}

/** Bytes that are kept of one vault. */
export interface VaultDisk {
	/** The index, which is built again when it is deleted. */
	readonly index: number;
	/** What notes said before and after changes. */
	readonly history: number;
	/** What is left: the record of changes and calls with its backups, the log, a damaged index. */
	readonly state: number;
}

/** How far the index of one vault is. */
export interface VaultStatus {
	/** The vault's id. */
	readonly id: string;
	/** The vault's name. */
	readonly name: string;
	/** Where it lies. */
	readonly path: string;
	/** Notes in the index. */
	readonly notes: number;
	/** Passages in the index. */
	readonly passages: number;
	/** What is still to be done. */
	readonly pending: Pending;
	/** What can be searched by. */
	readonly ready: Ready;
	/** Files left out by a rule. */
	readonly skipped: LeftOut;
	/** Files that could not be read. */
	readonly failed: LeftOut;
	/** The model in use; null when none is installed. */
	readonly model: ModelInUse | null;
	/** Passages ever embedded for this vault. */
	readonly embedded_total: number;
	/** How embedding gets on; null while nothing is embedded. */
	readonly embedding: Embedding | null;
	/** Whether embedding is paused. */
	readonly paused: boolean;
	/** Why indexing stands still, when it does. */
	readonly trouble: string | null;
	/** What is kept of it; null unless asked for. */
	readonly disk: VaultDisk | null;
	/** Whether the bridge has looked for a model; before, `model` is null and means nothing. */
	readonly model_known?: boolean;
}

/** A group of notes of a picture. */
export interface ViewCommunity {
	/** Its number. */
	readonly number: number;
	/** The words that set it apart. */
	readonly name: string;
	/** Notes in it, drawn or not. */
	readonly size: number;
}

/** What joins two nodes of a picture. */
export interface ViewEdge {
	/** The `id` of one. */
	readonly source: number;
	/** The `id` of the other; a link drawn once leads there. */
	readonly target: number;
	/** How they are joined. */
	readonly kinds: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** How much joins them. */
	readonly weight: number;
}

/** A node of a picture. */
export interface ViewNode {
	/** What edges call it. */
	readonly id: number;
	/** The note; null for a name that no note has, and for a community. */
	readonly path: string | null;
	/** Its title or name. */
	readonly title: string;
	/** What it is. */
	readonly type: "note" | "canvas" | "excalidraw" | "pdf" | "stub" | "community";
	/** Where it is drawn. */
	readonly x: number;
	/** Where it is drawn. */
	readonly y: number;
	/** How large to draw it, 1 to 10; it grows with what it is joined to. */
	readonly size: number;
	/** Nodes of the whole graph that it is joined to; of a community, its notes. */
	readonly joined: number;
	/** The number of its community; null when it has none. */
	readonly community: number | null;
	/** Its tags, when asked for. */
	readonly tags?: readonly string[] | null;
}

export interface WaitUntilIndexedArguments {
	/** The note. */
	readonly path: string;
	/** Digest of the content to wait for; what is on disk now when absent. */
	readonly digest?: string | null;
	/** Which search must find it. */
	readonly what?: "keyword" | "links" | "vectors";
	/** Most seconds to wait. */
	readonly timeout?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Text that stayed, went or came. */
export interface Words {
	/** Which. */
	readonly kind: "same" | "removed" | "added";
	/** The text. */
	readonly text: string;
}

/** A change to notes that was made, proposed or only tried. */
export interface Written {
	/** Its id for `undo_change`; null when nothing was changed, or `dry_run` was asked for. */
	readonly change_id: string | null;
	/** The note, by the path that it has afterwards. */
	readonly path: string;
	/** SHA-256 of the whole file afterwards, in a dry run of the file as it is now; null when there is none. */
	readonly digest: string | null;
	/** What changed, as a unified diff. */
	readonly diff: string;
	/** `applied`; or `proposed`, when it waits until the user accepts it. A dry run says what it would be. */
	readonly state: "applied" | "proposed";
	/** What to know about it. */
	readonly warnings: readonly string[];
	/** Links in other places that were written anew. */
	readonly links_rewritten: number;
	/** Links that are unresolved afterwards. */
	readonly links_broken: readonly LostLink[];
	/** Files that were written, moved or removed. */
	readonly files: number;
	/** What wrote: the bridge itself, to the `disk`, or `obsidian`. */
	readonly by: "disk" | "obsidian";
	/** Whether nothing was written because only a dry run was asked for. */
	readonly dry_run: boolean;
	/** What the change does, in a line. */
	readonly would: string;
	/** Why the call itself must be confirmed; null when it need not be, and when it was no dry run. */
	readonly confirmation: string | null;
	/** The files that are written, moved or removed, a folder as one; at most 1,000. */
	readonly changed: readonly ChangedFile[];
}

export interface Operations {
	/** Find notes by words and by meaning. */
	search: {
		arguments: SearchArguments;
		result: SearchResult;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "model_missing";
	};
	/** Find notes that are close to a note or to a text, in meaning and by links. */
	related_notes: {
		arguments: RelatedNotesArguments;
		result: SearchResult;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Find the notes that a link may lead to, by their names and by what they say. */
	pick_link: {
		arguments: PickLinkArguments;
		result: SearchResult;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "model_missing";
	};
	/** List notes by folder, tags, properties, links and dates. */
	find_notes: {
		arguments: FindNotesArguments;
		result: FoundNotes;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** List the folders of the vault and how many notes each holds. */
	list_folders: {
		arguments: ListFoldersArguments;
		result: FolderList;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** List the tags of the vault and how many notes carry each. */
	list_tags: {
		arguments: ListTagsArguments;
		result: TagList;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Read a note from the disk: all of it, one section, some lines, or only its outline. */
	read_note: {
		arguments: ReadNoteArguments;
		result: ReadNote;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "heading_not_found" | "ambiguous_heading";
	};
	/** Read up to 20 notes at once; one that cannot be read does not keep the others back. */
	read_notes: {
		arguments: ReadNotesArguments;
		result: ReadNotes;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Create a note; an existing one is never overwritten. */
	create_note: {
		arguments: CreateNoteArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_exists" | "settings_unreadable" | "confirmation_required";
	};
	/** Change a note's text, all edits or none; the rest stays as it is, byte by byte. */
	edit_note: {
		arguments: EditNoteArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "heading_not_found" | "ambiguous_heading" | "block_not_found" | "text_not_found" | "confirmation_required";
	};
	/** Set and remove properties of a note; its other lines stay as they are. */
	set_properties: {
		arguments: SetPropertiesArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "invalid_properties" | "confirmation_required";
	};
	/** Move or rename a note, another file or a folder; every link to it is rewritten in its own style. */
	move_note: {
		arguments: MoveNoteArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_exists" | "note_changed" | "confirmation_required";
	};
	/** Rename a heading; every link to it is rewritten in its own style. */
	rename_heading: {
		arguments: RenameHeadingArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "heading_not_found" | "ambiguous_heading" | "confirmation_required";
	};
	/** Rename an alias of a note, and the links that show it if you want. */
	rename_alias: {
		arguments: RenameAliasArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "text_not_found" | "invalid_properties" | "confirmation_required";
	};
	/** Delete a note as the user's Obsidian does, to the trash that was chosen there; `undo_change` brings it back. */
	delete_note: {
		arguments: DeleteNoteArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "settings_unreadable" | "confirmation_required";
	};
	/** Read the daily note of a day, or add to it; one that is missing is then made from the vault's template. */
	daily_note: {
		arguments: DailyNoteArguments;
		result: DailyNote;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden" | "heading_not_found" | "note_not_found" | "settings_unreadable" | "confirmation_required";
	};
	/** Make several changes as one: all or nothing, one after the other, undone as one. */
	change_set: {
		arguments: ChangeSetArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "expectation_failed" | "note_not_found" | "note_exists" | "note_changed" | "settings_unreadable" | "confirmation_required";
	};
	/** List the tasks of the vault by status, due day, tags and place. */
	list_tasks: {
		arguments: ListTasksArguments;
		result: TaskList;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Change the box of a task, as a click on it in Obsidian does, or to any mark. */
	toggle_task: {
		arguments: ToggleTaskArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "confirmation_required";
	};
	/** Add a task to a note, its dates written as the note's other tasks write them. */
	add_task: {
		arguments: AddTaskArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "heading_not_found" | "ambiguous_heading" | "confirmation_required";
	};
	/** List what was changed or proposed through the bridge, the newest first. */
	list_changes: {
		arguments: ListChangesArguments;
		result: ListedChanges;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Show a change or proposal whole, and what became of it. */
	show_change: {
		arguments: ShowChangeArguments;
		result: ShownChange;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "change_not_found";
	};
	/** Turn a change back, however long ago; what was written since stays, or it is refused. */
	undo_change: {
		arguments: UndoChangeArguments;
		result: Settled;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "change_not_found" | "change_conflict";
	};
	/** Turn back all that was changed in one session, as one change; all or nothing. */
	undo_session: {
		arguments: UndoSessionArguments;
		result: Settled;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "change_not_found" | "change_conflict";
	};
	/** Make a change again that was turned back. */
	redo_change: {
		arguments: RedoChangeArguments;
		result: Settled;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "change_not_found" | "change_conflict";
	};
	/** Make a change that was proposed; only the user's own programs may. */
	accept_change: {
		arguments: AcceptChangeArguments;
		result: Settled;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden" | "change_not_found" | "change_conflict";
	};
	/** Settle that a proposed change is not made, or that a `conflict` was looked at; the user's own programs may. */
	reject_change: {
		arguments: RejectChangeArguments;
		result: Settled;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden" | "change_not_found" | "change_conflict";
	};
	/** Take a change that `apply_change` told of, to make it in Obsidian; the first who asks gets it, within a second. */
	claim_change: {
		arguments: ClaimChangeArguments;
		result: ClaimedChange;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden" | "change_not_found" | "change_conflict";
	};
	/** Say whether a change that was claimed was made; however late, it counts. The file on the disk has the last word. */
	acknowledge_change: {
		arguments: AcknowledgeChangeArguments;
		result: Acknowledged;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden" | "change_not_found" | "change_conflict";
	};
	/** List what a note links to, what links to it, and which of its links are unresolved. */
	note_links: {
		arguments: NoteLinksArguments;
		result: NoteLinks;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Find the file that a link means, as Obsidian would; for an unresolved link `path` is null. */
	resolve_link: {
		arguments: ResolveLinkArguments;
		result: ResolvedLink;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Find names of notes in prose that should be links, likeliest first, with what speaks for each. */
	suggest_links: {
		arguments: SuggestLinksArguments;
		result: LinkSuggestions;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Tell what became of a suggested link, so that the next suggestions are better. */
	judge_link: {
		arguments: JudgeLinkArguments;
		result: LinkJudged;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Make links of words that name notes, written as Obsidian would. */
	apply_links: {
		arguments: ApplyLinksArguments;
		result: LinkEdit;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed";
	};
	/** Find names worth a note that has none: linked to without leading anywhere, or said by several notes. */
	find_prospects: {
		arguments: FindProspectsArguments;
		result: NameProspects;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "folder_not_found";
	};
	/** Tell which links are unresolved and may mean what, which notes are mentioned unlinked, and which names clash. */
	link_report: {
		arguments: LinkReportArguments;
		result: LinkReport;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "folder_not_found";
	};
	/** Find the notes around a note, step by step along links, arrows, shared rare tags or nearness in meaning. */
	graph_neighbours: {
		arguments: GraphNeighboursArguments;
		result: Neighbours;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Find how one note leads to another: the shortest ways, each step with the sentence that links. */
	graph_path: {
		arguments: GraphPathArguments;
		result: GraphPaths;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Tell what stands out in the graph: hubs, orphans, dead ends, wanted notes, communities, bridges, missing links. */
	graph_insights: {
		arguments: GraphInsightsArguments;
		result: GraphInsights;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Draw the graph around a note, or all of it: places, sizes, communities. The same notes stay where they were. */
	graph_view: {
		arguments: GraphViewArguments;
		result: GraphView;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "folder_not_found";
	};
	/** Tell how the graph grew week by week, on the days on which a bridge ran: new, vanished and newly linked notes. */
	graph_history: {
		arguments: GraphHistoryArguments;
		result: GraphHistory;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Return the graph as text for other programs, such as Gephi or NetworkX; no file is written. */
	export_graph: {
		arguments: ExportGraphArguments;
		result: ExportedGraph;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Show for each vault what is indexed, what is pending, and what was left out; never `not_ready`. */
	status: {
		arguments: StatusArguments;
		result: Status;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Show what the index holds of a file, what was left out, and why it is not found by search when it is not. */
	index_status: {
		arguments: IndexStatusArguments;
		result: IndexStatus;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Hint that files may have changed; the disk decides, and saying it twice does no harm. */
	report_changes: {
		arguments: ReportChangesArguments;
		result: ReportTaken;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Wait until the index holds a note as it is on disk. */
	wait_until_indexed: {
		arguments: WaitUntilIndexedArguments;
		result: Indexed;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Compare the vault with the index and read again what differs. */
	reindex: {
		arguments: ReindexArguments;
		result: JobStarted;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Show how far a job is. */
	job_status: {
		arguments: JobStatusArguments;
		result: JobStatus;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "job_not_found";
	};
	/** Stop embedding until it is resumed; words and links stay up to date. */
	pause_indexing: {
		arguments: PauseIndexingArguments;
		result: Paused;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Go on embedding. */
	resume_indexing: {
		arguments: ResumeIndexingArguments;
		result: Paused;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Check the model, the index, the watcher, the runtime file, the vault, changes, the disk, settings and tokens. */
	doctor: {
		arguments: DoctorArguments;
		result: Diagnosis;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Report calls, errors, speed and tokens sent, against what reading the whole notes would have cost. */
	usage: {
		arguments: UsageArguments;
		result: UsageReport;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Show every setting with its value, default and meaning. */
	read_settings: {
		arguments: ReadSettingsArguments;
		result: SettingsInUse;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Change settings; the file's other lines and comments are kept. */
	change_settings: {
		arguments: ChangeSettingsArguments;
		result: SettingsInUse;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Say of globs for `exclude`, `deny` and `readonly` what is wrong with them, and which notes they mean. */
	check_globs: {
		arguments: CheckGlobsArguments;
		result: CheckedGlobs;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** List the embedding models, those that are installed and those that can be; none is fetched. */
	list_models: {
		arguments: ListModelsArguments;
		result: ListedModels;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** List the clients that hold tokens of their own, and what becomes of what they change. */
	list_clients: {
		arguments: ListClientsArguments;
		result: ListedClients;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Take a client's token away: it counts no more at the next request, and what the client has open ends. */
	revoke_client: {
		arguments: RevokeClientArguments;
		result: ListedClients;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Let one client get a token of its own: show the code to the person, who gives it to the client. */
	open_pairing: {
		arguments: OpenPairingArguments;
		result: PairingOpened;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "forbidden" | "not_ready";
	};
	/** Find the tool for a task, also among those that are not listed. */
	find_tool: {
		arguments: FindToolArguments;
		result: FoundTools;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Run a tool that `find_tool` named, with the rights that the caller has. */
	run_tool: {
		arguments: RunToolArguments;
		result: RanTool;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "no_such_operation" | "forbidden";
	};
	/** Say whether a tool that `find_tool` named was the right one. */
	give_feedback: {
		arguments: GiveFeedbackArguments;
		result: Feedback;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "no_such_operation";
	};
}

export type OperationName = keyof Operations;
