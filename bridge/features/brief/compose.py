"""Puts together what an agent is told at the beginning of a session."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Final

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.markup import Document, Element, notice, notices
from bridge.api.note_text import count_lines, open_note
from bridge.api.redact import redact_denied
from bridge.api.registry import operation
from bridge.engine.agents_folder import agents_folder
from bridge.errors import BridgeError, InvalidArguments, NoteNotFound
from bridge.features.brief import cards
from bridge.features.brief import text as brief_text
from bridge.features.brief.cards import read_gist
from bridge.features.brief.text import BriefPart, Card
from bridge.features.injections.public import Reader, find_withheld, publish_injection, reader_of, record_injection
from bridge.features.memory.public import (
    OWN_VAULT_BONUS,
    MemoryCatalogue,
    SharedWords,
    call_global_vault,
    is_copy_of_any,
    left_out_notice,
    match_texts,
    read_body,
)
from bridge.features.sessions.public import find_likeness
from bridge.index.note import IndexedNote
from bridge.markdown.kinds import title_of
from bridge.markdown.note import field_of
from bridge.records import Record
from bridge.search.coverage import ASSUMED_NOTES, idf
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.settings.schema import Setting
from bridge.state.injection_log import InjectedNote
from bridge.text.budget import estimate_tokens
from bridge.text.content_terms import question_words
from bridge.text.function_words import content_words
from bridge.text.invisible import one_line
from bridge.text.words import RUN
from bridge.types import Among, Exact, Lines, VaultPath


class BriefSettings(Record):
    """The settings of briefings."""

    days: Annotated[
        int,
        Setting(
            "Days after which a memory or note no longer counts as new.",
            title="Days that count as new",
            least=1,
            most=3650,
        ),
    ] = 14


BY_DEFAULT: tuple[BriefPart, ...] = ("handoff", "corrections", "sessions", "memories", "questions")
WITH_TEXT: Final = frozenset({"memories", "questions", "notes"})
"""Parts whose cards tell what their notes say."""

MIN_SCORE, MIN_SHARE_OF_BEST = 0.1, 0.4
"""The score of a memory, and its share of the best, below which it does not fit the task."""

FITTING_SCORE = 0.45
"""The score of a note from which a session that changed it fits the task."""

RARE_WORD_NOTES = 3.5
"""Notes with a word below which it is as rare as one that none has, such as a verb of the task."""

MIN_FITTING_SIMILARITY = 0.6
"""The calibrated similarity in meaning from which a memory fits the task whatever words it shares."""

DEFAULT_TOKENS, DEFAULT_ENTRIES = 1_200, 5
"""Tokens of a briefing, and entries of each part, by default."""

MAX_FOUND_NOTES = 50


class BriefItem(Record):
    """Something that the text tells.

    Attributes:
        path: Its note.
        lines: The note's first and last line.
        part: The part that it belongs to.
        why: Why it is told, in short sentences.
        tokens: Tokens it takes.
        conflicts: Of a memory: those that it contradicts and that hold as well, by name.
        vault: The vault that holds it, by name, if the global vault was asked as well; else null.
    """

    path: VaultPath
    lines: Lines
    part: BriefPart
    why: tuple[str, ...]
    tokens: int
    conflicts: tuple[str, ...] = ()
    vault: str | None = None


class AgentBrief(Record):
    """What to know at the beginning of a session.

    Attributes:
        text: The briefing; empty if there is nothing to tell, or the budget is too small for it.
        items: What it tells, in order.
        tokens: Tokens of the text, estimated.
        left_out: How many more would have fitted the task, but not the budget or the limit.
        notices: Remarks, such as why the global vault is left out.
    """

    text: Exact
    items: tuple[BriefItem, ...]
    tokens: int
    left_out: int
    notices: tuple[str, ...] = ()


class BriefRequest(Record):
    """What a briefing is for, and how long it may be."""

    task: str = ""
    paths: tuple[VaultPath, ...] = ()
    tags: tuple[str, ...] = ()
    budget: int = DEFAULT_TOKENS
    parts: tuple[BriefPart, ...] = ()
    limit: int = DEFAULT_ENTRIES


async def compose_brief(call: Call, other: Call | None, reader: Reader, request: BriefRequest) -> AgentBrief:
    """Return what a session would be told, without recording that it was."""
    await follow_memories(call)
    signal, journals = await read_signal(call, reader, request.task, request.paths, request.tags)
    found = await asyncio.to_thread(choose_cards, call, signal, request, journals)
    remarks: tuple[str, ...] = ()
    if other is not None:
        try:
            await follow_memories(other)
            shared_found, _ = await find_fitting(other, signal.query)
            shared_signal = replace(signal, paths=(), found=shared_found)
            shared = await asyncio.to_thread(choose_cards, other, shared_signal, request)
            found = [*join_cards(call, other, found, shared)]
        except BridgeError as error:
            remarks = left_out_notice(other, error)
    calls = {one.host.name: one for one in (call, other) if one is not None}
    best = await asyncio.to_thread(add_gists, call, calls, limit_parts(found, request.limit), signal.query)
    best = drop_repeats(best)
    told = brief_text.brief(best, request.budget, request.task, len(found) - len(best))

    def item(card: Card) -> BriefItem:
        last = last_line(calls[card.vault or call.host.name], card.path)
        tokens = estimate_tokens(card.text)
        return BriefItem(card.path, (1, last), card.part, card.why, tokens, card.conflicts, card.vault)

    items = await asyncio.to_thread(lambda: tuple(map(item, told.cards)))
    answer = AgentBrief(told.text, items, told.tokens, told.left_out, remarks)
    return answer if other is None else redact_denied(answer, other.host.files.rules)


async def follow_memories(call: Call) -> None:
    call.vault.require_keyword()
    await asyncio.to_thread(call.vault.part(MemoryCatalogue).follow, call.vault.index.view("agents").notes)


def choose_cards(
    call: Call,
    signal: cards.SessionSignal,
    request: BriefRequest,
    journals: Sequence[IndexedNote] | None = None,
) -> list[Card]:
    wanted = request.parts or (*BY_DEFAULT, "notes")
    days = call.bridge.settings.section(BriefSettings).days
    found: list[Card] = []
    if "handoff" in wanted and journals is not None:
        found += cards.handoff_cards(call, signal)
    if "sessions" in wanted and journals is not None:
        found += cards.session_cards(call, signal, journals, request.budget)
    if "memories" in wanted or "questions" in wanted:
        found += (one for one in cards.memory_cards(call, signal, days) if one.part in wanted)
    if "notes" in wanted:
        found += cards.note_cards(call, signal, days, ordinary="notes" in request.parts)
    if "corrections" in wanted and journals is not None:
        found += cards.correction_cards(call, signal, request.budget)
    if "pulse" in wanted and journals is not None:
        told_already = {card.path for card in found}
        lately = cards.pulse_cards(call, signal, days, request.limit)
        found += (card for card in lately if card.path not in told_already)
    is_withheld = find_withheld(call.vault, signal.reader)
    return [card for card in found if not is_withheld(card.path)]


def join_cards(call: Call, other: Call, own: Sequence[Card], shared: Iterable[Card]) -> Iterator[Card]:
    """Yield the cards of the caller's vault, raised a little, and those of the global vault that are no copies."""
    name = other.host.name
    yield from (replace(card, vault=call.host.name, score=card.score + OWN_VAULT_BONUS) for card in own)
    for card in shared:
        if not is_copy_of_any(call, other, card.path, (one.path for one in own)):
            yield replace(card, vault=name, text=f"{card.text} (vault {one_line(name)})")


