"""Strips invisible characters, comments, and what no file can contain."""

import html
import json
import re
from bisect import bisect
from collections.abc import Iterable
from typing import Any, Final

import orjson
from msgspec import Struct
from msgspec.structs import asdict

from bridge.types import Span

_JOINED_CHARS = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U0001193f"  # Arabic, Syriac, the scripts of India, Tibetan, Myanmar, Khmer, Mongolian
    "\u2190-\u2bff\U0001f000-\U0001faff\ufe0f"  # emoji
)
"""Where a joiner between two characters changes their shape: one is kept there; anywhere else it can hide data."""

_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
"""Controls, including terminal escapes; they part words, unlike all else that is not seen."""
_ALWAYS_UNSEEN = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u202a-\u202e\u2060-\u206f"  # zero width; text direction
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags and variation selectors, which can encode any text
)
_MARKS = "\u061c\u200e\u200f"
"""They settle the direction of a punctuation mark; one is kept in a text of right-to-left letters."""
_RIGHT_TO_LEFT = re.compile("[\u0591-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_FLAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in place) for place in ("gbeng", "gbsct", "gbwls"))
_CONTROL = re.compile(f"[{_CONTROLS}]+")
_MAYBE_UNSEEN = re.compile(f"[{_CONTROLS}{_ALWAYS_UNSEEN}{_MARKS}\u200c\u200d\ufe0e\ufe0f]")
_UNSEEN_CHAR = re.compile(
    f"(\U0001f3f4(?:{_FLAGS})\U000e007f)"  # the flags of England, Scotland and Wales
    f"|[{_ALWAYS_UNSEEN}]|[{_MARKS}](?=[{_MARKS}])"
    f"|(?<![{_JOINED_CHARS}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED_CHARS}])"
    "|(?<![\u203c-\u3299\U0001f000-\U0001faff#*0-9\u00a9\u00ae])[\ufe0e\ufe0f]"
)
_HIDDEN_IN_JSON = (b"<!--", b"%%", b"\\u00", b"\\b", b"\x7f")
_NOT_SHOWN: Final = (
    *("script", "style", "template", "title", "head", "noscript", "noembed", "noframes", "dialog", "datalist"),
    *("object", "video", "audio", "iframe", "canvas", "desc", "metadata"),
)
"""Elements whose text is not shown, or only where they themselves cannot be."""
_HIDING_SIGN: Final = re.compile(rf"hidden|style|<[?!]|<(?:{'|'.join(_NOT_SHOWN)})", re.IGNORECASE)
"""What is in each text with an element of HTML that is not shown."""


def may_hide(formed: bytes) -> bool:
    """Return whether JSON may have something in it that `visible_text` strips; fast, as each answer is searched."""
    if any(sign in formed for sign in _HIDDEN_IN_JSON) or (b"<" in formed and may_hide_elements(formed.decode())):
        return True
    return not formed.isascii() and _MAYBE_UNSEEN.search(formed.decode()) is not None


def visible_text(text: str) -> str:
    """Strip invisible characters, comments, including an HTML comment whose end was cut off, and hidden elements."""
    if _MAYBE_UNSEEN.search(text):
        text = _UNSEEN_CHAR.sub(r"\1", _CONTROL.sub(" ", text))
        if not _RIGHT_TO_LEFT.search(text):
            text = re.sub(f"[{_MARKS}]", "", text)
    if "<!--" in text:
        text = strip_comments(text)
    if "%%" in text:
        blocks, inlines = find_comments(text)
        text = _cut_out(text, sorted([*blocks, *inlines]))
    return strip_hidden_elements(text)


def strip_hidden_elements(text: str) -> str:
    return _cut_out(text, find_hidden_elements(text)) if may_hide_elements(text) else text


def _cut_out(text: str, spans: Iterable[Span]) -> str:
    ends = [0, *(at for span in spans for at in span), len(text)]
    return " ".join(text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))


def may_hide_elements(text: str) -> bool:
    """Return whether a text may have elements that `find_hidden_elements` finds; fast."""
    return "<" in text and _HIDING_SIGN.search(text) is not None


