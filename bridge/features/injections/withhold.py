"""Keeps a note from all sessions of an agent, by a property that the user can see and change."""

from typing import Annotated, Final

from annotated_types import Len

from bridge.api.call import Call
from bridge.api.not_found import no_such_note
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.changes.requests.edit_note import SetProperties
from bridge.errors import InvalidArguments
from bridge.markdown.note import Value
from bridge.types import VaultPath

DENY: Final = "deny_agents"
"""The property that names the clients."""


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "client": "claude-code", "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tool=False,
)
async def deny_agent(
    call: Call, path: VaultPath, client: Annotated[str, Len(1, 100)], undo: bool = False, *, options: WriteArguments
) -> Written:
    """Keep a note from all sessions of an agent, by adding its name to the note's property `deny_agents`.

    `brief`, `recall` and `gather_context` no longer bring it in. Searches still find it.

    Args:
        path: The note.
        client: The name of the agent's client, in any case.
        undo: Take the name out again.

    Raises:
        Forbidden: The caller is only a client.
        NoteNotFound: There is no such note.
        InvalidArguments: The name is blank, or the property is no list of names.
    """
    call.principal.require_local("deny-agent")
    note = call.vault.index.notes.get(path)
    if note is None:
        raise no_such_note(call.vault, path)
    name = client.strip()
    if not name:
        raise InvalidArguments("`client` is empty.")
    # As it is written, since names of properties are compared without case.
    own = next((one for one in note.properties if one.casefold() == DENY), DENY)
    names = names_of(note.properties.get(own))
    others = [one for one in names if one.casefold() != name.casefold()]
    wanted = others if undo else names if len(others) < len(names) else [*names, name]
    request = SetProperties(
        path=path,
        digest=note.digest,
        properties={own: wanted} if wanted else {},
        remove=() if wanted else (own,),
    )
    return await execute_requests(call, [request], options, operation="deny_agent")


def names_of(value: Value) -> list[str]:
    """Return the names in the property, as they are written."""
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    if not all(isinstance(one, str | int | float) for one in values):
        raise InvalidArguments(f"The property `{DENY}` is no list of names.", hint="Correct it in the note.")
    return [str(one) for one in values]
