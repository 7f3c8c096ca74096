"""Measures by a vault's own judged questions whether reading closely helps its searches."""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bridge.api.call import Call
from bridge.api.markup import Answer, Element, Line, notices
from bridge.api.note_text import read_text
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.search.measurement import Measurement, keep_measurement, models_in_use
from bridge.features.search.operations import find_among
from bridge.models.reranker import PassageScores
from bridge.notebook.folder import agents_folder
from bridge.notebook.judged_questions import EXAMPLE, HEAD, NOTE, JudgedQuestion, UnreadableLine, read_judged_questions
from bridge.records import dataclass
from bridge.search.judge import DEPTH, FEWEST, Comparison, compare, ndcg
from bridge.search.model import SearchAnswer, SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.text.counts import count_of
from bridge.types import VaultPath

LONGEST_S = 1_800.0
"""Seconds after which the notes of one question are given up."""

NAMED = 20
"""Lines of the note about which something is said, at most."""


@dataclass(frozen=True, slots=True)
class DeepSearchMeasured:
    """Search with and without reading closely, compared by the judged questions.

    Attributes:
        path: The note of judged questions, whether or not it exists.
        questions: How many questions were asked.
        ndcg_hybrid: The mean nDCG@10 without reading closely: 1 if the best notes come first, 0 if none is found.
        ndcg_deep: That with reading closely.
        gain: The difference.
        better: Questions that reading closely answers better.
        worse: Questions that it answers worse.
        chance: The chance of such a gain if reading closely made no difference, from 0 to 1.
        helps: Whether the gain is proved: by 20 questions or more, with a chance of at most 0.025.
        unreadable: The lines of the note that are no judged question.
        notices: Why nothing was measured, what is wrong with these lines, and what to do.
    """

    path: VaultPath
    questions: int = 0
    ndcg_hybrid: float = 0.0
    ndcg_deep: float = 0.0
    gain: float = 0.0
    better: int = 0
    worse: int = 0
    chance: float = 1.0
    helps: bool = False
    unreadable: tuple[int, ...] = ()
    notices: tuple[str, ...] = ()


@operation(
    example={},
    tasks=(
        "does the reranker help in this vault",
        "measure deep search by judged questions",
        "evaluate the search of this vault",
    ),
)
async def measure_deep_search(call: Call) -> DeepSearchMeasured:
    """Measure by the vault's own judged questions whether reading closely orders search results better.

    The questions are in the note `Judged questions` of `agents_folder`. Each is searched in both modes, `hybrid` and
    `deep`, without a limit of time. With the setting `search_deep = "judged"`, searches follow the last measurement.
    """
    vault = call.vault
    vault.require_keyword()
    path = agents_folder(vault.settings).place(NOTE)
    rows = await asyncio.to_thread(_read_rows, vault, path)
    asked = [row for row in rows if isinstance(row, LocatedQuestion)]
    said = tuple(_explain(rows))
    nothing = DeepSearchMeasured(path, unreadable=tuple(row.line for row in rows if isinstance(row, UnreadableLine)))
    if not asked:
        return replace(nothing, notices=(_how_to_begin(path), *said))
    try:
        models = await asyncio.to_thread(models_in_use, vault)
    except BridgeError as error:
        return replace(nothing, notices=(f"{error.message} {error.hint}".strip(), *said))
    reader = PatientReader(vault)
    pairs = []
    for number, question in enumerate(asked):
        call.progress(number, len(asked), "Asking the judged questions")
        pairs.append(await _ask(call, question, reader))
        if reader.problem:
            return replace(nothing, notices=(f"Nothing was measured: {reader.problem}", *said))
    if await asyncio.to_thread(models_in_use, vault) != models:
        return replace(nothing, notices=("Nothing was measured: the models changed meanwhile. Measure again.", *said))
    found = compare(pairs)
    new = Measurement(time.time(), models, found.questions, found.gain, found.helps)
    await asyncio.to_thread(keep_measurement, vault.store.database, new)
    return replace(
        nothing,
        questions=found.questions,
        ndcg_hybrid=round(found.before, 4),
        ndcg_deep=round(found.after, 4),
        gain=round(found.gain, 4),
        better=found.better,
        worse=found.worse,
        chance=round(found.chance, 4),
        helps=found.helps,
        notices=(*_remarks(vault, found, reader.took_s / len(asked)), *said),
    )


