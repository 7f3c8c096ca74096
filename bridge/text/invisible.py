"""Strips invisible characters, HTML comments, and what no file can contain."""

import json
import re
from typing import Any

import orjson

_JOINED = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U0001193f"  # Arabic, Syriac, the scripts of India, Tibetan, Myanmar, Khmer, Mongolian
    "\u2190-\u2bff\U0001f000-\U0001faff\ufe0f"  # emoji
)
"""Where a joiner between two characters changes their shape: one is kept there; anywhere else it can hide data."""

_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
"""Controls, including terminal escapes; they part words, unlike all else that is not seen."""
_ALWAYS_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width; text direction
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags and variation selectors, which can encode any text
)
_CONTROL = re.compile(f"[{_CONTROLS}]+")
_MAYBE_UNSEEN = re.compile(f"[{_CONTROLS}{_ALWAYS_UNSEEN}\u200c\u200d\ufe0e\ufe0f]")
_UNSEEN = re.compile(
    f"[{_ALWAYS_UNSEEN}]"
    f"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
    "|(?<![\u203c-\u3299\U0001f000-\U0001faff#*0-9\u00a9\u00ae])[\ufe0e\ufe0f]"
)


def visible_text(text: str) -> str:
    """Strip invisible characters and HTML comments, including a comment whose end was cut off."""
    if _MAYBE_UNSEEN.search(text):
        text = _UNSEEN.sub("", _CONTROL.sub(" ", text))
    return strip_comments(text) if "<!--" in text else text


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


def one_line(text: str) -> str:
    """Return the visible part of a title, heading or other short text of a note, on one line."""
    return " ".join(visible_text(text).split())


_BREAK_HINTS = re.compile("[\u00ad\u200b\u2060\ufeff]")
"""They only mark line break opportunities. Joiners are not included, because Persian and Hindi spell with them."""


def strip_break_hints(text: str) -> str:
    """Return text as its words are read: invisible characters pasted into a word do not split it."""
    return text if text.isascii() else _BREAK_HINTS.sub("", replace_surrogates(text))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no file on disk can contain."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def quote_path(path: str) -> str:
    """Format a path so that it can be passed back: one with invisible characters is escaped as in JSON."""
    return path if one_line(path) == path else json.dumps(path)


EMPTY_VALUES: tuple[Any, ...] = (None, [], {}, "")


def inline(value: Any) -> str:
    """Format a value on one line, of a text only what its reader sees."""
    match value:
        case str():
            return one_line(value)
        case {}:
            return " · ".join(f"{name}: {inline(item)}" for name, item in value.items() if item not in EMPTY_VALUES)
        case list():
            return ", ".join(map(inline, value))
        case _:
            return orjson.dumps(value).decode()
