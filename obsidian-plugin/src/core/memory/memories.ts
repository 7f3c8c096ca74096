import type { AgentBrief, ListedMemory, SessionInjections } from "../../protocol/operations";
import { age } from "../notes/note-labels";
import { titleOf } from "../place";

/** What narrows the memories; null does not. */
export interface MemoryFilters {
	readonly kind: ListedMemory["kind"] | null;
	readonly tier: ListedMemory["tier"] | null;
	readonly agent: string | null;
	/** The path of a note that memories are about. */
	readonly about: string | null;
}

export const ALL: MemoryFilters = { kind: null, tier: null, agent: null, about: null };

export interface FilterChip {
	readonly text: string;
	readonly without: MemoryFilters;
}

/** One chip for each thing that narrows. */
export function filterChips(filters: MemoryFilters): readonly FilterChip[] {
	const { kind, tier, agent, about } = filters;
	return [
		...(kind === null ? [] : [{ text: kindName(kind), without: { ...filters, kind: null } }]),
		...(tier === null ? [] : [{ text: tier, without: { ...filters, tier: null } }]),
		...(agent === null ? [] : [{ text: `by ${agent}`, without: { ...filters, agent: null } }]),
		...(about === null ? [] : [{ text: `about ${titleOf(about)}`, without: { ...filters, about: null } }]),
	];
}

/** Whether a memory passes the filters. */
export function passes(memory: ListedMemory, { kind, tier, agent, about }: MemoryFilters): boolean {
	return (kind === null || memory.kind === kind) && (tier === null || memory.tier === tier) && (agent === null || memory.agent === agent) && (about === null || isAbout(memory, about));
}

function isAbout({ about }: ListedMemory, path: string): boolean {
	const names = [titleOf(path), path.replace(/\.md$/, "")].map((name) => name.toLowerCase());
	return about.some((name) => names.includes(name.toLowerCase()));
}

const ICONS: Readonly<Record<ListedMemory["kind"], string>> = {
	raw: "circle-dashed",
	learning: "graduation-cap",
	error: "bug",
	decision: "scale",
	plan: "map",
	fact: "info",
	preference: "heart",
	instruction: "list-checks",
	persona: "user",
	open_question: "help-circle",
};

export function kindIcon(kind: ListedMemory["kind"]): string {
	return ICONS[kind];
}

/** A kind in words: "open question". */
export function kindName(kind: ListedMemory["kind"]): string {
	return kind.replaceAll("_", " ");
}

/** The first line of a memory that says something. */
export function firstLine({ text }: ListedMemory): string {
	return text.split("\n").find((line) => line.trim() !== "")?.trim() ?? "";
}

/** Who wrote a memory and when, how often it was used, and when it ends. */
export function memoryFacts({ agent, created, used, expires }: ListedMemory, now: number): string {
	const times = used.times === 0 ? "not used yet" : `used ${used.times.toLocaleString()} ${used.times === 1 ? "time" : "times"}`;
	const ends = expires === null ? [] : [`expires ${new Date(expires).toLocaleDateString(undefined, { dateStyle: "medium" })}`];
	return [...(agent === null ? [] : [agent]), age(created, now), times, ...ends].join(" · ");
}

/** A memory that a person should look at. */
export interface Concern {
	readonly memory: ListedMemory;
	readonly why: string;
}

/** Find the memories whose properties are wrong, that contradict another, or that say or begin with what an older one does. */
export function findConcerns(memories: readonly ListedMemory[]): readonly Concern[] {
	const said = new Map<string, ListedMemory>();
	const oldest = [...memories].sort((one, other) => one.created.localeCompare(other.created));
	return oldest.flatMap((memory) => {
		const words = foldText(memory.text);
		const same = words === "" ? undefined : said.get(words);
		if (same === undefined) said.set(words, memory);
		return [
			...memory.problems.map((problem) => ({ memory, why: problem })),
			...memory.conflicts.map((other) => ({ memory, why: `Contradicts “${other}”.` })),
			...(same === undefined ? [] : [{ memory, why: `${isCut(memory) ? "Begins like" : "Says the same as"} “${same.title}”.` }]),
		];
	});
}

/** Whether only the beginning of a text is known. */
function isCut({ text }: ListedMemory): boolean {
	return text.endsWith("…");
}

function foldText(text: string): string {
	return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/** What a session would be told now, beside what it was told. */
export interface BriefDifference {
	/** The notes that it was not given yet. */
	readonly fresh: readonly string[];
	/** Those that it was given before. */
	readonly again: readonly string[];
	/** Those that its last briefing gave, and that would not be told now. */
	readonly gone: readonly string[];
}

/** Compare what a session would be told now with what it was given. */
export function briefDifference({ items }: AgentBrief, given: SessionInjections | undefined): BriefDifference {
	const was = (given?.items ?? []).filter(({ tool }) => tool !== "");
	const before = new Set(was.map(({ path }) => path));
	const now = [...new Set(items.map(({ path }) => path))];
	return {
		fresh: now.filter((path) => !before.has(path)),
		again: now.filter((path) => before.has(path)),
		gone: was.filter(({ tool, path }) => tool === "brief" && !now.includes(path)).map(({ path }) => path),
	};
}
