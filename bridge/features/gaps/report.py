"""Reports the questions that the notes do not answer."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Annotated

from annotated_types import Interval

from bridge.api.call import Call
from bridge.api.hints import Limit
from bridge.api.markup import Answer, Element, Line, notice, notices, path_of
from bridge.api.note_text import read_text
from bridge.api.registry import operation
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.notebook.folder import agents_folder
from bridge.notebook.questions import NOTE, KeptQuestion, add_questions, read_questions
from bridge.records import dataclass
from bridge.search.answerability import Verdict
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.text.counts import count_of
from bridge.text.extract import terms_of
from bridge.text.stems import language_of
from bridge.types import VaultPath

log = logging.getLogger(__name__)

WRITE_EVERY_S = 30.0
"""Seconds between two looks for questions: what is asked meanwhile is one change."""

WRITE = "keep_questions"
"""The operation under which these changes are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsChange(Request):
    """Adds questions to the note; whatever else it says stays byte for byte."""

    asked: tuple[KeptQuestion, ...]
    op: str = WRITE

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        if draft.has(self.path):
            text = draft.read(self.path).decode("utf-8", "surrogateescape")
            draft.replace(self.path, add_questions(text, self.asked).encode("utf-8", "surrogateescape"))
        else:
            draft.create(self.path, add_questions("", self.asked).encode())
        return Effect()


async def keep_questions(vault: OpenVault) -> None:
    """Write questions from time to time, until cancelled."""
    while True:
        await asyncio.sleep(WRITE_EVERY_S)
        await write_waiting(vault)


async def write_waiting(vault: OpenVault) -> None:
    """Write the questions that wait; what cannot be written waits on, unless nobody agreed to the folder."""
    asked = vault.waiting_questions.take()
    folder = agents_folder(vault.settings)
    if not asked or vault.settings.keep_questions == "off" or not vault.is_set_up:
        return
    # A proposal would ask the user again what the setting has answered.
    by = Author(WRITE, proposes=True, applies_in=folder)
    try:
        await vault.executor.carry([QuestionsChange(path=questions_path(vault), asked=tuple(asked))], by)
    except BridgeError as error:
        log.warning("Questions are not written now: %s", error.code)
        vault.waiting_questions.put_back(asked)


def questions_path(vault: OpenVault) -> VaultPath:
    return agents_folder(vault.settings).place(NOTE)


ALIKE = 0.85
"""Cosine from which two questions count as one."""

SHARED = 0.6
"""Share of their words that two questions have in common to count as one, without a model."""

MOST = 300
"""Questions that are compared, the last ones."""

CLOSEST = 3


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that was asked and that the notes may not say.

    Attributes:
        question: The question, as it was asked most often.
        wordings: How else it was asked.
        times: How often.
        last: The day on which it was asked last.
        clients: Who asked; the user has no name.
        missing: Its words that the best notes do not say now.
        verdict: Whether the notes answer it now.
        closest: The closest notes.
    """

    question: str
    wordings: tuple[str, ...]
    times: int
    last: str
    clients: tuple[str, ...]
    missing: tuple[str, ...]
    verdict: Verdict
    closest: tuple[VaultPath, ...]


@dataclass(frozen=True, slots=True)
class GapReport:
    """The questions that the notes do not answer.

    Attributes:
        gaps: Groups of like questions, the most frequent first.
        total: How many groups there are.
        path: The note in which the questions are kept.
        notices: Why no questions are kept, and how they would be.
    """

    gaps: tuple[Gap, ...]
    total: int
    path: VaultPath
    notices: tuple[str, ...]


@operation(
    example={"days": 30},
    tasks=(
        "what do my notes not answer",
        "questions that were asked and found nothing",
        "gaps in the vault, what should be written",
    ),
)
async def gap_report(call: Call, days: Annotated[int, Interval(ge=1, le=3_650)] = 90, limit: Limit = 20) -> GapReport:
    """List questions that were asked and not answered by the notes, and whether these answer them now.

    Questions are kept only with the setting `keep_questions`, in a note that you can edit; ticked ones are left out.

    Args:
        days: Only questions asked in these last days.
        limit: Maximum groups of like questions.
    """
    vault = call.vault
    vault.require_keyword()
    path, hints = questions_path(vault), tuple(_why_none(vault))
    since = datetime.now().astimezone().date() - timedelta(days=days)
    text = add_questions(
        await asyncio.to_thread(read_text, vault, path), () if hints else vault.waiting_questions.peek()
    )
    kept = [one for one in read_questions(text) if not one.settled and one.last >= since]
    groups = await _group(vault, sorted(kept, key=lambda one: (one.last, one.times))[-MOST:])
    groups.sort(key=lambda group: (-sum(one.times for one in group), group[0].text))
    gaps = [await _describe(vault, group) for group in groups[:limit]]
    return GapReport(tuple(gaps), len(groups), path, hints)


def _why_none(vault: OpenVault) -> Iterable[str]:
    if vault.settings.keep_questions == "off":
        yield (
            'Questions are not kept. With `keep_questions = "missed"` in the settings, those that the notes do not'
            f" answer are written into `{questions_path(vault)}`."
        )
    elif not vault.is_set_up:
        yield f"Questions are not kept before `{vault.settings.agents_folder}` is set up: run `set-up-memory`."


async def _group(vault: OpenVault, questions: Sequence[KeptQuestion]) -> list[list[KeptQuestion]]:
    vectors = [await vault.embed_query(one.text) for one in questions]
    terms = [frozenset(terms_of(one.text, language_of(one.text))) for one in questions]
    groups: list[list[int]] = []
    for at in sorted(range(len(questions)), key=lambda at: -questions[at].times):
        for group in groups:
            other = group[0]
            if vectors[at] is not None and vectors[other] is not None:
                alike = float(vectors[at] @ vectors[other]) >= ALIKE
            else:
                alike = len(terms[at] & terms[other]) >= SHARED * max(1, len(terms[at] | terms[other]))
            if alike:
                group.append(at)
                break
        else:
            groups.append([at])
    return [[questions[at] for at in group] for group in groups]


async def _describe(vault: OpenVault, group: Sequence[KeptQuestion]) -> Gap:
    first = group[0]
    found = await search(vault.sources(), SearchRequest(first.text, limit=CLOSEST))
    judged = found.answerability
    return Gap(
        question=first.text,
        wordings=tuple(one.text for one in group[1:]),
        times=sum(one.times for one in group),
        last=max(one.last for one in group).isoformat(),
        clients=tuple(dict.fromkeys(one.client for one in group if one.client)),
        missing=judged.missing if judged else first.missing,
        verdict=judged.verdict if judged else "unsure",
        closest=tuple(hit.path for hit in found.hits),
    )


def gap_report_view(answer: Answer) -> Iterable[Element]:
    """Show each question with what is missing, and the closest notes below it."""
    yield from notices(answer["notices"])
    if not answer["gaps"] and not answer["notices"]:
        yield notice("Every question that is kept is settled.")
    for gap in answer["gaps"]:
        by = f" by {', '.join(gap['clients'])}" if gap["clients"] else ""
        missing = f" · missing: {', '.join(gap['missing'])}" if gap["missing"] else ""
        now = " · answered now" if gap["verdict"] == "answered" else ""
        yield Line(f"{gap['question']} · asked {count_of(gap['times'], 'time')}, last {gap['last']}{by}{missing}{now}")
        yield from (Line("  closest: ", path_of(path)) for path in gap["closest"])
    if answer["total"] > len(answer["gaps"]):
        yield notice(f"{count_of(answer['total'] - len(answer['gaps']), 'more question')} with a higher `limit`.")
