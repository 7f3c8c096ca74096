"""The note of a plan: findings as tasks that a person ticks."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from bridge.markdown.names import note_name
from bridge.records import Record
from bridge.text.counts import count_of, join_some
from bridge.text.invisible import one_line
from bridge.text.lines import change_lines
from bridge.types import VaultPath

TYPE: Final = "tidy-plan"
"""The property `type` of such a note."""

FORMER_TYPE: Final = "garden-plan"
"""That of the notes of earlier versions."""

MAX_NOTES: Final = 5
"""Notes that a line names at most."""

ENDING: Final = "done"
"""Stands at the end of the line of a finding that was applied."""

SWAP_MARK: Final = " · instead: "
"""Stands in a line before the value that a person puts in place of the proposed one."""

_TASK: Final = re.compile(r"(?P<marker>[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[)(?P<box>.)(?P<rest>\][ \t]+.*)")
_ID: Final = re.compile(r"\^(g\d+)(?![\w-])")
_LINK: Final = re.compile(r"\[\[[^\[\]]*\]\]")


class PlanLine(Record):
    """A finding as a line of the note."""

    id: str
    """Its id in the plan, which is the block id of the line."""
    ticked: bool
    """Whether it is to be applied."""
    text: str
    """What the line says, without box and id."""


def read_lines(text: str) -> Sequence[PlanLine]:
    """Return the findings that a plan's note lists, however a person edited it."""
    tasks = filter(None, map(_TASK.fullmatch, text.splitlines()))
    found = ((task, ids) for task in tasks if (ids := _ID.findall(task["rest"])))
    return [PlanLine(ids[-1], task["box"] in "xX", _words(task["rest"])) for task, ids in found]


def tick_line(text: str, id_: str, *, ticked: bool) -> str:
    """Return the note with the box of one finding ticked or not; every other byte stays."""
    return _change_line(text, id_, lambda task: f"{task['marker']}{'x' if ticked else ' '}{task['rest']}")


def mark_done(text: str, ids: Iterable[str], merges: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the note with the lines of some findings marked as applied.

    What merges say by their ids stays, though links to the notes that are gone lead to others.
    """
    for id_ in ids:
        text = _change_line(text, id_, partial(_mark, words=merges.get(id_)))
    return text


def _mark(task: re.Match[str], words: str | None) -> str:
    rest = task["rest"]
    if words is not None:
        rest = f"] {words} ^{_ID.findall(rest)[-1]}"
    if _words(rest).endswith(f" · {ENDING}"):
        return task[0]
    at = [found.start() for found in _ID.finditer(rest)][-1]
    return f"{task['marker']}{task['box']}{rest[:at].rstrip()} · {ENDING} {rest[at:]}"


def _change_line(text: str, id_: str, change: Callable[[re.Match[str]], str]) -> str:
    def change_own(line: str) -> str:
        task = _TASK.fullmatch(line)
        return change(task) if task and _ID.findall(task["rest"])[-1:] == [id_] else line

    return change_lines(text, change_own)


def _words(rest: str) -> str:
    return " ".join(_ID.sub(" ", rest.removeprefix("]")).split())


def split_value(line: str, written: str) -> tuple[str, str | None]:
    """Return what a line says, without the mark of what was applied, and the value that a person put into it."""
    words = line.removesuffix(f" · {ENDING}")
    if SWAP_MARK in written:
        return words, None
    words, mark, value = words.partition(SWAP_MARK)
    return words, value if mark else None


def line_digests(text: str) -> frozenset[str]:
    """Return digests of the lines of a plan's text, whatever their boxes, marks, and the targets of their links are."""
    return frozenset(map(_line_digest, filter(str.strip, text.splitlines())))


def _line_digest(line: str) -> str:
    task = _TASK.fullmatch(line)
    words = line if task is None else f"{_words(task['rest']).removesuffix(f' · {ENDING}')} {_ID.findall(task['rest'])}"
    return hashlib.sha256(_LINK.sub("[[]]", " ".join(words.split())).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def plan_link(path: VaultPath) -> str:
    """Return a link to a note that shows its name; of a file that a link cannot name, only its path."""
    name = note_name(path)
    if re.search(r"[\[\]|#^\r\n]", path):
        return code_words(path)
    return f"[[{path.removesuffix('.md')}|{name}]]" if "/" in path else f"[[{name}]]"


def name_notes(paths: Sequence[VaultPath]) -> str:
    """Return how many notes there are, and the first ones by name."""
    return f"{count_of(len(paths), 'note')}: {join_some([*map(plan_link, paths)], MAX_NOTES)}"


def code_words(text: str) -> str:
    """Return words of a note as code, where a link keeps its brackets and only the id of a finding would count."""
    words = re.sub(r"`|\^(?=g\d)", " ", one_line(text)).strip()
    return f"`{words or ' '}`"


def plain_words(text: str) -> str:
    """Return words of a note so that they neither begin a link, a tag or code nor end a line of the plan."""
    return re.sub(r"[\[\]`#^|<>*~=%$\\]", " ", one_line(text)).strip()