async def read_signal(
    call: Call, reader: Reader, task: str, paths: Collection[VaultPath], tags: Iterable[str]
) -> tuple[cards.SessionSignal, list[IndexedNote]]:
    now, notes = time.time(), call.vault.index.notes
    journals = await asyncio.to_thread(cards.journals_of, call, reader, now)
    about = list(paths) if task.strip() or paths or tags else cards.recent_paths(call, reader, journals)
    titles = [notes[path].title if path in notes else title_of(path) for path in about]
    own_tags = [tag for path in about if path in notes for tag in notes[path].tags]
    terms = brief_text.terms_of((*tags, *own_tags, *titles), task)
    query = " ".join((task, *titles)).strip()
    found, near = await find_fitting(call, query)
    worth = await asyncio.to_thread(find_worth, call, terms, (*tags, *own_tags, *titles, task))
    return cards.SessionSignal(reader, task, about, terms, query, found, near, worth, now), journals


def find_worth(call: Call, terms: Collection[str], said: Iterable[str]) -> dict[str, float]:
    """Return how rare the terms of content words are in the vault, up to those that hardly any note has. Blocks."""
    index = call.vault.index.view("notes")
    content = content_words([word for word in question_words(" ".join(said)) if word not in brief_text.NOTE_WORDS])
    asked = {term: term if RUN.search(word) else word for word in content for term in brief_text.terms_of((word,))}
    most = math.log(1 + (len(index.notes) + ASSUMED_NOTES) / RARE_WORD_NOTES)
    known = {term: word for term, word in asked.items() if term in terms and term not in brief_text.NOTE_WORDS}
    return {term: min(most, idf(index, word)) for term, word in known.items()}


