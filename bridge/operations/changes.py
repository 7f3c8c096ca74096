"""What was changed and proposed, and by whom."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen

from bridge.operations.call import Call
from bridge.operations.hints import When
from bridge.operations.registry import operation
from bridge.operations.telling import ListedChange, ShownChange, State, listed, shown_whole
from bridge.operations.times import moment
from bridge.types import NoteOrFolder

ChangeId = Annotated[str, MaxLen(100)]


@dataclass(frozen=True, slots=True)
class ListedChanges:
    """Changes.

    Attributes:
        changes: The newest first.
    """

    changes: tuple[ListedChange, ...]


@operation(
    example={"limit": 5},
    tasks=(
        "what was changed yesterday",
        "what was changed lately",
        "continue the work that was done yesterday",
        "history of a note",
        "list proposals that wait",
        "what did an agent do",
        "who changed a note",
    ),
)
async def list_changes(
    call: Call,
    path: NoteOrFolder | None = None,
    state: State | None = None,
    client: Annotated[str, MaxLen(200)] | None = None,
    session: Annotated[str, MaxLen(200)] | None = None,
    operation: Annotated[str, MaxLen(100)] | None = None,
    since: When | None = None,
    until: When | None = None,
    limit: Annotated[int, Interval(ge=1, le=200)] = 20,
    offset: Annotated[int, Interval(ge=0)] = 0,
) -> ListedChanges:
    """List what was changed or proposed through the bridge, the newest first.

    Args:
        path: Only changes that touched this file or folder, by its name then or today.
        state: Only those in this state; `proposed` ones wait for the user.
        client: Only those of this program.
        session: Only those of this session.
        operation: Only those that this operation made.
        since: Only those from this moment on.
        until: Only those before this moment.
        limit: Most changes to return.
        offset: Changes to leave out at the start.
    """
    from bridge.store import Wanted

    wanted = Wanted(
        since=moment("since", since),
        until=moment("until", until),
        client=client,
        session=session,
        operation=operation,
        state=state,
        path=path,
    )

    await call.engine.deciding.expire()

    def listing() -> ListedChanges:
        found = call.engine.deciding.changes(wanted, limit, offset)
        return ListedChanges(tuple(listed(call.engine, change, cut=True) for change in found))

    return await asyncio.to_thread(listing)


@operation(
    example={"change_id": "0"},
    tasks=("show the diff of a change", "what exactly did a change do", "details of a proposal"),
)
async def show_change(call: Call, change_id: ChangeId) -> ShownChange:
    """Show a change or proposal whole, and what became of it.

    Args:
        change_id: Its id, as the write or `list_changes` told it.

    Raises:
        ChangeNotFound: There is no such change.
    """
    await call.engine.deciding.expire()
    return await asyncio.to_thread(lambda: shown_whole(call.engine, call.engine.deciding.change(change_id)))
