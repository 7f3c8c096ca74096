"""The content of a note as sentences: what it says, lists by their first items, and nothing that only fills it."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise, takewhile

from msgspec.structs import replace

from bridge.markdown.links import WIKI
from bridge.markdown.note import Note, Piece, PieceKind
from bridge.search.sentences import (
    COLONS,
    ITEM_QUOTED,
    LINES_BELOW,
    LIST_MARK,
    MIN_WORDS,
    PAUSE,
    Sentence,
    iter_asides,
    iter_rows,
    iter_sentences,
    join_introduced,
)
from bridge.search.snippet import clean_text
from bridge.text.cues import POINTS, is_summary
from bridge.text.fold import fold_word, letters_and_digits
from bridge.text.lines import LineIndex
from bridge.text.words import RUN, count_words
from bridge.types import Lines

_PAIRS = (("[[", "]]"), ("\\begin{", "\\end{"), ("<!--", "-->"))
_COUNTS = re.compile(r"(?:(?:, )?(?:searched|read|changed) [\d,]+ (?:time|note)s?)+\.?", re.IGNORECASE)
"""What the journal of a session says of how much was done, which sums up nothing."""

_TEMPLATE = re.compile(r"<%|%>|\{\{.*\}\}|\[[A-Z][A-Z -]{2,}\]|_{4,}")
"""A field that nobody filled, as in `{{title}}`, `[YEAR]` or `Name: ____`."""

_LABELS = re.compile(
    r"(?:#\S++\s*+)++|\[[^\]\n]{1,30}\]:.*|[\w -]{1,30}::.*|[\W\d_]+|[-–—]{2,}.*|(?:TODO|FIXME|WIP)\b.*"
    r"|(?i:lorem ipsum|dolor sit amet|consectetur)\W*"
)
"""Tags, a footnote, a field for Dataview, no word at all, whom a quotation is from, or what is still to do."""

_ITEM_BELOW = re.compile(rf"\n{LIST_MARK.pattern}")
_DONE_TASK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[xX]\][ \t]")
_ADDRESS = re.compile(r"!?\[[^\[\]\n]*+\]\([^)\n]{0,1000}\)|<?https?://[^\s>]+>?")
_CAPTION = re.compile(r"^!\[.*\n(?=([*_])(?!\1).*\1[ \t]*$)", re.MULTILINE)
"""A picture above a line that is all emphasised."""

_HOST = re.compile(r"(?<![\w.-])(?:[\w-]{1,63}\.){1,8}(?:com|org|net|io|dev|[a-z]{2})\b(?::\d+)?\S*")
"""The name of a host, as the address of a link reads."""

_QUOTED_TITLE = re.compile(r"【[^】]*】|《[^》]*》|「[^」]*」|“[^”]*”|\"[^\"]*\"")
"""The title of what a link leads to."""

_UNDERLINE = re.compile(r"(?<![\w{])_(\w[^_\n]*)_(?!\w)|\^[\w-]+\Z")
"""Emphasis, or the name of a block, as clean text still has them."""

_LONE_MARKS = re.compile(
    r"\s?= =(?=[.,;:])|(?<![^\s(])= =(?=\S)|(?<=\S)= =(?!\w)|(?<=[^\x00-\x7f])= =|= =(?=[^\x00-\x7f])"
)
"""Half of a highlight whose other half is in another sentence, as clean text still has it."""

ASIDE_KINDS: frozenset[PieceKind] = frozenset({"quote", "callout", "table"})
"""What comes after running text, wherever it stands."""

_SKIPPED_KINDS: frozenset[PieceKind] = frozenset({"fence", "html", "math"})
"""What may stand between the items of a list."""

MIN_ITEMS, MAX_ITEM_WORDS = 3, 5
"""Items from which a list is told by its first ones, and words of each, on average, which only name something."""

MAX_LIST_CHARS, MAX_LINE_CHARS, MAX_NAMES_CHARS, SHORT_LIST_CHARS = 300, 240, 80, 130
"""Characters of a list, of one that alone stands for a note, of the names of sections, and of one as a sentence."""

ITEM_CHARS = 60
"""Characters to which the items of a longer list are cut, each to its label, sentences or clauses."""

MAX_LABEL_CHARS = 40
"""Characters before a colon that name what comes after it."""

LABEL = re.compile(rf"([^:：]{{1,{MAX_LABEL_CHARS}}})[:：](?!//)\s*(?=\S)")
_PART_END = re.compile(r"[.!?;,:](?=\s)|[。！？；，、：]|\s[-–—](?=\s)")

MAX_LEAD_WORDS = 8
"""Words without a full stop right above a list that introduce it."""

_CUT_END = ("…", "...", ",", "，", "、")
"""Ends of a sentence that its author leaves open, or a page that shows the beginning of a text."""

STOPS = (".", "!", "?", "。", "！", "？", "।", "۔")
QUESTION = ("?", "？", "؟")

LONG_NOTE_WORDS, MIN_SECTIONS, MIN_TOLD = 250, 3, 5
"""Words and sections of a note, and sentences of its summary, from which all sections are told, not only named."""

LEAD_SENTENCES, LEAD_WORDS = 4, 4
"""Sentences at the beginning of a note in which its author may sum it up, and words below which one says little."""

SHORT_SENTENCES = 3
"""Sentences of a short summary, which a longer one says, too."""

MAX_LABEL_WORDS, MIN_VALUE_WORDS = 3, 3
"""Words with a colon that only say what a link is, and those of a field for Dataview from which it says something."""


def is_paired(text: str, pairs: Iterable[tuple[str, str]]) -> bool:
    return all(text.count(start) == text.count(end) for start, end in pairs)


def is_weak(one: Sentence) -> bool:
    """Return whether a sentence says little by itself, asks, goes on or points at what is not shown."""
    return one.kind == "table" or (
        not is_list(one)
        and (
            (one.kind in ASIDE_KINDS and one.lines[0] < one.lines[1])
            or count_words(re.sub(r"\d+", "", one.text)) < LEAD_WORDS
            or (one.text[:1].islower() and not RUN.search(one.text))
            or one.text.endswith((";", "；"))
            or (one.text.endswith(QUESTION) and not LABEL.search(one.text))
            or (POINTS.search(one.text) is not None and not introduces(one))
        )
    )


def introduces(one: Sentence) -> bool:
    """Return whether a sentence tells what is below its colon, too."""
    return one.lines[0] < one.lines[1] and any(colon in one.text[:-1] for colon in COLONS)


def is_list(one: Sentence) -> bool:
    return one.kind == "list_item" and one.lines[0] < one.lines[1]


def is_unfilled(note: Note) -> bool:
    """Return whether a paragraph of a note is blank, as boilerplate is, or has fields that nobody filled."""
    texts = (note.text[slice(*piece.span)] for piece in note.pieces if piece.kind == "paragraph")
    return any(text.isspace() or _TEMPLATE.search(text) for text in texts)


def list_links(note: Note) -> Sentence | None:
    """Return the names of what an index links to; None if it links to no note."""
    links = [one for one in note.links if one.kind in {"wiki", "markdown"} and not one.embed]
    names = dict.fromkeys(clean_text(one.shown or one.target.rpartition("/")[2]) for one in links)
    told = [*filter(None, names)]
    return tell_list(note, "Links", told, (links[0].line, links[-1].line), MAX_LINE_CHARS) if told else None


def is_index(note: Note, told: Sentence) -> bool:
    """Return whether a note, and a sentence of it, say less than their links to others do."""
    rows = note.text.split("\n")[told.lines[0] - 1 : told.lines[1]]
    body = (note.text[slice(*piece.span)] for piece in note.pieces if piece.kind != "heading")
    return all(
        2 * sum(map(str.isalpha, _ADDRESS.sub("", WIKI.sub("", text)))) < sum(map(str.isalpha, text))
        for text in ("\n".join(rows), "".join(body))
    )


def read_content(note: Note, most: int = 1, *, apart: bool = False) -> list[Sentence]:
    """Return what a note says in its order: sentences, lists, tables and bare headings; else its footnotes and rows.

    For a summary of several sentences, a list stands together below the heading or the few words that introduce it,
    unless it is too long for that where there is room for its items; apart, each item is a sentence as well.
    """
    gathers = most > 1
    title = letters_and_digits(fold_word(note.title))
    long = (one for one in iter_sentences(note) if one.words >= MIN_WORDS)
    whole = [each for one in long if (each := _tidy(note, one, title)) is not None]
    said = _leave_out_asides(note, whole)
    said = _gather_quotes(note, said) if gathers and not apart else said
    room = MAX_LIST_CHARS if gathers else MAX_LINE_CHARS
    starts = [one.lines[0] for one in said]
    content, at = list[Sentence](), 0
    for items in _find_lists(note, all_kinds=not apart):
        names = [name for one in items for name in _read_items(note, one) if name and _is_whole(name)]
        lines = items[0].lines[0], items[-1].lines[1]
        below, after = bisect_left(starts, lines[0]), bisect_right(starts, lines[1])
        content += said[at:below]
        at = after
        lead = _lead_above(note, items[0], content[-1] if content else None)
        is_introduced = lead is not None and lead.kind != "heading"
        are_heads = 2 * sum(_ITEM_BELOW.search(note.text, *one.span) is not None for one in items) > len(items)
        is_told = len(names) >= MIN_ITEMS - is_introduced
        is_told &= items[0].kind == "table" or are_heads or are_names(names)
        own = said[below:at]
        is_told |= not gathers and len(names) >= MIN_ITEMS and 2 * len(own) > len(said) and _have_heads(names)
        if names:
            head, first = (lead.text, lead.lines[0]) if lead else (_heading_above(note, lines[0]), lines[0])
            told = tell_list(note, head, names, (first, lines[1]), MAX_LIST_CHARS if apart else room)
            if items[0].kind == "table" and not gathers:
                told = replace(told, kind="table")
            stands_together = len(names) > 1 and (lead is not None or any(one.lines[0] < one.lines[1] for one in items))
            is_first = not gathers and not content and len(names) > 1 and all(name in told.text for name in names)
            is_told |= is_introduced or is_first or (gathers and stands_together)
            # Items that are left out by themselves are told together.
            strong = sum(not is_weak(one) for one in own)
            is_apart = strong >= max(len(names), len(said) / 2) and not are_names(names)
            is_told &= most < MIN_TOLD or not is_apart or not told.text.endswith("…")
        if names and (apart or is_told):
            if is_introduced and content and lead and content[-1].text in lead.text:
                content.pop()
            has_parts = most >= MIN_TOLD and are_heads and not is_introduced and 2 * len(own) > len(said)
            parts = _tell_apart(note, items, own, told) if apart else (_tell_item(note, one, told) for one in items)
            own = list(dict.fromkeys(parts)) if apart or has_parts else [told]
        content += own
    joined = list(_join(note, [*content, *said[at:]]))
    end = next((one.line for one in note.headings if one.text != note.title), math.inf)
    # What stands above the sections, if anything does, says more than fields there do.
    fields = [] if joined and joined[0].lines[0] < end else [one for one in _read_fields(note) if one.lines[0] < end]
    return [*fields, *joined] or [each for one in iter_asides(note) if (each := _tidy(note, one, title)) is not None]


def _read_fields(note: Note) -> Iterator[Sentence]:
    """Yield the fields for Dataview that say something to a reader."""
    rows = note.text.split("\n") if note.fields else ()
    for one in note.fields:
        own = _ADDRESS.sub("", WIKI.sub("", one.value))
        row = rows[one.line - 1]
        is_said = one.value in row and "%%" not in row and not row.lstrip().startswith(">")
        if is_said and count_words(re.sub(r"\d+", "", own)) >= MIN_VALUE_WORDS:
            text = f"{clean_text(one.key)}: {clean_text(one.value)}"
            yield Sentence(note.path, text, (one.line, one.line), "paragraph", count_words(text))


def _tidy(note: Note, one: Sentence, title: str) -> Sentence | None:
    """Return a sentence without lone marks and the title of its callout; None if it is cut or says the title."""
    text = _LONE_MARKS.sub("", one.text) if "= =" in one.text else one.text
    if ("_" in text or "^" in text) and "$" not in text:
        text = _UNDERLINE.sub(lambda found: found[1] or "", text)
    if one.kind == "callout":
        head = next((clean_text(each.title) for each in note.callouts if each.lines[0] == one.lines[0]), "")
        text = text.removeprefix(head).lstrip() or text
    value = text[label.end() :] if (label := LABEL.match(text)) else text
    if not _is_whole(text) or (len(value) <= 2 * len(note.title) and letters_and_digits(fold_word(value)) in title):
        return None
    return one if text == one.text else replace(one, text=text, words=count_words(text))


def _find_lists(note: Note, *, all_kinds: bool) -> Iterator[list[Piece]]:
    """Yield the items of each list, between which code may stand; also tables, and headings alone."""
    kept = [piece for piece in note.pieces if piece.kind not in _SKIPPED_KINDS]
    titles = {one.line for one in note.headings if one.text == note.title}
    # A heading above a text is none of a list.
    above_text = {one.lines[0] for one, below in pairwise(note.pieces) if one.kind == "heading" != below.kind}
    for kind, found in groupby(kept, key=lambda one: "" if one.lines[0] in above_text else one.kind):
        items = list(found)
        if kind == "list_item":
            yield items
        elif all_kinds and kind == "table":
            yield from ([piece] for piece in items)
        elif all_kinds and kind == "heading":
            items = [one for one in items if one.lines[0] not in titles]
            if len(items) >= MIN_ITEMS:
                yield items


def _read_items(note: Note, item: Piece) -> list[str]:
    """Return what an item says, or each row of a table with a header."""
    if item.kind != "table":
        return [_read_item(note.text[slice(*item.span)])]
    rows = note.text[slice(*item.span)].rstrip().split("\n")
    return [row.text for row in iter_rows(note.path, rows, item.lines[0])] if any(map(str.isalpha, rows[0])) else []


def _read_item(item: str) -> str:
    """Return what an item says above its own items; a label together with what they say, if that is not many names."""
    first, *rows = item.strip("\n").split("\n")
    running = list(takewhile(lambda row: row.strip() and not LIST_MARK.match(row), rows))
    text = clean_text("\n".join((first, *map(str.strip, running))))
    text = f"✓ {text}" if _DONE_TASK.match(first) else _UNDERLINE.sub(lambda found: found[1] or "", text)
    below = [clean_text(row) for row in rows[len(running) :] if LIST_MARK.match(row)]
    label = text.rstrip("".join(COLONS))
    is_short = count_words(text) <= MAX_ITEM_WORDS or (len(below) > 1 and len(text) <= MAX_LABEL_CHARS)
    is_label = label != text or (is_short and not text.endswith(STOPS))
    if not (is_label and below and label and _is_whole(below[0])):
        return label
    if label == text and len(below) > 1 and count_words(below[0]) < MAX_ITEM_WORDS:
        return label
    are_whole = all(one.endswith(STOPS) and _is_whole(one) for one in below)
    return f"{label}: {', '.join(below) if are_names(below) else ' '.join(below) if are_whole else below[0]}"


def _tell_item(note: Note, item: Piece, whole: Sentence) -> Sentence:
    """Return an item of a list with the items below it, or a few words below what the list is told below."""
    _, *rows = text = note.text[slice(*item.span)].strip("\n").split("\n")
    depths = {at: len(row) - len(row.lstrip()) for at, row in enumerate(rows, 1) if LIST_MARK.match(row)}
    ends = [*(at for at, depth in depths.items() if depth == min(depths.values())), len(text)]
    label = clean_text("\n".join(text[: ends[0]]))
    below = ["\n".join(text[first:end]) for first, end in pairwise(ends)]
    if below:
        return tell_list(note, label, [*filter(_is_whole, map(_read_item, below))], item.lines, MAX_LIST_CHARS)
    told = label if count_words(label) >= LEAD_WORDS else f"{head_of(whole)}: {label}"
    return Sentence(note.path, told, item.lines, "list_item", count_words(told))


def _tell_apart(note: Note, items: Sequence[Piece], said: Sequence[Sentence], whole: Sentence) -> Iterator[Sentence]:
    """Yield a list, then its items one by one, those of few words with what is above them."""
    yield whole
    for item in items:
        own = [one for one in said if item.lines[0] <= one.lines[0] <= item.lines[1]]
        text = _read_item(note.text[slice(*item.span)])
        is_short = not own or own[0].lines[0] > item.lines[0] or own[0].words <= LEAD_WORDS
        if text and _is_whole(text) and (is_short or own[0].text.endswith(COLONS)):
            told = f"{head_of(whole)}: {text}"
            yield Sentence(note.path, told, item.lines, "list_item", count_words(told))
            own = [one for one in own[1:] if one.text not in text]
        yield from own


def head_of(whole: Sentence) -> str:
    """Return what a list is told below, without the number of its items."""
    return re.sub(r" \(\d+\)\Z", "", whole.text.partition(":")[0])


def _gather_quotes(note: Note, said: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences, the items of a quote together below its title."""
    found = list[Sentence]()
    starts = [piece.lines[0] for piece in note.pieces]
    for at, group in groupby(said, key=lambda one: bisect_right(starts, one.lines[0]) - 1):
        own = list(group)
        piece = note.pieces[at]
        sums_up = any((label := LABEL.match(one.text)) and is_summary(label[1]) for one in own)
        if (
            sums_up
            or piece.kind not in {"quote", "callout"}
            or len(ITEM_QUOTED.findall(note.text, *piece.span)) < MIN_ITEMS
        ):
            found += own
        else:
            title = next((one.title for one in note.callouts if one.lines[0] == piece.lines[0]), "")
            head = title or _heading_above(note, piece.lines[0])
            items = [one.text for one in own if one.text != clean_text(head)]
            found.append(tell_list(note, head, items, piece.lines, MAX_LIST_CHARS))
    return found


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
    lines = LineIndex(note.text)
    captions = {lines.over((one.end(), one.end()))[0] for one in _CAPTION.finditer(note.text)}
    kept = [one for number, one in zip(at, said, strict=True) if number in told and one.lines[1] not in captions]
    return said if not kept and not is_unfilled(note) else kept


