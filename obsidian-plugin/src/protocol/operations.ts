// Written by `python -m bridge.export`: what the plugin calls of the bridge. Do not edit.

/** The bridge that this was written from. */
export const VERSION = "0.1.0";

/** The form of each operation that the plugin calls; with another it is called or answered differently. */
export const FORMS = {
	search: "f40b29af3b3c",
	related_notes: "1bcc1984ee43",
	pick_link: "d55ea8f50c5b",
	summarise: "22bd0cf37c2d",
	ask: "15a7568112c6",
	find_notes: "8c0f8dfeaebf",
	list_folders: "399f35d8495a",
	list_tags: "a9d8ccaa41ac",
	stale_notes: "83ccdd69e6bf",
	read_note: "7c1941ab87e9",
	create_note: "6d35f21ba5cf",
	edit_note: "9bfac1f96279",
	set_properties: "7113966f90ff",
	merge_notes: "b63427749261",
	rename_heading: "51abea2ca773",
	property_report: "bd1ac1640c23",
	check_notes: "30118bd53cc5",
	change_notes: "df1ac22cab3a",
	dismiss: "46cb3c4aefbe",
	plan_tidy: "ea113ed13022",
	show_plan: "4fda02aa2e57",
	apply_plan: "20dca2e8ecca",
	judge_finding: "f5cd921d4f29",
	tidy_rules: "bd3335fe3594",
	list_workflows: "084d6a26f324",
	run_workflow: "8bf7915e24b1",
	author_workflow: "ee49e8d2875e",
	list_tasks: "7b6974bdefdb",
	toggle_task: "d3e7efa8f019",
	list_changes: "ceab7b4e9c1a",
	show_change: "6dba85c62201",
	undo_change: "d762e3e3ff23",
	claim_change: "771dc599ca4f",
	acknowledge_change: "c01084f4f67a",
	list_decisions: "efb8827058e2",
	decide: "7635f79fd961",
	note_links: "68d710a234ca",
	suggest_links: "6cfa208f3ab8",
	judge_link: "a11a23625bef",
	apply_links: "abfffa44c726",
	link_report: "1ef8f44ea8c0",
	graph_path: "41b89f5ae297",
	graph_insights: "9795fff3817a",
	graph_view: "64741d8337a9",
	graph_history: "530cbc1f4654",
	set_up_memory: "f8d02a8c4376",
	list_memories: "680e657dc7b2",
	revise_memory: "019e1f7e0ecb",
	supersede_memory: "9ede69e8f371",
	forget_memory: "2a662e2bd8e4",
	judge_memory: "3d4922d1cfe4",
	take_over: "0e4d5441349e",
	list_sessions: "3b869fa96720",
	brief: "d1b4c9bd5f25",
	list_injections: "ffeb4f3fffe0",
	give_note: "20a4391e395a",
	status: "be106bb93a08",
	index_status: "2e6baa65b1c8",
	report_changes: "cc4fa7f0d8b6",
	reindex: "e9b92fe1104e",
	pause_indexing: "0537e0f063aa",
	resume_indexing: "0537e0f063aa",
	doctor: "bdccd203c66a",
	usage: "96660d6b0b7b",
	read_settings: "a404a147fa45",
	change_settings: "2865e5ff2624",
	revoke_client: "b5f48b728b20",
	open_pairing: "3c2123d16ac9",
} as const;

/** What only the owner may call, or gets a complete answer to. */
export const ADMIN: ReadonlySet<string> = new Set(["read_settings", "change_settings", "revoke_client"]);

/** What any call can be refused with. */
export type AnyCallError = "unauthorized" | "forbidden" | "bad_host" | "too_large" | "rate_limited" | "internal";