@dataclass(frozen=True, slots=True)
class LocatedQuestion:
    """A judged question whose notes can be found."""

    text: str
    line: int
    worth: Mapping[VaultPath, float]
    """The worth of each note: 1 for the best, half as much for each group that is not as good."""
    missing: int
    """Its links to notes that cannot be found."""


class PatientReader:
    """Reads closely for as long as it takes."""

    def __init__(self, vault: OpenVault) -> None:
        self.problem = ""
        """Why not all notes could be read."""
        self.took_s = 0.0
        self._rerankers = vault.rerankers

    async def search(self, sources: Sources, request: SearchRequest) -> SearchAnswer:
        """Search, and read the best notes closely."""
        return await search(replace(sources, rerank=self._score), replace(request, deep=True))

    async def _score(self, query: str, passages: Sequence[str]) -> PassageScores:
        started = time.perf_counter()
        found = await self._rerankers.score(query, passages, LONGEST_S)
        self.took_s += time.perf_counter() - started
        self.problem = self.problem or found.problem
        return found


def _read_rows(vault: OpenVault, path: VaultPath) -> list[LocatedQuestion | UnreadableLine]:
    return [_locate(vault, row, path) for row in read_judged_questions(read_text(vault, path))]


def _locate(
    vault: OpenVault, row: JudgedQuestion | UnreadableLine, note: VaultPath
) -> LocatedQuestion | UnreadableLine:
    if isinstance(row, UnreadableLine):
        return row
    known = vault.index.view(choose_among(vault, None, (), row.text)).notes
    worth: dict[VaultPath, float] = {}
    missing = 0
    for place, group in enumerate(row.answers):
        for target in group:
            path = vault.names.resolve(target, note).path
            if path is not None and path in known:
                worth.setdefault(path, 0.5**place)
            else:
                missing += 1
    if not worth:
        # The link is not repeated: it may name a denied note.
        return UnreadableLine(row.line, "search finds none of its notes")
    return LocatedQuestion(row.text, row.line, worth, missing)


async def _ask(call: Call, question: LocatedQuestion, reader: PatientReader) -> tuple[float, float]:
    request = SearchRequest(question.text, limit=DEPTH)
    answers = [await find_among(call, find, request, None, "") for find in (search, reader.search)]
    before, after = (ndcg([hit.path for hit in answer.hits], question.worth) for answer in answers)
    return before, after


def _explain(rows: Iterable[LocatedQuestion | UnreadableLine]) -> Iterable[str]:
    wrong = [row for row in rows if isinstance(row, UnreadableLine) or row.missing]
    for row in wrong[:NAMED]:
        if isinstance(row, UnreadableLine):
            yield f"Line {row.line} is left out: {row.why}."
        else:
            yield f"Line {row.line}: search finds only {len(row.worth)} of its notes."
    if len(wrong) > NAMED:
        yield f"{count_of(len(wrong) - NAMED, 'more line')} like these."


def _how_to_begin(path: VaultPath) -> str:
    head, rule = HEAD.split("\n")
    return (
        f"There is no judged question: write a table into `{path}`, whose lines are `{head}`, `{rule}` and one for each"
        f" question, such as `{EXAMPLE}`. Notes after a `>` are worth half as much as those before it."
    )


def _remarks(vault: OpenVault, found: Comparison, seconds: float) -> Iterable[str]:
    if found.questions < FEWEST:
        yield f"{count_of(found.questions, 'question')} cannot prove anything: write at least {FEWEST}."
    if seconds > (budget := vault.rerankers.budget_s):
        yield (
            f"Reading took {seconds:.1f} s a question. A search stops reading after {budget:g} s, and so has this order"
            " only for its first notes."
        )
    if found.helps and vault.settings.search_deep != "judged":
        yield "Searches of agents and the command line read closely once the setting `search_deep` is `judged`."


def measured_view(answer: Answer) -> Iterable[Element]:
    """Show both numbers, the gain, and what it means."""
    yield from notices(answer["notices"])
    if not answer["questions"]:
        return
    yield Line(
        f"{count_of(answer['questions'], 'question')}: nDCG@10 {answer['ndcg_hybrid']:.3f} hybrid,"
        f" {answer['ndcg_deep']:.3f} deep, gain {answer['gain']:+.3f};"
        f" {answer['better']} better, {answer['worse']} worse, chance {answer['chance']:.4f}."
    )
    yield Line("Reading closely helps." if answer["helps"] else "It is not proved that reading closely helps.")
