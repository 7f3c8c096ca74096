"""Finds likely names: words with capitals that neither the sentence nor the language requires."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.text.words import ALPHABETIC
from bridge.types import Span

NameKind = Literal["name", "camel case", "acronym", "quoted", "ticket"]

GARBLED_CAPITALS: Final = 2
"""Capitals in one word above which it is not a name, unless all its letters are capitals."""

LABEL_WORDS: Final = 4
"""Maximum number of words in a heading or label that notes of one template may share."""

_CALLOUT: Final = r"^[ \t]*>[ \t>]*\[![^\]\n]*\][^\n]*$"
_HEADING: Final = r"^[ \t>]*(?:[-*+][ \t]+)?\#{1,6}[ \t]+([^\n]*)$"
_BOLD_LINE: Final = r"^[ \t>]*(?:[-*+][ \t]+)?(?:\*\*|__)([^*_\n]+)(?:\*\*|__):?[ \t]*$"
# The content of a piece of markup is bounded; otherwise a line of only `[` is read again from each of them.
_MARKUP: Final = re.compile(
    r"\A---[ \t]*\n.*?^---[ \t]*$|```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`"
    r"|!?\[\[[^\]\n]{0,1000}+\]\]|!?\[[^\]\n]{0,1000}+\]\([^)\n]{0,1000}+\)|<[^>\n]{0,1000}+>"
    r"|https?://\S+|\$\$.*?\$\$|%%.*?%%|(?<!\w)\#[^\s\#,.;:!?()\[\]{}'\"`]+"
    rf"|{_CALLOUT}|{_HEADING}|{_BOLD_LINE}|^[ \t>]*(?:[-*+][ \t]+)?[\w ]{{1,40}}::.*?$|\|",
    re.DOTALL | re.MULTILINE,
)
_TABLE_ROW: Final = re.compile(r"^[ \t>]*\|[^\n]*$", re.MULTILINE)
_LABEL: Final = re.compile(r"(?:^|[\n(\[])[ \t>*_+-]*([^\W\d_][\w &/-]{0,39})[*_ ]*(?::(?!\w)|：)[*_]*", re.MULTILINE)

_CAPITALS: Final = r"A-Z\u00c0-\u00de\u0410-\u042f"

# The patterns begin with a character set instead of `\b`, which makes them three times as fast.
_PATTERNS: Final[tuple[tuple[NameKind, re.Pattern[str]], ...]] = (
    ("ticket", re.compile(r"[A-Z][A-Z]{1,9}-\d{1,6}\b")),
    ("camel case", re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+){1,4}\b")),
    ("acronym", re.compile(r"[A-Z][A-Z]{2,5}\b")),
    ("quoted", re.compile(r"[“「『《]([^\W_][^“”「」『』《》\n]{1,40}[^\W_])[”」』》]")),
    ("name", re.compile(rf"[{_CAPITALS}][^\W\d_]+(?:[ -][{_CAPITALS}][^\W\d_]+){{0,3}}\b")),
)
BESIDE: Final = 60
"""Characters of a line before and after a name in which the words beside it are looked for."""

_BEFORE: Final = re.compile(r"(?<!\w)(\w+(?:[^\w\n]+\w+)?)[^\w\n]*\Z")
_AFTER: Final = re.compile(r"[^\w\n]*(\w+(?:[^\w\n]+\w+)?)")
_SMALL_WORD: Final = rf"(?:[^\W\d_{_CAPITALS}]+[ ])?"
_NAME_BEFORE: Final = re.compile(rf"\b([{_CAPITALS}]\w*)[^\w\n.!?]*{_SMALL_WORD}\Z")
_NAME_AFTER: Final = re.compile(rf"(?:['’](\w+)|\.?[ ]*(\d)|[,;/]?[ ]{_SMALL_WORD}([{_CAPITALS}]\w*))")
"""The name beside a name, with at most one small word between; also a number after it, or the rest of its last word."""

_WITHIN: Final = re.compile(r"\w{2,}")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:…>*_\-–—\d)\]\"“”(\[→]|\n)\s*$")


class CapitalisedName(Record):
    """A place of a text that looks like a name."""

    kind: NameKind
    text: str
    begins: bool
    """Whether every word has a capital in this place."""
    beside: tuple[str, str] = ("", "")
    """The two words of its line before it, and those after it, folded."""
    joined: tuple[str, str] = ("", "")
    """The names before and after it, with which it may be one; a number is `0`."""


def markup_spans(text: str) -> list[Span]:
    """Return the spans of a text that are not prose; faster and rougher than `protected_spans`, for whole vaults."""
    return [match.span() for match in _MARKUP.finditer(text)]


def strip_markup(text: str) -> str:
    """Return the prose of a text, without tables, a line for each piece."""
    text = _TABLE_ROW.sub("", text)
    # Match by match, because other threads are blocked while one pattern runs over a whole text.
    parts: list[str] = []
    at = 0
    for start, end in markup_spans(text):
        parts.append(text[at:start])
        at = end
    return "\n".join([*parts, text[at:]])


def label_words(text: str, prose: str) -> set[str]:
    """Return the words of a note's short headings, bold lines and labels, which notes of one template share."""
    headings = (found[1] or found[2] for found in _MARKUP.finditer(text) if found[1] or found[2])
    short = (words for heading in headings if len(words := ALPHABETIC.findall(heading)) <= LABEL_WORDS)
    labels = (ALPHABETIC.findall(found[1]) for found in _LABEL.finditer(prose))
    said: set[str] = set()
    for words in (*short, *labels):
        said.update((*words, " ".join(words)))
    return said


def find_capitalised(prose: str) -> Iterator[CapitalisedName]:
    """Yield what looks like a name in a text; a single word at the start of a sentence does not."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in _PATTERNS:
        for match in _match_word_starts(pattern, prose):
            start, end = match.span()
            if any(start < last and first < end for first, last in taken[-50:]):
                continue
            begins = kind == "name" and begins_sentence(prose, start)
            if kind == "name" and " " not in match[0] and (begins or is_garbled(match[0])):
                continue
            taken.append((start, end))
            before, after = prose[max(0, start - BESIDE) : start], prose[end : end + BESIDE]
            beside = _first(_BEFORE.search(before)), _first(_AFTER.match(after))
            joined = _first(_NAME_BEFORE.search(before)), _first(_NAME_AFTER.match(after))
            yield CapitalisedName(kind, match[match.lastindex or 0], begins, beside, joined)


def _first(found: re.Match[str] | None) -> str:
    text = "" if found is None else found[found.lastindex or 0]
    return "0" if text.isdigit() else fold_case(text)


def _match_word_starts(pattern: re.Pattern[str], prose: str) -> Iterator[re.Match[str]]:
    at = 0
    while (match := pattern.search(prose, at)) is not None:
        start, at = match.span()
        word = _WITHIN.match(prose, start - 1) if start else None
        if word is not None:
            # Continue after the word, because another match may begin inside this one.
            at = word.end()
        else:
            yield match


def begins_sentence(prose: str, start: int) -> bool:
    return _SENTENCE_START.search(prose, max(0, start - 12), start) is not None


def is_garbled(word: str) -> bool:
    return not word[1:].islower() and sum(map(str.isupper, word)) > GARBLED_CAPITALS and not word.isupper()
