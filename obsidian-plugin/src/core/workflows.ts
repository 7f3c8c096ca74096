import type { CountForecast, WorkflowOutcome, WorkflowVariable } from "../protocol/operations";

type Given = WorkflowVariable["default"];

/** The value of a variable as it is edited. */
export function formatValue(value: Given): string {
	return Array.isArray(value) ? value.join("\n") : String(value ?? "");
}

/** What was typed as the value of a variable; nothing stands for its default. */
export function parseValue({ type }: Pick<WorkflowVariable, "type">, typed: string): Given {
	if (type !== "list") return typed;
	return typed.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** The counts that would differ, as one line. */
export function describeForecast(counts: readonly CountForecast[]): string {
	return counts.map(({ name, before, after }) => `${name === "dangling" ? "unresolved links" : name} ${before.toLocaleString()} → ${after.toLocaleString()}`).join(" · ");
}

/** What a workflow would do, in a sentence for each part. */
export function describeOutcome({ files, conditions, steps, forecast, warnings }: Pick<WorkflowOutcome, "files" | "conditions" | "steps" | "forecast" | "warnings">): string {
	const skipped = steps.filter(({ state }) => state === "skipped").map(({ id }) => id);
	return [
		files === 1 ? "1 file changes." : `${files.toLocaleString()} files change.`,
		...(skipped.length > 0 ? [`Left out: ${skipped.join(", ")}.`] : []),
		...conditions.flatMap(({ id, holds }) => (holds === null ? [] : [`${id} is ${holds ? "true" : "false"}.`])),
		...(forecast !== undefined && forecast.length > 0 ? [`${describeForecast(forecast)}.`] : []),
		...warnings,
	].join(" ");
}