async def find_fitting(call: Call, query: str) -> tuple[dict[VaultPath, float], frozenset[VaultPath]]:
    """Return how well notes and memories fit, as a share of the best of each, and the notes that fit well."""
    found: dict[VaultPath, float] = {}
    close = frozenset[VaultPath]()
    memory = agents_folder(call.vault.settings).memory
    # Journals are told by their age; they repeat each other, which makes a search among them slow.
    sides: tuple[tuple[Among, tuple[VaultPath, ...]], ...] = (("notes", ()), ("agents", (memory,)))
    for among, inside in sides if query else ():
        request = SearchRequest(query, limit=MAX_FOUND_NOTES, paths=inside, explain=bool(inside))
        answer = await search(await call.vault.sources_among(among), request)
        top = max((hit.score for hit in answer.hits), default=0.0)
        close |= {hit.path for hit in answer.hits if not inside and hit.score >= FITTING_SCORE}
        # A search of some notes lists all of them, however little they fit.
        least = max(MIN_SCORE, MIN_SHARE_OF_BEST * top) if inside else 0.0
        fitting = {hit.path: hit.score / top for hit in answer.hits if top and hit.score >= least}
        if answer.explain is not None:
            retrievers = answer.explain.lanes
            meanings = {path: retrievers[path].get("meaning") for path in fitting}
            apart = [path for path, one in meanings.items() if one is None or one.calibrated < MIN_FITTING_SIMILARITY]
            said = await asyncio.to_thread(match_memories, call, query, [hit.path for hit in answer.hits])
            for path in apart:
                if path in said and not said[path].fits:
                    del fitting[path]
            # What one memory alone says of the task counts, however many of its words others say.
            times = Counter(chain.from_iterable(one.words for one in said.values()))
            for path, one in said.items():
                if one.fits and one.share >= cards.FITTING_SHARE and any(times[word] == 1 for word in one.words):
                    fitting[path] = max(one.share, fitting.get(path, 0.0))
        found |= fitting
    return found, close


def match_memories(call: Call, task: str, paths: Sequence[VaultPath]) -> Mapping[VaultPath, SharedWords]:
    """Return what memories say of a task, and whether that is enough: a word such as `add`, unless in a name, is not.

    Nothing of a task in a script without spaces. Blocks.
    """
    words = content_words(question_words(task))
    if any(map(RUN.fullmatch, words)):
        return {}
    named = match_texts(call, {path: title_of(path) for path in paths}, words)
    said = match_texts(call, {path: f"{title_of(path)}\n{read_body(call, path)}" for path in paths}, words)
    fewest = cards.fewest_words(len(words))
    return {path: replace(one, fits=len(one.words) >= fewest or bool(named[path].words)) for path, one in said.items()}


def limit_parts(found: Iterable[Card], limit: int) -> list[Card]:
    counts: dict[str, int] = {}
    best = []
    for card in sorted(found, key=lambda one: (-one.score, one.path)):
        counts[card.part] = counts.get(card.part, 0) + 1
        if counts[card.part] <= limit:
            best.append(card)
    return best


