"""Snippets: the part of a passage with the matches, which are marked."""

import re
from collections.abc import Callable, Sequence

from bridge.markdown.links import ESCAPE, inside_wiki
from bridge.text.invisible import visible_text
from bridge.text.match import Match
from bridge.text.sentence import sentence_ends
from bridge.text.word_boundary import is_word_boundary
from bridge.types import Span

SNIPPET_CHARS = 240
"""Length of a snippet in characters."""

# Each pattern takes time in proportion to the text, also where brackets, signs or blank lines run on without end.
_BLANK = r"[^\S\n]"
_TARGET = r"\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)*+\)"
"""The destination of a Markdown link, in which brackets come in pairs."""

_MARKUP: tuple[tuple[str, re.Pattern[str], str], ...] = (
    # Text that must be present for the pattern to match; searching that first costs next to nothing. A pattern that
    # begins with its text, not with a look behind it, is found ten times as fast.
    ("%%", re.compile(r"%%.*?%%", re.DOTALL), " "),
    ("```", re.compile(r"^[ \t>]*```.*$", re.MULTILINE), " "),
    ("~~~", re.compile(r"^[ \t>]*~~~.*$", re.MULTILINE), " "),
    ("![[", re.compile(rf"{_BLANK}*+!\[\[{inside_wiki()}*+\]\](?=[.,;:!?)。，；：！？）])"), ""),
    ("![[", re.compile(rf"!\[\[{inside_wiki()}*+\]\]"), " "),
    ("[[", re.compile(rf"\[\[{inside_wiki('|')}*+\|({inside_wiki()}*+)\]\]"), r"\1"),
    ("[[#", re.compile(rf"\[\[#({inside_wiki()}*+)\]\]"), r"\1"),
    ("[[", re.compile(rf"\[\[({inside_wiki()}*+)\]\]"), r"\1"),
    ("![", re.compile(rf"!\[[^\[\]|\n]*+\|[^\[\]\n]*+\]{_TARGET}"), " "),
    ("](", re.compile(rf"!?\[([^\[\]\n]*+)\]{_TARGET}"), r"\1"),
    ("<", re.compile(r"</?[A-Za-z][^<>\n]{0,200}>"), " "),
    (">", re.compile(rf"^(?:{_BLANK}*+>)++{_BLANK}?(?:\[![^\[\]\n]*\][+-]?)?", re.MULTILINE), ""),
    ("#", re.compile(rf"^{_BLANK}*+#{{1,6}}(?:{_BLANK}+|(?=\n))", re.MULTILINE), ""),
    (
        "",
        re.compile(
            rf"^{_BLANK}*+(?:[-*+]|\d{{1,9}}[.)])(?:{_BLANK}+|(?=\n))(?:\[.\](?:{_BLANK}+|(?=\n)))?", re.MULTILINE
        ),
        "",
    ),
    ("--", re.compile(rf"^(?=[ \t|:-]*?--)(?:{_BLANK}|[|:-])++$", re.MULTILINE), " "),
    ("|", re.compile(r"\|"), " "),
    ("^", re.compile(r"\s\^[\w-]++\s*$", re.MULTILINE), " "),
    ("==", re.compile(r"==(?=\S)(.{1,1000}?)(?<=\S)=="), r"\1"),
    ("**", re.compile(r"\*\*"), ""),
    ("~~", re.compile(r"~~"), ""),
    ("`", re.compile(r"`"), ""),
    ("__", re.compile(r"__(?:(?<!\w__)(?=\S)|(?<=\S__)(?!\w))"), ""),
    ("_", re.compile(r"(?<!\w)_(?=[^\s_])([^_\n]{1,1000}?)(?<=\S)_(?!\w)"), r"\1"),
    ("*", re.compile(r"\*(?:(?<![\w*]\*)(?=\S)|(?<=\S\*)(?![\w*]))"), ""),
)
_HEADINGS = re.compile(r"(?:[ ]{0,3}#{1,6}[ \t][^\n]*(?:\n\s*|$))+")
_HEADING = re.compile(r"^[ \t>]*#{1,6}[ \t].*$", re.MULTILINE)
_BARE_MARKS = re.compile(r"=(?==)")

_ESCAPE_OFFSET = 0xF0000
"""Added to the number of a character that a backslash keeps from being markup: no text has such characters."""

_ESCAPE = re.compile(rf"\$\$.*?\$\$|\$[^$\n]+\$|{ESCAPE.pattern}", re.DOTALL)
"""A formula, where a backslash begins a name, or an escape."""

_HIDDEN_CHAR = re.compile(f"[{chr(_ESCAPE_OFFSET)}-{chr(_ESCAPE_OFFSET + 127)}]")


def cut_snippet(plain: str, matches: tuple[Match, ...]) -> str:
    """Cut the part of a clean text with the most matches, at word boundaries, with `==marks==`."""
    start, end = _window(plain, matches)
    body = _mark_matches(plain, cut_matches(plain, matches), start, end)
    return f"{'…' if start else ''}{body}{'…' if end < len(plain) else ''}"


