import { expect, test } from "vitest";
import { asMarkdown, historyOf, mentionBefore, mentionOf, nameOf, withMention } from "../../../src/core/answers/conversation";
import type { VaultAnswer } from "../../../src/protocol/operations";

const ANSWER: VaultAnswer = {
	answer: "It is fed [1]. It flies [2].",
	answerability: null,
	mode_used: "chat",
	sentences: [
		{ text: "It is fed.", cites: [1], supported: true },
		{ text: "It flies.", cites: [2], supported: false },
	],
	citations: [{ number: 1, path: "Bread/Levain.md", heading: "", lines: [3, 3], quote: "It is fed twice." }],
	context: [{ number: 2, path: "Kitchen.md", heading: "", lines: [1, 1], tokens: 9 }],
	notices: [],
	tokens_read: 1,
	tokens_written: 1,
};
const link = (path: string): string => `[[${path}]]`;

test("an answer in a note links what it cites and says what is not supported", () => {
	expect(asMarkdown(ANSWER, link)).toBe("It is fed. ([[Bread/Levain.md]]) It flies. ([[Kitchen.md]]) *(not in these notes)*");
	expect(asMarkdown({ ...ANSWER, mode_used: "extract", sentences: ANSWER.sentences.slice(0, 1) }, link)).toBe("> It is fed. ([[Bread/Levain.md]])");
	expect(asMarkdown({ ...ANSWER, sentences: [], answer: "The notes do not say." }, link)).toBe("The notes do not say.");
});

test("what another program said is named and not linked", () => {
	const context = [{ number: 2, path: "", heading: "", lines: [1, 1] as const, tokens: 9, tool: "weather__forecast" }];
	expect(asMarkdown({ ...ANSWER, context }, link)).toBe("It is fed. ([[Bread/Levain.md]]) It flies. (weather__forecast) *(not in these notes)*");
});

test("only questions that were answered are told, the last ones", () => {
	const asked = Array.from({ length: 9 }, (_, at) => ({ question: `q${at}`, answer: at === 8 ? null : ANSWER }));
	expect(historyOf(asked).map(({ question }) => question)).toEqual(["q2", "q3", "q4", "q5", "q6", "q7"]);
	expect(historyOf([{ question: "q", answer: { ...ANSWER, answer: "" } }])).toEqual([]);
});

test("a note of an answer is named by its question, as a file may be", () => {
	expect(nameOf("What is a/b: \"c\"?")).toBe("What is a b c");
	expect(nameOf("x".repeat(200))).toHaveLength(80);
});

test("a note is mentioned after an @ before the cursor", () => {
	expect(mentionBefore("what is @Lev")).toBe("Lev");
	expect(mentionBefore("what is @")).toBe("");
	expect(mentionBefore("mail a@b")).toBeNull();
	expect(mentionBefore("@[[Levain]] and")).toBeNull();
	expect(withMention("what is @Lev", " like", mentionOf("Bread/Levain.md", false))).toEqual({ text: "what is @[[Bread/Levain]] like", cursor: 26 });
	expect(mentionOf("Bread", true)).toBe("@Bread/");
	expect(mentionOf("My bread", true)).toBe('@"My bread/"');
});