def add_gists(call: Call, calls: Mapping[str, Call], chosen: Iterable[Card], focus: str) -> list[Card]:
    return [
        replace(card, text=f"{card.text}\n{gist}")
        if card.part in WITH_TEXT and (gist := read_gist(calls[card.vault or call.host.name].vault, card.path, focus))
        else card
        for card in chosen
    ]


def drop_repeats(found: Sequence[Card]) -> list[Card]:
    """Leave out of sessions what a memory that is told says as well."""
    said = [card.text.rpartition("\n")[2] for card in found if card.part in WITH_TEXT]

    def shorten(text: str) -> str:
        head, *lines = text.split("\n")
        new = (line for line in lines if not any(find_likeness(line.partition(": ")[2], one) for one in said))
        return "\n".join((head, *new))

    return [replace(card, text=shorten(card.text)) if card.part == "sessions" else card for card in found]


def last_line(call: Call, path: VaultPath) -> int:
    """Return the last line of a note; 1 if it is gone."""
    try:
        return count_lines(open_note(call.vault, path).text)
    except NoteNotFound:
        return 1


@operation(
    example={"task": "feed the starter", "budget": 600},
    tasks=(
        "begin a session with what is known about the task",
        "briefing for the work at hand",
        "get up to speed before starting",
        "what should I know before I begin",
        "what was left at the start of a session",
    ),
)
async def brief(
    call: Call,
    task: Annotated[str, Meta(max_length=10_000)] = "",
    paths: tuple[VaultPath, ...] = (),
    tags: tuple[str, ...] = (),
    budget: Annotated[int, Meta(ge=100, le=8_000)] = DEFAULT_TOKENS,
    parts: tuple[BriefPart, ...] = (),
    limit: Annotated[int, Meta(ge=1, le=50)] = DEFAULT_ENTRIES,
    everywhere: bool | None = None,
    session: Annotated[str, Meta(max_length=200)] | None = None,
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
        everywhere: Include memories and notes of the global vault; by default, if one is set.
        session: Show the user what it would tell this session now, for the goal in its journal if there is no `task`.

    Raises:
        Forbidden: The caller is only a client, and names a session.
        InvalidArguments: There is no such session.
        NoSuchVault: `everywhere` is true, and no global vault is set or it is not served.
    """
    reader = reader_of(call)
    if session is not None:
        call.principal.require_local("brief")
        reader, goal = await asyncio.to_thread(find_reader, call, session)
        task = task or goal
    request = BriefRequest(task, paths, tags, budget, parts, limit)
    other, remarks = call_global_vault(call, everywhere)
    answer = await compose_brief(call, other, reader, request)
    answer = replace(answer, notices=(*remarks, *answer.notices))
    if session is not None:
        return answer

    def record() -> None:
        for one, names in ((call, {None, call.host.name}), (other, {other.host.name} if other else set())):
            if one is not None:
                own = [item for item in answer.items if item.vault in names]
                record_injection(one, "brief", [InjectedNote(item.path, item.why, item.tokens) for item in own])

    await asyncio.to_thread(record)
    for one in (call, other):
        if one is not None:
            publish_injection(one)
    return answer


def find_reader(call: Call, session: str) -> tuple[Reader, str]:
    """Return who is told in a session, and the goal in its journal. Blocks."""
    found = call.vault.store.sessions.find(session)
    if found is None:
        raise InvalidArguments(f"There is no session `{session}`.", hint="`list_sessions` lists them.")
    journal = None if found.note is None else call.vault.index.notes.get(found.note)
    goal = "" if journal is None else str(field_of(journal.properties, "goal") or "")
    return Reader(found.client, session), goal


def brief_view(brief: AgentBrief) -> Iterable[Element]:
    yield from notices(brief.notices)
    if brief.left_out:
        yield notice(f"{brief.left_out} more were left out.")
    if brief.items:
        yield Document(brief.text, "briefing")
    else:
        yield "Nothing is known yet that would help."
