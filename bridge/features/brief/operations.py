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

    Raises:
        NoSuchVault: `everywhere` is true, and no global vault is set or it is not served.
    """
    request = BriefRequest(task, paths, tags, budget, parts, limit, recency_days)
    other, remarks = call_global_vault(call, everywhere)
    answer = await compose_brief(call, other, reader_of(call), request)

    def record() -> None:
        for one, names in ((call, {None, call.host.name}), (other, {other.host.name} if other else set())):
            if one is not None:
                own = [item for item in answer.items if item.vault in names]
                record_injection(one, "brief", [InjectedNote(item.path, item.why, item.tokens) for item in own])

    await asyncio.to_thread(record)
    for one in (call, other):
        if one is not None:
            publish_injection(one)
    return replace(answer, notices=(*remarks, *answer.notices))


def brief_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer["notices"])
    if answer["left_out"]:
        yield notice(f"{answer['left_out']} more were left out.")
    if answer["items"]:
        yield Document(answer["text"], "briefing")
    else:
        yield "Nothing is known yet that would help."


@operation(example={"session": "1a209b11"}, tool=False)
async def preview_brief(
    call: Call, session: Annotated[str, Meta(max_length=200)], task: Annotated[str, Meta(max_length=10_000)] = ""
) -> AgentBrief:
    """Show what `brief` would tell a session now, without telling it. Only the user may.

    Args:
        session: The session, as in `list_sessions`.
        task: What it is for; by default, the goal in its journal.

    Raises:
        Forbidden: The caller is only a client.
        InvalidArguments: There is no such session.
    """
    call.principal.require_local("preview-brief")
    found = await asyncio.to_thread(call.vault.store.sessions.find, session)
    if found is None:
        raise InvalidArguments(f"There is no session `{session}`.", hint="`list_sessions` lists them.")
    journal = None if found.note is None else call.vault.index.notes.get(found.note)
    goal = "" if journal is None else str(field_of(journal.properties, "goal") or "")
    other, remarks = call_global_vault(call, None)
    answer = await compose_brief(call, other, Reader(found.client, session), BriefRequest(task or goal))
    return replace(answer, notices=(*remarks, *answer.notices))
