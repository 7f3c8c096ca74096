"""The operation that tells an agent what it should know."""

import asyncio
import time
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval, MaxLen

from bridge.api.call import Call
from bridge.api.injections import Reader, find_withheld, publish_injection, reader_of, record_injection
from bridge.api.markup import Answer, Document, Element, notice
from bridge.api.note_text import count_lines, open_note
from bridge.api.registry import operation
from bridge.errors import NoteNotFound
from bridge.features.brief import cards, vault_cards
from bridge.features.brief.settings import BriefSettings
from bridge.markdown.kinds import title_of
from bridge.notebook import brief_text
from bridge.notebook.brief_text import BriefPart, BriefWeights, Card
from bridge.notebook.folder import agents_folder
from bridge.records import dataclass
from bridge.state.injection_log import InjectedNote
from bridge.text.budget import estimate_tokens
from bridge.types import Among, Lines, VaultPath

if TYPE_CHECKING:
    from bridge.index.note import IndexedNote

BY_DEFAULT: tuple[BriefPart, ...] = ("handoff", "corrections", "sessions", "memories", "questions")
WEAK, NEAR = 0.1, 0.4
"""The score of a memory, and its share of the best, below which it does not fit the task."""

BUDGET, LIMIT = 1_200, 5
"""Tokens of a briefing, and entries of each part, by default."""

FOUND = 50
"""Notes that a search for the task returns."""


@dataclass(frozen=True, slots=True)
class BriefItem:
    """Something that the text tells.

    Attributes:
        path: Its note.
        lines: The note's first and last line.
        part: The part that it belongs to.
        why: Why it is told, in short sentences.
        tokens: Tokens it takes.
    """

    path: VaultPath
    lines: Lines
    part: BriefPart
    why: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class AgentBrief:
    """What to know at the beginning of a session.

    Attributes:
        text: The briefing; empty if there is nothing to tell, or the budget is too small for it.
        items: What it tells, in order.
        tokens: Tokens of the text, estimated.
        left_out: How many more would have fitted the task, but not the budget or the limit.
    """

    text: str
    items: tuple[BriefItem, ...]
    tokens: int
    left_out: int


@operation(
    example={"task": "feed the starter", "budget": 600},
    tasks=(
        "begin a session with what is known about the task",
        "briefing for the work at hand",
        "get up to speed before starting",
        "what should I know before I begin",
    ),
)
async def brief(
    call: Call,
    task: Annotated[str, MaxLen(10_000)] = "",
    paths: tuple[VaultPath, ...] = (),
    tags: tuple[str, ...] = (),
    budget: Annotated[int, Interval(ge=100, le=8_000)] = BUDGET,
    parts: tuple[BriefPart, ...] = (),
    limit: Annotated[int, Interval(ge=1, le=50)] = LIMIT,
    recency_days: Annotated[int, Interval(ge=1, le=3_650)] | None = None,
) -> AgentBrief:
    """Tell what matters for a task at the beginning of a session: the open handoff, last sessions and memories.

    Decisions, modules, patterns and bugs are told by the `type` of their notes; other notes only with the part `notes`.
    The part `corrections` is `Corrections.md` in the agents' folder; `pulse`, the notes changed last, only on request.

    Args:
        task: What the session is for; without one, recent work counts.
        paths: Notes that it is about.
        tags: Tags that it is about.
        budget: Maximum tokens of the text.
        parts: Only these parts.
        limit: Maximum entries of each part.
        recency_days: Days after which a memory or note is no longer new; by default, the setting `brief.days`.
    """
    request = BriefRequest(task, paths, tags, budget, parts, limit, recency_days)
    answer = await compose_brief(call, reader_of(call), request)
    given = [InjectedNote(one.path, one.why, one.tokens) for one in answer.items]
    await asyncio.to_thread(record_injection, call, "brief", given)
    publish_injection(call)
    return answer


@dataclass(frozen=True, slots=True)
class BriefRequest:
    """What a briefing is for, and how long it may be."""

    task: str = ""
    paths: tuple[VaultPath, ...] = ()
    tags: tuple[str, ...] = ()
    budget: int = BUDGET
    parts: tuple[BriefPart, ...] = ()
    limit: int = LIMIT
    recency_days: int | None = None