_TAG_OR_CODE: Final = re.compile(
    r"""
      ^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}|~{3,})
    | (?<!`)(?P<ticks>`+)(?!`)[^\n]{0,1000}?(?<!`)(?P=ticks)(?!`)
    | (?P<declaration><[?!][?A-Za-z\[][^>]{0,1000}+>)
    | <(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)(?P<attributes>
      (?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+(?:(?:"[^"]{0,5000}+"|'[^']{0,5000}+')(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+){0,50}+)>
    """,
    re.MULTILINE | re.VERBOSE,
)
_ATTRIBUTE: Final = re.compile(r"""([^\s"'/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?""")
_VOID: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_PART: Final = r"-?[\d.]+(?:%|deg)?"
_LENGTH: Final = (
    r"(?:(?:\d{2,4}|[4-9])(?:\.\d+)?(?:px|pt)|(?:[1-9]\d{0,3}(?:\.\d+)?|0?\.[3-9]\d*)(?:r?em|%|v[hw]|ch|[cm]m|in))"
)
_OFFSET: Final = (
    r"(?:auto|0|\d{1,3}(?:\.\d+)?(?:px|pt|%)|\d{0,2}(?:\.\d+)?r?em|-\d{1,2}(?:\.\d+)?(?:px|pt)|-[0-3]?(?:\.\d+)?r?em)"
)
_SHARE: Final = r"(?:1(?:\.0+)?|0?\.[2-9]\d*|[2-9]\d%|100%)"
_FONT_SIZE: Final = (
    r"(?:(?:\d{2,3}|[6-9])(?:\.\d+)?(?:px|pt)|(?:[1-9]\d?(?:\.\d+)?|0?\.[4-9]\d*)r?em|(?:[4-9]\d|\d{3})(?:\.\d+)?%)"
)
_HARMLESS_STYLE: Final = re.compile(
    rf"""
    (?:background|border|outline|box-s|text-(?:align|deco|trans|wrap|over|under|emph|shadow)|white-space|word-[bw]|table-
      |font-(?:fam|sty|wei|var|str|feat)|list-style|align-|justify-|place-|flex-(?:dir|wrap|grow|flow)|overflow|break-
      |page-break|column-|cursor|float|clear|direction|writing-mode|pointer-events|user-select|-webkit-user|hyphens
      |object-|aspect-ratio|resize|min-)[a-z-]*:.*
    | (?:-webkit-text-fill-)?color:(?:(?!transparent)[a-z]+|\#[0-9a-f]{{3}}(?:[0-9a-f]{{3}})?|(?:rgb|hsl)a?
      \({_PART}[ ,]{_PART}[ ,]{_PART}(?:[,/]{_SHARE})?\)|var\(--(?!background)[a-z0-9-]+\))
    | font-size:(?:[a-z-]+|{_FONT_SIZE}) | font:(?:[a-z-]+\ )*{_FONT_SIZE}(?:/{_LENGTH}|/[1-9.]+)?\ .*
    | display:(?!none)[a-z-]+ | visibility:visible | opacity:{_SHARE} | z-index:(?:\d+|auto) | flex:(?:[1-9].*|auto)
    | (?:max-)?(?:width|height):(?:[a-z-]+|{_LENGTH}) | line-height:(?:normal|[1-9](?:\.\d+)?|{_LENGTH})
    | (?:margin|padding)[a-z-]*:{_OFFSET}(?:\ {_OFFSET}){{0,3}} | (?:row-|column-)?gap:{_OFFSET}(?:\ {_OFFSET})?
    | (?:top|left|right|bottom|inset|text-indent):{_OFFSET} | position:[a-z-]+ | vertical-align:(?:[a-z-]+|{_OFFSET})
    | (?:letter|word)-spacing:(?:normal|(?:-?0?\.\d+|\d(?:\.\d+)?)(?:px|r?em))
    | transform:(?:none|rotate\([^()]+\)) | [a-z]+:(?:inherit|initial|unset|revert)
    """,
    re.VERBOSE,
)
"""Declarations after which a reader still sees the text; any other, also one that means nothing, may hide it."""
_SHORT_HEX: Final = re.compile(r"#(\w)(\w)(\w)")


