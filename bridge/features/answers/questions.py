"""The note of questions that the vault did not answer: a list of tasks in a note that is otherwise the user's."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import date
from typing import Final

from bridge.records import dataclass
from bridge.text.budget import cut
from bridge.text.counts import count_of
from bridge.text.fold import fold_word
from bridge.text.invisible import one_line
from bridge.text.secrets import find_secret

NOTE: Final = "Questions.md"
"""The name of the note in the agents' folder."""

MAX_WAITING_QUESTIONS: Final = 200
"""Questions that wait to be written at most."""

_MAX_QUESTION_CHARS: Final = 300
_HEAD: Final = """\
---
type: questions
---
What was asked of the notes; the setting `keep_questions` says which questions are kept here. Tick one that is settled,
or delete it.

"""
_LINE: Final = re.compile(
    r"- \[(?P<box>.)\] `(?P<text>[^`\n]+)` · asked (?P<times>\d{1,6}) times?, last (?P<last>\d{4}-\d\d-\d\d)"
    r"(?: by (?P<client>[^·\n]+?))?(?: · missing: (?P<missing>[^·\n]+?))?\s*"
)
_BETWEEN: Final = ", "
_SEPARATORS: Final = re.compile("[`·\n]")


@dataclass(frozen=True, slots=True)
class KeptQuestion:
    """A question in the note.

    Attributes:
        text: The question, on one line.
        times: How often it was asked.
        last: The day on which it was asked last.
        client: Who asked it last; empty for the user.
        missing: Its words that the best notes did not say then.
        settled: Whether the user ticked it.
    """

    text: str
    times: int
    last: date
    client: str = ""
    missing: tuple[str, ...] = ()
    settled: bool = False


@dataclass(slots=True)
class WaitingQuestions:
    """The questions that were asked since the note was last written."""

    _waiting: dict[str, KeptQuestion] = field(default_factory=dict)

    def add(self, text: str, last: date, client: str, missing: Iterable[str]) -> None:
        """Add a question, unless it holds a secret or too many wait."""
        shown = cut(_plain(text), _MAX_QUESTION_CHARS)
        known = self._waiting.get(_key(shown))
        if (
            not shown
            or find_secret(text) is not None
            or (known is None and len(self._waiting) >= MAX_WAITING_QUESTIONS)
        ):
            return
        words = tuple(plain for word in missing if (plain := _plain(word).replace(",", "")))
        one = KeptQuestion(shown, 1, last, _plain(client), words)
        self._waiting = merge_questions(self._waiting, [one])

    def take(self) -> list[KeptQuestion]:
        found = [*self._waiting.values()]
        self._waiting.clear()
        return found

    def put_back(self, questions: Iterable[KeptQuestion]) -> None:
        """Let questions wait again that could not be written."""
        self._waiting = merge_questions({_key(one.text): one for one in questions}, self._waiting.values())


def add_questions(text: str, asked: Iterable[KeptQuestion]) -> str:
    """Return the note with questions counted or added; every other line stays as it is.

    A question that the user ticked stays as it is, too.
    """
    lines = (text or _HEAD).splitlines(keepends=True)
    waiting = merge_questions({}, asked)
    last = None
    for at, line in enumerate(lines):
        body = line.rstrip("\r\n")
        if (known := _parse(body)) is None:
            continue
        last = at
        more = waiting.pop(_key(known.text), None)
        if more is not None and not known.settled:
            [counted] = merge_questions({_key(known.text): known}, [more]).values()
            lines[at] = _write(counted) + line[len(body) :]
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    new = [_write(one) + end for one in waiting.values()]
    place = len(lines) if last is None else last + 1
    if new and place and not lines[place - 1].endswith("\n"):
        lines[place - 1] += end
    return "".join([*lines[:place], *new, *lines[place:]])


def merge_questions(known: Mapping[str, KeptQuestion], asked: Iterable[KeptQuestion]) -> dict[str, KeptQuestion]:
    merged = dict(known)
    for one in asked:
        before = merged.get(_key(one.text))
        merged[_key(one.text)] = replace(one, text=before.text, times=one.times + before.times) if before else one
    return merged


def _key(text: str) -> str:
    return fold_word(text).rstrip(" ?!.？！。")


def _plain(text: str) -> str:
    return " ".join(_SEPARATORS.sub(" ", one_line(text)).split())


def _parse(line: str) -> KeptQuestion | None:
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    try:
        last = date.fromisoformat(found["last"])
    except ValueError:
        return None
    missing = tuple(filter(None, (found["missing"] or "").split(_BETWEEN)))
    return KeptQuestion(
        found["text"], int(found["times"]), last, found["client"] or "", missing, settled=found["box"] != " "
    )


def _write(question: KeptQuestion) -> str:
    by = f" by {question.client}" if question.client else ""
    missing = f" · missing: {_BETWEEN.join(question.missing)}" if question.missing else ""
    asked = f"asked {count_of(question.times, 'time')}".replace(",", "")
    return f"- [ ] `{question.text}` · {asked}, last {question.last.isoformat()}{by}{missing}"