async def compose_brief(call: Call, reader: Reader, request: BriefRequest) -> AgentBrief:
    """Return what a session would be told, without recording that it was."""
    vault, parts, limit = call.vault, request.parts, request.limit
    vault.require_keyword()
    await asyncio.to_thread(vault.memories.follow, vault.index.view("agents").notes)
    signal, journals = await read_signal(call, reader, request.task, request.paths, request.tags)
    settings = call.bridge.settings.section(BriefSettings)
    weights = BriefWeights(settings.terms_percent / 100, settings.meaning_percent / 100, settings.recency_percent / 100)
    days = request.recency_days or settings.days

    def tell() -> AgentBrief:
        wanted = parts or (*BY_DEFAULT, "notes")
        found: list[Card] = []
        if "handoff" in wanted:
            found += cards.handoff_cards(call, reader, signal.now)
        if "sessions" in wanted:
            found += cards.session_cards(reader, journals, signal.now)
        if "memories" in wanted or "questions" in wanted:
            found += (one for one in cards.memory_cards(call, signal, weights, days) if one.part in wanted)
        if "notes" in wanted:
            found += cards.note_cards(call, signal, weights, days, ordinary="notes" in parts)
        if "corrections" in wanted:
            found += vault_cards.correction_cards(call, signal, request.budget)
        if "pulse" in wanted:
            told_already = {card.path for card in found}
            lately = vault_cards.pulse_cards(call, signal, days, limit)
            found += (card for card in lately if card.path not in told_already)
        is_withheld = find_withheld(vault, reader)
        found = [card for card in found if not is_withheld(card.path)]
        best = limit_parts(found, limit)
        told = brief_text.brief(best, request.budget, request.task, len(found) - len(best))
        items = [replace(card, lines=(1, last_line(call, card.path))) for card in told.cards]
        told_items = tuple(
            BriefItem(one.path, one.lines, one.part, one.why, estimate_tokens(one.text)) for one in items
        )
        return AgentBrief(told.text, told_items, told.tokens, told.left_out)

    return await asyncio.to_thread(tell)


async def read_signal(
    call: Call, reader: Reader, task: str, paths: Collection[VaultPath], tags: Iterable[str]
) -> tuple[cards.Signal, list["IndexedNote"]]:
    """Return what a session works on, and the journals of the last days."""
    from bridge.search.model import SearchRequest
    from bridge.search.pipeline import search

    now, notes = time.time(), call.vault.index.notes
    journals = await asyncio.to_thread(cards.journals_of, call, reader, now)
    about = list(paths) if task.strip() or paths or tags else cards.recent_paths(call, reader, journals)
    titles = [notes[path].title if path in notes else title_of(path) for path in about]
    own_tags = [tag for path in about if path in notes for tag in notes[path].tags]
    terms = brief_text.terms_of((*tags, *own_tags, *titles), task)
    query = " ".join((task, *titles)).strip()
    found: dict[VaultPath, float] = {}
    memory = agents_folder(call.vault.settings).memory
    # Journals are told by their age; they repeat each other, which makes a search among them slow.
    sides: tuple[tuple[Among, tuple[VaultPath, ...]], ...] = (("notes", ()), ("agents", (memory,)))
    for among, inside in sides if query else ():
        request = SearchRequest(query, limit=FOUND, paths=inside)
        answer = await search(await call.vault.sources_among(among), request)
        top = max((hit.score for hit in answer.hits), default=0.0)
        # A search of some notes lists all of them, however little they fit.
        least = max(WEAK, NEAR * top) if inside else 0.0
        found |= {hit.path: hit.score / top for hit in answer.hits if top and hit.score >= least}
    return cards.Signal(reader, task, about, terms, found, now), journals


def limit_parts(found: Iterable[Card], limit: int) -> list[Card]:
    """Return the best cards of each part."""
    counts: dict[str, int] = {}
    best = []
    for card in sorted(found, key=lambda one: (-one.score, one.path)):
        counts[card.part] = counts.get(card.part, 0) + 1
        if counts[card.part] <= limit:
            best.append(card)
    return best


def last_line(call: Call, path: VaultPath) -> int:
    """Return the last line of a note; 1 if it is gone."""
    try:
        return count_lines(open_note(call.vault, path).text)
    except NoteNotFound:
        return 1


def brief_view(answer: Answer) -> Iterable[Element]:
    """Show the briefing as it is."""
    if answer["left_out"]:
        yield notice(f"{answer['left_out']} more were left out.")
    if answer["items"]:
        yield Document(answer["text"], "briefing")
    else:
        yield "Nothing is known yet that would help."
