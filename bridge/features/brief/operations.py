"""The operation that tells an agent what it should know."""

import asyncio
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval, MaxLen

from bridge.api.call import Call
from bridge.api.global_vault import call_global_vault, is_copy_of_any, left_out_notice
from bridge.api.injections import Reader, find_withheld, publish_injection, reader_of, record_injection
from bridge.api.markup import Answer, Document, Element, notice, notices
from bridge.api.note_text import count_lines, open_note
from bridge.api.redact import redact_denied
from bridge.api.registry import operation
from bridge.errors import BridgeError, NoteNotFound
from bridge.features.brief import cards
from bridge.features.brief.settings import BriefSettings
from bridge.markdown.kinds import title_of
from bridge.notebook import brief_text
from bridge.notebook.brief_text import BriefPart, BriefWeights, Card
from bridge.notebook.folder import agents_folder
from bridge.notebook.promotion import OWN_VAULT_BONUS
from bridge.records import dataclass
from bridge.state.injection_log import InjectedNote
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import one_line
from bridge.types import Among, Lines, VaultPath

if TYPE_CHECKING:
    from bridge.index.note import IndexedNote

BY_DEFAULT: tuple[BriefPart, ...] = ("handoff", "sessions", "memories", "questions")
WEAK, NEAR = 0.1, 0.4
"""The score of a memory, and its share of the best, below which it does not fit the task."""

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
        vault: The vault that holds it, by name, if the global vault was asked as well; else null.
    """

    path: VaultPath
    lines: Lines
    part: BriefPart
    why: tuple[str, ...]
    tokens: int
    vault: str | None = None


@dataclass(frozen=True, slots=True)
class AgentBrief:
    """What to know at the beginning of a session.

    Attributes:
        text: The briefing; empty if there is nothing to tell, or the budget is too small for it.
        items: What it tells, in order.
        tokens: Tokens of the text, estimated.
        left_out: How many more would have fitted the task, but not the budget or the limit.
        notices: Remarks, such as why the global vault is left out.
    """

    text: str
    items: tuple[BriefItem, ...]
    tokens: int
    left_out: int
    notices: tuple[str, ...] = ()


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
    budget: Annotated[int, Interval(ge=100, le=8_000)] = 1_200,
    parts: tuple[BriefPart, ...] = (),
    limit: Annotated[int, Interval(ge=1, le=50)] = 5,
    recency_days: Annotated[int, Interval(ge=1, le=3_650)] | None = None,
    everywhere: bool | None = None,
) -> AgentBrief:
    """Tell what matters for a task at the beginning of a session: the open handoff, last sessions and memories.

    Decisions, modules, patterns and bugs are told by the `type` of their notes; other notes only with the part `notes`.

    Args:
        task: What the session is for; without one, recent work counts.
        paths: Notes that it is about.
        tags: Tags that it is about.
        budget: Maximum tokens of the text.
        parts: Only these parts.
        limit: Maximum entries of each part.
        recency_days: Days after which a memory or note is no longer new; by default, the setting `brief.days`.
        everywhere: Include memories and notes of the global vault; by default, if one is set.

    Raises:
        NoSuchVault: `everywhere` is true, and no global vault is set or it is not served.
    """
    await follow_memories(call)
    other, remarks = call_global_vault(call, everywhere)
    reader = reader_of(call)
    signal, journals = await read_signal(call, reader, task, paths, tags)
    wanted = parts or (*BY_DEFAULT, "notes")
    choose = partial(choose_cards, wanted=wanted, named=parts, days=recency_days)
    found = await asyncio.to_thread(choose, call, signal, journals=journals)
    if other is not None:
        try:
            await follow_memories(other)
            shared_signal = replace(signal, paths=(), found=await find_fitting(other, signal.query))
            shared = await asyncio.to_thread(choose, other, shared_signal)
            found = [*join_cards(call, other, found, shared)]
        except BridgeError as error:
            remarks = left_out_notice(other, error)
            other = None
    best = limit_parts(found, limit)
    told = brief_text.brief(best, budget, task, len(found) - len(best))
    calls = {one.host.name: one for one in (call, other) if one is not None}

    def item(card: Card) -> BriefItem:
        last = last_line(calls[card.vault or call.host.name], card.path)
        return BriefItem(card.path, (1, last), card.part, card.why, estimate_tokens(card.text), card.vault)

    def record() -> tuple[BriefItem, ...]:
        items = tuple(map(item, told.cards))
        for name, one in calls.items():
            own = [card for card in items if card.vault in {None, name}]
            record_injection(one, "brief", [InjectedNote(card.path, card.why, card.tokens) for card in own])
        return items

    items = await asyncio.to_thread(record)
    for one in calls.values():
        publish_injection(one)
    answer = AgentBrief(told.text, items, told.tokens, told.left_out, remarks)
    return answer if other is None else redact_denied(answer, other.host.files.rules)


async def follow_memories(call: Call) -> None:
    """Bring the memories of a vault up to date.

    Raises:
        NotReady: The first full scan is not committed.
    """
    call.vault.require_keyword()
    await asyncio.to_thread(call.vault.memories.follow, call.vault.index.view("agents").notes)


def choose_cards(
    call: Call,
    signal: cards.Signal,
    wanted: Collection[BriefPart],
    named: Collection[BriefPart],
    days: int | None,
    journals: "Sequence[IndexedNote] | None" = None,
) -> list[Card]:
    """Return what a vault has to tell. Blocks.

    Args:
        call: The call.
        signal: What the session works on.
        wanted: The parts to tell.
        named: Those that the caller named.
        days: Days after which something is no longer new; None for those of the settings.
        journals: The journals of the last days; None in the global vault, of which no session is told.
    """
    settings = call.bridge.settings.section(BriefSettings)
    weights = BriefWeights(settings.terms_percent / 100, settings.meaning_percent / 100, settings.recency_percent / 100)
    days = days or settings.days
    found: list[Card] = []
    if "handoff" in wanted and journals is not None:
        found += cards.handoff_cards(call, signal.reader, signal.now)
    if "sessions" in wanted and journals is not None:
        found += cards.session_cards(signal.reader, journals, signal.now)
    if "memories" in wanted or "questions" in wanted:
        found += (one for one in cards.memory_cards(call, signal, weights, days) if one.part in wanted)
    if "notes" in wanted:
        found += cards.note_cards(call, signal, weights, days, ordinary="notes" in named)
    is_withheld = find_withheld(call.vault, signal.reader)
    return [card for card in found if not is_withheld(card.path)]


def join_cards(call: Call, other: Call, own: Sequence[Card], shared: Iterable[Card]) -> Iterator[Card]:
    """Yield the cards of the caller's vault, raised a little, and those of the global vault that are no copies."""
    name = other.host.name
    yield from (replace(card, vault=call.host.name, score=card.score + OWN_VAULT_BONUS) for card in own)
    for card in shared:
        if not is_copy_of_any(call, other, card.path, (one.path for one in own)):
            head, *rest = card.text.split("\n")
            yield replace(card, vault=name, text="\n".join((f"{head} (vault {one_line(name)})", *rest)))


