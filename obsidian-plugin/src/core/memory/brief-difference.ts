import type { AgentBrief, SessionInjections } from "../../protocol/operations";

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
