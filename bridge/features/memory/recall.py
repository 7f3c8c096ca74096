"""Recalling and listing memories: what a question asks for, and nothing where nothing fits."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from msgspec import Meta
from msgspec.structs import asdict, replace

from bridge.api.call import Call
from bridge.api.hints import Query, When
from bridge.api.markup import Column, Element, Line, Section, Table, notices
from bridge.api.moments import moment
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.redact import redact_denied
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.api.write import session_of
from bridge.engine.agents_folder import agents_folder
from bridge.errors import BridgeError
from bridge.features.injections.public import publish_injection, record_injection
from bridge.features.memory.catalogue import (
    Audience,
    MemoryCatalogue,
    VisibleMemories,
    audience_of,
    count_use,
    narrow_memories,
    now,
    open_catalogue,
    withhold_memories,
)
from bridge.features.memory.choice import Question, Selection, choose, choose_said, rank
from bridge.features.memory.global_vault import OWN_VAULT_BONUS, call_global_vault, is_copy_of_any, left_out_notice
from bridge.features.memory.memory_note import Memory, MemoryKind, Tier, link_name, name_key
from bridge.features.memory.remember import Places, Words
from bridge.features.memory.results import MAX_TEXT_CHARS, ListedMemory, RecalledMemory, SessionLine, list_each
from bridge.features.memory.use_log import NO_USE, MemoryUse, UseLog
from bridge.records import Record
from bridge.state.injection_log import InjectedNote
from bridge.text.budget import estimate_tokens
from bridge.text.fold import fold_case
from bridge.text.invisible import inline, quote_path
from bridge.types import SearchMode, VaultPath

MAX_STANDING_MEMORIES: Final = 20
"""Memories that are returned whatever is asked."""


class RecalledMemories(Record):
    """What is remembered.

    Attributes:
        memories: What fits the question, best first; empty if nothing does.
        standing: Pinned memories, and preferences, instructions and personas that hold everywhere in the scope.
        questions: Open questions that fit the question; all of the scope without one.
        mode_used: The mode used; `keyword` without a model.
        notices: Remarks.
        sessions: Decisions, outcomes and open questions of earlier sessions that fit the question, best first.
    """

    memories: tuple[RecalledMemory, ...]
    standing: tuple[ListedMemory, ...]
    questions: tuple[ListedMemory, ...]
    mode_used: SearchMode
    notices: tuple[str, ...] = ()
    sessions: tuple[SessionLine, ...] = ()


def brought_in(answer: RecalledMemories) -> Iterable[InjectedNote]:
    """Yield what an answer brings into a session; the reasons say no word of the question or of a memory."""
    parts: tuple[tuple[str, Sequence[ListedMemory | SessionLine]], ...] = (
        ("fits the question", answer.memories),
        ("always holds", answer.standing),
        ("is an open question", answer.questions),
        ("an earlier session said it", answer.sessions),
    )
    return (InjectedNote(one.path, (why,), estimate_tokens(one.text)) for why, listed in parts for one in listed)


PARTS: Final = ("memories", "standing", "questions", "sessions")


def keep_parts(answer: RecalledMemories, keeps: Callable[[Any], bool]) -> RecalledMemories:
    return replace(answer, **{name: tuple(filter(keeps, getattr(answer, name))) for name in PARTS})


def name_vault(answer: RecalledMemories, call: Call) -> RecalledMemories:
    parts = {name: getattr(answer, name) for name in PARTS}
    named = {name: tuple(replace(one, vault=call.host.name) for one in listed) for name, listed in parts.items()}
    return replace(answer, **named)


def of_vault(answer: RecalledMemories, vault: str) -> RecalledMemories:
    return keep_parts(answer, lambda one: one.vault == vault)


def join_memories(own: RecalledMemories, shared: RecalledMemories, vault: str, limit: int) -> RecalledMemories:
    """Return the answers of the caller's vault and of the global one as one, best memories first."""

    def rank(memory: RecalledMemory) -> float:
        return -(memory.score + OWN_VAULT_BONUS * (memory.vault == vault))

    return RecalledMemories(
        tuple(sorted((*own.memories, *shared.memories), key=rank)[:limit]),
        (*own.standing, *shared.standing)[:MAX_STANDING_MEMORIES],
        (*own.questions, *shared.questions)[:MAX_STANDING_MEMORIES],
        "hybrid" if "hybrid" in {own.mode_used, shared.mode_used} else "keyword",
        own.notices,
        own.sessions,
    )


