"""The note of corrections: a list of tasks in a note that is otherwise the user's."""

import hashlib
import re
from collections.abc import Collection, Iterator
from datetime import date
from typing import Final, Literal, get_args

from msgspec.structs import replace

from bridge.markdown.links import inside_wiki
from bridge.records import Record
from bridge.text.invisible import one_line

NOTE: Final = "Corrections.md"
"""The name of the note in the agents' folder."""

CorrectionKind = Literal["wrong_link", "wrong_name", "wrong_fact", "wrong_place", "general"]

_HEAD: Final = """\
---
type: corrections
---
What was found to be wrong, and what agents must know. Tick what is corrected, or delete it; lines of your own are told,
too.

"""
_LINE: Final = re.compile(
    rf"- \[(?P<box>.)\] (?P<kind>{'|'.join(get_args(CorrectionKind))}) · (?P<text>[^·\n]+?)"
    rf"(?: · in \[\[(?P<about>{inside_wiki()}+)\]\])?"
    r"(?: · by (?P<client>[^·\n]+?))? · (?P<day>\d{4}-\d\d-\d\d)"
    r"(?: · (?:applied|dismissed)(?:: [^·\n]+?)?)?(?: ✅ \d{4}-\d\d-\d\d)? \^(?P<id>c-[0-9a-f]{8})\s*"
)
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[(?P<box>.)\]\s+)?(?P<text>\S.*)")
_BLOCK: Final = re.compile(r"\s+\^[\w-]+\s*$")
_QUOTED: Final = r"[“\"„«`‘']{name}[”\"“»`’']"
_OLD, _NEW = (_QUOTED.replace("{name}", rf"(?P<{name}>[^“”\"„«»`\n]{{3,80}}?)") for name in ("old", "new"))
_WORD: Final = r"[^\s“”\"„«»`→>·][^→>\n]{1,78}?[^\s“”\"„«»`→>·.]"
_REPLACEMENTS: Final = (
    rf"{_OLD}\s*(?:→|[-=]>)\s*{_NEW}\.?",
    rf"(?P<old>{_WORD})\s*(?:→|[-=]>)\s*(?P<new>{_WORD})\.?",
    rf"{_OLD}\s+(?:should|must)\s+be\s+(?:spelt\s+|spelled\s+|written\s+)?{_NEW}\.?",
    rf"{_OLD}\s+is\s+(?:spelt|spelled|written)\s+{_NEW}\.?",
    rf"(?:it\s+is\s+|write\s+|say\s+)?{_NEW},?\s+(?:not|instead\s+of)\s+{_OLD}\.?",
    rf"not\s+{_OLD},?\s+but\s+{_NEW}\.?",
)
"""The sentences that say which words stand for which; compiled when the first is looked for."""


class Correction(Record):
    """A correction in the note."""

    id: str
    """The block id of its line."""
    kind: CorrectionKind
    text: str
    about: str
    """The path of the note that is wrong; empty if none is named."""
    client: str
    day: date
    is_open: bool = True


def new_correction(kind: CorrectionKind, text: str, about: str, client: str, day: date) -> Correction:
    """Return a correction; the same words on the same note have the same id."""
    shown = _plain(text)
    key = "\n".join((kind, about, " ".join(shown.casefold().split())))
    return Correction(f"c-{hashlib.sha256(key.encode()).hexdigest()[:8]}", kind, shown, about, _plain(client), day)


def read_corrections(text: str) -> Iterator[Correction]:
    """Yield the corrections of a note; a line that is written differently is none."""
    return filter(None, map(_parse, text.splitlines()))


def add_correction(text: str, new: Correction) -> str:
    """Return the note with a correction after the last one; every other line stays as it is."""
    lines = (text or _HEAD).splitlines(keepends=True)
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    last = len(lines)
    for at, line in enumerate(lines):
        known = _parse(line.rstrip("\r\n"))
        if known is not None and known.id == new.id:
            lines[at] = _write(new) + line[len(line.rstrip("\r\n")) :]
            return "".join(lines)
        last = at + 1 if known is not None else last
    if not lines[last - 1].endswith("\n"):
        lines[last - 1] += end
    return "".join([*lines[:last], _write(new) + end, *lines[last:]])


def open_items(text: str) -> list[str]:
    """Return the texts of all list items of a note, without the tasks that are ticked, in order."""
    found = (_ITEM.fullmatch(line) for line in text.splitlines())
    return [_BLOCK.sub("", item["text"]) for item in found if item and (item["box"] or " ") == " "]


class Replacement(Record):
    """Words that should be others."""

    old: str
    new: str
    about: str
    """The path of the note that is wrong, without `.md`; empty for all."""

    @property
    def key(self) -> str:
        """What tells the findings of it from those of others."""
        return f"{self.old} {self.new}"

    @property
    def pattern(self) -> re.Pattern[str]:
        """The old words, where they are not inside of others."""
        return re.compile(rf"(?<!\w){re.escape(self.old)}(?!\w)")


def open_replacements(text: str) -> Iterator[Replacement]:
    """Yield the open corrections that only say which words should be which, those in a person's own lines, too."""
    return filter(None, map(_open_replacement, text.splitlines()))


def settle_replacements(text: str, applied: Collection[Replacement]) -> str:
    """Return the note with the open tasks of some replacements ticked; every other line stays as it is."""
    lines = text.splitlines(keepends=True)
    for at, line in enumerate(lines):
        body = line.rstrip("\r\n")
        if _open_replacement(body) not in applied:
            continue
        if (known := _parse(body)) is not None:
            lines[at] = _write(replace(known, is_open=False)) + line[len(body) :]
        elif (item := _ITEM.fullmatch(body)) is not None and item["box"]:
            lines[at] = f"{line[: item.start('box')]}x{line[item.end('box') :]}"
    return "".join(lines)


def _open_replacement(line: str) -> Replacement | None:
    known, item = _parse(line), _ITEM.fullmatch(line)
    if known is not None:
        words, about, is_open = known.text, known.about, known.is_open and known.kind != "wrong_link"
    elif item is not None:
        words, about, is_open = _BLOCK.sub("", item["text"]).strip(), "", (item["box"] or " ") == " "
    else:
        return None
    found = _read_replacement(words) if is_open else None
    return None if found is None else Replacement(*found, about)


def _read_replacement(text: str) -> tuple[str, str] | None:
    for pattern in _REPLACEMENTS:
        if (found := re.fullmatch(pattern, text.strip(), re.IGNORECASE)) is not None:
            old, new = found["old"].strip(), found["new"].strip()
            # Otherwise the new words would be found again.
            return None if Replacement(old, new, "").pattern.search(new) else (old, new)
    return None


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[·\n]|\s\^(?=[\w-]+$)", " ", one_line(text)).split())


def _parse(line: str) -> Correction | None:
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    try:
        day = date.fromisoformat(found["day"])
    except ValueError:
        return None
    kind = next(each for each in get_args(CorrectionKind) if each == found["kind"])
    about, client = found["about"] or "", found["client"] or ""
    return Correction(found["id"], kind, found["text"], about, client, day, found["box"] == " ")


def _write(one: Correction) -> str:
    box, end = (" ", "") if one.is_open else ("x", " · applied")
    about = f" · in [[{one.about}]]" if one.about else ""
    by = f" · by {one.client}" if one.client else ""
    return f"- [{box}] {one.kind} · {one.text}{about}{by} · {one.day.isoformat()}{end} ^{one.id}"
