import { describe, expect, test } from "vitest";
import { backOff, type Connection, explainConnection, heals, inWords, isOpen, next, OFF } from "../../src/core/connection";

const CONNECTING: Connection = { is: "connecting" };
const READY: Connection = { is: "ready", note: null };
const REFUSED: Connection = { is: "refused" };
const OLD: Connection = { is: "incompatible", update: "bridge" };
const ALL: readonly Connection[] = [OFF, CONNECTING, { is: "indexing", done: 0.5 }, READY, REFUSED, OLD];

describe("the connection", () => {
	test("goes from off over connecting and indexing to ready", () => {
		const steps = [
			{ what: "try" },
			{ what: "progress", done: 0.25, note: null },
			{ what: "progress", done: 1, note: null },
		] as const;
		const seen: Connection[] = [];
		steps.reduce<Connection>((now, happened) => {
			const then = next(now, happened);
			seen.push(then);
			return then;
		}, OFF);
		expect(seen).toEqual([CONNECTING, { is: "indexing", done: 0.25 }, READY]);
	});

	test.each([OFF, REFUSED, OLD])("does not open from $is by late news", (now) => {
		expect(next(now, { what: "progress", done: 1, note: null })).toBe(now);
	});

	test.each(ALL)("can be lost and tried again from $is", (now) => {
		expect(next(now, { what: "lost", why: { kind: "silent" } })).toEqual({ is: "off", why: { kind: "silent" } });
		expect(next(now, { what: "try" })).toEqual(CONNECTING);
	});

	test("is open while it indexes and when it is ready", () => {
		expect(ALL.filter(isOpen).map((one) => one.is)).toEqual(["indexing", "ready"]);
	});

	test("heals by itself only when something may come back", () => {
		expect([REFUSED, OLD, READY, OFF].filter((one) => heals(one, 1))).toEqual([]);
		expect(heals({ is: "off", why: { kind: "silent" } }, 100)).toBe(true);
		expect(heals({ is: "off", why: { kind: "not_installed" } }, 100)).toBe(true);
		const failed: Connection = { is: "off", why: { kind: "failed", reason: "No." } };
		expect([1, 2, 3].map((failures) => heals(failed, failures))).toEqual([true, true, false]);
	});

	test.each(ALL)("has a word and a sentence for $is", (now) => {
		expect(inWords(now)).not.toBe("");
		expect(explainConnection(now)).toMatch(/\.$/);
	});

	test("says whole per cent, and never a hundred too early", () => {
		expect(inWords({ is: "indexing", done: 0.999 })).toBe("Indexing 99 %");
	});
});

describe("backing off", () => {
	test("doubles from half a second to a quarter of a minute", () => {
		expect([1, 2, 3, 4, 5, 6, 60].map((failures) => backOff(failures, 0.5))).toEqual([
			500, 1000, 2000, 4000, 8000, 15_000, 15_000,
		]);
	});

	test("strays by a quarter", () => {
		expect([backOff(1, 0), backOff(1, 1)]).toEqual([375, 625]);
	});
});
