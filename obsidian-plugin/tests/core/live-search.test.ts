import { expect, test } from "vitest";
import type { Answer } from "../../src/client/client";
import type { SearchArguments } from "../../src/protocol/operations";
import { LiveSearch } from "../../src/core/live-search";

/** Searches that are answered when the test says so. */
class Scene {
	readonly asked: string[] = [];
	readonly found: string[] = [];
	private answers: ((answer: Answer<"search">) => void)[] = [];
	private pauses: (() => void)[] = [];
	readonly asking = new LiveSearch(
		({ query, mode }: SearchArguments) => {
			this.asked.push(`${mode} ${query}`);
			return new Promise((resolve) => this.answers.push(resolve));
		},
		({ question, answer, final }) => this.found.push(`${question.query} ${answer.ok ? "" : answer.error.code}${final ? "!" : "…"}`),
		() => new Promise((resolve) => this.pauses.push(resolve)),
	);

	/** Let the time pass after which meaning is asked. */
	async pause(): Promise<void> {
		for (const resolve of this.pauses.splice(0)) resolve();
		await settled();
	}

	async answer(ok = true): Promise<void> {
		const result = { hits: [], mode_used: "hybrid", took_ms: 1, freshness: { pending_keyword: 0, pending_vectors: 0 }, notices: [] } as const;
		const error = { code: "not_ready", message: "", hint: "" } as const;
		this.answers.shift()?.(ok ? { ok, result } : { ok, error });
		await settled();
	}
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("words answer first, then meaning", async () => {
	const scene = new Scene();
	scene.asking.ask({ query: "rye" });
	await scene.answer();
	expect(scene.asked).toEqual(["keyword rye"]);
	await scene.pause();
	await scene.answer();
	expect(scene.asked).toEqual(["keyword rye", "hybrid rye"]);
	expect(scene.found).toEqual(["rye …", "rye !"]);
});

test("one call at a time, and what was typed between is never asked", async () => {
	const scene = new Scene();
	for (const query of ["r", "ry", "rye"]) scene.asking.ask({ query });
	expect(scene.asked).toEqual(["keyword r"]);
	await scene.answer();
	expect(scene.asked).toEqual(["keyword r", "keyword rye"]);
	await scene.answer();
	await scene.pause();
	await scene.answer();
	expect(scene.found).toEqual(["r …", "rye …", "rye !"]);
});

test("the next key does not wait for the pause, and of what was before it the meaning is not asked", async () => {
	const scene = new Scene();
	scene.asking.ask({ query: "ry" });
	await scene.answer();
	scene.asking.ask({ query: "rye" });
	await settled();
	expect(scene.asked).toEqual(["keyword ry", "keyword rye"]);
	await scene.pause();
	await scene.answer();
	await scene.pause();
	expect(scene.asked).toEqual(["keyword ry", "keyword rye", "hybrid rye"]);
});

test("a failure is final", async () => {
	const scene = new Scene();
	scene.asking.ask({ query: "rye" });
	await scene.answer(false);
	expect(scene.asked).toEqual(["keyword rye"]);
	expect(scene.found).toEqual(["rye not_ready!"]);
});

test("nothing is told once nothing is wanted, and asking again works", async () => {
	const scene = new Scene();
	scene.asking.ask({ query: "rye" });
	scene.asking.stop();
	await scene.answer();
	expect(scene.found).toEqual([]);
	scene.asking.ask({ query: "oats" });
	await scene.answer();
	expect(scene.found).toEqual(["oats …"]);
	scene.asking.stop();
	await scene.pause();
	expect(scene.asked).toEqual(["keyword rye", "keyword oats"]);
});
