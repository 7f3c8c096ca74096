"""The note of questions that the vault did not answer: a list of tasks in a note that is otherwise the user's."""

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from itertools import filterfalse
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.write import client_name
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.features.corrections.public import LineChange
from bridge.records import Record
from bridge.search.answerability import Answerability
from bridge.text.budget import cut
from bridge.text.counts import count_of
from bridge.text.fold import fold_word
from bridge.text.invisible import inline, one_line
from bridge.text.lines import add_lines, change_lines
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
_SEPARATOR: Final = ", "
_SEPARATORS: Final = re.compile("[`·\n]")


class KeptQuestion(Record):
    """A question in the note, which was asked so often, the last time on a day and by a client."""

    text: str
    times: int
    last: date
    client: str = ""
    """Empty for the user."""
    missing: tuple[str, ...] = ()
    """Its words that the best notes did not say then."""
    settled: bool = False
    """Whether the user ticked it."""


class WaitingQuestions(Struct):
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
    waiting = merge_questions({}, asked)

    def count(line: str) -> str:
        known = _parse(line)
        more = None if known is None else waiting.pop(_key(known.text), None)
        if known is None or more is None or known.settled:
            return line
        return _write(merge_questions({_key(known.text): known}, [more])[_key(known.text)])

    counted = change_lines(text or _HEAD, count)
    return add_lines(counted, [*map(_write, waiting.values())], lambda line: _parse(line) is not None)


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
    missing = tuple(filter(None, (found["missing"] or "").split(_SEPARATOR)))
    return KeptQuestion(
        found["text"], int(found["times"]), last, found["client"] or "", missing, settled=found["box"] != " "
    )


def _write(question: KeptQuestion) -> str:
    by = f" by {question.client}" if question.client else ""
    missing = f" · missing: {_SEPARATOR.join(question.missing)}" if question.missing else ""
    asked = f"asked {count_of(question.times, 'time')}".replace(",", "")
    return f"- [ ] `{question.text}` · {asked}, last {question.last.isoformat()}{by}{missing}"


MISSED_OUTCOMES = {"not_in_vault", "partial"}
"""Verdicts on a question that the vault does not answer, or not all of it."""


def keep_question(call: Call, question: str, answerability: Answerability | None) -> None:
    """Let a question wait to be written into the note of questions, if the setting `keep_questions` says so."""
    wanted = call.vault.settings.keep_questions
    if (
        wanted == "off"
        or answerability is None
        or (wanted == "missed" and answerability.verdict not in MISSED_OUTCOMES)
    ):
        return
    today = datetime.now().astimezone().date()
    call.vault.part(WaitingQuestions).add(question, today, client_name(call) or "", answerability.missing)


MAX_NAMED_WORDS = 3
"""Words that are named."""


def answerability_notice(
    answerability: Answerability | None,
    closest: str | None,
    looked_at: str = "best notes",
    things: Mapping[str, str] = MappingProxyType({}),
) -> str | None:
    """Return the line; None where the question is answered, and where nothing can be told.

    `things` has what the question asks for, such as a city, by the words with which it asks.
    """
    if answerability is None or answerability.verdict == "answered":
        return None
    verdict, missing = answerability.verdict, answerability.missing
    words = ", ".join(
        f"\u201c{inline(word)}\u201d" for word in [*filterfalse(things.__contains__, missing)][:MAX_NAMED_WORDS]
    )
    nothing = [f"name no {thing}" for word, thing in things.items() if word in missing][:1]
    unsaid = " and ".join([*nothing, *([f"do not say {words}"] if words else [])])
    if verdict == "not_in_vault":
        reasons = [f"the {looked_at} {unsaid}"] if unsaid else []
        reasons += [f"the closest is *{inline(closest)}*"] if closest else []
        return f"Not in the vault, as far as can be told{': ' + '; '.join(reasons) if reasons else ''}."
    tells = bool(missing) if verdict == "partial" else len(missing) == 1
    return f"The {looked_at} {unsaid}." if tells else None


log = logging.getLogger(__name__)

WRITE_EVERY_S = 30.0
"""Seconds between two looks for questions: what is asked meanwhile is one change."""

WRITE = "keep_questions"
"""The operation under which these changes are listed."""


class QuestionsChange(LineChange, kw_only=True, tag=WRITE):
    """Adds questions to the note."""

    asked: tuple[KeptQuestion, ...]

    def edit(self, text: str) -> str:
        return add_questions(text, self.asked)


async def keep_questions(vault: OpenVault) -> None:
    """Write questions from time to time, until cancelled."""
    while True:
        await asyncio.sleep(WRITE_EVERY_S)
        await write_waiting(vault)


async def write_waiting(vault: OpenVault) -> None:
    """Write the questions that wait; what cannot be written waits on, unless nobody agreed to the folder."""
    asked = vault.part(WaitingQuestions).take()
    folder = agents_folder(vault.settings)
    if not asked or vault.settings.keep_questions == "off" or not vault.is_set_up:
        return
    # A proposal would ask the user again what the setting has answered.
    by = Author(WRITE, proposes=True, applies_in=folder)
    try:
        await vault.executor.execute([QuestionsChange(path=folder.place(NOTE), asked=tuple(asked))], by)
    except BridgeError as error:
        log.warning("Questions are not written now: %s", error.code)
        vault.part(WaitingQuestions).put_back(asked)