export interface AcknowledgeChangeArguments {
	/** Its id. */
	readonly change_id: string;
	/** Whether it was made. */
	readonly applied: boolean;
	/** Why not: `unsaved` edits in Obsidian, `changed` from `before`, or `failed`. */
	readonly reason?: "unsaved" | "changed" | "failed" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The outcome of a claimed change. */
export interface Acknowledged {
	/** Its id. */
	readonly change_id: string;
	/** `applied`; `rejected` if not made, or `proposed` if it awaits approval again; `conflict` if the note differs and was not reported as not made. */
	readonly state: "applied" | "proposed" | "rejected" | "expired" | "undone" | "conflict";
}

/** Add an item to a list, marked and indented like the last; starts one if there is none. */
export interface AddItem {
	/** The operation. */
	readonly op: "add_item";
	/** Heading above the list; by default, the note's last list. */
	readonly heading?: string | null;
	/** The item without its marker; further lines go below it. */
	readonly text: string;
	/** Add a checkbox. */
	readonly task?: boolean;
	/** Add the heading if missing. */
	readonly create_heading?: boolean;
	/** Add the time. */
	readonly stamp?: boolean;
}

/** What to know at the beginning of a session. */
export interface AgentBrief {
	/** The briefing; empty if there is nothing to tell, or the budget is too small for it. */
	readonly text: string;
	/** What it tells, in order. */
	readonly items: readonly BriefItem[];
	/** Tokens of the text, estimated. */
	readonly tokens: number;
	/** How many more would have fitted the task, but not the budget or the limit. */
	readonly left_out: number;
	/** Remarks, such as why the global vault is left out. */
	readonly notices?: readonly string[];
}

/** A name shared by several notes that links use without a folder. */
export interface AmbiguousName {
	/** The name. */
	readonly name: string;
	/** The notes with it. */
	readonly notes: readonly string[];
	/** Links that use it without a folder. */
	readonly links: number;
	/** The first notes with such links. */
	readonly sources: readonly string[];
}

/** An excerpt that was read for an answer. */
export interface AnswerExcerpt {
	/** Its number, by which the answer cites it. */
	readonly number: number;
	/** The note; empty for a tool's answer. */
	readonly path: string;
	/** Its heading path; may be empty. */
	readonly heading: string;
	/** First and last line. */
	readonly lines: readonly [number, number];
	/** Tokens it takes, estimated. */
	readonly tokens: number;
	/** The tool of another program that answered it, as `server__tool`; empty for a note. */
	readonly tool?: string;
}

/** A sentence of an answer. */
export interface AnswerSentence {
	/** The sentence, without the numbers of what it cites. */
	readonly text: string;
	/** Numbers of the excerpts that it cites. */
	readonly cites: readonly number[];
	/** Whether these say what it says, as far as words can tell: its numbers, its names, most other words. */
	readonly supported: boolean;
}

/** What the chat model looked up before it answered. */
export interface AnswerStep {
	/** The operation that it called, or `server__tool` of another program. */
	readonly tool: string;
	/** Its arguments; values that are no texts as JSON. */
	readonly arguments: Readonly<Record<string, string>>;
	/** Numbers of the excerpts that this added. */
	readonly excerpts: readonly number[];
	/** Duration in milliseconds. */
	readonly took_ms: number;
	/** Why it found nothing that could be read; empty otherwise. */
	readonly error?: string;
}

/** Whether the vault answers a question. */
export interface Answerability {
	/** `partial` if it may be answered though words of it are missing; `unsure` if it has too few words, or is in a language that no note has. */
	readonly verdict: "answered" | "partial" | "not_in_vault" | "unsure";
	/** How likely the vault answers it, from 0 to 1. */
	readonly confidence: number;
	/** Its words that the best passages, for an answer the quoted lines, do not say, the rarest first; before these how it asks for what no quoted line has, such as `which city`. */
	readonly missing: readonly string[];
}

/** Add text at the end of the note. */
export interface Append {
	/** The operation. */
	readonly op: "append";
	/** Markdown. */
	readonly text: string;
}

/** What was applied of one check. */
export interface AppliedCheck {
	/** The check. */
	readonly check: string;
	/** The ids of its findings that were applied. */
	readonly findings: readonly string[];
	/** What these do, whatever their lines say. */
	readonly texts: readonly string[];
	/** Ticked findings that were not, and why. */
	readonly dropped: readonly DroppedFinding[];
	/** `applied`, `proposed` if it waits for the user, or `left_out` if nothing of it was left to do. */
	readonly state: "applied" | "proposed" | "left_out";
	/** The change, the same for all checks; null if there is none, as in a dry run. */
	readonly change_id: string | null;
}

/** What was applied of a plan, as one change. */
export interface AppliedPlan {
	/** The note of the plan. */
	readonly path: string;
	/** Each check with ticked findings. */
	readonly checks: readonly AppliedCheck[];
	/** The session by which `undo_change` undoes all of it; null if nothing was written. */
	readonly session: string | null;
	/** Files written, moved or removed. */
	readonly files: number;
	/** The counts that differ; what was written was compared with them. */
	readonly forecast: readonly CountForecast[];
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
	/** Why a dry run's change needs confirmation; null if it does not. */
	readonly confirmation?: string | null;
}

export interface ApplyLinksArguments {
	/** The note. */
	readonly path: string;
	/** Link only to these notes, however unlikely; by default, to all that `suggest_links` returns. */
	readonly targets?: readonly string[];
	/** Make exactly these links; overrides `targets`, `strictness` and `all`. */
	readonly suggestions?: readonly ChosenLink[];
	/** As in `suggest_links`, when no targets are given. */
	readonly strictness?: "conservative" | "balanced" | "aggressive";
	/** Link every mention of a note, not only the first. */
	readonly all?: boolean;
	/** Digest of the note as read; a changed note is refused. */
	readonly digest?: string | null;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ApplyPlanArguments {
	/** The note of the plan; by default the one there is. */
	readonly path?: string | null;
	/** Only these checks. */
	readonly checks?: readonly string[];
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A note whose removal splits the graph. */
export interface Articulation {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Notes that would be cut off from the largest part. */
	readonly holds: number;
}

export interface AskArguments {
	/** The question; `@[[Note]]` and `@[[Note#Heading]]` in it are read in any case, and `@Folder/` alone is searched. If none of these exists or has text, no other note answers. */
	readonly question: string;
	/** Earlier questions of the conversation with their answers, the oldest first; a question such as `And how long does it keep?` is searched with the words of the one before. */
	readonly history?: readonly Turn[];
	/** Only these notes, or those in these folders. */
	readonly paths?: readonly string[];
	/** Only notes under this folder. */
	readonly folder?: string | null;
	/** Not these notes, or those in these folders. */
	readonly without?: readonly string[];
	/** `extract` takes sentences of notes; `chat` lets a chat model write or fails; `auto` extracts if none can. */
	readonly mode?: "auto" | "extract" | "chat";
	/** Maximum tokens of the excerpts; by default a share of what the chat model reads. */
	readonly budget?: number | null;
	/** How often the chat model may look further before it answers: search, read a note, find notes by tag, list tasks. By default 4 for a model of 3 billion parameters or more or with `tools`, else 0. */
	readonly max_steps?: number | null;
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** Tools of the user's MCP servers that the chat model may call: `server__tool`, or `server__*` for all of a server; needs the scope `write`. */
	readonly tools?: readonly string[];
	/** Whether the user agreed to these calls. */
	readonly agreed?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface AuthorWorkflowArguments {
	/** Its name, also that of its note. */
	readonly name: string;
	/** What it does and when to use it. */
	readonly description?: string;
	/** Notes of one kind, to make more of them, or the ids of changes or `session` to do the same again: what differs becomes variables. One note is compared with those like it in its folder. */
	readonly examples?: readonly string[];
	/** A workflow that comes with the bridge, such as `daily-roll-over` or `weekly-review`; `list_workflows` lists them. */
	readonly starter?: string | null;
	/** Its YAML. Give one of `examples`, `starter` and `text`. */
	readonly text?: string | null;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface BriefArguments {
	/** What the session is for; without one, recent work counts. */
	readonly task?: string;
	/** Notes that it is about. */
	readonly paths?: readonly string[];
	/** Tags that it is about. */
	readonly tags?: readonly string[];
	/** Maximum tokens of the text. */
	readonly budget?: number;
	/** Only these parts. */
	readonly parts?: readonly ("handoff" | "sessions" | "memories" | "notes" | "corrections" | "questions" | "pulse")[];
	/** Maximum entries of each part. */
	readonly limit?: number;
	/** Include memories and notes of the global vault; by default, if one is set. */
	readonly everywhere?: boolean | null;
	/** Show the user what it would tell this session now, for the goal in its journal if there is no `task`. */
	readonly session?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Something that the text tells. */
export interface BriefItem {
	/** Its note. */
	readonly path: string;
	/** The note's first and last line. */
	readonly lines: readonly [number, number];
	/** The part that it belongs to. */
	readonly part: "handoff" | "sessions" | "memories" | "notes" | "corrections" | "questions" | "pulse";
	/** Why it is told, in short sentences. */
	readonly why: readonly string[];
	/** Tokens it takes. */
	readonly tokens: number;
	/** Of a memory: those that it contradicts and that hold as well, by name. */
	readonly conflicts?: readonly string[];
	/** The vault that holds it, by name, if the global vault was asked as well; else null. */
	readonly vault?: string | null;
}

/** An unresolved name that likely means an existing note. */
export interface BrokenName {
	/** The name as first written. */
	readonly name: string;
	/** Notes that link to it. */
	readonly wanted: number;
	/** The first of them. */
	readonly notes: readonly string[];
	/** The note it likely means. */
	readonly meant: string;
	/** The evidence for it. */
	readonly why: string;
}

export interface ChangeNotesArguments {
	/** Only notes under this folder; those of agents only if it names their folder. */
	readonly folder?: string | null;
	/** Only notes with this tag. */
	readonly tag?: string | null;
	/** Only notes for which this expression of Obsidian's Bases is true, as in `find_notes`. */
	readonly where?: string;
	/** Only these notes. */
	readonly paths?: readonly string[];
	/** Properties to set. */
	readonly properties?: Readonly<Record<string, unknown>>;
	/** Only replace these values of `properties`, also as items of a list: `1` is not `"1"`, and case counts. */
	readonly old?: Readonly<Record<string, string | number | boolean | null>>;
	/** Properties to remove. */
	readonly remove?: readonly string[];
	/** New names of properties; their values stay. */
	readonly rename?: Readonly<Record<string, string>>;
	/** Where a note has the new name already: `merge` joins the values, `keep` leaves the note alone. */
	readonly on_clash?: "refuse" | "keep" | "merge";
	/** Tags to add to the properties. */
	readonly add_tags?: readonly string[];
	/** Tags to remove from the properties. */
	readonly remove_tags?: readonly string[];
	/** New names of tags in properties and text, and in canvases; links to headings with them follow. */
	readonly rename_tags?: Readonly<Record<string, string>>;
	/** Rename nested tags as well: `tag/a` to `to/a`. */
	readonly children?: boolean;
	/** Text to replace, exactly as it stands. */
	readonly find?: string;
	/** The new text. */
	readonly replace?: string;
	/** Leave `find` alone within longer words and names such as 東京都, and where a script without spaces does not show whether it is a word. */
	readonly whole_words?: boolean;
	/** Folder to move them to, as they lie in `folder`; links follow. */
	readonly to?: string | null;
	/** The expected effect; any other is refused. */
	readonly expect?: Expectation | null;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ChangeSettingsArguments {
	/** New values by name; null restores the default. */
	readonly changes: Readonly<Record<string, unknown>>;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A file touched by a change. */
export interface ChangedFile {
	/** Its path afterwards; for a removed file, its former path. */
	readonly path: string;
	/** SHA-256 of the whole file afterwards; null for a folder, a removed file, a dry run or a proposal. */
	readonly digest: string | null;
	/** Lines added. */
	readonly added: number;
	/** Lines removed. */
	readonly removed: number;
	/** Its former path; null if not moved. */
	readonly moved_from?: string | null;
	/** Whether it is deleted. */
	readonly deleted?: boolean;
	/** Its path in the vault's trash, if known. */
	readonly trash?: string | null;
}

/** A note of the handoff that was changed after it. */
export interface ChangedSince {
	/** The note. */
	readonly path: string;
	/** How many changes were made through the bridge. */
	readonly changes: number;
	/** The programs that made them. */
	readonly clients: readonly string[];
	/** When it was modified otherwise, such as by hand; null if it was not. */
	readonly modified: string | null;
}

export interface CheckNotesArguments {
	/** Only these notes. */
	readonly paths?: readonly string[];
	/** Only notes under this folder. */
	readonly folder?: string | null;
	/** `schema` are the rules that notes of `type: schema` state, `inferred` those that notes of a folder or type keep, from at least eight notes, and four in five of them. */
	readonly rules?: "both" | "inferred" | "schema";
	/** List the rules, too. */
	readonly conventions?: boolean;
	/** Maximum violations, and rules. */
	readonly limit?: number;
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A check that looked through the vault. */
export interface CheckRun {
	/** Its name. */
	readonly check: string;
	/** Findings, those included that the plan has no room for. */
	readonly found: number;
	/** Whether it looked at everything. */
	readonly complete: boolean;
}

/** A claim, and whether it still holds. */
export interface CheckedClaim {
	/** The claim. */
	readonly text: string;
	/** Whether its proof holds now; `unchecked` without one that can be checked. */
	readonly verdict: "still_true" | "changed" | "gone" | "unchecked";
	/** What is true instead, or where the note is now. */
	readonly why: string;
}

/** One glob. */
export interface CheckedGlob {
	/** The glob. */
	readonly glob: string;
	/** Why it is invalid; null if it is valid. */
	readonly problem: string | null;
	/** Matching notes, including those hidden by other rules; null if no vault is known. */
	readonly notes: number | null;
	/** Some of them. */
	readonly first: readonly string[];
}

/** The violations in notes. */
export interface CheckedNotes {
	/** Those of schema notes first, then those of the rules that most notes keep. */
	readonly violations: readonly RuleViolation[];
	/** Count before `limit`. */
	readonly total: number;
	/** Notes looked at. */
	readonly notes: number;
	/** Rules that were checked. */
	readonly rules: number;
	/** Remarks, such as on a schema note that cannot be understood. */
	readonly notices?: readonly string[];
	/** How many more were dismissed; absent if none. */
	readonly dismissed?: number | null;
	/** The rules that apply to these notes, if asked for: what schema notes state first, then from the outermost folder to the innermost, then by type. */
	readonly conventions?: readonly Convention[] | null;
}

/** A suggestion to turn into a link. */
export interface ChosenLink {
	/** The note to link to. */
	readonly target: string;
	/** The words to link. */
	readonly text: string;
	/** Start and end character offset, from `suggest_links`. */
	readonly span: readonly [number, number];
}

/** A sentence of a note, or of what a tool of another program answered, that supports an answer. */
export interface Citation {
	/** Number of the excerpt in which it stands. */
	readonly number: number;
	/** The note; empty for a tool's answer. */
	readonly path: string;
	/** Its heading path; may be empty. */
	readonly heading: string;
	/** First and last line. */
	readonly lines: readonly [number, number];
	/** The sentence. */
	readonly quote: string;
	/** The tool of another program that said it, as `server__tool`; empty for a note. */
	readonly tool?: string;
}

export interface ClaimChangeArguments {
	/** Its id. */
	readonly change_id: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A change that only the caller may now make. */
export interface ClaimedChange {
	/** Its id. */
	readonly change_id: string;
	/** The note. */
	readonly path: string;
	/** Required SHA-256 of the whole file. */
	readonly before: string;
	/** SHA-256 of the whole file afterwards. */
	readonly after: string;
	/** Whole text of the note afterwards. */
	readonly text: string;
}

/** A group of connected notes, with some of them. */
export interface Community {
	/** Its number, the same in `graph_insights` and `graph_view`; 0 is the largest. */
	readonly number: number;
	/** The title of its best-connected note, or of the next if a larger one has it. */
	readonly name: string;
	/** Its notes, shown or not. */
	readonly size: number;
	/** Its best-connected notes. */
	readonly notes: readonly string[];
}

/** A condition of a workflow. */
export interface ConditionOutcome {
	/** Its id. */
	readonly id: string;
	/** Whether it was true when it was last looked at; null if no step asked for it. */
	readonly holds: boolean | null;
}

/** A rule that most notes of a folder or type keep, or that a schema note states. */
export interface Convention {
	/** The folder of the notes; empty for the whole vault. */
	readonly folder: string;
	/** The type of the notes, if the rule is about a type. */
	readonly note_type: string;
	/** What the rule is about; `required` is a property that they have, `type` and `values` what it may hold, `condition` what must be true, `name` the pattern of file names. */
	readonly kind: "required" | "type" | "values" | "condition" | "tag" | "name" | "heading" | "link";
	/** The property, tag, heading, link target, or pattern. */
	readonly name: string;
	/** The types or values that are kept, or the condition. */
	readonly expected: readonly string[];
	/** The condition for notes to which the rule applies; empty without one. */
	readonly where: string;
	/** The schema note that states the rule; null for an inferred one. */
	readonly schema_note: string | null;
	/** The share of notes that keep it, from 0 to 1. */
	readonly share: number;
	/** Notes to which it applies. */
	readonly notes: number;
	/** The first notes that violate it, at most 3. */
	readonly violators: readonly string[];
}

/** A count of the vault before and after a change. */
export interface CountForecast {
	/** What is counted: `notes`, `links`, `orphans`, `dangling` links, `tags`, `properties`, or the notes of one `tag …` or `property …`. */
	readonly name: string;
	/** Before it. */
	readonly before: number;
	/** After it. */
	readonly after: number;
}

export interface CreateNoteArguments {
	/** Where, ending in `.md`; missing folders are created. */
	readonly path: string;
	/** Its Markdown. */
	readonly text?: string;
	/** Its properties by name. */
	readonly properties?: Readonly<Record<string, unknown>>;
	/** Note to start from; fills in `{{title}}`, `{{date}}` and `{{time}}`. */
	readonly template?: string | null;
	/** For an existing note: `append` adds only the text at its end, `skip` leaves it as it is. */
	readonly if_exists?: "fail" | "skip" | "append";
	/** Add a last line with at most so many suggested links, to notes that the text names without one. */
	readonly append_links?: number;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface DecideArguments {
	/** Its id, from `list_decisions`, or of a proposed change; `PATH@DIGEST` for any workflow. */
	readonly id: string;
	/** `accept` applies a proposed change, or one that was rejected here; `reject` also takes an agreement back, and settles a `conflict`. */
	readonly verdict: "accept" | "reject";
	/** Accept only these hunks of a change, numbered as in `show_change`; the rest are rejected. */
	readonly hunks?: readonly number[] | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The outcome of an answer. */
export interface DecisionOutcome {
	/** The requested changes, with their new state. */
	readonly changes: readonly ListedChange[];
	/** The change that did it; null if nothing was written. */
	readonly change_id: string | null;
	/** Unified diff. */
	readonly diff: string;
	/** `applied`, or `proposed` if it awaits approval. */
	readonly state: "applied" | "proposed";
	/** Warnings about the change. */
	readonly warnings: readonly string[];
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
	/** The change in one line; empty if nothing is to be written. */
	readonly would?: string;
	/** What was decided; null if it was a proposed change. */
	readonly decision?: ListedDecision | null;
}

/** The results of all checks. */
export interface Diagnosis {
	/** The worst verdict. */
	readonly verdict: "ok" | "warn" | "fail";
	/** The findings. */
	readonly findings: readonly Finding[];
}

/** Bytes shared by all vaults. */
export interface Disk {
	/** The models, in use or not. */
	readonly models: number;
	/** Free space where the data folder is. */
	readonly free: number;
}

export interface DismissArguments {
	/** `merge` is a pair of `merge_suggestions`, `prospect` a name of `find_prospects`, `orphan` a note of `graph_insights`, `violation` a finding of `check_notes`. */
	readonly kind: "merge" | "prospect" | "orphan" | "violation";
	/** The notes: two of `merge`, one of `orphan` and `violation`. */
	readonly paths?: readonly string[];
	/** The name of a `prospect`, or what a `violation` is about, such as the property. */
	readonly name?: string;
	/** List it again. */
	readonly undo?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** What is dismissed now. */
export interface DismissalCount {
	/** What is dismissed. */
	readonly kind: "merge" | "prospect" | "orphan" | "violation";
	/** How many of this kind are dismissed; by anyone. */
	readonly count: number;
}

export interface DoctorArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A ticked finding that was not applied. */
export interface DroppedFinding {
	/** Its id in the plan. */
	readonly id: string;
	/** Why not. */
	readonly why: string;
}

export interface EditNoteArguments {
	/** The note. */
	readonly path: string;
	/** Such as `[{"op": "replace_text", "old": "teh", "new": "the"}]`. They refer to the note as read; none overlap. */
	readonly edits: readonly (Append | Prepend | InsertUnder | ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText | AddItem)[];
	/** Digest of the note as read; required to replace existing text. */
	readonly digest?: string | null;
	/** Add a last line with at most so many suggested links, to notes that the text names without one. */
	readonly append_links?: number;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Embedding progress. */
export interface Embedding {
	/** Recent passages per second. */
	readonly per_second: number;
	/** Estimated seconds to completion. */
	readonly seconds_left: number;
}

/** The calls that ended in one error. */
export interface ErrorCount {
	/** The error's code. */
	readonly code: string;
	/** Calls that ended with it. */
	readonly calls: number;
}

/** The expected effect of a change; null fields are not checked. */
export interface Expectation {
	/** Files written, moved or removed. */
	readonly files?: number | null;
	/** Links updated in other places. */
	readonly links_rewritten?: number | null;
	/** Links to files, headings and blocks that are gone afterwards. */
	readonly links_broken?: number | null;
}

export interface FindNotesArguments {
	/** Only notes under this folder. */
	readonly folder?: string | null;
	/** Only notes with all these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only notes with these values; a list matches any. */
	readonly properties?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean | null)[] | null>>;
	/** Only notes modified since this time. */
	readonly modified_after?: string | null;
	/** Only notes modified before this time. */
	readonly modified_before?: string | null;
	/** Only these file types. */
	readonly types?: readonly ("note" | "canvas" | "excalidraw" | "pdf")[];
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** Only notes linking to this name. */
	readonly links_to?: string | null;
	/** Only notes that this note links to. */
	readonly linked_from?: string | null;
	/** `-` reverses: `-modified` is newest first, `-linked` most linked. */
	readonly sort?: "path" | "-path" | "title" | "-title" | "modified" | "-modified" | "created" | "-created" | "-linked";
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
	readonly offset?: number;
	/** Add how each text begins. */
	readonly excerpts?: boolean;
	/** Only notes for which this expression of Obsidian's Bases is true, such as `rating > 3 && !file.hasTag("done") && file.mtime > now() - "7d"`. */
	readonly where?: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The result of one check. */
export interface Finding {
	/** The check. */
	readonly check: string;
	/** `ok`, `warn` or `fail`. */
	readonly verdict: "ok" | "warn" | "fail";
	/** What it found. */
	readonly message: string;
	/** The remedy; empty if none is needed. */
	readonly do: string;
	/** The vault concerned; null for all. */
	readonly vault: string | null;
	/** The remedy, if it is a command. */
	readonly fix: Fix | null;
}

/** A remedy that a program can apply or offer. */
export interface Fix {
	/** What it does, for a button. */
	readonly label: string;
	/** The command line that applies it. */
	readonly command: string;
	/** The operation that applies it, called without arguments; null if only a command does. */
	readonly operation: "reindex" | null;
}

/** Folders that contain notes. */
export interface FolderList {
	/** Sorted by path. */
	readonly folders: readonly ListedFolder[];
}

export interface ForgetMemoryArguments {
	/** The memory. */
	readonly path: string;
	/** Delete the note instead, as the user only may. */
	readonly erase?: boolean;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Which operations still find a memory by its title and first sentence. */
export interface ForgottenCheck {
	/** Whether `recall` does. */
	readonly recall?: boolean;
	/** Whether `brief` does. */
	readonly brief?: boolean;
	/** Whether `search` does. */
	readonly search?: boolean;
}

/** A memory that was forgotten. */
export interface ForgottenMemory {
	/** Its id for `undo_change`; null if nothing was written. */
	readonly change_id: string | null;
	/** The note, by its path afterwards. */
	readonly path: string;
	/** SHA-256 of the whole file afterwards, or in a dry run or a proposal now; null without one. */
	readonly digest: string | null;
	/** Unified diff; of replaced files, of at most 1,000. */
	readonly diff: string;
	/** `applied`, or `proposed` if it awaits approval; a dry run predicts it. */
	readonly state: "applied" | "proposed";
	/** Warnings about the change. */
	readonly warnings: readonly string[];
	/** Links updated in other places. */
	readonly links_rewritten: number;
	/** Links to files, headings and blocks that are gone afterwards. */
	readonly links_broken: readonly LostLink[];
	/** Files written, moved or removed. */
	readonly files: number;
	/** What wrote it: the bridge to `disk`, or `obsidian`. */
	readonly by: "disk" | "obsidian";
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
	/** The change in one line. */
	readonly would: string;
	/** Why a dry run's change needs confirmation; null if it does not. */
	readonly confirmation: string | null;
	/** The files, with a folder as one; at most 1,000. */
	readonly changed: readonly ChangedFile[];
	/** Of a dry run that only changes notes: the id with which `change_set` makes exactly this change, as long as nothing that it touches has changed; absent otherwise. */
	readonly preview?: string | null;
	/** Which operations still find it; null if nothing was written. */
	readonly verified?: ForgottenCheck | null;
}

/** A page of a list of notes. */
export interface FoundNotes {
	/** The notes on this page. */
	readonly notes: readonly ListedNote[];
	/** Remarks, such as on a missing folder or tag. */
	readonly notices?: readonly string[];
	/** Count before `limit` and `offset`. */
	readonly total: number;
	/** `offset` of the next page; absent on the last. */
	readonly next_offset?: number | null;
}

/** What is not indexed yet. */
export interface Freshness {
	/** Notes missing from keyword search. */
	readonly pending_keyword: number;
	/** Passages missing from semantic search. */
	readonly pending_vectors: number;
}

/** Two notes that are linked to together but not to each other. */
export interface Gap {
	/** One note. */
	readonly source: string;
	/** The other. */
	readonly target: string;
	/** Notes that link to both. */
	readonly together: number;
	/** Strength of evidence; sources with few links and rarely linked targets count more. */
	readonly score: number;
}

export interface GiveNoteArguments {
	/** The note. */
	readonly path: string;
	/** The session, as in `list_sessions`. */
	readonly session: string;
	/** Instead, keep the note from the session, so that `brief`, `recall` and passages of `search` do not bring it in, though its snippets still do; or if false, let them bring it in again. The property `deny_agents` keeps it from all sessions of an agent. */
	readonly withhold?: boolean | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** What the user decided about a note and a session. */
export interface GivenNote {
	/** The note. */
	readonly path: string;
	/** The session. */
	readonly session: string;
	/** How many notes wait for it. */
	readonly waiting: number;
	/** Whether the note is kept from it. */
	readonly withheld: boolean;
}

/** The growth of the graph. */
export interface GraphHistory {
	/** First recorded day. */
	readonly since: string;
	/** Weeks in which the bridge ran, latest first. */
	readonly weeks: readonly GraphWeek[];
}

export interface GraphHistoryArguments {
	/** Weeks to look back, including this one. */
	readonly weeks?: number;
	/** Maximum notes of each kind per week. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The structure of the graph; only requested parts are present. */
export interface GraphInsights {
	/** Totals of the graph. */
	readonly counts: LinkCounts;
	/** Counts of each part. */
	readonly totals: PartTotals;
	/** The `offset` of this page. */
	readonly offset: number;
	/** Notes connected to well-connected notes, greatest first. */
	readonly hubs?: readonly Hub[] | null;
	/** Notes most visited by following links (PageRank); often hubs too. */
	readonly pagerank?: readonly Hub[] | null;
	/** Notes without links in either direction. */
	readonly orphans?: NoteCount | null;
	/** Notes with backlinks but no links. */
	readonly dead_ends?: NoteCount | null;
	/** Notes with links but no backlinks. */
	readonly sources?: NoteCount | null;
	/** Unresolved names, most linked first. */
	readonly stubs?: readonly Stub[] | null;
	/** Groups with more links inside than between (Leiden), largest first. */
	readonly communities?: readonly Community[] | null;
	/** Pairs with the only link between two parts, most cut-off notes first. */
	readonly bridges?: readonly SoleLink[] | null;
	/** Notes whose removal splits the graph, most cut-off notes first. */
	readonly articulations?: readonly Articulation[] | null;
	/** Mutually linked pairs, most links first. */
	readonly strong_pairs?: readonly StrongPair[] | null;
	/** Pairs that other notes link to together but that do not link to each other. */
	readonly gaps?: readonly Gap[] | null;
	/** How many more orphans were dismissed; absent if none. */
	readonly dismissed?: number | null;
}

export interface GraphInsightsArguments {
	/** Only these parts; all by default. */
	readonly parts?: readonly ("hubs" | "pagerank" | "orphans" | "dead_ends" | "sources" | "stubs" | "communities" | "bridges" | "articulations" | "strong_pairs" | "gaps")[];
	/** As in `graph_neighbours`; orphans, dead ends, sources, stubs and strong pairs always use written links. */
	readonly kinds?: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
	readonly offset?: number;
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A path between two notes. */
export interface GraphPath {
	/** Its notes, both ends included. */
	readonly notes: readonly string[];
	/** What leads from each to the next. */
	readonly steps: readonly GraphStep[];
}

export interface GraphPathArguments {
	/** The start. */
	readonly source: string;
	/** The end. */
	readonly target: string;
	/** As in `graph_neighbours`. */
	readonly kinds?: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Follow links both ways, or only forwards. */
	readonly direction?: "any" | "out";
	/** Maximum paths, each at most three steps longer than the shortest. */
	readonly alternatives?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Paths between two notes. */
export interface GraphPaths {
	/** Shortest first; empty if the notes are not connected. */
	readonly paths: readonly GraphPath[];
}

/** A step from one note to the next. */
export interface GraphStep {
	/** Its start. */
	readonly source: string;
	/** Its end. */
	readonly target: string;
	/** Its edge kind, the most telling of several. */
	readonly kind: "wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar";
	/** The note with the link: `target` if followed backwards; null for an unwritten edge. */
	readonly note: string | null;
	/** Line of the link. */
	readonly line: number | null;
	/** The sentence around it, an arrow's label, or what both notes share. */
	readonly text: string;
}

/** A drawing of the graph. */
export interface GraphView {
	/** Drawn nodes. */
	readonly nodes: readonly ViewNode[];
	/** Drawn edges. */
	readonly edges: readonly ViewEdge[];
	/** Drawn communities, largest first. */
	readonly communities: readonly ViewCommunity[];
	/** Whether nodes represent communities. */
	readonly folded: boolean;
	/** Nodes that match the filters, drawn or not. */
	readonly total: number;
}

export interface GraphViewArguments {
	/** The centre; by default, all notes are drawn. */
	readonly path?: string | null;
	/** Maximum steps from the centre. */
	readonly depth?: number;
	/** As in `graph_neighbours`. */
	readonly kinds?: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Include unresolved names. */
	readonly stubs?: boolean;
	/** Only notes under this folder. */
	readonly folder?: string | null;
	/** Only notes with all these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only notes with these values; a list matches any. */
	readonly properties?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean | null)[] | null>>;
	/** Only notes modified since this time. */
	readonly modified_after?: string | null;
	/** Only notes modified before this time. */
	readonly modified_before?: string | null;
	/** Only these file types. */
	readonly types?: readonly ("note" | "canvas" | "excalidraw" | "pdf")[];
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** Only notes of this community. */
	readonly community?: number | null;
	/** Only these notes, such as those of a `graph_path`. */
	readonly notes?: readonly string[];
	/** Include tags. */
	readonly tagged?: boolean;
	/** Draw communities instead of notes; automatic from 2,000 nodes. */
	readonly fold?: boolean | null;
	/** Maximum nodes, best-connected first; by default and at most 300 around a note, 10,000 for all. */
	readonly limit?: number | null;
	/** `topics` draws only notes with topics and their topics, as in `graph_neighbours`. */
	readonly mode?: "links" | "topics";
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A week of the graph. */
export interface GraphWeek {
	/** Its Monday. */
	readonly week: string;
	/** Totals at its end. */
	readonly counts: LinkCounts;
	/** New notes, best-connected first. */
	readonly appeared: readonly string[];
	/** Removed notes; a moved note is both removed and new. */
	readonly vanished: readonly string[];
	/** Notes that gained or lost neighbours, largest change first. */
	readonly grown: readonly Grown[];
}

/** A note that gained or lost neighbours. */
export interface Grown {
	/** The note. */
	readonly path: string;
	/** Neighbours gained; negative if lost. */
	readonly more: number;
}

/** A note, represented by its best passage, or a block of a note. */
export interface Hit {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Its heading path, such as `A > B`; empty before the first heading. */
	readonly heading: string;
	/** First and last line. */
	readonly lines: readonly [number, number];
	/** Excerpt with matches marked `==…==`. */
	readonly snippet: string;
	/** 0–1, the share of all possible evidence; below 0.1 is weak. */
	readonly score: number;
	/** Why it matches, in short sentences. */
	readonly why: readonly string[];
	/** The note's tags, without `#`. */
	readonly tags: readonly string[];
	/** When the file was last modified. */
	readonly modified: string;
	/** Leading digits of its SHA-256, for edits. */
	readonly digest: string;
	/** The requested passages, in order, cut only between blocks; of a block, the block. */
	readonly passages?: readonly ShownPassage[];
	/** When the note was created, as in `find_notes`; null if unknown. */
	readonly created?: string | null;
	/** The vault that holds it, where every vault was searched. */
	readonly vault?: string | null;
}

/** A well-connected note. */
export interface Hub {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Eigenvector centrality, 0–100; the top hub has 100. */
	readonly score: number;
	/** PageRank; 1 is the average note. */
	readonly pagerank: number;
	/** Notes connected to it. */
	readonly joined: number;
	/** Its community's number. */
	readonly community: number;
}

/** A file in the index. */
export interface IndexStatus {
	/** The file. */
	readonly path: string;
	/** `indexed`, `pending`, `skipped` or `failed`. */
	readonly state: string;
	/** Why it is not indexed. */
	readonly reason: string | null;
	/** SHA-256 of the file as indexed. */
	readonly digest: string | null;
	/** Its passages. */
	readonly passages: readonly Passage[];
	/** What was not embedded, such as lines repeated across many notes. */
	readonly left_out: readonly string[];
	/** What could not be parsed. */
	readonly problems: readonly string[];
}

export interface IndexStatusArguments {
	/** The file. */
	readonly path: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A note that was brought into a session, or that is kept from it. */
export interface InjectedItem {
	/** The note. */
	readonly path: string;
	/** The tool that brought it last; empty if none did. */
	readonly tool: string;
	/** Why, in short sentences. */
	readonly why: readonly string[];
	/** Tokens that it took the last time, estimated. */
	readonly tokens: number;
	/** How often it was brought in. */
	readonly times: number;
	/** When it was brought in last, or withheld. */
	readonly time: string;
	/** Whether the user keeps it from the session. */
	readonly withheld: boolean;
}

/** Add text at the end of a heading's own text, above its subheadings; new subsections go below them. */
export interface InsertUnder {
	/** The operation. */
	readonly op: "insert_under";
	/** The heading or its path `A > B`; if repeated, `A > B (line 12)`. */
	readonly heading: string;
	/** Markdown; its headings are deepened to fit. */
	readonly text: string;
	/** Add it if missing. */
	readonly create_heading?: boolean;
}

/** A background job. */
export interface JobStarted {
	/** The job, as `job_status` takes it. */
	readonly job_id: string;
}

export interface JudgeFindingArguments {
	/** Its id, such as `g3`. */
	readonly finding: string;
	/** What the user thinks of it. */
	readonly verdict: "accept" | "reject";
	/** The note of the plan; by default the one there is. */
	readonly path?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface JudgeLinkArguments {
	/** The note with the link or suggestion. */
	readonly path: string;
	/** The note it links to. */
	readonly target: string;
	/** The suggested words. */
	readonly text: string;
	/** `accept` if linked, `decline` to suppress it there, `revive` to allow it again. */
	readonly verdict: "accept" | "decline" | "revive";
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface JudgeMemoryArguments {
	/** The memory. */
	readonly path: string;
	/** The verdict. */
	readonly verdict: "useful" | "wrong" | "stale";
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A finding that was judged. */
export interface JudgedFinding {
	/** Its id in the plan. */
	readonly id: string;
	/** The check that found it. */
	readonly check: string;
	/** Whether it is ticked now. */
	readonly ticked: boolean;
	/** Whether it is left out of plans from now on. */
	readonly dismissed: boolean;
	/** Whether its check is left out of plans now, since nearly all of its findings were rejected. */
	readonly muted: boolean;
}

/** The verdicts on a memory. */
export interface JudgedMemory {
	/** The memory. */
	readonly path: string;
	/** How often it was called useful. */
	readonly useful: number;
	/** How often it was called wrong. */
	readonly wrong: number;
	/** How often it was called stale. */
	readonly stale: number;
	/** Whether it is left out of `brief` until it is revised. */
	readonly doubted: boolean;
}

/** One file that is not in the index. */
export interface Left {
	/** The file, or with a trailing `/` a whole folder. */
	readonly path: string;
	/** Why. */
	readonly reason: string;
}

/** Files left out of the index for one reason. */
export interface LeftFor {
	/** The reason. */
	readonly reason: string;
	/** How many. */
	readonly count: number;
	/** The first of them. */
	readonly first: readonly string[];
}

/** Files left out of the index. */
export interface LeftOut {
	/** How many. */
	readonly count: number;
	/** Some of them. */
	readonly first: readonly Left[];
	/** Most frequent reasons. */
	readonly reasons: readonly LeftFor[];
}

/** Totals of the graph. */
export interface LinkCounts {
	/** Notes. */
	readonly notes: number;
	/** Pairs of notes joined by links or arrows. */
	readonly links: number;
	/** Unresolved names. */
	readonly stubs: number;
}

/** An edit that makes links. */
export interface LinkEdit {
	/** The note. */
	readonly path: string;
	/** Unified diff; empty if there is nothing to link. */
	readonly diff: string;
	/** SHA-256 of the whole file after the edit. */
	readonly digest: string;
	/** SHA-256 of the whole file before it. */
	readonly before: string;
	/** The links it makes, in order. */
	readonly links: readonly MadeLink[];
	/** The links it leaves out, in order. */
	readonly refused: readonly RefusedLink[];
	/** The change made or proposed; null if nothing was written. */
	readonly change_id: string | null;
	/** `applied`, or `proposed` if it awaits approval. */
	readonly state: "applied" | "proposed";
	/** Warnings about the change. */
	readonly warnings: readonly string[];
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
}

/** Feedback so far on suggested links. */
export interface LinkJudged {
	/** Accepted links to this note. */
	readonly accepted: number;
	/** Declined links to this note. */
	readonly declined: number;
	/** Share of all suggestions in the vault that were accepted; null before the first. */
	readonly rate: number | null;
}

/** How the links of a vault could be better. */
export interface LinkReport {
	/** Counts before `limit` and `offset`. */
	readonly totals: ReportTotals;
	/** The `offset` of this page. */
	readonly offset: number;
	/** Unresolved names, counted as `graph_insights` does for a whole vault. */
	readonly unresolved: number;
	/** Names that likely mean a note, most linked first. */
	readonly broken: readonly BrokenName[];
	/** Other unresolved names, most linked first. */
	readonly stubs: readonly Stub[];
	/** Notes mentioned without a link, most missing links first. */
	readonly unlinked: readonly UnlinkedNote[];
	/** Names shared by several notes, most links first. */
	readonly ambiguous: readonly AmbiguousName[];
	/** Accepted link suggestions. */
	readonly accepted: number;
	/** Suggested links declined, or removed later. */
	readonly declined: number;
	/** Share accepted; null before the first. */
	readonly rate: number | null;
	/** `offset` of the next page; absent on the last. */
	readonly next_offset?: number | null;
	/** What was left out. */
	readonly notices?: readonly string[];
}

export interface LinkReportArguments {
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
	readonly offset?: number;
	/** Only links and mentions in notes under this folder. */
	readonly folder?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A link that may be missing. */
export interface LinkSuggestion {
	/** The note to link to. */
	readonly target: string;
	/** The words to link. */
	readonly text: string;
	/** Their first and last line. */
	readonly lines: readonly [number, number];
	/** Start and end character offset in the file, end excluded. */
	readonly span: readonly [number, number];
	/** Likelihood that it should be a link, 0–1. */
	readonly score: number;
	/** The evidence for it. */
	readonly why: readonly string[];
}

/** Links that a text may be missing. */
export interface LinkSuggestions {
	/** Most likely first, one per note. */
	readonly suggestions: readonly LinkSuggestion[];
	/** SHA-256 of the whole file; empty for a text. */
	readonly digest: string;
	/** What was left out. */
	readonly notices?: readonly string[];
}

/** Counts of each kind. */
export interface LinkTotals {
	/** Resolved links in the note. */
	readonly links: number;
	/** Links to the note. */
	readonly backlinks: number;
	/** Unresolved links in the note. */
	readonly unresolved: number;
}

export interface ListChangesArguments {
	/** Only changes to this file or folder, by its old or current name. */
	readonly path?: string | null;
	/** Only those in this state; `proposed` ones await approval. */
	readonly state?: "applied" | "proposed" | "rejected" | "expired" | "undone" | "conflict" | null;
	/** Only those by this program, in any case. */
	readonly client?: string | null;
	/** Only those of this session. */
	readonly session?: string | null;
	/** Only those by this operation. */
	readonly operation?: string | null;
	/** Only those at this time or later. */
	readonly since?: string | null;
	/** Only those before this time. */
	readonly until?: string | null;
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
	readonly offset?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListDecisionsArguments {
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListFoldersArguments {
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListInjectionsArguments {
	/** Only this session. */
	readonly session?: string;
	/** Maximum sessions. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListMemoriesArguments {
	/** `-updated` is newest first, `-used` last used first, `expires` soonest first. */
	readonly sort?: "-updated" | "-used" | "expires";
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
	readonly offset?: number;
	/** Maximum characters of each text. */
	readonly text_chars?: number;
	/** Only these kinds. */
	readonly kinds?: readonly ("raw" | "learning" | "error" | "decision" | "plan" | "fact" | "preference" | "instruction" | "persona" | "open_question")[];
	/** Only these tiers. */
	readonly tiers?: readonly ("hot" | "warm" | "cold" | "archived")[];
	/** Only memories with all these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only memories of one of these scopes, or of none. */
	readonly scope?: readonly string[];
	/** Only memories about one of these notes. */
	readonly about?: readonly string[];
	/** Only memories written since this time. */
	readonly since?: string | null;
	/** Include what is private to others; for the user only. */
	readonly among_private?: boolean;
	/** Include what is archived. */
	readonly archived?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListSessionsArguments {
	/** Only those in this state. */
	readonly status?: "active" | "paused" | "completed" | "incomplete" | null;
	/** Only those of this program, in any case. */
	readonly client?: string | null;
	/** Only those that lasted until this time or later. */
	readonly since?: string | null;
	/** Only those that began before this time. */
	readonly until?: string | null;
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
	readonly offset?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListTagsArguments {
	/** Only tags with this prefix, ignoring case. */
	readonly prefix?: string;
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListTasksArguments {
	/** Only tasks of this note. */
	readonly path?: string | null;
	/** Only tasks of notes under this folder. */
	readonly folder?: string | null;
	/** `all`, `open` (not done, cancelled or `[>]`), a `meaning` such as `done`, or box characters: `/!`. */
	readonly status?: string;
	/** Only tasks due on this day or in this period. */
	readonly due_on?: string | null;
	/** Only tasks due on this day or later; `next week` means its Monday. */
	readonly due_after?: string | null;
	/** Only tasks due before this day; `next week` means its Monday. */
	readonly due_before?: string | null;
	/** Only tasks due before today, and open unless `status` is given. */
	readonly overdue?: boolean;
	/** Only tasks with all these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only tasks whose line has this, ignoring case and accents. */
	readonly text?: string;
	/** `due` is earliest first, `-due` latest first, undated last. */
	readonly sort?: "path" | "due" | "-due";
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
	readonly offset?: number;
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** Only tasks of notes for which this expression of Obsidian's Bases is true, such as `status == "active"`. */
	readonly where?: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ListWorkflowsArguments {
	/** Only the workflow of this note. */
	readonly path?: string | null;
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
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
	/** The requesting program. */
	readonly client: string | null;
	/** The program's session. */
	readonly session: string | null;
	/** The operation. */
	readonly operation: string;
	/** Its stated reason; before it, what accepting it means for what agents may do. */
	readonly reason: string | null;
	/** The files it touched, by their names then. */
	readonly paths: readonly string[];
	/** Unified diff; truncated in a list if long. */
	readonly diff: string;
	/** Its state; `expired`: it waited too long, or the same was done otherwise; `conflict`: a crash cut it off, and these files, edited since, may still have it. */
	readonly state: "applied" | "proposed" | "rejected" | "expired" | "undone" | "conflict";
	/** When a proposal expires. */
	readonly expires: string | null;
	/** The changes it undid. */
	readonly undoes: readonly string[];
	/** The writer: the bridge to `disk`, or `obsidian`; null until written. */
	readonly by: "disk" | "obsidian" | null;
}

/** Changes. */
export interface ListedChanges {
	/** Newest first. */
	readonly changes: readonly ListedChange[];
	/** Remarks, such as on a missing `path`. */
	readonly notices?: readonly string[];
}

/** A client with its own token. */
export interface ListedClient {
	/** Its id. */
	readonly id: string;
	/** Its name. */
	readonly name: string;
	/** Its scopes. */
	readonly scopes: readonly ("read" | "write" | "admin")[];
	/** Its tool preset, if its token sets one. */
	readonly preset: "default" | "notebook" | "writing" | "read-only" | "full" | null;
	/** When it got its token. */
	readonly created: string;
	/** Day of its last use; null if never used. */
	readonly last_used: string | null;
	/** Whether its changes apply at once; others await approval. */
	readonly applies: boolean;
	/** Whether note names become links in its text. */
	readonly links: boolean;
}

/** The clients. */
export interface ListedClients {
	/** Oldest first. */
	readonly clients: readonly ListedClient[];
}

/** Something that agents may do if the user agrees. */
export interface ListedDecision {
	/** Its id: what it is about, and the digest of what may be done. */
	readonly id: string;
	/** Whether it is about a `workflow`, a call of a `server` of the user's list, or the agents' `folder`. */
	readonly kind: "workflow" | "server" | "folder";
	/** The note of the workflow, the name of the server, or the folder. */
	readonly subject: string;
	/** What agents would do, or may do. */
	readonly would: string;
	/** The program that asked last; null if none did. */
	readonly client?: string | null;
	/** When it did. */
	readonly asked?: string | null;
	/** Until when it waits, or until when the agreement to one call holds; null if it has no end. */
	readonly expires?: string | null;
	/** What the user answered; null while it waits. */
	readonly answer?: "accept" | "reject" | null;
	/** When. */
	readonly answered?: string | null;
	/** The program in which the user answered. */
	readonly by?: string | null;
}

/** What waits for the user, and what was decided. */
export interface ListedDecisions {
	/** Proposed changes that wait, newest first. */
	readonly proposals: readonly ListedChange[];
	/** What else agents asked for; only the user sees it, as all that follows. */
	readonly waiting: readonly ListedDecision[];
	/** What the user answered, which holds until the user answers otherwise. */
	readonly answers: readonly ListedDecision[];
	/** What else agents may do without asking, by the settings. */
	readonly rights: readonly string[];
}

/** A folder in a list. */
export interface ListedFolder {
	/** The folder. */
	readonly path: string;
	/** Notes in it and its subfolders. */
	readonly notes: number;
	/** Notes directly in it. */
	readonly direct: number;
}

/** What was brought into sessions. */
export interface ListedInjections {
	/** The last one first. */
	readonly sessions: readonly SessionInjections[];
}

/** A memory. */
export interface ListedMemory {
	/** Its note. */
	readonly path: string;
	/** What it is about. */
	readonly title: string;
	/** What it is. */
	readonly kind: "raw" | "learning" | "error" | "decision" | "plan" | "fact" | "preference" | "instruction" | "persona" | "open_question";
	/** What it says; ends with `…` if cut. */
	readonly text: string;
	/** Where it holds; everywhere if empty. */
	readonly scope: readonly string[];
	/** Tags, without `#`. */
	readonly tags: readonly string[];
	/** Notes that it is about. */
	readonly about: readonly string[];
	/** Who wrote it; null if not an agent. */
	readonly agent: string | null;
	/** When it was written. */
	readonly created: string;
	/** `hot`, `warm` or `cold` by its last use, unless set; or `archived`. */
	readonly tier: "hot" | "warm" | "cold" | "archived";
	/** How often it was recalled or read. */
	readonly used: UseCount;
	/** How sure it is. */
	readonly confidence: number;
	/** Whether every `recall` in its scope returns it. */
	readonly pinned: boolean;
	/** When it stops to hold; null if never. */
	readonly expires: string | null;
	/** First 12 digits of the note's SHA-256, for `revise_memory`. */
	readonly digest: string;
	/** Properties of the note that are wrong. */
	readonly problems: readonly string[];
	/** Memories that it contradicts and that hold as well, by name; the newer one is recalled. */
	readonly conflicts: readonly string[];
	/** The vault that holds it, by name, if the global vault was asked as well; else null. */
	readonly vault?: string | null;
}

/** A model. */
export interface ListedModel {
	/** Its name in the settings. */
	readonly id: string;
	/** Its makers' name for it. */
	readonly title: string;
	/** `embed` for search by meaning, `chat` for writing answers, `rerank` for `mode=deep` of `search`. */
	readonly purpose: "embed" | "chat" | "rerank";
	/** Dimensions of its vectors; 0 for other models. */
	readonly dimensions: number;
	/** Maximum tokens of a text, or of a prompt with its answer. */
	readonly window: number;
	/** File size in MB; null if unknown. */
	readonly size_mb: number | null;
	/** Its languages. */
	readonly languages: string;
	/** Its licence. */
	readonly license: string;
	/** Whether it is on this machine. */
	readonly installed: boolean;
	/** Whether the settings or the notes of a vault select it. */
	readonly chosen: boolean;
}

/** A note in a list. */
export interface ListedNote {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** Its tags, without `#`. */
	readonly tags: readonly string[];
	/** When the file was last modified. */
	readonly modified: string;
	/** SHA-256 of the file as indexed. */
	readonly digest: string;
	/** The type that its property `type` names, if any. */
	readonly note_type?: string;
	/** How its text begins, if requested. */
	readonly excerpt?: string;
	/** When it was created: by its property `created` or `date created`, else as the system tells, if it does. */
	readonly created?: string | null;
	/** Its other names. */
	readonly aliases?: readonly string[];
	/** Notes that link to it, if sorted by that. */
	readonly linked?: number | null;
}

/** A session of a client. */
export interface ListedSession {
	/** Its id, as in `list_changes`. */
	readonly id: string;
	/** The client; null if it does not say. */
	readonly client: string | null;
	/** `active`, `paused` by the end of the bridge, `completed`, or `incomplete` after a crash. */
	readonly status: "active" | "paused" | "completed" | "incomplete";
	/** First call. */
	readonly started: string;
	/** Its end; null while active. */
	readonly ended: string | null;
	/** What it was about, from the journal. */
	readonly title: string;
	/** Its goal, from the journal. */
	readonly goal: string;
	/** Its summary, from the journal. */
	readonly summary: string;
	/** Where it left off, from the journal. */
	readonly where_left_off: string;
	/** Its decisions, outcomes, open questions and tasks, from the journal. */
	readonly told: readonly ToldLine[];
	/** Its journal; null without one. */
	readonly note: string | null;
	/** Number of calls. */
	readonly calls: number;
	/** Calls that failed, by error code. */
	readonly errors: Readonly<Record<string, number>>;
	/** Calls by tool. */
	readonly tools: Readonly<Record<string, number>>;
	/** Notes it changed, by their current paths, without what was undone. */
	readonly changed: readonly string[];
	/** Tokens sent, estimated. */
	readonly tokens: number;
}

/** Sessions. */
export interface ListedSessions {
	/** Last begun first. */
	readonly sessions: readonly ListedSession[];
	/** Count before `limit` and `offset`. */
	readonly total: number;
	/** `offset` of the next page; absent on the last. */
	readonly next_offset?: number | null;
}

/** A tag in a list. */
export interface ListedTag {
	/** The tag, without `#`, in its most common spelling. */
	readonly tag: string;
	/** Notes with it. */
	readonly count: number;
}

/** A task in a list. */
export interface ListedTask {
	/** The note. */
	readonly path: string;
	/** Its line. */
	readonly line: number;
	/** The task, without dates and signs but with tags. */
	readonly text: string;
	/** The character in its box. */
	readonly status: string;
	/** Meaning of the character; `other` is a custom one. */
	readonly meaning: "todo" | "in_progress" | "done" | "cancelled" | "other";
	/** Due date. */
	readonly due: string | null;
	/** Tags of its line, without `#`. */
	readonly tags: readonly string[];
	/** Its heading path, such as `A > B`. */
	readonly heading?: string | null;
	/** Line of its parent task. */
	readonly parent?: number | null;
	/** Scheduled date. */
	readonly scheduled?: string | null;
	/** Start date. */
	readonly start?: string | null;
	/** Completion date. */
	readonly done?: string | null;
	/** Priority. */
	readonly priority?: "highest" | "high" | "medium" | "low" | "lowest" | null;
	/** Recurrence, in words. */
	readonly recurrence?: string | null;
	/** First 12 digits of the note's SHA-256 as indexed. */
	readonly digest?: string;
}

/** A value of a property. */
export interface ListedValue {
	/** The value, in its most common spelling. */
	readonly value: string | number | boolean | null;
	/** Its type. */
	readonly type: string;
	/** Notes that have it. */
	readonly notes: number;
	/** Its spellings with the number of notes, if it has several. */
	readonly spellings: readonly string[];
	/** The first notes that have it, at most 3. */
	readonly paths: readonly string[];
}

/** A workflow in a list. */
export interface ListedWorkflow {
	/** Its note. */
	readonly path: string;
	/** What it does. */
	readonly description: string;
	/** The digest of its block, which the user approves by `decide`; null if it cannot be read. */
	readonly digest: string | null;
	/** Whether the user approved it as it is, so that agents may run it. */
	readonly approved: boolean;
	/** Whether it was changed since it was approved. */
	readonly changed: boolean;
	/** What it needs to be told. */
	readonly variables: readonly WorkflowVariable[];
	/** Whether it can run. */
	readonly sound: boolean;
	/** Faults and remarks, each with its line in the note. */
	readonly problems: readonly Problem[];
	/** Why it cannot be read; null if it can. */
	readonly unreadable?: string | null;
}

/** A link broken by a change. */
export interface LostLink {
	/** The note that contains it. */
	readonly path: string;
	/** Its line. */
	readonly line: number;
	/** Its target as written. */
	readonly text: string;
}

/** A link that the edit makes. */
export interface MadeLink {
	/** The note it leads to. */
	readonly target: string;
	/** Its line. */
	readonly line: number;
	/** The link as written. */
	readonly link: string;
}

/** A change of many notes. */
export interface ManyWritten {
	/** Its id for `undo_change`; null if nothing was written. */
	readonly change_id: string | null;
	/** The note, by its path afterwards. */
	readonly path: string;
	/** SHA-256 of the whole file afterwards, or in a dry run or a proposal now; null without one. */
	readonly digest: string | null;
	/** Unified diff; of replaced files, of at most 1,000. */
	readonly diff: string;
	/** `applied`, or `proposed` if it awaits approval; a dry run predicts it. */
	readonly state: "applied" | "proposed";
	/** Warnings about the change. */
	readonly warnings: readonly string[];
	/** Links updated in other places. */
	readonly links_rewritten: number;
	/** Links to files, headings and blocks that are gone afterwards. */
	readonly links_broken: readonly LostLink[];
	/** Files written, moved or removed. */
	readonly files: number;
	/** What wrote it: the bridge to `disk`, or `obsidian`. */
	readonly by: "disk" | "obsidian";
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
	/** The change in one line. */
	readonly would: string;
	/** Why a dry run's change needs confirmation; null if it does not. */
	readonly confirmation: string | null;
	/** The files, with a folder as one; at most 1,000. */
	readonly changed: readonly ChangedFile[];
	/** Of a dry run that only changes notes: the id with which `change_set` makes exactly this change, as long as nothing that it touches has changed; absent otherwise. */
	readonly preview?: string | null;
	/** How often the name or value stood in the files that change. */
	readonly occurrences?: number;
	/** Notes that have it and cannot be changed on their own, at most 1,000. */
	readonly skipped?: readonly SkippedFile[];
	/** Queries, bases and bookmarks with the name, in which nothing is changed. */
	readonly named_in?: readonly string[];
	/** The counts of the vault that would differ afterwards; only of a dry run. */
	readonly forecast?: readonly CountForecast[];
}

/** How many memories there are. */
export interface MemoryCounts {
	/** By kind. */
	readonly kinds: Readonly<Record<string, number>>;
	/** By tier. */
	readonly tiers: Readonly<Record<string, number>>;
}

/** A page of memories. */
export interface MemoryPage {
	/** The memories on this page. */
	readonly memories: readonly ListedMemory[];
	/** Of all that match. */
	readonly counts: MemoryCounts;
	/** Remarks. */
	readonly notices?: readonly string[];
	/** Count before `limit` and `offset`. */
	readonly total: number;
	/** `offset` of the next page; absent on the last. */
	readonly next_offset?: number | null;
}

export interface MergeNotesArguments {
	/** The note that goes. */
	readonly path: string;
	/** The note that stays. */
	readonly into: string;
	/** Digest of the note that goes, as read; a changed note is refused. */
	readonly digest: string;
	/** `both` keeps the text of both, once if it is the same; `into` drops that of the note that goes. */
	readonly keep?: "both" | "into";
	/** Make the name of the note that goes an alias of the other. */
	readonly alias?: boolean;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The model that embeds the vault. */
export interface ModelInUse {
	/** Its id. */
	readonly id: string;
	/** Dimensions of its vectors. */
	readonly dimensions: number;
	/** SHA-256 of its file. */
	readonly digest: string;
	/** The vectors that answer queries: the previous model's until the new ones are complete. */
	readonly answering: string | null;
	/** Processes that run it. */
	readonly workers: number;
	/** Why it is this model. */
	readonly reason?: string;
}

/** The set-up of llama.cpp, without which no model can be used. */
export interface ModelSetup {
	/** `running` or `missing`. */
	readonly state: "running" | "missing";
	/** What it does, or what is wrong. */
	readonly message: string;
	/** What to do. */
	readonly hint: string;
	/** How much of the step is done, of `total`. */
	readonly done?: number;
	/** 0 where that is not known. */
	readonly total?: number;
	/** How long it has run. */
	readonly seconds?: number;
}

/** Arguments that continue a truncated answer. */
export interface Next {
	/** The remaining lines. */
	readonly lines: readonly [number, number];
	/** Characters of them already returned. */
	readonly offset: number;
}

/** The first of many notes. */
export interface NoteCount {
	/** Number of notes. */
	readonly total: number;
	/** The first of them, most recently modified first. */
	readonly notes: readonly string[];
}

/** One link in a note. */
export interface NoteLink {
	/** The target, or for a backlink the source; null if unresolved. */
	readonly path: string | null;
	/** Its line. */
	readonly line: number;
	/** Its displayed text: alias, or target as written. */
	readonly text: string;
	/** `wiki`, `embed`, `markdown`, `property` or `canvas`. */
	readonly kind: string;
	/** Its target as written, with `#heading` and `^block`. */
	readonly target: string;
	/** Whether it embeds its target. */
	readonly embed: boolean;
	/** The heading after `#`, if any. */
	readonly heading?: string | null;
	/** The block id after `#^`, if any. */
	readonly block?: string | null;
	/** The sentence around it, if requested; for the first 300 links, and as on disk. */
	readonly context?: string | null;
	/** Of a backlink, the day of its note, if `context` is requested: that in its name, else that of its creation. */
	readonly day?: string | null;
}

/** The links of a note, in both directions. */
export interface NoteLinks {
	/** First 12 digits of the note's SHA-256, for edits; empty for other files. */
	readonly digest: string;
	/** Counts in the requested directions, before `limit` and `offset`. */
	readonly totals: LinkTotals;
	/** The `offset` of this page. */
	readonly offset: number;
	/** Resolved links in the note, in order. */
	readonly links: readonly NoteLink[];
	/** Links to the note, by path and line. */
	readonly backlinks: readonly NoteLink[];
	/** Unresolved links in the note, in order. */
	readonly unresolved: readonly NoteLink[];
	/** Unlinked mentions in other notes, by path and line, if requested; from the first 300 such notes. */
	readonly mentions?: readonly NoteMention[] | null;
	/** Number of mentions, if requested. */
	readonly mentions_total?: number | null;
}

export interface NoteLinksArguments {
	/** The note, or another file for its backlinks. */
	readonly path: string;
	/** `out`: links in the note; `in`: links to it. */
	readonly direction?: "any" | "out" | "in";
	/** Add the sentence around each link. */
	readonly context?: boolean;
	/** Add unlinked mentions elsewhere. */
	readonly mentions?: boolean;
	/** Maximum entries of each list. */
	readonly limit?: number;
	/** Entries of each list to skip. */
	readonly offset?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** An unlinked mention of a note, with what is around it. */
export interface NoteMention {
	/** The note that contains it. */
	readonly path: string;
	/** Its line. */
	readonly line: number;
	/** The name as written there. */
	readonly text: string;
	/** Start and end character offset in the file, end excluded; `apply_links` takes it. */
	readonly span: readonly [number, number];
	/** The sentence around it. */
	readonly context: string;
	/** The day of its note, if `context` is requested: that in its name, else that of its creation. */
	readonly day?: string | null;
}

export interface OpenPairingArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A section of a note. */
export interface OutlinedSection {
	/** Its heading path, such as `A > B`. */
	readonly heading: string;
	/** First and last line, subsections included. */
	readonly lines: readonly [number, number];
	/** Characters, subsections included. */
	readonly chars: number;
	/** Words, subsections included. */
	readonly words: number;
}

/** A pairing code for one client. */
export interface PairingOpened {
	/** Six digits for the client to send. */
	readonly code: string;
	/** Seconds until the code expires. */
	readonly expires_in_s: number;
}

/** Counts of the requested parts; orphans, dead ends and sources include their own. */
export interface PartTotals {
	/** Connected notes. */
	readonly hubs?: number | null;
	/** The same notes. */
	readonly pagerank?: number | null;
	/** Unresolved names. */
	readonly stubs?: number | null;
	/** Groups of at least three notes. */
	readonly communities?: number | null;
	/** Sole links between two parts. */
	readonly bridges?: number | null;
	/** Notes whose removal splits the graph. */
	readonly articulations?: number | null;
	/** Mutually linked pairs. */
	readonly strong_pairs?: number | null;
}

/** A passage of a note in the index. */
export interface Passage {
	/** Its heading path. */
	readonly heading: string;
	/** First and last line. */
	readonly lines: readonly [number, number];
	/** Whether semantic search finds it. */
	readonly embedded: boolean;
}

export interface PauseIndexingArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Whether embedding is paused. */
export interface Paused {
	/** Whether embedding is paused; keyword indexing continues. */
	readonly paused: boolean;
}

/** What is left to index. */
export interface PendingCounts {
	/** Notes to be read. */
	readonly keyword: number;
	/** Passages to be embedded. */
	readonly vectors: number;
}

export interface PickLinkArguments {
	/** The words to link, or the subject of the note. */
	readonly words: string;
	/** The note that will contain the link; excluded from the results. */
	readonly path?: string | null;
	/** Maximum notes. */
	readonly limit?: number;
	/** Match words, meaning or both. */
	readonly mode?: "hybrid" | "keyword" | "semantic";
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface PlanTidyArguments {
	/** Only these checks, such as `attachments` for files that no note uses; `tidy_rules` lists them. Muted ones run only if named. */
	readonly checks?: readonly string[];
	/** Only findings about notes under this folder. */
	readonly folder?: string | null;
	/** Maximum findings in the plan. */
	readonly limit?: number;
	/** Leave out notes that were checked since they changed. */
	readonly skip_checked?: boolean;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A finding in a plan. */
export interface PlannedFinding {
	/** Its id in the plan, which is the block id of its line. */
	readonly id: string;
	/** The check that found it. */
	readonly check: string;
	/** What is done. */
	readonly text: string;
	/** The evidence. */
	readonly why: string;
	/** How sure it is, 0–1. */
	readonly confidence: number;
	/** Whether it is to be applied. */
	readonly ticked: boolean;
	/** The notes that it is about. */
	readonly notes: readonly string[];
	/** `open`, `proposed` if a change that applies it waits for the user, `applied`, or `stale`: a note changed. */
	readonly state: "open" | "proposed" | "applied" | "stale";
	/** What it writes; the user may put another value into its line, after `· instead:`. Null if it has none. */
	readonly value: string | null;
}

/** Add text at the start of the note, below its properties. */
export interface Prepend {
	/** The operation. */
	readonly op: "prepend";
	/** Markdown. */
	readonly text: string;
}

/** A fault of a workflow. */
export interface Problem {
	/** Its line; of the note, or of the text that was given. */
	readonly line: number;
	/** What is wrong, and the way out. */
	readonly message: string;
	/** Whether the workflow cannot run; else it is only a remark. */
	readonly serious?: boolean;
}

/** A property. */
export interface PropertyFacts {
	/** Its name, in the most common spelling. */
	readonly name: string;
	/** Notes that have it. */
	readonly notes: number;
	/** Their share of the notes looked at, from 0 to 1. */
	readonly share: number;
	/** The types of its values with the number of notes, most common first. */
	readonly types: Readonly<Record<string, number>>;
	/** The type that Obsidian assigns to it, if any. */
	readonly obsidian_type: string | null;
	/** Number of distinct values. */
	readonly values: number;
	/** Its most common values. */
	readonly examples: readonly string[];
	/** All spellings of its name. */
	readonly spellings: readonly string[];
	/** What is inconsistent. */
	readonly problems: readonly string[];
}

/** The properties in use, or the values of one. */
export interface PropertyReport {
	/** Most used first; none where values are asked for. */
	readonly properties: readonly PropertyFacts[];
	/** Count before `limit`. */
	readonly total: number;
	/** Notes looked at, or those that have the property. */
	readonly notes: number;
	/** Notes whose properties cannot be read, at most 50. */
	readonly unreadable?: readonly string[];
	/** Remarks, such as on a missing folder. */
	readonly notices?: readonly string[];
	/** The values of the property, most used first; null without `name`. */
	readonly values?: readonly ListedValue[] | null;
}

export interface PropertyReportArguments {
	/** List the values of this property, items of lists each on their own. */
	readonly name?: string | null;
	/** Only notes under this folder. */
	readonly folder?: string | null;
	/** Maximum properties or values. */
	readonly limit?: number;
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A note, or the requested part of it. */
export interface ReadNote {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** The requested text. */
	readonly text: string;
	/** SHA-256 of the whole file. */
	readonly digest: string;
	/** First and last line of `text`. */
	readonly lines: readonly [number, number];
	/** Lines of the whole note. */
	readonly total_lines: number;
	/** Its properties, parsed as YAML 1.2. */
	readonly properties: Readonly<Record<string, unknown>>;
	/** Heading paths of its sections, such as `A > B`, or `A > B (line 12)` if repeated; valid as `section`. */
	readonly headings: readonly string[];
	/** Its tags, without `#`. */
	readonly tags: readonly string[];
	/** Its aliases. */
	readonly aliases: readonly string[];
	/** What could not be parsed. */
	readonly problems: readonly string[];
	/** Arguments to read on, if truncated. */
	readonly next?: Next | null;
	/** Its sections, if requested. */
	readonly outline?: readonly OutlinedSection[] | null;
	/** Remarks, such as on a proposal that waits for it. */
	readonly notices?: readonly string[];
}

export interface ReadNoteArguments {
	/** The note. */
	readonly path: string;
	/** Only the section under this heading, such as `A > B`. */
	readonly section?: string | null;
	/** Only these lines, first and last. */
	readonly lines?: readonly [number, number] | null;
	/** Characters to skip, from `next`. */
	readonly offset?: number;
	/** Maximum characters of text; `next` reads on. */
	readonly max_chars?: number | null;
	/** Only headings, with lines and sizes: for a long note. */
	readonly outline?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ReadSettingsArguments {
	/** List the models that embed, chat or rank, installed or available; downloads nothing. */
	readonly models?: boolean;
	/** Say what is wrong with these globs for `exclude`, `deny` or `readonly`, and which notes they match. */
	readonly globs?: readonly string[];
	/** List the clients with their own tokens, and whether their changes apply at once. */
	readonly clients?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** What can be searched. */
export interface Ready {
	/** Whether the first full scan is complete. */
	readonly keyword: boolean;
	/** Whether `keyword` is true, a model answers and at least half of the passages have vectors. */
	readonly semantic: boolean;
	/** Whether `search` answers from all notes; true before `keyword` when a vault is read for the first time. */
	readonly words: boolean;
}

/** A link that the edit leaves out. */
export interface RefusedLink {
	/** The intended note. */
	readonly target: string;
	/** Line of the words. */
	readonly line: number;
	/** Why it cannot be a link. */
	readonly why: string;
}

export interface ReindexArguments {
	/** Notes to read again even if they look unchanged. */
	readonly paths?: readonly string[];
	/** Read every note and detect repeated lines again; keeps vectors of unchanged text. */
	readonly full?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface RelatedNotesArguments {
	/** The note; give this or `text`. */
	readonly path?: string | null;
	/** Only the passage at this line. */
	readonly line?: number | null;
	/** The text; give this or `path`. */
	readonly text?: string | null;
	/** Maximum hits. */
	readonly limit?: number;
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface RenameHeadingArguments {
	/** The note. */
	readonly path: string;
	/** The heading, or its path `A > B`. */
	readonly heading: string;
	/** Its new text. */
	readonly to: string;
	/** Digest of the note as read; a changed note is refused. */
	readonly digest?: string | null;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Replace the block with this id; the id stays. */
export interface ReplaceBlock {
	/** The operation. */
	readonly op: "replace_block";
	/** Its id, such as `^like-this`. */
	readonly block: string;
	/** Markdown. */
	readonly text: string;
}

/** Replace whole lines with exactly this text. */
export interface ReplaceLines {
	/** The operation. */
	readonly op: "replace_lines";
	/** First and last line. */
	readonly lines: readonly [number, number];
	/** The new text; empty to remove the lines. */
	readonly text: string;
}

/** Replace everything under a heading, subsections included; the heading line stays. */
export interface ReplaceSection {
	/** The operation. */
	readonly op: "replace_section";
	/** The heading or its path `A > B`; if repeated, `A > B (line 12)`. */
	readonly heading: string;
	/** Markdown, with or without the heading itself; its headings are deepened to fit. */
	readonly text: string;
}

/** Replace text that occurs once in the note. */
export interface ReplaceText {
	/** The operation. */
	readonly op: "replace_text";
	/** The exact text. */
	readonly old: string;
	/** The new text. */
	readonly new: string;
	/** Replace every occurrence. */
	readonly all?: boolean;
}

export interface ReportChangesArguments {
	/** Every file as the caller sees it; differing ones are read again. */
	readonly snapshot?: readonly Seen[];
	/** Individual changes. */
	readonly changes?: readonly Reported[];
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The outcome of a report. */
export interface ReportTaken {
	/** Notes whose change was not yet known. */
	readonly news: number;
}

/** Counts of each kind. */
export interface ReportTotals {
	/** Names that match an alias or nearly match a note; on this page, also those close in meaning. */
	readonly broken: number;
	/** All other unresolved names. */
	readonly stubs: number;
	/** Notes mentioned without a link. */
	readonly unlinked: number;
	/** Names shared by several notes. */
	readonly ambiguous: number;
}

/** A change seen by another program. */
export interface Reported {
	/** `upsert`, `rename` or `delete`. */
	readonly kind: "upsert" | "rename" | "delete";
	/** The file; after a rename, its new path. */
	readonly path: string;
	/** Its old path, after a rename. */
	readonly from?: string | null;
}

export interface ResumeIndexingArguments {
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ReviseMemoryArguments {
	/** The memory. */
	readonly path: string;
	/** What it is about. */
	readonly title?: string | null;
	/** Its new text; needs `digest`. */
	readonly text?: string | null;
	/** Text to add at its end. */
	readonly append?: string | null;
	/** What it is. */
	readonly kind?: "raw" | "learning" | "error" | "decision" | "plan" | "fact" | "preference" | "instruction" | "persona" | "open_question" | null;
	/** All its tags. */
	readonly tags?: readonly string[] | null;
	/** All its other names. */
	readonly aliases?: readonly string[] | null;
	/** All its scopes. */
	readonly scope?: readonly string[] | null;
	/** All notes that it is about. */
	readonly about?: readonly string[] | null;
	/** All files outside the vault. */
	readonly files?: readonly string[] | null;
	/** More properties; null removes one. */
	readonly metadata?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean | null)[] | null>>;
	/** How sure it is. */
	readonly confidence?: number | null;
	/** Day on which it stops to hold, or a number of days such as `90d`; empty for never. */
	readonly expires?: string | null;
	/** Whether every `recall` in its scope returns it. */
	readonly pinned?: boolean | null;
	/** Whether it is settled, and not recalled any more. */
	readonly resolved?: boolean | null;
	/** Digest of the note as read; required with `text`. */
	readonly digest?: string | null;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface RevokeClientArguments {
	/** Its name or id. */
	readonly client: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A note that violates a rule. */
export interface RuleViolation {
	/** The note. */
	readonly path: string;
	/** The line of the property; null where something is missing or the file's name is meant. */
	readonly line: number | null;
	/** What the rule is about, as in `conventions`. */
	readonly kind: "required" | "type" | "values" | "condition" | "tag" | "name" | "heading" | "link";
	/** The property, tag, heading, link target, or pattern. */
	readonly name: string;
	/** What the note has instead; empty if something is missing. */
	readonly found: string;
	/** The types or values that are allowed, or the condition. */
	readonly expected: readonly string[];
	/** The allowed value that is most similar, if one is. */
	readonly suggestion: string | null;
	/** The schema note that says so; null for an inferred rule. */
	readonly schema_note: string | null;
	/** For an inferred rule, the share of notes that keep it. */
	readonly share: number | null;
}

export interface RunWorkflowArguments {
	/** The note of the workflow. */
	readonly path: string;
	/** The values of its variables, by name. */
	readonly variables?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean | null)[] | null>>;
	/** Its expected effect, such as that of a dry run; any other is refused. */
	readonly expect?: Expectation | null;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The serving process. */
export interface RunningBridge {
	/** Its address. */
	readonly url: string;
	/** Its process id. */
	readonly pid: number;
	/** When it started. */
	readonly since: string;
}

export interface SearchArguments {
	/** What to look for. */
	readonly query: string;
	/** Maximum hits. */
	readonly limit?: number;
	/** Words, meaning or both; `deep` reranks. */
	readonly mode?: "hybrid" | "keyword" | "semantic" | "deep";
	/** Only notes under this folder. */
	readonly folder?: string | null;
	/** Only notes with all these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Only notes with these values; a list matches any. */
	readonly properties?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean | null)[] | null>>;
	/** Only notes modified since this time. */
	readonly modified_after?: string | null;
	/** Only notes modified before this time. */
	readonly modified_before?: string | null;
	/** Only these file types. */
	readonly types?: readonly ("note" | "canvas" | "excalidraw" | "pdf")[];
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** Add ranking details. */
	readonly explain?: boolean;
	/** Tokens of passages to add. */
	readonly passage_tokens?: number;
	/** Only these notes, or those in these folders. */
	readonly paths?: readonly string[];
	/** Drop hits with a lower score. */
	readonly min_score?: number;
	/** Only notes for which this Bases expression holds, such as `rating > 3`. */
	readonly where?: string;
	/** Search all served vaults and shared stores. */
	readonly everywhere?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Hits, best first, one per note. */
export interface SearchResult {
	/** The best matches. */
	readonly hits: readonly Hit[];
	/** The mode used; `keyword` without a model, `hybrid` for `deep` without a reranker. */
	readonly mode_used: "hybrid" | "keyword" | "semantic" | "deep";
	/** Duration in milliseconds. */
	readonly took_ms: number;
	/** What is not indexed yet. */
	readonly freshness: Freshness;
	/** Remarks, such as on a misunderstood part of the query. */
	readonly notices: readonly string[];
	/** Ranking details, if requested. */
	readonly explain?: Readonly<Record<string, unknown>> | null;
	/** How many notes match. */
	readonly total?: number;
	/** Whether the vault answers the query; null where nothing was asked, as in `related_notes`. */
	readonly answerability?: Answerability | null;
}

/** A file as another program sees it. */
export interface Seen {
	/** The file. */
	readonly path: string;
	/** Modification time, in seconds since 1970, or milliseconds as in Obsidian. */
	readonly mtime: number;
	/** Size in bytes. */
	readonly size: number;
}

/** What was brought into a session. */
export interface SessionInjections {
	/** The session, as in `list_sessions`. */
	readonly session: string;
	/** The notes, the last one first. */
	readonly items: readonly InjectedItem[];
	/** Tokens of all of them, estimated. */
	readonly tokens: number;
}

export interface SetPropertiesArguments {
	/** The note. */
	readonly path: string;
	/** Digest of the note as read; a changed note is refused. */
	readonly digest?: string | null;
	/** New values by name. */
	readonly properties?: Readonly<Record<string, unknown>>;
	/** Properties to remove. */
	readonly remove?: readonly string[];
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface SetUpMemoryArguments {
	/** Its path, if not that of the setting `agents_folder`, which is set to it and needs the scope `admin`. */
	readonly folder?: string | null;
	/** Whether to add templates for notes of other kinds. */
	readonly templates?: boolean;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** One setting. */
export interface Setting {
	/** Its name in the file. */
	readonly name: string;
	/** What it is called in panes. */
	readonly title: string;
	/** Its value; null for `deny` unless the caller may change it. */
	readonly value: unknown;
	/** Its default. */
	readonly default: unknown;
	/** Its type. */
	readonly type: string;
	/** Its effect. */
	readonly meaning: string;
	/** Whether a change takes effect only after a restart. */
	readonly restart: boolean;
}

/** The settings in use. */
export interface SettingsInUse {
	/** The settings file. */
	readonly path: string;
	/** Every setting; after a change, those that were changed. */
	readonly settings: readonly Setting[];
	/** Rejected lines, and why; after a change of `deny`, also which notes still tell of what it hides. */
	readonly problems: readonly string[];
	/** If asked for, models installable by name, and models made from files. */
	readonly models?: readonly ListedModel[] | null;
	/** The globs that were given, in their order. */
	readonly globs?: readonly CheckedGlob[] | null;
	/** If asked for, the clients with their own tokens, the oldest first. */
	readonly clients?: readonly ListedClient[] | null;
}

/** The outcome for some changes. */
export interface Settled {
	/** The requested changes, with their new state. */
	readonly changes: readonly ListedChange[];
	/** The change that did it; null if nothing was written. */
	readonly change_id: string | null;
	/** Unified diff. */
	readonly diff: string;
	/** `applied`, or `proposed` if it awaits approval. */
	readonly state: "applied" | "proposed";
	/** Warnings about the change. */
	readonly warnings: readonly string[];
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
	/** The change in one line; empty if nothing is to be written. */
	readonly would?: string;
}

export interface ShowChangeArguments {
	/** Its id, from the write or `list_changes`. */
	readonly change_id: string;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ShowPlanArguments {
	/** The note of the plan; by default the one there is. */
	readonly path?: string | null;
	/** Only this finding, such as `g3`, ticked or not, with what it would change. */
	readonly finding?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A change to notes, in full. */
export interface ShownChange {
	/** Its id. */
	readonly id: string;
	/** When it was made or proposed. */
	readonly time: string;
	/** The requesting program. */
	readonly client: string | null;
	/** The program's session. */
	readonly session: string | null;
	/** The operation. */
	readonly operation: string;
	/** Its stated reason; before it, what accepting it means for what agents may do. */
	readonly reason: string | null;
	/** The files it touched, by their names then. */
	readonly paths: readonly string[];
	/** Unified diff; truncated in a list if long. */
	readonly diff: string;
	/** Its state; `expired`: it waited too long, or the same was done otherwise; `conflict`: a crash cut it off, and these files, edited since, may still have it. */
	readonly state: "applied" | "proposed" | "rejected" | "expired" | "undone" | "conflict";
	/** When a proposal expires. */
	readonly expires: string | null;
	/** The changes it undid. */
	readonly undoes: readonly string[];
	/** The writer: the bridge to `disk`, or `obsidian`; null until written. */
	readonly by: "disk" | "obsidian" | null;
	/** Those files' names today. */
	readonly now: readonly string[];
	/** The hunks, each of which can be accepted or undone. */
	readonly hunks: readonly ShownHunk[];
}

/** Changed lines of a note, with context. */
export interface ShownHunk {
	/** Its number, to accept or undo it. */
	readonly number: number;
	/** The note. */
	readonly path: string;
	/** Its lines before; without any, the last is one less than the first. */
	readonly before: readonly [number, number];
	/** Its lines afterwards, likewise. */
	readonly after: readonly [number, number];
	/** The lines, word by word. */
	readonly words: readonly Words[];
	/** Whether it was undone. */
	readonly undone: boolean;
}

/** A passage of a note as a reader sees it, without invisible text. */
export interface ShownPassage {
	/** Its heading path; may be empty. */
	readonly heading: string;
	/** First and last line. */
	readonly lines: readonly [number, number];
	/** Its text. */
	readonly text: string;
	/** `note` for a whole note, `section`, `passage`, or `outline` for the headings only. */
	readonly form?: "note" | "section" | "passage" | "outline";
}

/** A plan as its note says now. */
export interface ShownPlan {
	/** The note of the plan. */
	readonly path: string;
	/** The findings that are listed in it, in its order. */
	readonly findings: readonly PlannedFinding[];
	/** How many are ticked. */
	readonly ticked: number;
	/** The counts that would differ if all that is ticked were applied. */
	readonly forecast: readonly CountForecast[];
	/** What cannot be applied. */
	readonly notices: readonly string[];
	/** Unified diff of what `finding` would change; absent without one. */
	readonly diff?: string | null;
}

/** A file that a change of many notes leaves as it is. */
export interface SkippedFile {
	/** The file. */
	readonly path: string;
	/** Why it is not changed. */
	readonly why: string;
}

/** Two notes whose link is the only one between two parts of the graph. */
export interface SoleLink {
	/** One note. */
	readonly source: string;
	/** The other. */
	readonly target: string;
	/** Notes that would be cut off from the larger part. */
	readonly holds: number;
}

/** A note that should be looked through. */
export interface StaleNote {
	/** The note. */
	readonly path: string;
	/** Its title. */
	readonly title: string;
	/** When it was last modified: after a copy of the vault, by its properties or git, as far as they tell. */
	readonly modified: string;
	/** Whole days since then. */
	readonly age_days: number;
	/** Notes that link to it. */
	readonly backlinks: number;
	/** How much looking through it would matter; comparable within one answer only. */
	readonly score: number;
	/** What speaks for it, such as who leans on it and which words age. */
	readonly why: readonly string[];
}

/** Notes that are old and leaned upon. */
export interface StaleNotes {
	/** The most urgent first. */
	readonly notes: readonly StaleNote[];
	/** Count before `limit`. */
	readonly total: number;
	/** Remarks, such as on a missing folder. */
	readonly notices?: readonly string[];
}

export interface StaleNotesArguments {
	/** Days for which a note was not modified. */
	readonly days?: number;
	/** Only notes under this folder. */
	readonly folder?: string | null;
	/** Maximum notes. */
	readonly limit?: number;
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The state of the bridge. */
export interface Status {
	/** Every vault, or the requested one. */
	readonly vaults: readonly VaultStatus[];
	/** The bridge's version. */
	readonly version: string;
	/** The serving process; null if a command opened the vaults itself. */
	readonly bridge: RunningBridge | null;
	/** Shared disk usage, if requested. */
	readonly disk?: Disk | null;
}

export interface StatusArguments {
	/** Add disk usage, measured from the files. */
	readonly disk?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A step of a workflow. */
export interface StepOutcome {
	/** Its id. */
	readonly id: string;
	/** The change or question. */
	readonly do: string;
	/** Whether it was done, or skipped because of its conditions. */
	readonly state: "done" | "skipped";
	/** How often it was done. */
	readonly turns: number;
	/** How many results a question had; null for a change. */
	readonly found: number | null;
	/** The note of its last change; null without one. */
	readonly path: string | null;
}

/** Two notes that link to each other. */
export interface StrongPair {
	/** The one with more links to the other. */
	readonly source: string;
	/** The other. */
	readonly target: string;
	/** Links between them. */
	readonly links: number;
}

/** A name that notes link to and no note has. */
export interface Stub {
	/** The name as first written. */
	readonly name: string;
	/** Notes that link to it. */
	readonly wanted: number;
	/** The first of them. */
	readonly notes: readonly string[];
}

export interface SuggestLinksArguments {
	/** The note; give this or `text`. */
	readonly path?: string | null;
	/** Any Markdown; give this or `path`. */
	readonly text?: string | null;
	/** Only these lines, first and last. */
	readonly lines?: readonly [number, number] | null;
	/** `conservative` is right four times in five, `aggressive` misses little. */
	readonly strictness?: "conservative" | "balanced" | "aggressive";
	/** Maximum suggestions. */
	readonly limit?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface SummariseArguments {
	/** These notes, or those in these folders. */
	readonly paths?: readonly string[];
	/** Notes with all these tags; `a` matches `a/b`. */
	readonly tags?: readonly string[];
	/** Notes changed in this session, from `list_sessions`. */
	readonly session?: string | null;
	/** Notes modified since this time. */
	readonly modified_after?: string | null;
	/** Notes modified before this time. */
	readonly modified_before?: string | null;
	/** One sentence, three, or ten; of several notes one each of 5, 15 or 50. */
	readonly length?: "line" | "short" | "long";
	/** What the summary should be about. */
	readonly focus?: string;
	/** `extract` takes sentences of notes; `chat` lets a chat model write or fails; `auto` extracts if none can. */
	readonly mode?: "auto" | "extract" | "chat";
	/** `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder. */
	readonly among?: "notes" | "agents" | "all" | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A summary of notes. */
export interface Summary {
	/** The sentences, one after the other; of several notes a list with a link to each, under their groups. */
	readonly text: string;
	/** Each sentence with its place: of one note in the order of its lines, of several notes one each. */
	readonly sentences: readonly SummarySentence[];
	/** Notes that were read. */
	readonly notes: number;
	/** Notes of which nothing is told, because there are too many or none is about the focus. */
	readonly left_out: number;
	/** Remarks, such as on a note that cannot be read. */
	readonly notices: readonly string[];
	/** `chat` if a chat model wrote it, `extract` if its sentences stand in the notes. */
	readonly mode_used?: "extract" | "chat";
	/** Whether the chat model wrote it for an earlier call. */
	readonly cached?: boolean;
	/** Tokens that the chat model read; 0 without one. */
	readonly tokens_read?: number;
	/** Tokens that it wrote. */
	readonly tokens_written?: number;
}

/** A sentence of a summary. */
export interface SummarySentence {
	/** The sentence, or the names in a list or table. */
	readonly text: string;
	/** The note in which it stands, or whose text supports it. */
	readonly path: string;
	/** First and last line. */
	readonly lines: readonly [number, number];
	/** Of several notes, the folder or the day or month of the note; may be empty. */
	readonly group?: string;
}

export interface SupersedeMemoryArguments {
	/** The outdated memories. */
	readonly path: readonly string[];
	/** The memory that replaces them; `remember` with `supersedes` writes a new one. */
	readonly by: string;
	/** Take it back instead. */
	readonly reverse?: boolean;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The tags in use. */
export interface TagList {
	/** Most used first. */
	readonly tags: readonly ListedTag[];
	/** Remarks, such as on an unused `prefix`. */
	readonly notices?: readonly string[];
}

export interface TakeOverArguments {
	/** The handoff; by default, the newest that nobody took, for this client or any. */
	readonly path?: string | null;
	/** Do not mark it as taken over. */
	readonly peek?: boolean;
	/** Maximum tokens. */
	readonly budget?: number;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** A handoff, with what became of its claims. */
export interface TakenHandoff {
	/** Its note. */
	readonly path: string;
	/** What is to be reached. */
	readonly goal: string;
	/** How far it was. */
	readonly state: string;
	/** What to do first. */
	readonly next_action: string;
	/** What must not be done or changed. */
	readonly constraints: readonly string[];
	/** When to stop and ask. */
	readonly stop_conditions: readonly string[];
	/** What was not known. */
	readonly unknowns: readonly string[];
	/** Notes and files that matter. */
	readonly artifacts: readonly string[];
	/** The claims, those first that no longer hold. */
	readonly claims: readonly CheckedClaim[];
	/** Its notes that were changed after it. */
	readonly changed_since: readonly ChangedSince[];
	/** The client that handed over; empty for a person. */
	readonly agent: string;
	/** The client that should take over; null for any. */
	readonly to: string | null;
	/** When. */
	readonly created: string;
	/** Whether it is marked as taken over now. */
	readonly taken: boolean;
	/** Entries omitted because of the budget; the note has them. */
	readonly left_out: number;
}

/** A page of a list of tasks. */
export interface TaskList {
	/** The tasks on this page. */
	readonly tasks: readonly ListedTask[];
	/** Remarks, such as on a missing folder or tag. */
	readonly notices?: readonly string[];
	/** Count before `limit` and `offset`. */
	readonly total: number;
	/** `offset` of the next page; absent on the last. */
	readonly next_offset?: number | null;
}

/** A plan that was made. */
export interface TidyPlan {
	/** The note of the plan; null if nothing was found. */
	readonly path: string | null;
	/** Its findings. */
	readonly findings: readonly PlannedFinding[];
	/** Findings that the plan has no room for. */
	readonly left_out: number;
	/** The counts that would differ if all that is very likely right (.85 and more) were applied. */
	readonly forecast: readonly CountForecast[];
	/** The checks that looked. */
	readonly checks: readonly CheckRun[];
	/** Remarks, such as on muted checks. */
	readonly notices: readonly string[];
	/** `applied` if the note was written, `proposed` if it waits for the user. */
	readonly state: "applied" | "proposed";
	/** The change that wrote it; null without a note. */
	readonly change_id: string | null;
}

/** A check, and how the user judged it. */
export interface TidyRule {
	/** Its name. */
	readonly check: string;
	/** What it looks for. */
	readonly looks_for: string;
	/** Findings that the user accepted or applied. */
	readonly accepted: number;
	/** Findings that the user rejected. */
	readonly rejected: number;
	/** Expected share of findings that are accepted; .5 before any judgement. */
	readonly rate: number;
	/** Whether it is left out of plans. */
	readonly muted: boolean;
	/** Why it is muted; empty if it is not. */
	readonly why: string;
	/** Whether the user has all that it finds ticked in new plans. */
	readonly ticked: boolean;
}

/** The checks. */
export interface TidyRules {
	/** The checks, in the order of plans. */
	readonly rules: readonly TidyRule[];
}

export interface TidyRulesArguments {
	/** The check to change; what is left out stays as it is. */
	readonly check?: string | null;
	/** Whether plans leave it out; unmuting forgets how its findings were judged before. */
	readonly muted?: boolean | null;
	/** Whether new plans tick all that it finds. */
	readonly ticked?: boolean | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

export interface ToggleTaskArguments {
	/** The note. */
	readonly path: string;
	/** Its text, from `list_tasks`. */
	readonly text: string;
	/** Its line, from `list_tasks`, where the note has several such tasks; refused if another is there now. */
	readonly line?: number | null;
	/** The new character; by default, what a click sets. */
	readonly status?: string | null;
	/** Digest of the note, from `list_tasks`. Without it, an equal task that moved to the line is toggled. */
	readonly digest?: string | null;
	/** Only preview the change. */
	readonly dry_run?: boolean;
	/** Why, for the user. */
	readonly reason?: string | null;
	/** Proceed although confirmation is asked for. */
	readonly confirm?: boolean;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** Something that a journal says. */
export interface ToldLine {
	/** What it is. */
	readonly what: "decision" | "outcome" | "question" | "task";
	/** What it says. */
	readonly text: string;
}

/** A question of the same conversation, and its answer. */
export interface Turn {
	/** What was asked. */
	readonly question: string;
	/** What was answered. */
	readonly answer: string;
}

export interface UndoChangeArguments {
	/** Its id, or a session's, from `list_changes`; `session` is yours. */
	readonly change_id: string;
	/** Only these hunks of `show_change`. */
	readonly hunks?: readonly number[] | null;
	/** Make an undone change again. */
	readonly redo?: boolean;
	/** Only preview the change. */
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
	/** Names used for it, most frequent first. */
	readonly said: readonly string[];
	/** Notes that likely mean it by one of its names without linking to it. */
	readonly mentioned: number;
	/** Notes that link to it. */
	readonly linked: number;
	/** The first notes that mention it. */
	readonly notes: readonly string[];
	/** Where they do. */
	readonly places: readonly UnlinkedPlace[];
}

/** An unlinked mention of a note. */
export interface UnlinkedPlace {
	/** The note that contains it. */
	readonly path: string;
	/** Its line. */
	readonly line: number;
	/** The name as written there. */
	readonly text: string;
}

export interface UsageArguments {
	/** Days to look back. */
	readonly days?: number;
	/** Only calls of this client. */
	readonly client?: string | null;
	/** The vault, by name or id; optional while there is one. */
	readonly vault?: string | null;
}

/** The calls of some days. */
export interface UsageReport {
	/** Days covered, up to now. */
	readonly days: number;
	/** All calls. */
	readonly total: Use;
	/** By code, most frequent first. */
	readonly errors: readonly ErrorCount[];
	/** By tool, most called first. */
	readonly tools: readonly Use[];
	/** By client, most active first. */
	readonly clients: readonly Use[];
}

/** The calls of one kind. */
export interface Use {
	/** The tool or the client. */
	readonly name: string;
	/** Number of calls. */
	readonly calls: number;
	/** Calls that ended in an error. */
	readonly errors: number;
	/** Median duration in milliseconds. */
	readonly p50_ms: number;
	/** 95th percentile in milliseconds. */
	readonly p95_ms: number;
	/** Tokens sent, estimated from the characters by script. */
	readonly tokens_out: number;
	/** Tokens of the whole Markdown notes behind the answers, estimated as bytes / 4; a note counts once per session, or daily without one. */
	readonly tokens_whole: number;
}

/** How often a memory was recalled or read. */
export interface UseCount {
	/** How often. */
	readonly times: number;
	/** When last; null if never. */
	readonly last: string | null;
}

/** An answer from the vault's notes. */
export interface VaultAnswer {
	/** The answer in Markdown, with the numbers of what it cites, such as `[1]`; empty if no note says it. */
	readonly answer: string;
	/** Whether the vault answers the question; null for a question without words. */
	readonly answerability: Answerability | null;
	/** `chat` if a chat model wrote it, `extract` if its sentences stand in the notes. */
	readonly mode_used: "extract" | "chat";
	/** Its sentences, each with what it cites. */
	readonly sentences: readonly AnswerSentence[];
	/** Sentences of notes that say so, best first. */
	readonly citations: readonly Citation[];
	/** The excerpts that were read. */
	readonly context: readonly AnswerExcerpt[];
	/** Remarks, such as on a mentioned note for which there was no room. */
	readonly notices: readonly string[];
	/** Tokens that the chat model read; 0 without one. */
	readonly tokens_read?: number;
	/** Tokens that it wrote. */
	readonly tokens_written?: number;
	/** What it looked up before it answered, in order. */
	readonly steps?: readonly AnswerStep[];
	/** What it wrote where the cited notes do not say most of it; then the answer is quoted from notes. */
	readonly withheld?: string;
}

/** Bytes kept for one vault. */
export interface VaultDisk {
	/** The index, which is rebuilt if deleted. */
	readonly index: number;
	/** Note contents before and after changes. */
	readonly history: number;
	/** The rest: records of changes and calls with their backups, the log, a damaged index. */
	readonly state: number;
}

/** The index of one vault. */
export interface VaultStatus {
	/** The vault's id. */
	readonly id: string;
	/** The vault's name. */
	readonly name: string;
	/** Its folder. */
	readonly path: string;
	/** Notes in the index. */
	readonly notes: number;
	/** Passages in the index. */
	readonly passages: number;
	/** Outstanding work. */
	readonly pending: PendingCounts;
	/** What can be searched. */
	readonly ready: Ready;
	/** Files left out by a rule. */
	readonly skipped: LeftOut;
	/** Files that could not be read. */
	readonly failed: LeftOut;
	/** The model in use; null without one. */
	readonly model: ModelInUse | null;
	/** Passages ever embedded for this vault. */
	readonly embedded_total: number;
	/** Embedding progress; null while idle. */
	readonly embedding: Embedding | null;
	/** Whether embedding is paused. */
	readonly paused: boolean;
	/** Why indexing is stopped. */
	readonly trouble: string | null;
	/** Disk usage, if requested. */
	readonly disk: VaultDisk | null;
	/** Whether the bridge has looked for a model; until then `model` is null. */
	readonly model_known?: boolean;
	/** Why no model can be used; null once llama.cpp is installed. */
	readonly model_setup?: ModelSetup | null;
	/** Notes of each type that a property `type` names, most frequent first. */
	readonly types?: Readonly<Record<string, number>>;
	/** When the index last took in changes; null before the first time. */
	readonly indexed?: string | null;
	/** Whether an index on disk finds the vectors that a search compares, as they are more than the setting `memory_mb` allows. */
	readonly vectors_on_disk?: boolean;
}

/** A group of connected notes. */
export interface ViewCommunity {
	/** Its number, the same in `graph_insights` and `graph_view`; 0 is the largest. */
	readonly number: number;
	/** The title of its best-connected note, or of the next if a larger one has it. */
	readonly name: string;
	/** Its notes, shown or not. */
	readonly size: number;
}

/** An edge of the drawing. */
export interface ViewEdge {
	/** One node's `id`. */
	readonly source: number;
	/** The other's; a one-way link points here. */
	readonly target: number;
	/** Its edge kinds. */
	readonly kinds: readonly ("wiki" | "embed" | "markdown" | "property" | "canvas" | "arrow" | "tag" | "folder" | "similar")[];
	/** Strength. */
	readonly weight: number;
}

/** A node of the drawing. */
export interface ViewNode {
	/** Its id in edges. */
	readonly id: number;
	/** The note; null for an unresolved name or a community. */
	readonly path: string | null;
	/** Its title or name. */
	readonly title: string;
	/** Its type. */
	readonly type: "note" | "canvas" | "excalidraw" | "pdf" | "stub" | "community";
	/** Horizontal position. */
	readonly x: number;
	/** Vertical position. */
	readonly y: number;
	/** Size, 1–10, by its connections. */
	readonly size: number;
	/** Its connections in the whole graph; for a community, its notes. */
	readonly joined: number;
	/** Its community's number, if any. */
	readonly community: number | null;
	/** Its tags, if requested. */
	readonly tags?: readonly string[] | null;
	/** The type that its property `type` names, if any. */
	readonly note_type?: string;
}

/** Equal, removed or added text. */
export interface Words {
	/** `same`, `removed` or `added`. */
	readonly kind: "same" | "removed" | "added";
	/** The text. */
	readonly text: string;
}

/** What a workflow did, or would do. */
export interface WorkflowOutcome {
	/** Its id for `undo_change`; null if nothing was written. */
	readonly change_id: string | null;
	/** The note, by its path afterwards. */
	readonly path: string;
	/** SHA-256 of the whole file afterwards, or in a dry run or a proposal now; null without one. */
	readonly digest: string | null;
	/** Unified diff; of replaced files, of at most 1,000. */
	readonly diff: string;
	/** `applied`, or `proposed` if it awaits approval; a dry run predicts it. */
	readonly state: "applied" | "proposed";
	/** Warnings about the change. */
	readonly warnings: readonly string[];
	/** Links updated in other places. */
	readonly links_rewritten: number;
	/** Links to files, headings and blocks that are gone afterwards. */
	readonly links_broken: readonly LostLink[];
	/** Files written, moved or removed. */
	readonly files: number;
	/** What wrote it: the bridge to `disk`, or `obsidian`. */
	readonly by: "disk" | "obsidian";
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
	/** The change in one line. */
	readonly would: string;
	/** Why a dry run's change needs confirmation; null if it does not. */
	readonly confirmation: string | null;
	/** The files, with a folder as one; at most 1,000. */
	readonly changed: readonly ChangedFile[];
	/** Of a dry run that only changes notes: the id with which `change_set` makes exactly this change, as long as nothing that it touches has changed; absent otherwise. */
	readonly preview?: string | null;
	/** The digest of the workflow's block. */
	readonly workflow_digest: string;
	/** Whether the user approved it as it is. */
	readonly approved: boolean;
	/** Its conditions. */
	readonly conditions: readonly ConditionOutcome[];
	/** Its steps. */
	readonly steps: readonly StepOutcome[];
	/** What the workflow says at its end; may be empty. */
	readonly output: string;
	/** The counts of the vault that differ afterwards; only of a dry run. */
	readonly forecast?: readonly CountForecast[];
}

/** The workflows of a vault. */
export interface WorkflowPage {
	/** By path. */
	readonly workflows: readonly ListedWorkflow[];
	/** Workflows that can be taken as a start. */
	readonly starters: readonly WorkflowStarter[];
	/** Count before `limit` and `offset`. */
	readonly total: number;
	/** `offset` of the next page; absent on the last. */
	readonly next_offset?: number | null;
}

/** A workflow that comes with the bridge, for `author_workflow`. */
export interface WorkflowStarter {
	/** Its name, for the argument `starter`. */
	readonly name: string;
	/** What it does. */
	readonly description: string;
}

/** A variable of a workflow. */
export interface WorkflowVariable {
	/** Its name. */
	readonly name: string;
	/** What it takes. */
	readonly type: "text" | "number" | "yes-no" | "list" | "choice" | "date" | "note";
	/** Whether it must be given. */
	readonly required: boolean;
	/** Its value if it is not given; null without one. */
	readonly default: string | number | boolean | readonly (string | number | boolean | null)[] | null;
	/** The values of a `choice`. */
	readonly choices: readonly string[];
	/** What it is for; may be empty. */
	readonly description: string;
	/** Its line in the block. */
	readonly line: number;
}

/** A change made, proposed or previewed. */
export interface Written {
	/** Its id for `undo_change`; null if nothing was written. */
	readonly change_id: string | null;
	/** The note, by its path afterwards. */
	readonly path: string;
	/** SHA-256 of the whole file afterwards, or in a dry run or a proposal now; null without one. */
	readonly digest: string | null;
	/** Unified diff; of replaced files, of at most 1,000. */
	readonly diff: string;
	/** `applied`, or `proposed` if it awaits approval; a dry run predicts it. */
	readonly state: "applied" | "proposed";
	/** Warnings about the change. */
	readonly warnings: readonly string[];
	/** Links updated in other places. */
	readonly links_rewritten: number;
	/** Links to files, headings and blocks that are gone afterwards. */
	readonly links_broken: readonly LostLink[];
	/** Files written, moved or removed. */
	readonly files: number;
	/** What wrote it: the bridge to `disk`, or `obsidian`. */
	readonly by: "disk" | "obsidian";
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
	/** The change in one line. */
	readonly would: string;
	/** Why a dry run's change needs confirmation; null if it does not. */
	readonly confirmation: string | null;
	/** The files, with a folder as one; at most 1,000. */
	readonly changed: readonly ChangedFile[];
	/** Of a dry run that only changes notes: the id with which `change_set` makes exactly this change, as long as nothing that it touches has changed; absent otherwise. */
	readonly preview?: string | null;
}

/** A workflow that was written. */
export interface WrittenWorkflow {
	/** Its id for `undo_change`; null if nothing was written. */
	readonly change_id: string | null;
	/** The note, by its path afterwards. */
	readonly path: string;
	/** SHA-256 of the whole file afterwards, or in a dry run or a proposal now; null without one. */
	readonly digest: string | null;
	/** Unified diff; of replaced files, of at most 1,000. */
	readonly diff: string;
	/** `applied`, or `proposed` if it awaits approval; a dry run predicts it. */
	readonly state: "applied" | "proposed";
	/** Warnings about the change. */
	readonly warnings: readonly string[];
	/** Links updated in other places. */
	readonly links_rewritten: number;
	/** Links to files, headings and blocks that are gone afterwards. */
	readonly links_broken: readonly LostLink[];
	/** Files written, moved or removed. */
	readonly files: number;
	/** What wrote it: the bridge to `disk`, or `obsidian`. */
	readonly by: "disk" | "obsidian";
	/** Whether this is a dry run; nothing was written. */
	readonly dry_run: boolean;
	/** The change in one line. */
	readonly would: string;
	/** Why a dry run's change needs confirmation; null if it does not. */
	readonly confirmation: string | null;
	/** The files, with a folder as one; at most 1,000. */
	readonly changed: readonly ChangedFile[];
	/** Of a dry run that only changes notes: the id with which `change_set` makes exactly this change, as long as nothing that it touches has changed; absent otherwise. */
	readonly preview?: string | null;
	/** The digest of its block; until the user approves it, no agent runs it. */
	readonly workflow_digest: string;
	/** Its faults and remarks, each with its line in the block. */
	readonly problems: readonly Problem[];
	/** What it needs to be told. */
	readonly variables?: readonly WorkflowVariable[];
	/** Its steps in short. */
	readonly steps?: readonly string[];
	/** Properties of the examples that are not in it: too few have them, or a plugin writes them. */
	readonly left_out?: readonly string[];
	/** What the examples say and it does not: headings, how many lines of them, and the first of these. */
	readonly text_left_out?: readonly string[];
}

export interface Operations {
	/** Find notes by words and meaning. */
	search: {
		arguments: SearchArguments;
		result: SearchResult;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "model_missing";
	};
	/** Find notes similar to a note or text, in meaning and by links. */
	related_notes: {
		arguments: RelatedNotesArguments;
		result: SearchResult;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Find notes that a link may lead to, by name and content. */
	pick_link: {
		arguments: PickLinkArguments;
		result: SearchResult;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "model_missing";
	};
	/** Summarise notes by their own sentences, or by what a chat model writes, if there is one and the notes support it. */
	summarise: {
		arguments: SummariseArguments;
		result: Summary;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "model_missing" | "busy";
	};
	/** Answer a question from the notes, with citations; sentences that the cited notes do not support are marked. */
	ask: {
		arguments: AskArguments;
		result: VaultAnswer;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "forbidden" | "settings_unreadable" | "model_missing" | "busy";
	};
	/** List notes by folder, tags, properties, links and dates, or by any condition. */
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
	/** List notes that were not modified for long although others link to them, with what speaks for a review. */
	stale_notes: {
		arguments: StaleNotesArguments;
		result: StaleNotes;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path";
	};
	/** Read a note from disk: all of it, one section, some lines, or only its outline. */
	read_note: {
		arguments: ReadNoteArguments;
		result: ReadNote;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "heading_not_found" | "ambiguous_heading";
	};
	/** Create a note; an existing one is never overwritten. */
	create_note: {
		arguments: CreateNoteArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_exists" | "settings_unreadable" | "confirmation_required";
	};
	/** Change a note's text, all edits or none; the rest stays byte for byte. */
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
	/** Merge a note into another: its text goes below a heading there, its links follow, and it goes to the trash. */
	merge_notes: {
		arguments: MergeNotesArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "invalid_properties" | "settings_unreadable" | "confirmation_required";
	};
	/** Rename a heading; every link to it is rewritten in its own style. */
	rename_heading: {
		arguments: RenameHeadingArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "heading_not_found" | "ambiguous_heading" | "confirmation_required";
	};
	/** List the properties of notes with types, common values, spellings and inconsistencies, or the values of one. */
	property_report: {
		arguments: PropertyReportArguments;
		result: PropertyReport;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path";
	};
	/** List what in notes violates the rules of schema notes, and the conventions of other notes. */
	check_notes: {
		arguments: CheckNotesArguments;
		result: CheckedNotes;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Change all notes, or those that fit all of `folder`, `tag`, `where` and `paths`, as one. */
	change_notes: {
		arguments: ChangeNotesArguments;
		result: ManyWritten;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "folder_not_found" | "text_not_found" | "note_exists" | "expectation_failed" | "confirmation_required";
	};
	/** Leave something out of the report that lists it, from now on; reports say how many rows they left out. */
	dismiss: {
		arguments: DismissArguments;
		result: DismissalCount;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "declined";
	};
	/** Look for broken links, duplicates and inconsistencies, and propose what to do in a note, as tasks to tick. */
	plan_tidy: {
		arguments: PlanTidyArguments;
		result: TidyPlan;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "folder_not_found" | "confirmation_required";
	};
	/** Show the plan as its note says now: which findings are ticked, which still hold, and the counts afterwards. */
	show_plan: {
		arguments: ShowPlanArguments;
		result: ShownPlan;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "text_not_found";
	};
	/** Do what is ticked in the plan, as one change; of a client that may only propose, as a proposal. */
	apply_plan: {
		arguments: ApplyPlanArguments;
		result: AppliedPlan;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "confirmation_required";
	};
	/** Accept or reject a finding of the plan: it is ticked, or unticked and never proposed again. */
	judge_finding: {
		arguments: JudgeFindingArguments;
		result: JudgedFinding;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "text_not_found" | "declined";
	};
	/** List the checks that look for what to tidy, with how the user judged what they found; the user may mute a check. */
	tidy_rules: {
		arguments: TidyRulesArguments;
		result: TidyRules;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "declined";
	};
	/** List the workflows: notes of `type: workflow` with steps, which agents may run once the user approved them. */
	list_workflows: {
		arguments: ListWorkflowsArguments;
		result: WorkflowPage;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Run a workflow as one change: all of its steps or none, undone together. Agents run only approved ones. */
	run_workflow: {
		arguments: RunWorkflowArguments;
		result: WorkflowOutcome;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "forbidden" | "declined" | "expectation_failed" | "confirmation_required";
	};
	/** Write a workflow into the agents' folder; the user must approve it before an agent runs it. */
	author_workflow: {
		arguments: AuthorWorkflowArguments;
		result: WrittenWorkflow;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "confirmation_required";
	};
	/** List tasks by status, day, tags and place; of templates if named. */
	list_tasks: {
		arguments: ListTasksArguments;
		result: TaskList;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Change the box of a task as a click in Obsidian does, or to any mark. */
	toggle_task: {
		arguments: ToggleTaskArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "text_not_found" | "note_changed" | "confirmation_required";
	};
	/** List what was changed or proposed through the bridge, newest first. */
	list_changes: {
		arguments: ListChangesArguments;
		result: ListedChanges;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Show a change or proposal in full, with its state. */
	show_change: {
		arguments: ShowChangeArguments;
		result: ShownChange;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "change_not_found";
	};
	/** Undo a change or session, or withdraw your proposals. Later edits are kept; where they overlap, it is refused. */
	undo_change: {
		arguments: UndoChangeArguments;
		result: Settled;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "change_not_found" | "change_conflict";
	};
	/** Claim a change from an `apply_change` event, to make it in Obsidian; the first claim within a second wins. */
	claim_change: {
		arguments: ClaimChangeArguments;
		result: ClaimedChange;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden" | "change_not_found" | "change_conflict";
	};
	/** Report whether a claimed change was made, at any later time. The file on disk decides. */
	acknowledge_change: {
		arguments: AcknowledgeChangeArguments;
		result: Acknowledged;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden" | "change_not_found" | "change_conflict";
	};
	/** List what waits for the user, and what agents may do without asking. */
	list_decisions: {
		arguments: ListDecisionsArguments;
		result: ListedDecisions;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Answer what waits for the user, or answer it otherwise than before; only the user can. */
	decide: {
		arguments: DecideArguments;
		result: DecisionOutcome;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden" | "change_not_found" | "change_conflict" | "note_not_found" | "note_changed";
	};
	/** List a note's links, backlinks and unresolved links. */
	note_links: {
		arguments: NoteLinksArguments;
		result: NoteLinks;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Find names of notes in prose that should be links, likeliest first, with the evidence for each. */
	suggest_links: {
		arguments: SuggestLinksArguments;
		result: LinkSuggestions;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Record whether a suggested link was accepted or declined; later suggestions learn from it. */
	judge_link: {
		arguments: JudgeLinkArguments;
		result: LinkJudged;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "text_not_found" | "declined";
	};
	/** Turn words that name notes into links, written as Obsidian would. */
	apply_links: {
		arguments: ApplyLinksArguments;
		result: LinkEdit;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed";
	};
	/** Report unresolved links and what they may mean, unlinked mentions, and ambiguous names. */
	link_report: {
		arguments: LinkReportArguments;
		result: LinkReport;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "folder_not_found";
	};
	/** Find how one note leads to another: the shortest paths, each step with the sentence that links. */
	graph_path: {
		arguments: GraphPathArguments;
		result: GraphPaths;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Report the structure of the graph: hubs, orphans, dead ends, wanted notes, communities, bridges, missing links. */
	graph_insights: {
		arguments: GraphInsightsArguments;
		result: GraphInsights;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Draw the graph around a note, or all of it. The same notes keep their places. */
	graph_view: {
		arguments: GraphViewArguments;
		result: GraphView;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "folder_not_found";
	};
	/** Report how the graph grew week by week, on days when a bridge ran: new, vanished and newly linked notes. */
	graph_history: {
		arguments: GraphHistoryArguments;
		result: GraphHistory;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Create the folder in which agents keep memories, journals and handoffs; a person must agree to it. */
	set_up_memory: {
		arguments: SetUpMemoryArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "confirmation_required";
	};
	/** List the memories that hold now; listing one does not count as use. */
	list_memories: {
		arguments: ListMemoriesArguments;
		result: MemoryPage;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Change a memory; what is not named stays byte for byte. */
	revise_memory: {
		arguments: ReviseMemoryArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "note_changed" | "confirmation_required";
	};
	/** Replace memories by another, after which they are not recalled any more. */
	supersede_memory: {
		arguments: SupersedeMemoryArguments;
		result: Written;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "confirmation_required";
	};
	/** Archive a memory, so that it is not recalled any more; its note stays. */
	forget_memory: {
		arguments: ForgetMemoryArguments;
		result: ForgottenMemory;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "forbidden" | "confirmation_required";
	};
	/** Say whether a memory was useful, wrong or stale; a doubted one is left out of `brief`. */
	judge_memory: {
		arguments: JudgeMemoryArguments;
		result: JudgedMemory;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Take over a handoff: each of its claims is checked again, and what was changed since is listed. */
	take_over: {
		arguments: TakeOverArguments;
		result: TakenHandoff;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "forbidden";
	};
	/** List the sessions of the last 90 days: client, start, end, calls, errors, changed notes and journal. */
	list_sessions: {
		arguments: ListSessionsArguments;
		result: ListedSessions;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Tell what matters for a task at the beginning of a session: the open handoff, last sessions and memories. */
	brief: {
		arguments: BriefArguments;
		result: AgentBrief;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "forbidden";
	};
	/** List the notes that `brief`, `recall` and passages of `search` brought into sessions of the last 90 days. */
	list_injections: {
		arguments: ListInjectionsArguments;
		result: ListedInjections;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden";
	};
	/** Give a note to an open session: the next answer to one of its tools begins with it, cut to 400 tokens. */
	give_note: {
		arguments: GiveNoteArguments;
		result: GivenNote;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "forbidden";
	};
	/** Show what is indexed, pending and left out in each vault. */
	status: {
		arguments: StatusArguments;
		result: Status;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Show what the index holds of a file, what was left out, and why search does not find it. */
	index_status: {
		arguments: IndexStatusArguments;
		result: IndexStatus;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found";
	};
	/** Hint that files may have changed. The disk decides, and repeats are harmless. */
	report_changes: {
		arguments: ReportChangesArguments;
		result: ReportTaken;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Compare the vault with the index and read again what differs. */
	reindex: {
		arguments: ReindexArguments;
		result: JobStarted;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "outside_vault" | "protected_path" | "note_not_found" | "forbidden";
	};
	/** Pause embedding until it is resumed; words and links stay up to date. */
	pause_indexing: {
		arguments: PauseIndexingArguments;
		result: Paused;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden";
	};
	/** Resume embedding. */
	resume_indexing: {
		arguments: ResumeIndexingArguments;
		result: Paused;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready" | "forbidden";
	};
	/** Check the model, index, watcher, runtime file, vault, changes, disk, settings and tokens. */
	doctor: {
		arguments: DoctorArguments;
		result: Diagnosis;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Report calls, errors, speed and tokens sent, compared with the cost of reading the whole notes. */
	usage: {
		arguments: UsageArguments;
		result: UsageReport;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "not_ready";
	};
	/** Show every setting with its value, default and meaning. */
	read_settings: {
		arguments: ReadSettingsArguments;
		result: SettingsInUse;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "forbidden";
	};
	/** Change settings; other lines and comments of the file are kept. */
	change_settings: {
		arguments: ChangeSettingsArguments;
		result: SettingsInUse;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Revoke a client's token: its next request is refused and its open connections end. */
	revoke_client: {
		arguments: RevokeClientArguments;
		result: ListedClients;
		error: AnyCallError | "invalid_arguments" | "no_such_vault";
	};
	/** Let one client get its own token: show the code to the person, who gives it to the client. */
	open_pairing: {
		arguments: OpenPairingArguments;
		result: PairingOpened;
		error: AnyCallError | "invalid_arguments" | "no_such_vault" | "forbidden" | "not_ready";
	};
}

export type OperationName = keyof Operations;