def are_names(items: Sequence[str]) -> bool:
    """Return whether items only name something, in a few words each."""
    are_sentences = 2 * sum(one.endswith(STOPS) for one in items) > len(items)
    return not are_sentences and count_words(" ".join(items)) <= MAX_ITEM_WORDS * len(items)


def _have_heads(items: Sequence[str]) -> bool:
    """Return whether most items begin with a few words that name what they say, each its own."""
    heads = {
        re.sub(r"\d+", "", head)
        for one in items
        if (head := _shorten(one, MAX_LABEL_CHARS, first=True)) != one and count_words(head) <= MAX_LEAD_WORDS
    }
    return 2 * len(heads) > len(items)


def _heading_above(note: Note, line: int) -> str:
    return next((one.text for one in reversed(note.headings) if one.line < line), note.title)


def _lead_above(note: Note, item: Piece, before: Sentence | None) -> Sentence | None:
    """Return what stands right above a list: a heading, a last sentence with a colon, or a few words without a stop."""
    at = bisect_left(note.pieces, item.lines[0], key=lambda piece: piece.lines[0]) - 1
    own = note.pieces[at] if at >= 0 and item.lines[0] - note.pieces[at].lines[1] <= LINES_BELOW else None
    if own is None or own.kind not in {"heading", "paragraph"}:
        return None
    text, lines, kind = clean_text(note.text[slice(*own.span)]), own.lines, own.kind
    if own.lines[1] in {one.line for one in note.fields}:
        text, kind = "", "heading"
    if kind == "heading":
        text = text or _heading_above(note, item.lines[0])
    else:
        words = count_words(text)
        if before and own.lines[0] <= before.lines[1] <= own.lines[1] and before.text in text:
            last = text.rpartition(before.text)[2].rstrip()
            words = count_words(last or before.text)
            # A few words behind a sentence, as in `Reasons:`, do not say of what.
            goes_on = not last or (before.lines[1] == lines[1] and words < LEAD_WORDS and "#" not in last)
            text, lines = (before.text + last, before.lines) if goes_on else (last.lstrip(), (lines[1], lines[1]))
        is_short = words <= MAX_LEAD_WORDS or item.lines[0] == own.lines[1] + 1
        if not text.endswith(COLONS) and (not is_short or PAUSE.search(text)):
            return None
    return Sentence(note.path, text, lines, kind, count_words(text)) if any(map(str.isalpha, text)) else None


