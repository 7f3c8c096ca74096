/** What stands between the brackets of a link that is being picked. */
export interface LinkQuery {
	/** Where the brackets begin, and where what is replaced ends: after the brackets that close, if they are there. */
	readonly from: number;
	readonly to: number;
	/** What is looked for. */
	readonly query: string;
	/** What the link shall show, when it was said after a bar. */
	readonly shown: string | null;
}

const MAX_QUERY_CHARS = 200;
const OPENED = /(?:\[\[|【【)[?？]([^[\]【】]*)$/;
const CLOSED = /^([^[\]【】]*)(?:\]\]|】】)/;

/**
 * Find the link that is being picked at the cursor: `[[?` and words, with `|` what it shall show. Brackets may be those
 * of Chinese keyboards. Where the app has closed the brackets, all between them counts, such as words that were selected.
 *
 * @param line The line.
 * @param ch Where in it the cursor is.
 */
export function linkQueryAt(line: string, ch: number): LinkQuery | null {
	const before = OPENED.exec(line.slice(0, ch));
	if (before === null || (before[1]?.length ?? 0) > MAX_QUERY_CHARS) return null;
	const after = CLOSED.exec(line.slice(ch));
	const said = (before[1] ?? "") + (after?.[1] ?? "");
	const bar = said.indexOf("|");
	return {
		from: before.index,
		to: ch + (after?.[0].length ?? 0),
		query: (bar === -1 ? said : said.slice(0, bar)).trim(),
		shown: bar === -1 ? null : said.slice(bar + 1).trim(),
	};
}

/** What a note is called. */
export interface NoteNames {
	/** The name of its file, which a link shows by itself. */
	readonly name: string;
	readonly title: string;
	readonly aliases: readonly string[];
}

/**
 * Choose what a link shows that was picked by these words; empty for the note's name.
 *
 * Words that name the note, or are a phrase of the sentence, stay as they were typed; the beginning of a name becomes
 * the whole name; a question, or what only a search understands, is no text of a note.
 */
export function displayText(typed: string, { name, title, aliases }: NoteNames): string {
	const said = typed.trim();
	if (said === name || isQuestion(said)) return "";
	const names = [name, title, ...aliases];
	if (names.some((one) => isInflected(said, one))) return said;
	if (begins(name, said)) return "";
	const begun = aliases.find((one) => begins(one, said));
	if (begun !== undefined) return begun;
	const words = wordsOf(said);
	return words.length < 2 || words.every((word) => wordsOf(name).some((one) => begins(one, word))) ? "" : said;
}

/** Write a link so that it can stand on a line: the bars of a table would end its cell. */
export function onLine(link: string, line: string): string {
	return /^\s*\|/.test(line) ? link.replace(/\\?\|/g, "\\|") : link;
}

const ASKING = /^(?:who|what|when|where|which|why|how|is|are|was|does|do|did|can|could|should)\s|[?？]$|什么|怎么|怎样|为何|如何|哪|谁|吗/iu;
const OPERATORS = /["()]|(?:^|\s)-\S|\bOR\b|\w:\S|\[\w/u;
/** As many letters as an ending may add to a name. */
const ENDING = 3;

function isQuestion(said: string): boolean {
	return said === "" || ASKING.test(said) || OPERATORS.test(said);
}

function foldText(text: string): string {
	return text.normalize("NFC").toLowerCase();
}

function begins(name: string, said: string): boolean {
	return foldText(name).startsWith(foldText(said));
}

function isInflected(said: string, name: string): boolean {
	return begins(said, name) && said.length - name.length <= ENDING && name !== "";
}

function wordsOf(text: string): readonly string[] {
	const cut = new Intl.Segmenter(undefined, { granularity: "word" });
	return [...cut.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}