def find_hidden_elements(text: str) -> list[Span]:
    """Return the elements of HTML that a reader does not see by their own attributes, in one pass over any text.

    One that is never closed ends with its paragraph.
    """
    found: list[Span] = []
    is_open: dict[str, list[tuple[int, int, bool]]] = {}
    at = 0
    while tag := _TAG_OR_CODE.search(text, at):
        at = tag.end()
        name = (tag["name"] or "").lower()
        if tag["fence"]:
            at = _fence_end(text, at, tag["fence"])
        elif tag["declaration"]:
            found.append(tag.span())
        elif tag["end"] and is_open.get(name):
            start, began, hides = is_open[name].pop()
            found += [(start, at)] if hides and not text[began : tag.start()].isspace() and began < tag.start() else []
        elif name and not tag["end"] and name not in _VOID:
            is_open.setdefault(name, []).append((*tag.span(), _hides(name, tag["attributes"])))
    named = (starts for name, starts in is_open.items() if name not in _NOT_SHOWN)
    unclosed = sorted(start for starts in named for start, _, hides in starts if hides)
    blank = [line.start() for line in _BLANK_LINE.finditer(text)] if unclosed else []
    found += [(start, next(iter(blank[bisect(blank, start) :][:1]), len(text))) for start in unclosed]
    kept: list[Span] = []
    for start, end in sorted(found):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
        elif end > kept[-1][1]:
            kept[-1] = kept[-1][0], end
    return kept


def _hides(element: str, attributes: str) -> bool:
    given = [(key.lower(), one or two or three) for key, one, two, three in _ATTRIBUTE.findall(attributes)]
    names = {key for key, _ in given}
    if "hidden" in names or (element in _NOT_SHOWN and not (element == "dialog" and "open" in names)):
        return True
    declarations = ";".join(html.unescape(value) for key, value in given if key == "style").lower().split(";")
    behind, before = set[str](), set[str]()
    for name, colon, value in (declaration.replace("!important", "").partition(":") for declaration in declarations):
        style = name.strip(), re.sub(r" ?([,(/]) ?", r"\1", " ".join(value.split()))
        if colon and not _HARMLESS_STYLE.fullmatch(":".join(style)):
            return True
        if style[0] in ("background", "background-color"):
            behind |= set(map(_color, style[1].split()))
        elif style[0] == "color":
            before.add(_color(style[1]))
    return not behind.isdisjoint(before)


_NAMED_COLORS: Final = {"white": "#ffffff", "black": "#000000", "rgb(255,255,255)": "#ffffff", "rgb(0,0,0)": "#000000"}


def _color(value: str) -> str:
    """Return a colour in the one form in which two are compared."""
    return _NAMED_COLORS.get(value) or (_SHORT_HEX.sub(r"#\1\1\2\2\3\3", value) if len(value) == len("#fff") else value)


def strip_comments(text: str) -> str:
    """Replace each HTML comment by a space; one without an end goes to the end, unless a backtick precedes it."""
    kept: list[str] = []
    at, start, has_end = 0, text.find("<!--"), True
    while start >= 0:
        # Once there is no end, there is none further on: a regular expression would look again from each beginning.
        end = text.find("-->", start + 4) if has_end else -1
        has_end = end >= 0
        if has_end or text[start - 1 : start] != "`":
            kept += [text[at:start], " "]
            at = end + 3 if has_end else len(text)
        start = text.find("<!--", max(at, start + 1))
    return "".join([*kept, text[at:]])


# What may contain `%%` without starting a comment is consumed whole, whichever comes first; runs are bounded so that
# a hostile line takes linear time.
_OPENER: Final = re.compile(
    r"""
      ^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}|~{3,})
    | <!--[\s\S]*?(?:-->|\Z)
    | \$\$[^$]*\$\$
    | (?<!`)(?P<ticks>`+)(?!`)[^\n]{0,1000}?(?<!`)(?P=ticks)(?!`)
    | (?P<comment>%%)
    """,
    re.MULTILINE | re.VERBOSE,
)
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\r?\n")


def find_comments(shadow: str) -> tuple[list[Span], list[Span]]:
    """Return the comments that are blocks of their own, and those inside a paragraph.

    An unclosed comment is plain text: finding what was meant to be hidden is better than losing the rest of a note.
    """
    blocks: list[Span] = []
    inlines: list[Span] = []
    position = shadow.find("%%")
    position = 0 if position >= 0 else len(shadow)
    while found := _OPENER.search(shadow, position):
        start, position = found.span()
        if fence := found["fence"]:
            position = _fence_end(shadow, position, fence)
        elif found["comment"]:
            end = shadow.find("%%", position)
            if end < 0:
                break
            if _starts_line(shadow, start) and _fills_lines(shadow, start, end + 2):
                position = end + 2
                blocks.append((start, position))
            elif not _BLANK_LINE.search(shadow, start, end):
                position = end + 2
                inlines.append((start, position))
    return blocks, inlines