def tell_list(note: Note, head: str, items: Sequence[str], lines: Lines, room: int) -> Sentence:
    """Return a list as one sentence: as much of each item as lets all of them be told."""
    head = clean_text(head).rstrip(f"{''.join(COLONS)}.。 ")
    room -= min(len(head), room // 2)
    told = [_shorten(one, room) for one in items]
    if sum(map(len, told)) + 2 * len(told) > room:
        told = [_shorten(one, ITEM_CHARS) for one in items]
    if sum(map(len, told)) + 2 * len(told) > max(room, len(told) * ITEM_CHARS / 2) and _have_heads(items):
        told = [_shorten(one, MAX_LABEL_CHARS, first=True) for one in items]
    gap = ", " if are_names(items) and 2 * sum(", " in one for one in items) < len(items) else "; "
    shown, size = list[str](), 0
    for one in told:
        size += len(one) + len(gap)
        if shown and size > room:
            break
        shown.append(one)
    count = f" ({len(told)})" if len(shown) < len(told) else ""
    text = f"{head}{count}:"
    for one in shown:
        is_apart = text.endswith(":") or (gap == "; " and PAUSE.search(text))
        text += f"{' ' if is_apart else gap}{one}"
    text += f"{'' if PAUSE.search(text) else gap.rstrip()} …" if count else ""
    return Sentence(note.path, text, lines, "list_item", count_words(text))


def _shorten(text: str, chars: int, *, first: bool = False) -> str:
    """Return the label of a text, or its first sentences or clauses, or sentence, in so many characters."""
    if len(text) <= chars and not first:
        return text
    if (label := LABEL.match(text)) and len(label[1]) <= chars:
        return label[1]
    ends = [found.start() for found in _PART_END.finditer(text, 0, chars)]
    stops = [at for at in ends if text[at] in "".join(STOPS)]
    if first:
        return text[: stops[0] + 1] if stops else text
    if stops and 2 * stops[-1] > chars:
        return text[: stops[-1] + 1]
    if ends and 2 * ends[-1] > chars:
        return f"{text[: ends[-1]]}…"
    stop = re.search(r"[.!?](?=\s)|[。！？]", text)
    return text[: stop.end()] if stop else text


def _join(note: Note, said: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield sentences; one that ends with a colon together with what it introduces, or not at all."""
    end = 0
    for lead, whole in zip(said, join_introduced(note, said, MAX_LIST_CHARS, code=False), strict=True):
        if lead.lines[0] > end and not whole.text.endswith(COLONS):
            end = whole.lines[1] if whole is not lead else end
            yield whole if whole is lead else replace(whole, kind="list_item")


def _is_whole(text: str) -> bool:
    """Return whether a sentence can stand in another note: it says something, and nothing in it is cut open."""
    paired = all(text.count(mark) % 2 == 0 for mark in ("$$", "`", "%%"))
    has_math = "$" not in text or text.count("$") % 2 == 0 or "\\" not in text
    return (
        paired
        and is_paired(text, _PAIRS)
        and has_math
        and not _TEMPLATE.search(text)
        and not _COUNTS.fullmatch(text)
        and not _LABELS.fullmatch(text)
        and not text.rstrip(")]）").endswith(_CUT_END)
        and not (_HOST.search(text) and count_words(_QUOTED_TITLE.sub("", _HOST.sub("", text))) <= 1)
    )
