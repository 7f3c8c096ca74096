"""Lists the handoffs that nobody took over yet, with what their claims are worth now."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from annotated_types import Interval

from bridge.api.call import Call
from bridge.api.markup import Answer, Column, Element, Table, notice
from bridge.api.registry import operation
from bridge.errors import NoteNotFound
from bridge.features.handoffs.take_over import CheckedClaim, check_handoff
from bridge.index.note import IndexedNote
from bridge.notebook.fields import field_of
from bridge.notebook.folder import agents_folder
from bridge.notebook.handoff_note import handoff_age, is_waiting
from bridge.records import dataclass
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class WaitingHandoff:
    """A handoff that nobody took over yet.

    Attributes:
        path: Its note.
        goal: What is to be reached.
        next_action: What to do first.
        agent: The client that handed over; empty for a person.
        to: The client that should take over; null for any.
        created: When.
        claims: The claims, those first that no longer hold.
    """

    path: VaultPath
    goal: str
    next_action: str
    agent: str
    to: str | None
    created: str
    claims: tuple[CheckedClaim, ...]


@dataclass(frozen=True, slots=True)
class ListedHandoffs:
    """Handoffs that wait.

    Attributes:
        handoffs: The newest first.
        total: Number of handoffs that wait.
    """

    handoffs: tuple[WaitingHandoff, ...]
    total: int


@operation(example={"limit": 5}, tool=False)
async def list_handoffs(call: Call, limit: Annotated[int, Interval(ge=1, le=50)] = 10) -> ListedHandoffs:
    """List the handoffs that nobody took over yet, and check their claims.

    Args:
        limit: Maximum handoffs.
    """
    vault = call.vault
    vault.require_keyword()
    folder = agents_folder(vault.settings)
    waiting = [note for note in vault.index.notes.values() if is_waiting(note, folder)]
    newest = sorted(waiting, key=handoff_age, reverse=True)[:limit]
    found = await asyncio.to_thread(lambda: tuple(describe_each(call, newest)))
    return ListedHandoffs(found, len(waiting))


def describe_each(call: Call, notes: Iterable[IndexedNote]) -> Iterable[WaitingHandoff]:
    for note in notes:
        try:
            found = check_handoff(call, note)
        except NoteNotFound:
            continue
        to = field_of(note.properties, "to")
        yield WaitingHandoff(
            path=found.path,
            goal=found.goal,
            next_action=found.next_action,
            agent=found.agent,
            to=str(to) if to else None,
            created=found.created,
            claims=found.claims,
        )


def count_untrue(claims: Iterable[Mapping[str, Any]]) -> str:
    untrue = sum(one["verdict"] in {"changed", "gone"} for one in claims)
    return f" · {untrue} of its claims no longer hold" if untrue else ""


HANDOFFS = (
    Column("path", role="path"),
    Column("agent", " · by {}"),
    Column("to", " · to {}"),
    Column("created", " · {}", most=16),
    Column("goal", " · {}"),
    Column("claims", count_untrue, role="warning"),
    Column("next_action", " · next: {}", detail=True),
)


def handoff_list_view(answer: Answer) -> Iterable[Element]:
    yield Table(HANDOFFS, answer["handoffs"])
    if not answer["handoffs"]:
        yield notice("No handoff waits.")