def paths_of(answer: RecalledMemories) -> list[VaultPath]:
    return [memory.path for part in (answer.memories, answer.standing, answer.questions) for memory in part]


NOT_SET_UP: Final = "There is no memory yet; `set_up_memory` makes the agents' folder."

MAX_JOURNAL_LINES: Final = 5
"""Lines of journals that are returned."""

TextChars = Annotated[int, Meta(ge=0, le=51_200)]


class MemoryFilter(Record):
    """Which memories to consider.

    Attributes:
        kinds: Only these kinds.
        tiers: Only these tiers.
        tags: Only memories with all these tags; `a` matches `a/b`.
        scope: Only memories of one of these scopes, or of none.
        about: Only memories about one of these notes.
        since: Only memories written since this time.
        among_private: Include what is private to others; for the user only.
        archived: Include what is archived.
    """

    kinds: tuple[MemoryKind, ...] = ()
    tiers: tuple[Tier, ...] = ()
    tags: Words = ()
    scope: Words = ()
    about: Places = ()
    since: When | None = None
    among_private: bool = False
    archived: bool = False

    @property
    def narrows(self) -> bool:
        """Whether some of those that an audience may see are left out."""
        return bool(self.kinds or self.tiers or self.tags or self.about or self.since)

    def audience(self, call: Call) -> Audience:
        return audience_of(call, self.scope, all_private=self.among_private, archived=self.archived)

    def choose(self, memories: Mapping[VaultPath, Memory], tiers: Mapping[VaultPath, Tier]) -> dict[VaultPath, Memory]:
        tags = [fold_case(tag.strip().lstrip("#").rstrip("/")) for tag in self.tags]
        about, since = set(map(note_key, map(link_name, self.about))), moment("since", self.since)

        def passes(memory: Memory) -> bool:
            own = {fold_case(tag) for tag in memory.tags}
            return (
                (not self.kinds or memory.kind in self.kinds)
                and (not self.tiers or tiers[memory.path] in self.tiers)
                and all(any(tag == one or tag.startswith(f"{one}/") for tag in own) for one in tags)
                and (not about or not about.isdisjoint(map(note_key, memory.about)))
                and (since is None or memory.created >= since)
            )

        return {path: memory for path, memory in memories.items() if passes(memory)}


FilterArguments = Annotated[MemoryFilter, Spread()]


@operation(
    example={"query": "rye starter"},
    tasks=(
        "recall what was remembered",
        "what do you remember",
        "what do I know about the user",
        "look up memories of earlier sessions",
        "which preferences does the user have",
        "what was decided earlier",
    ),
)
async def recall(
    call: Call,
    query: Query = "",
    limit: Annotated[int, Meta(ge=1, le=500)] = 10,
    text_chars: TextChars = MAX_TEXT_CHARS,
    everywhere: bool | None = None,
    *,
    criteria: FilterArguments,
) -> RecalledMemories:
    """Recall memories and open questions that fit a question, with the preferences and instructions of the scope.

    What is superseded, archived, expired, resolved or private to others is never returned.

    Args:
        query: What to recall; without one, only what always holds.
        limit: Maximum memories.
        text_chars: Maximum characters of each text.
        everywhere: Include the global vault; by default, if one is set.

    Raises:
        NoSuchVault: `everywhere` is true, and no global vault is set or it is not served.
    """
    audience = criteria.audience(call)

    async def recall_in(call: Call) -> RecalledMemories:
        catalogue = await open_catalogue(call)
        withheld = await asyncio.to_thread(call.vault.store.injections.withheld, session_of(call))
        visible = withhold_memories(catalogue.visible(audience, now()), withheld)
        answer = await answer_recall(call, catalogue, visible, criteria, query, limit, text_chars)
        if criteria.narrows or criteria.scope:
            return answer
        return replace(answer, sessions=await choose_said(call, query, withheld, min(limit, MAX_JOURNAL_LINES)))

    other, notices = call_global_vault(call, everywhere)
    answer = await recall_in(call)
    if other is not None:
        try:
            shared = name_vault(await recall_in(other), other)
        except BridgeError as error:
            notices = left_out_notice(other, error)
            other = None
    if other is None:
        await note_recall(call, answer)
        return replace(answer, notices=(*answer.notices, *notices))
    own, there = name_vault(answer, call), other
    originals = paths_of(own)
    shared = keep_parts(shared, lambda one: not is_copy_of_any(call, there, one.path, originals))
    answer = join_memories(own, shared, call.host.name, limit)
    for each in (call, other):
        await note_recall(each, of_vault(answer, each.host.name))
    visible: RecalledMemories = redact_denied(answer, other.host.files.rules)
    return visible


