"""Pausing the session of an agent that says by a hook that it stops or loses what it knows."""

import asyncio
import time
from collections.abc import Iterable
from typing import Annotated

from annotated_types import Len

from bridge.api.call import Call
from bridge.api.markup import Answer, Element, notice
from bridge.api.registry import operation
from bridge.records import dataclass
from bridge.state.session_log import SessionEvent, SessionFilter


@dataclass(frozen=True, slots=True)
class PausedSession:
    """The session that was paused.

    Attributes:
        session: Its id; null if the client has no open session, or several of which any could be meant.
    """

    session: str | None


@operation(example={"client": "claude-code"}, reads=False, idempotent=True, scope="write", tool=False)
async def pause_session(call: Call, client: Annotated[str, Len(1, 200)]) -> PausedSession:
    """Pause the only open session of a client, whose journal is then brought up to date; a later call continues it.

    Args:
        client: The client, in any case.

    Raises:
        Forbidden: The caller is only a client.
    """
    call.principal.require_local("pause-session")
    store = call.vault.store

    def pause() -> str | None:
        store.calls.flush()
        found, _ = store.sessions.page(SessionFilter(client, state="active"), 2)
        if len(found) != 1:
            return None
        store.sessions.record(SessionEvent(found[0].id, time.time(), "paused"))
        return found[0].id

    return PausedSession(await asyncio.to_thread(pause))


def paused_view(answer: Answer) -> Iterable[Element]:
    if answer["session"] is None:
        yield notice("No session was paused: the client has none that is open, or several.")
    else:
        yield notice(f"Session {answer['session']} is paused.")
