"""What answers bring into the sessions of agents: it is recorded, and what the user withholds is left out."""

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping

from bridge.api.agreement import is_user
from bridge.api.call import Call
from bridge.api.write import client_name, session_of
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.events import MemoryGiven
from bridge.markdown.note import Value
from bridge.notebook.memory_note import denied_agents
from bridge.records import dataclass
from bridge.state.injection_log import InjectedNote
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class Reader:
    """The session for which notes are chosen."""

    client: str | None
    session: str


def reader_of(call: Call) -> Reader:
    return Reader(client_name(call), session_of(call))


def find_withheld(vault: OpenVault, reader: Reader) -> Callable[[VaultPath], bool]:
    """Return what says whether the user withholds a note from a session, or from its client. Blocks."""
    withheld, notes = vault.store.injections.withheld(reader.session), vault.index.notes

    def is_withheld(path: VaultPath) -> bool:
        note = notes.get(path)
        return path in withheld or (note is not None and is_denied(note.properties, reader.client))

    return is_withheld


def is_denied(properties: Mapping[str, Value], client: str | None) -> bool:
    folded = {name.casefold(): value for name, value in properties.items()}
    return (client or "").casefold() in denied_agents(folded)


def record_injection(call: Call, tool: str, notes: Iterable[InjectedNote]) -> None:
    """Record what an answer brings into the caller's session, unless the user asked by a command. Blocks."""
    given = list(notes)
    if not given or (is_user(call) and call.session is None):
        return
    reader, vault = reader_of(call), call.vault
    # What was found is returned even if that cannot be recorded, as on a full disk.
    with contextlib.suppress(BridgeError):
        vault.store.injections.record(reader.session, tool, given, time.time())


def publish_injection(call: Call) -> None:
    """Publish that something was brought into the caller's session; on the event loop."""
    call.bridge.events.publish(MemoryGiven(session_of(call)), call.vault.id)


def publish_choice(call: Call, session: str) -> None:
    """Publish that the user chose what may be brought into a session; on the event loop."""
    call.bridge.events.publish(MemoryGiven(session), call.vault.id)