async def note_recall(call: Call, answer: RecalledMemories) -> None:
    """Count the memories that fit as used, and record what an answer brings into the caller's session."""

    def record() -> None:
        count_use(call.vault, [memory.path for memory in answer.memories])
        record_injection(call, "recall", brought_in(answer))

    await asyncio.to_thread(record)
    call.vault.part(MemoryCatalogue).note_recall(session_of(call), paths_of(answer))
    publish_injection(call)


async def answer_recall(
    call: Call,
    catalogue: MemoryCatalogue,
    visible: VisibleMemories,
    criteria: MemoryFilter,
    query: str,
    limit: int,
    text_chars: int,
) -> RecalledMemories:
    log = UseLog(call.vault.store.database)
    uses = await asyncio.to_thread(log.all) if criteria.tiers else {}
    if criteria.narrows:
        visible = narrow_memories(visible, criteria.choose(visible.memories, tiers_now(visible.memories, uses)))
    chosen = await choose(call, Question(query, limit, catalogue, visible)) if query.strip() else Selection()

    def build() -> RecalledMemories:
        used = log.all()
        ranked = rank(chosen.choices, used)
        best = [choice for choice in ranked if choice.memory.kind != "open_question"][:limit]
        fitting = [choice.memory for choice in ranked if choice.memory.kind == "open_question"]
        questions = fitting if query.strip() else visible.questions
        memories = list_each(call, visible, [choice.memory for choice in best], used, text_chars)
        return RecalledMemories(
            tuple(
                RecalledMemory(**asdict(memory), score=choice.score, why=choice.why)
                for memory, choice in zip(memories, best, strict=True)
            ),
            list_each(call, visible, visible.standing[:MAX_STANDING_MEMORIES], {}, text_chars),
            list_each(call, visible, questions[:MAX_STANDING_MEMORIES], {}, text_chars),
            chosen.mode,
            (*chosen.notices, *recall_notices(call, visible.standing)),
        )

    return await asyncio.to_thread(build)


def tiers_now(memories: Mapping[VaultPath, Memory], uses: Mapping[VaultPath, MemoryUse]) -> Mapping[VaultPath, Tier]:
    moment_ = now()
    return {path: memory.tier_at(moment_, uses.get(path, NO_USE).last) for path, memory in memories.items()}


def note_key(name: str) -> str:
    return name_key(name.rpartition("/")[2])


def recall_notices(call: Call, standing: Sequence[Memory]) -> Iterable[str]:
    if not call.vault.is_set_up:
        yield NOT_SET_UP
    if len(standing) > MAX_STANDING_MEMORIES:
        yield f"{len(standing) - MAX_STANDING_MEMORIES} more memories always hold; `list_memories` lists them."


Sort = Literal["-updated", "-used", "expires"]


class MemoryCounts(Record):
    """How many memories there are.

    Attributes:
        kinds: By kind.
        tiers: By tier.
    """

    kinds: Mapping[str, int]
    tiers: Mapping[str, int]


class MemoryPage(ListPage):
    """A page of memories.

    Attributes:
        memories: The memories on this page.
        counts: Of all that match.
        notices: Remarks.
    """

    memories: tuple[ListedMemory, ...]
    counts: MemoryCounts
    notices: tuple[str, ...] = ()