def cut_matches(plain: str, matches: tuple[Match, ...]) -> tuple[Match, ...]:
    """Return the matches in the part that is cut."""
    start, end = _window(plain, matches)
    return tuple(match for match in matches if start <= match.span[0] and match.span[1] <= end)


def drop_headings(text: str, plain: str, matches: tuple[Match, ...]) -> tuple[str, tuple[Match, ...]]:
    """Drop a passage's leading headings, which the hit gives separately, unless only they contain a match."""
    headings = _HEADINGS.match(text)
    head = f"{clean_text(headings.group())} " if headings else ""
    if not head.strip() or not plain.startswith(head) or len(plain) == len(head):
        return plain, matches
    visible = tuple(
        Match((match.span[0] - len(head), match.span[1] - len(head)), match.word)
        for match in matches
        if match.span[0] >= len(head)
    )
    if {match.word for match in matches} - {match.word for match in visible}:
        return plain, matches
    return plain[len(head) :], visible


def is_bare(text: str, title: str) -> bool:
    plain = clean_text(_HEADING.sub("", text))
    return plain == title or not any(map(str.isalnum, plain))


def drop_title(text: str, title: str) -> str:
    """Drop the heading with which a passage begins if it is the title, which the hit gives separately."""
    first, _, rest = text.lstrip().partition("\n")
    return rest if first.startswith("#") and clean_text(first) == title else text


def blank_labels(text: str, labels: Sequence[Span]) -> str:
    for start, end in labels:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def keep_values(text: str, labels: Sequence[Span], matches: Callable[[str], bool]) -> str:
    """Drop the lines of a text that begin with a recurring label, but for those whose value is wanted."""
    lines = zip(text.split("\n"), blank_labels(text, labels).split("\n"), strict=True)
    return "\n".join(line for line, value in lines if line == value or matches(value))


def clean_text(text: str) -> str:
    """Return text as it reads: visible text, links as displayed, no emphasis, no markers, one line."""
    text = visible_text(text)
    has_escapes = "\\" in text
    if has_escapes:
        text = _ESCAPE.sub(lambda found: chr(_ESCAPE_OFFSET + ord(found[1])) if found[1] else found[0], text)
    for needle, pattern, replacement in _MARKUP:
        if needle in text:
            text = pattern.sub(replacement, text)
    if has_escapes:
        text = _HIDDEN_CHAR.sub(lambda hidden: chr(ord(hidden[0]) - _ESCAPE_OFFSET), text)
    # What is left of `==` (three in a row, code) must not look like a mark.
    return " ".join(_BARE_MARKS.sub("= ", text).split())


def _window(text: str, matches: tuple[Match, ...]) -> tuple[int, int]:
    if len(text) <= SNIPPET_CHARS:
        return 0, len(text)
    best, best_worth = (0, 0), (0, 0)
    last = 0
    for first, match in enumerate(matches):
        last = max(last, first)
        while last + 1 < len(matches) and matches[last + 1].span[1] - match.span[0] <= SNIPPET_CHARS:
            last += 1
        group = matches[first : last + 1]
        worth = (len({m.word for m in group}), len(group))
        if worth > best_worth:
            best, best_worth = (match.span[0], group[-1].span[1]), worth
    if best == (0, 0):
        return 0, _end(text, SNIPPET_CHARS)
    room = max(0, SNIPPET_CHARS - (best[1] - best[0]))
    start = _start(text, max(0, best[0] - room // 2), best[0])
    end = _end(text, max(best[1], min(len(text), start + SNIPPET_CHARS)), best[1])
    if end == len(text):
        start = _start(text, max(0, end - SNIPPET_CHARS), best[0])
    return start, end


def _start(text: str, earliest: int, latest: int) -> int:
    if earliest <= 0:
        return 0
    if (begin := next(sentence_ends(text, (earliest, latest), by_lines=False), 0)) > 0:
        return begin
    at = earliest
    while at < latest and not is_word_boundary(text, at):
        at += 1
    while at < latest and text[at].isspace():
        at += 1
    return at


def _end(text: str, latest: int, earliest: int = 1) -> int:
    """Return where to end: after a word; a word longer than the whole snippet is cut."""
    if latest >= len(text):
        return len(text)
    at = latest
    while at > earliest and not is_word_boundary(text, at):
        at -= 1
    if at <= earliest == 1:
        at = latest
    while at > earliest and text[at - 1].isspace():
        at -= 1
    return at


def _mark_matches(text: str, matches: Sequence[Match], start: int, end: int) -> str:
    """Put marks around matches; adjacent ones share one pair."""
    spans: list[list[int]] = []
    for match in matches:
        if spans and not text[spans[-1][1] : match.span[0]].strip():
            spans[-1][1] = match.span[1]
        else:
            spans.append([*match.span])
    parts: list[str] = []
    at = start
    for first, last in spans:
        parts += (text[at:first], "==", text[first:last], "==")
        at = last
    return "".join((*parts, text[at:end]))
