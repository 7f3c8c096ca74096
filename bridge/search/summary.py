"""Sums up notes by what they say first: no model is needed, and nothing is said that is not there."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, zip_longest

from msgspec.structs import replace

from bridge.markdown.links import WIKI
from bridge.markdown.note import Heading, Note, Piece, PieceKind
from bridge.search.sentences import COLONS, LINES_BELOW, Sentence, iter_asides, iter_sentences, join_introduced
from bridge.search.snippet import clean_text
from bridge.text.content_terms import said_terms, terms_of
from bridge.text.fold import fold_case
from bridge.text.stems import language_of
from bridge.text.words import count_words
from bridge.types import Lines

_PAIRS = (("[[", "]]"), ("\\begin{", "\\end{"), ("<!--", "-->"))
_COUNTS = re.compile(r"(?:(?:, )?(?:searched|read|changed) [\d,]+ (?:time|note)s?)+\.?", re.IGNORECASE)
"""What the journal of a session says of how much was done, which sums up nothing."""

_TEMPLATE = re.compile(r"<%|%>|\{\{.*\}\}|\[[A-Z][A-Z -]{2,}\]")
"""A field that nobody filled, as in `{{title}}` or `[YEAR]`."""

_LABELS = re.compile(r"(?:#\S++\s*+)++|[\w -]{1,30}::.*|[\W\d_]+")
"""Tags, a field for Dataview, or no word at all."""

_ADDRESS = re.compile(r"!?\[[^\[\]\n]*+\]\([^)\n]{0,1000}\)|<?https?://[^\s>]+>?")

_ASIDE: frozenset[PieceKind] = frozenset({"quote", "callout"})
"""What comes after running text, wherever it stands."""

MIN_ITEMS = 3
"""Items or rows from which a list is told by its first ones."""

MAX_ITEM_WORDS = 5
"""Words of an item, on average, up to which it names something and does not say it."""

ITEMS_SHOWN = 4
MAX_LIST_CHARS = 250
"""Characters of a sentence that ends with a colon, with the items below it."""

_CUT = ("…", "...")
"""Ends of a sentence that its author leaves open, or a page that shows the beginning of a text."""

_STOPPED = ".:。："
"""What a heading may end with before a colon follows it."""

STOPS = (".", "!", "?", "。", "！", "？", "।", "۔")

LONG_NOTE_WORDS, MIN_SECTIONS = 300, 3
"""Words and sections of a note from which a summary goes through its sections."""

MIN_TOLD = 5
"""Sentences of a summary from which it tells something of the sections; a shorter one names them."""

LEAD_SENTENCES, LEAD_WORDS = 4, 4
"""Sentences at the beginning of a note of which one may say what it is about, and the words that it needs."""

MAX_LABEL_WORDS = 3
"""Words with a colon that only say what a link is, as in `Source: <https://example.org>`."""

MIN_WORDS = 5
"""Words below which a sentence, such as `See also A.`, does not stand for one of several notes."""


def choose_sentences_of(notes: Sequence[Note], most: int, focus: str = "") -> list[Sentence]:
    """Return the first sentences of each note in turn, or those about a focus, in the order of their lines."""
    if focus and (about := find_sentences_about(notes, list(_distinct(map(read_content, notes))), most, focus)):
        return about
    said = list(_distinct(read_content(note, gathers=most > 1) for note in notes))
    if len(notes) != 1:
        return _first_of_each(said, most)
    [note], [own] = notes, said
    sections = _split_sections(note, own) if sum(one.words for one in own) >= LONG_NOTE_WORDS else []
    if most == 1:
        return _tell_subject(note, own)
    if sum(heading is not None for heading, _ in sections) < MIN_SECTIONS:
        return _begin(note, own, most)
    return _name_sections(note, sections, most) if most < MIN_TOLD else _tell_sections(note, sections, most)


def _tell_subject(note: Note, said: Sequence[Sentence]) -> list[Sentence]:
    """Return the first sentence of a note; after a short one the next that says a word of the title, or is longer."""
    ordered = sorted(said[:LEAD_SENTENCES], key=lambda one: one.kind in _ASIDE)
    whole = [one for one in ordered if one.words >= LEAD_WORDS]
    named = [one for one in whole if names_subject(note, [one])]
    return ordered[:1] if ordered[:1] == whole[:1] else [*named, *whole, *ordered][:1]


def _begin(note: Note, said: Sequence[Sentence], most: int) -> list[Sentence]:
    """Return the first sentences of a note; where they hardly say its title, that which says most of it is the last."""
    first = next((at for at, one in enumerate(said) if one.words >= LEAD_WORDS or names_subject(note, [one])), 0)
    chosen = _first_of_each([said[first:]], most)
    language = language_of(note.text[note.body :])
    title = frozenset(terms_of(note.title, language))
    shares = {one: 2 * len(said_terms(title, terms_of(one.text, language))) for one in said}
    best = max(shares, key=shares.__getitem__, default=None)
    if best is None or shares[best] < len(title) or any(shares[one] >= len(title) for one in chosen):
        return chosen
    return sorted([*chosen[: most - 1], best], key=lambda one: one.lines)


def names_subject(note: Note, said: Iterable[Sentence]) -> bool:
    """Return whether sentences say a word of the title."""
    language = language_of(note.text[note.body :])
    title = frozenset(terms_of(note.title, language))
    return any(said_terms(title, terms_of(one.text, language)) for one in said)


def _split_sections(note: Note, said: Sequence[Sentence]) -> list[tuple[Heading | None, list[Sentence]]]:
    """Return the sections of a note by the highest level of its headings that has several; what precedes them first."""
    levels = Counter(one.level for one in note.headings)
    level = min((one for one, count in levels.items() if count > 1), default=0)
    headings = [None, *(one for one in note.headings if one.level == level)]
    starts = [one.line for one in headings if one is not None]
    split = groupby(said, key=lambda one: bisect_right(starts, one.lines[0]))
    return [(headings[at], list(found)) for at, found in split]


def _name_sections(
    note: Note, sections: Sequence[tuple[Heading | None, Sequence[Sentence]]], most: int
) -> list[Sentence]:
    """Return the first sentences of a long note and, as the last one, the names of its sections."""
    headings = [heading for heading, _ in sections if heading]
    first = _first_of_each([[one for _, said in sections for one in said]], most - 1)
    names = [clean_text(one.text) for one in headings]
    lines = headings[0].line, headings[-1].line
    return [*_with_headings(note, sections, first), _list(note, "Sections", names, lines)]


def _tell_sections(
    note: Note, sections: Sequence[tuple[Heading | None, Sequence[Sentence]]], most: int
) -> list[Sentence]:
    """Return the first sentence of a note and those of its sections in turn, the longest first, with their headings."""
    turns = [sections[0], *sorted(sections[1:], key=lambda one: -sum(each.words for each in one[1]))]
    ordered = [sorted(said, key=lambda one: (one.kind in _ASIDE, one.words < MIN_WORDS)) for _, said in turns]
    chosen = [one for turn in zip_longest(*ordered) for one in turn if one is not None][:most]
    return _with_headings(note, sections, chosen)


def _with_headings(
    note: Note, sections: Sequence[tuple[Heading | None, Sequence[Sentence]]], chosen: Sequence[Sentence]
) -> list[Sentence]:
    """Return chosen sentences, of each section the first with its heading; the very first one may say the subject."""
    found = list[Sentence]()
    for heading, said in sections:
        name = clean_text(heading.text).rstrip(_STOPPED) if heading else ""
        for one in filter(chosen.__contains__, said):
            is_named = name and not one.text.startswith(name) and (found or not names_subject(note, [one]))
            found.append(replace(one, text=f"{name}: {one.text}") if is_named else one)
            name = ""
    return found


def _first_of_each(said: Sequence[Sequence[Sentence]], most: int) -> list[Sentence]:
    ordered = [sorted(one, key=lambda each: each.kind in _ASIDE) for one in said]
    turns = [one for turn in zip_longest(*ordered) for one in turn if one is not None]
    if len(said) > 1:
        turns.sort(key=lambda one: one.words < MIN_WORDS)
    chosen, room = list[Sentence](), most
    for one in turns:
        # A list with its head says as much as two sentences, unless the note begins with lists.
        size = 2 if len(said) == 1 and _is_list(one) and not all(map(_is_list, chosen)) else 1
        if chosen and size > room:
            break
        chosen.append(one)
        room -= size
    return [one for one in chain.from_iterable(said) if one in chosen]


def _is_list(one: Sentence) -> bool:
    return one.kind == "list_item" and one.lines[0] < one.lines[1]


def find_sentences_about(
    notes: Sequence[Note], said: Sequence[Sequence[Sentence]], most: int, focus: str
) -> list[Sentence]:
    """Return those sentences of some notes that say most words of a focus, rare ones first; in order."""
    languages = [language_of(note.text[note.body :]) for note in notes]
    wanted = {term for language in set(languages) for term in terms_of(focus, language)}
    terms = [
        (one, wanted.intersection(terms_of(one.text, language)))
        for sentences, language in zip(said, languages, strict=True)
        for one in (sentences if wanted else ())
    ]
    frequency = Counter(chain.from_iterable(found for _, found in terms))
    scores = [sum(math.log(1 + len(terms) / frequency[term]) for term in found) for _, found in terms]
    best = sorted(range(len(terms)), key=lambda at: -scores[at])[:most]
    return [terms[at][0] for at in sorted(best) if scores[at]]


def read_content(note: Note, *, gathers: bool = False) -> list[Sentence]:
    """Return what a note says in its order: sentences, and the names in its lists; else its tables and footnotes.

    Where it gathers, a list stands together below the heading or the few words that introduce it.
    """
    whole = [one for one in iter_sentences(note) if _is_whole(one.text) and one.text != note.title]
    said = _leave_out_asides(note, whole)
    starts = [one.lines[0] for one in said]
    content, at = list[Sentence](), 0
    for is_list, found in groupby(note.pieces, key=lambda piece: piece.kind == "list_item"):
        items = list(found)
        if not is_list:
            continue
        names = [name for one in items if (name := _first_line(note, one)) and _is_whole(name)]
        first, last = items[0].lines[0], items[-1].lines[1]
        below = bisect_left(starts, first)
        content += said[at:below]
        at = bisect_right(starts, last)
        is_introduced = bool(content) and _introduces(content[-1], first)
        if len(names) < MIN_ITEMS - is_introduced or not _are_names(names):
            lead = None if is_introduced or not gathers or len(items) < 2 else _lead_above(note, items)
            content += said[below:at] if lead is None else [lead]
        elif is_introduced:
            lead = content.pop()
            content.append(_list(note, lead.text.rstrip("".join(COLONS)), names, (lead.lines[0], last)))
        else:
            content.append(_list(note, _heading_above(note, first), names, (first, last)))
    return list(_join(note, [*content, *said[at:]])) or list(_tables(note))


def _leave_out_asides(note: Note, said: Sequence[Sentence]) -> Sequence[Sentence]:
    """Leave out what only goes with a picture, and paragraphs of nothing but links, unless there is nothing else."""
    starts = [piece.lines[0] for piece in note.pieces]
    at = [bisect_right(starts, one.lines[0]) - 1 for one in said]
    often = Counter(at)

    def tells(piece: Piece, sentences: int) -> bool:
        text = note.text[slice(*piece.span)]
        rest = _ADDRESS.sub("", text)
        if piece.kind == "list_item":
            # The notes that a list names are what it says.
            return any(map(str.isalpha, rest))
        is_caption = piece.kind == "paragraph" and text.startswith("![") and sentences == 1
        left = WIKI.sub("", rest).strip()
        is_label = left != text.strip() and left.endswith(COLONS) and count_words(left) <= MAX_LABEL_WORDS
        return not (is_caption or is_label) and any(map(str.isalpha, left))

    told = {number for number, sentences in often.items() if tells(note.pieces[number], sentences)}
    return [one for number, one in zip(at, said, strict=True) if number in told] or said


def _are_names(items: Sequence[str]) -> bool:
    are_sentences = 2 * sum(one.endswith(STOPS) for one in items) > len(items)
    return not are_sentences and count_words(" ".join(items)) <= MAX_ITEM_WORDS * len(items)


def _first_line(note: Note, item: Piece) -> str:
    return clean_text(note.text[slice(*item.span)].lstrip().partition("\n")[0]).rstrip(":：")


def _heading_above(note: Note, line: int) -> str:
    return next((one.text for one in reversed(note.headings) if one.line < line), note.title)


def _lead_above(note: Note, items: Sequence[Piece]) -> Sentence | None:
    """Return the heading, or the few words with a colon, right above a list."""
    first = items[0].lines[0]
    at = bisect_left(note.pieces, first, key=lambda piece: piece.lines[0]) - 1
    own = note.pieces[at] if at >= 0 and first - note.pieces[at].lines[1] <= LINES_BELOW else None
    text = "" if own is None else clean_text(note.text[slice(*own.span)])
    is_lead = own is not None and (own.kind == "heading" or (own.kind == "paragraph" and text.endswith(COLONS)))
    if own is None or not is_lead or not any(map(str.isalpha, text)):
        return None
    count = f" ({len(items)})" if len(items) > ITEMS_SHOWN else ""
    text = f"{text.rstrip(''.join(COLONS))}{count}:"
    return Sentence(note.path, text, own.lines, own.kind, count_words(text))


def _introduces(sentence: Sentence, line: int) -> bool:
    return sentence.text.endswith(COLONS) and line - sentence.lines[1] <= LINES_BELOW


def _list(note: Note, head: str, names: Sequence[str], lines: Lines) -> Sentence:
    more = len(names) > ITEMS_SHOWN
    count, rest = (f" ({len(names)})", ", …") if more else ("", "")
    text = f"{clean_text(head)}{count}: {', '.join(names[:ITEMS_SHOWN])}{rest}"
    return Sentence(note.path, text, lines, "list_item", count_words(text))


def _join(note: Note, said: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield sentences; one that ends with a colon together with what it introduces, or not at all."""
    end = 0
    for lead, whole in zip(said, join_introduced(note, said, MAX_LIST_CHARS, code=False), strict=True):
        if lead.lines[0] > end and not whole.text.endswith(COLONS):
            end = whole.lines[1] if whole is not lead else end
            yield whole if whole is lead else replace(whole, kind="list_item")