@operation(
    example={"kinds": ["decision"], "limit": 5},
    tasks=("list all memories", "show the stored memories by kind", "which memories are pinned or expire"),
)
async def list_memories(
    call: Call,
    sort: Sort = "-updated",
    page: PageArguments = Page(50),
    text_chars: TextChars = 200,
    *,
    criteria: FilterArguments,
) -> MemoryPage:
    """List the memories that hold now; listing one does not count as use.

    Args:
        sort: `-updated` is newest first, `-used` last used first, `expires` soonest first.
        text_chars: Maximum characters of each text.
    """
    catalogue = await open_catalogue(call)
    visible = catalogue.visible(criteria.audience(call), now())

    def find() -> MemoryPage:
        uses = UseLog(call.vault.store.database).all()
        tiers = tiers_now(visible.memories, uses)
        chosen = criteria.choose(visible.memories, tiers).values()
        found = sorted(chosen, key=lambda memory: sort_key(memory, uses, sort))
        shown = list_each(call, visible, page.cut(found), uses, text_chars)
        counts = MemoryCounts(
            dict(Counter(memory.kind for memory in found)), dict(Counter(tiers[memory.path] for memory in found))
        )
        remarks = (*recall_notices(call, ()), *unreadable_notices(call))
        return MemoryPage(shown, counts, remarks, **page.place(len(found)))

    return await asyncio.to_thread(find)


def unreadable_notices(call: Call) -> Iterator[str]:
    """Yield the notes among the memories whose properties cannot be read, so that nothing recalls them."""
    folder = f"{agents_folder(call.vault.settings).memory}/"
    notes = call.vault.index.view("agents").notes
    for path, note in notes.items():
        if path.startswith(folder) and note.problems and not note.properties:
            yield f"{quote_path(path)} is not recalled. {note.problems[0]}"


def sort_key(memory: Memory, uses: Mapping[VaultPath, MemoryUse], sort: Sort) -> tuple[float, VaultPath]:
    match sort:
        case "-updated":
            return -memory.updated, memory.path
        case "-used":
            return -uses.get(memory.path, NO_USE).last, memory.path
        case "expires":
            return float("inf") if memory.expires is None else memory.expires, memory.path


MEMORY = (
    Column("path", role="path"),
    Column("kind", " · {}"),
    Column("vault", " · in {}"),
    Column("tier", " · {}", detail=True),
    Column("score", " · score {}"),
    Column("pinned", lambda pinned: " · pinned" if pinned else ""),
    Column("scope", " · {}", most=5, detail=True),
    Column("agent", " · by {}", detail=True),
    Column("created", lambda created: f" · {created[:10]}", detail=True),
    Column("used", lambda used: f" · used {used.times}×" if used.times else "", detail=True),
    Column("expires", lambda expires: f" · until {expires[:10]}", detail=True),
    Column("digest", " · digest {}", pipe=True),
    Column("conflicts", " · contradicts {}", most=3),
    Column("problems", lambda problems: "".join(f" · {inline(one)}" for one in problems[:2]), detail=True),
    Column("why", " · {}", most=1, detail=True),
    Column("text", lambda text: f"\n{inline(text)}"),
)


STATEMENT = (Column("path", role="path"), Column("what", " · {}"), Column("text", lambda text: f"\n{inline(text)}"))


def recall_view(recalled: RecalledMemories) -> Iterable[Element]:
    """Show what was recalled: what fits, what always holds, and what is open."""
    yield from notices(recalled.notices)
    parts = (("Fits", recalled.memories), ("Always holds", recalled.standing), ("Open questions", recalled.questions))
    yield from (Section(title, Table(MEMORY, found)) for title, found in parts if found)
    if recalled.sessions:
        yield Section("Said in earlier sessions", Table(STATEMENT, recalled.sessions))
    if not recalled.memories:
        others = recalled.standing or recalled.questions or recalled.sessions
        yield Line("No other memory fits." if others else "No memory fits.")


def memory_list_view(page: MemoryPage) -> Iterable[Element]:
    yield from notices(page.notices)
    counts = (f"{number} {name}" for part in (page.counts.kinds, page.counts.tiers) for name, number in part.items())
    yield Line(f"{page.total:,} {'memory' if page.total == 1 else 'memories'}: {', '.join(counts) or 'none'}")
    yield Table(MEMORY, page.memories)