def _fence_end(shadow: str, position: int, fence: str) -> int:
    closing = re.compile(rf"^[ \t>]*{re.escape(fence)}{re.escape(fence[0])}*[ \t]*\r?$", re.MULTILINE)
    found = closing.search(shadow, position)
    return found.end() if found else len(shadow)


def _starts_line(shadow: str, start: int) -> bool:
    line = shadow.rfind("\n", max(0, start - 4), start) + 1
    return start - line <= 3 and shadow[line:start].isspace() if start > line else True


def _fills_lines(shadow: str, start: int, end: int) -> bool:
    if "\n" in shadow[start:end]:
        return True
    line_end = shadow.find("\n", end)
    return not shadow[end : line_end if line_end >= 0 else len(shadow)].strip()


def one_line(text: str) -> str:
    """Return the visible part of a title, heading or other short text of a note, on one line."""
    return " ".join(visible_text(text).split())


def as_line(text: str) -> str:
    """Return a text on one line, as it is if it is one."""
    return " ".join(text.split()) if _MORE_THAN_A_LINE.search(text) else text


def quote_freely(text: str) -> str:
    """Return a sentence that names things of notes, on one line: where it quotes, a backtick does not make code."""
    seen = _CUT_COMMENT.sub("%%…", visible_text(text.replace("`", _QUOTE))).replace(_QUOTE, "`")
    return as_line(text) if seen == text else " ".join(seen.split())


_QUOTE: Final = "\ufffe"
"""Stands for a backtick; no text has it."""
_CUT_COMMENT: Final = re.compile(f"%%[^{_QUOTE}]+")
"""A comment whose end was cut off, as of a long name."""


_BLANK = re.compile(f"[{_MARKS}\u2800\U00013430-\U00013440\U00016fe4\U0001bca0-\U0001bca3\U0001d159]")
"""Characters that show nothing alone, but may belong to a text: a blank of Braille, fillers and joints of scripts."""
_MORE_THAN_A_LINE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


def is_line(text: str) -> bool:
    """Return whether a text is one line, without controls, of which a reader sees something."""
    return _MORE_THAN_A_LINE.search(text) is None and one_line(_BLANK.sub("", text)) != ""


_BREAK_HINTS = re.compile("[\u00ad\u200b\u2060\ufeff]")
"""They only mark line break opportunities. Joiners are not included, because Persian and Hindi spell with them."""


def strip_break_hints(text: str) -> str:
    """Return text as its words are read: invisible characters pasted into a word do not split it."""
    return text if text.isascii() else _BREAK_HINTS.sub("", replace_surrogates(text))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no file on disk can contain."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def quote_path(path: str) -> str:
    """Format a path so that it can be passed back: of one with invisible characters these are escaped as in JSON."""
    if visible_text(path) == path == path.strip() and is_line(path):
        return path
    return f'"{"".join(map(_escape_unseen, path))}"'


def _escape_unseen(character: str) -> str:
    is_seen = visible_text(character) == character and is_line(f".{character}")
    return json.dumps(character)[1:-1] if character in '"\\\t' or not is_seen else character


EMPTY_VALUES: tuple[Any, ...] = (None, [], (), {}, "")


def inline(value: Any) -> str:
    """Format a value on one line, of a text only what its reader sees."""
    match value:
        case str():
            return one_line(value)
        case {}:
            return " · ".join(f"{name}: {inline(item)}" for name, item in value.items() if item not in EMPTY_VALUES)
        case list() | tuple():
            return ", ".join(map(inline, value))
        case Struct():
            return inline(asdict(value))
        case _:
            return orjson.dumps(value).decode()


_BLANKS = re.compile(r"^[ \t]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


def without_blank_lines(text: str) -> str:
    """Return a text with at most one blank line in a row, of which nothing is left, and none at its ends."""
    return _BLANK_LINES.sub("\n\n", _BLANKS.sub("", text)).strip("\n")
