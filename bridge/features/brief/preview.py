"""Shows the user what a briefing would tell a session now."""

import asyncio
from dataclasses import replace
from typing import Annotated

from annotated_types import MaxLen

from bridge.api.call import Call
from bridge.api.global_vault import call_global_vault
from bridge.api.injections import Reader
from bridge.api.registry import operation
from bridge.errors import InvalidArguments
from bridge.features.brief.compose import AgentBrief, BriefRequest, compose_brief
from bridge.notebook.fields import field_of


@operation(example={"session": "1a209b11"}, tool=False)
async def preview_brief(
    call: Call, session: Annotated[str, MaxLen(200)], task: Annotated[str, MaxLen(10_000)] = ""
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