async def read_signal(
    call: Call, reader: Reader, task: str, paths: Collection[VaultPath], tags: Iterable[str]
) -> tuple[cards.Signal, list["IndexedNote"]]:
    """Return what a session works on, and the journals of the last days."""
    now, notes = time.time(), call.vault.index.notes
    journals = await asyncio.to_thread(cards.journals_of, call, reader, now)
    about = list(paths) if task.strip() or paths or tags else cards.recent_paths(call, reader, journals)
    titles = [notes[path].title if path in notes else title_of(path) for path in about]
    own_tags = [tag for path in about if path in notes for tag in notes[path].tags]
    terms = brief_text.terms_of((*tags, *own_tags, *titles), task)
    query = " ".join((task, *titles)).strip()
    return cards.Signal(reader, task, about, terms, query, await find_fitting(call, query), now), journals


async def find_fitting(call: Call, query: str) -> dict[VaultPath, float]:
    """Return the notes and memories of a vault that fit a query, each with its share of the best."""
    from bridge.search.model import SearchRequest
    from bridge.search.pipeline import search

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
    return found


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
    yield from notices(answer["notices"])
    if answer["left_out"]:
        yield notice(f"{answer['left_out']} more were left out.")
    if answer["items"]:
        yield Document(answer["text"], "briefing")
    else:
        yield "Nothing is known yet that would help."
