import { describe, expect, test } from "vitest";
import { FORMS, VERSION } from "../../src/protocol/operations";
import { compare, findOutdated } from "../../src/core/compatibility";

const OURS = Object.entries(FORMS).map(([name, form]) => ({ name, form }));

describe("a bridge", () => {
	test("of the same build fits", () => {
		expect(findOutdated(OURS, VERSION)).toBeNull();
	});

	test("that can do more fits, also when it is newer", () => {
		expect(findOutdated([...OURS, { name: "sing", form: "0" }], "99.0.0")).toBeNull();
	});

	test.each(Object.keys(FORMS))("without %s is too old", (missing) => {
		expect(findOutdated(OURS.filter(({ name }) => name !== missing), VERSION)).toBe("bridge");
	});

	test("that answers otherwise is too old, or newer than the plugin", () => {
		const changed = OURS.map((one) => (one.name === "search" ? { ...one, form: "0" } : one));
		expect([findOutdated(changed, "0.0.9"), findOutdated(changed, VERSION), findOutdated(changed, "99.0")]).toEqual([
			"bridge",
			"bridge",
			"plugin",
		]);
	});
});

test.each([
	["0.1.0", "0.1.0", 0],
	["0.2.0", "0.10.0", -1],
	["1.0", "0.9.9", 1],
	["1.0.1", "1.0", 1],
	["1.0.0rc1", "1.0.0", 0],
])("%s against %s", (one, other, sign) => {
	expect(Math.sign(compare(one, other))).toBe(sign);
});