def _tables(note: Note) -> Iterator[Sentence]:
    """Yield footnotes, and the names in tables, or their rows where these are few or without a header."""
    rows, lines = list(iter_asides(note)), note.text.split("\n")
    for _, found in groupby(enumerate(rows), key=lambda at: (at[1].kind, at[1].lines[0] - at[0])):
        table = [row for _, row in found]
        first, last = table[0].lines[0], table[-1].lines[1]
        header = lines[first - 3 : first - 2]
        if table[0].kind == "paragraph" or len(table) < MIN_ITEMS or not any(map(str.isalpha, "".join(header))):
            yield from table
        else:
            yield _list(
                note, _heading_above(note, first), [row.text.partition(":")[0] for row in table], (first - 2, last)
            )


def _distinct(found: Iterable[Sequence[Sentence]]) -> Iterator[list[Sentence]]:
    seen = set[str]()
    for sentences in found:
        keyed = {key: one for one in reversed(sentences) if (key := fold_case(one.text)) not in seen}
        yield [one for one in sentences if keyed.get(fold_case(one.text)) is one]
        seen.update(keyed)


def _is_whole(text: str) -> bool:
    """Return whether a sentence can stand in another note: it says something, and nothing in it is cut open."""
    paired = all(text.count(mark) % 2 == 0 for mark in ("$$", "`", "%%"))
    nested = all(text.count(start) == text.count(end) for start, end in _PAIRS)
    has_math = "$" not in text or text.count("$") % 2 == 0 or "\\" not in text
    return (
        paired
        and nested
        and has_math
        and not _TEMPLATE.search(text)
        and not _COUNTS.fullmatch(text)
        and not _LABELS.fullmatch(text)
        and not text.endswith(_CUT)
    )
