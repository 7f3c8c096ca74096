"""Gives a note to a session with its next answer."""

import asyncio
from collections.abc import Iterable

from bridge.api.call import Call
from bridge.api.injections import Reader, find_withheld, publish_choice
from bridge.api.markup import Answer, Element, Line, path_of
from bridge.api.not_found import no_such_note
from bridge.api.registry import operation
from bridge.errors import InvalidArguments
from bridge.features.injections.operations import SessionId
from bridge.notebook.added_notes import MOST
from bridge.records import dataclass
from bridge.state.session_log import SessionRecord
from bridge.text.counts import count_of
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class GivenNote:
    """A note that waits for a session.

    Attributes:
        path: The note.
        session: The session.
        waiting: How many notes wait for it.
    """

    path: VaultPath
    session: str
    waiting: int


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "session": "1a209b11"},
    reads=False,
    idempotent=True,
    scope="write",
    tool=False,
)
async def give_note(call: Call, path: VaultPath, session: SessionId) -> GivenNote:
    """Give a note to an open session: the next answer to one of its tools begins with it, cut to 400 tokens.

    Args:
        path: The note.
        session: The session, as in `list_sessions`.

    Raises:
        Forbidden: The caller is only a client.
        NoteNotFound: There is no such note.
        InvalidArguments: The session is not open, the note is kept from it, or ten wait for it.
    """
    call.principal.require_local("give-note")
    vault = call.vault
    found = await asyncio.to_thread(find_open, call, session)
    if path not in vault.index.notes:
        raise no_such_note(vault, path)
    is_withheld = await asyncio.to_thread(find_withheld, vault, Reader(found.client, session))
    if is_withheld(path):
        raise InvalidArguments(
            f"`{path}` is kept from this session.", hint="See `withhold_note`, and the property `deny_agents`."
        )
    if not vault.added_notes.add(session, path):
        raise InvalidArguments(f"{MOST} notes wait for this session already.", hint="They go with its next answer.")
    publish_choice(call, session)
    return GivenNote(path, session, len(vault.added_notes.waiting[session]))


def find_open(call: Call, session: str) -> SessionRecord:
    store = call.vault.store
    store.calls.flush()
    found = store.sessions.find(session)
    if found is None or found.ended is not None:
        raise InvalidArguments(f"No session `{session}` is open.", hint="`list_sessions` says which are active.")
    return found


def given_view(answer: Answer) -> Iterable[Element]:
    waiting = count_of(answer["waiting"], "note")
    yield Line(path_of(answer["path"]), f" waits for session {answer['session']}; {waiting} in all.")
