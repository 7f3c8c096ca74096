"""Gives a note to a session with its next answer, or keeps it from the session."""

import asyncio
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bridge.api.call import Call
from bridge.api.injections import Reader, find_withheld, publish_choice
from bridge.api.markup import Answer, Element, Line, path_of
from bridge.api.not_found import no_such_note
from bridge.api.registry import operation
from bridge.errors import InvalidArguments
from bridge.features.injections.operations import SessionId
from bridge.notebook.added_notes import MOST
from bridge.records import dataclass
from bridge.text.counts import count_of
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.state.session_log import SessionRecord


@dataclass(frozen=True, slots=True)
class GivenNote:
    """What the user decided about a note and a session.

    Attributes:
        path: The note.
        session: The session.
        waiting: How many notes wait for it.
        withheld: Whether the note is kept from it.
    """

    path: VaultPath
    session: str
    waiting: int
    withheld: bool


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "session": "1a209b11"},
    reads=False,
    idempotent=True,
    scope="write",
    tool=False,
)
async def give_note(call: Call, path: VaultPath, session: SessionId, withhold: bool | None = None) -> GivenNote:
    """Give a note to an open session: the next answer to one of its tools begins with it, cut to 400 tokens.

    Args:
        path: The note.
        session: The session, as in `list_sessions`.
        withhold: Instead, keep the note from the session, so that `brief`, `recall` and `gather_context` do not bring
            it in, though searches still find it; or if false, let them bring it in again. The property `deny_agents`
            keeps it from all sessions of an agent.

    Raises:
        Forbidden: The caller is only a client.
        NoteNotFound: There is no such note.
        InvalidArguments: The session is not open, the note is kept from it, or ten wait for it.
    """
    call.principal.require_local("give-note")
    vault = call.vault
    if path not in vault.index.notes:
        raise no_such_note(vault, path)
    if withhold is None:
        await asyncio.to_thread(require_welcome, call, path, session)
        if not vault.added_notes.add(session, path):
            raise InvalidArguments(f"{MOST} notes wait for this session already.", hint="They go with its next answer.")
    else:
        log = vault.store.injections
        await asyncio.to_thread(lambda: log.withhold(session, path, time.time(), withheld=withhold))
    publish_choice(call, session)
    return GivenNote(path, session, len(vault.added_notes.waiting.get(session, ())), bool(withhold))


def require_welcome(call: Call, path: VaultPath, session: str) -> None:
    """Require that a session is open and that the note is not kept from it. Blocks."""
    found = find_open(call, session)
    if find_withheld(call.vault, Reader(found.client, session))(path):
        raise InvalidArguments(
            f"`{path}` is kept from this session.", hint="See `withhold`, and the property `deny_agents`."
        )


def find_open(call: Call, session: str) -> "SessionRecord":
    """Return an open session. Blocks.

    Raises:
        InvalidArguments: There is none of this id.
    """
    store = call.vault.store
    store.calls.flush()
    found = store.sessions.find(session)
    if found is None or found.ended is not None:
        raise InvalidArguments(f"No session `{session}` is open.", hint="`list_sessions` says which are active.")
    return found


def given_view(answer: Answer) -> Iterable[Element]:
    """Show the decision."""
    if answer["withheld"] or not answer["waiting"]:
        word = "is kept from" if answer["withheld"] else "may be brought into"
        yield Line(path_of(answer["path"]), f" {word} session {answer['session']}.")
        return
    waiting = count_of(answer["waiting"], "note")
    yield Line(path_of(answer["path"]), f" waits for session {answer['session']}; {waiting} in all.")
