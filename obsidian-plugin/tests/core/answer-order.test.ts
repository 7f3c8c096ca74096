import { expect, test } from "vitest";
import { AnswerOrder } from "../../src/core/answer-order";

test("an answer is late once a later one was taken, and only then", () => {
	const newest = new AnswerOrder();
	const [first, second, third] = [newest.ask(), newest.ask(), newest.ask()];
	expect(second()).toBe(false);
	expect(first()).toBe(true);
	expect(third()).toBe(false);
	expect(second()).toBe(true);
	expect(newest.ask()()).toBe(false);
});
