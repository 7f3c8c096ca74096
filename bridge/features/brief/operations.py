"""The operation that tells an agent what it should know."""

import asyncio
from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.markup import Answer, Document, Element, notice, notices
from bridge.api.registry import operation
from bridge.errors import InvalidArguments
from bridge.features.brief.compose import BUDGET, LIMIT, AgentBrief, BriefRequest, compose_brief
from bridge.features.brief.text import BriefPart
from bridge.features.injections.public import Reader, publish_injection, reader_of, record_injection
from bridge.features.memory.public import call_global_vault
from bridge.markdown.note import field_of
from bridge.state.injection_log import InjectedNote
from bridge.types import VaultPath


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
    task: Annotated[str, Meta(max_length=10_000)] = "",
    paths: tuple[VaultPath, ...] = (),
    tags: tuple[str, ...] = (),
    budget: Annotated[int, Meta(ge=100, le=8_000)] = BUDGET,
    parts: tuple[BriefPart, ...] = (),
    limit: Annotated[int, Meta(ge=1, le=50)] = LIMIT,
    recency_days: Annotated[int, Meta(ge=1, le=3_650)] | None = None,
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
        recency_days: Days after which a memory or note is no longer new; by default, the setting `brief.days`.
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
    request = BriefRequest(task, paths, tags, budget, parts, limit, recency_days)
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


def brief_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer["notices"])
    if answer["left_out"]:
        yield notice(f"{answer['left_out']} more were left out.")
    if answer["items"]:
        yield Document(answer["text"], "briefing")
    else:
        yield "Nothing is known yet that would help."
