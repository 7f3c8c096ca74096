"""The clients that hold tokens: who they are, what becomes of what they change, and taking their tokens away."""

import asyncio
from collections.abc import Iterable

from bridge.access.pairing import OPEN_S
from bridge.access.token_file import SCOPES
from bridge.access.tokens import Tokens
from bridge.api.call import Call
from bridge.api.markup import Answer, Element, fields, notice
from bridge.api.registry import operation
from bridge.errors import Forbidden, NotReady
from bridge.events import SettingsChanged
from bridge.records import Record
from bridge.settings.file import load_settings
from bridge.types import Preset, Scope


class ListedClient(Record):
    """A client with its own token.

    Attributes:
        id: Its id.
        name: Its name.
        scopes: Its scopes.
        preset: Its tool preset, if its token sets one.
        created: When it got its token.
        last_used: Day of its last use; null if never used.
        applies: Whether its changes apply at once; others await approval.
        links: Whether note names become links in its text.
    """

    id: str
    name: str
    scopes: tuple[Scope, ...]
    preset: Preset | None
    created: str
    last_used: str | None
    applies: bool
    links: bool


class ListedClients(Record):
    """The clients.

    Attributes:
        clients: Oldest first.
    """

    clients: tuple[ListedClient, ...]


@operation(
    example={"client": "Cursor"},
    reads=False,
    idempotent=True,
    destructive=True,
    scope="admin",
    vault=False,
    tool=False,
    tasks=("take away a client's access",),
)
async def revoke_client(call: Call, client: str) -> ListedClients:
    """Revoke a client's token: its next request is refused and its open connections end.

    Args:
        client: Its name or id.

    Raises:
        InvalidArguments: No such client.
    """
    await asyncio.to_thread(Tokens(call.bridge.folders.tokens).revoke, client)
    call.bridge.events.publish(SettingsChanged())
    return ListedClients(await asyncio.to_thread(read_clients, call))


def read_clients(call: Call) -> tuple[ListedClient, ...]:
    """Read the clients and the settings; both blocks."""
    values, _ = load_settings(call.bridge.settings_path)
    return tuple(
        ListedClient(
            id=client.id,
            name=client.name,
            scopes=tuple(scope for scope in SCOPES if scope in client.scopes),
            preset=client.preset,
            created=client.created,
            last_used=client.last_used,
            applies=is_named(client.name, values.apply_clients),
            links=is_named(client.name, values.auto_link_clients),
        )
        for client in Tokens(call.bridge.folders.tokens).clients()
    )


def is_named(name: str, names: tuple[str, ...]) -> bool:
    return bool({each.casefold() for each in names} & {"*", name.casefold()})


class PairingOpened(Record):
    """A pairing code for one client.

    Attributes:
        code: Six digits for the client to send.
        expires_in_s: Seconds until they expire.
    """

    code: str
    expires_in_s: int


@operation(
    example={},
    reads=False,
    scope="write",
    vault=False,
    tasks=("pair a new client", "let another program connect"),
)
async def open_pairing(call: Call) -> PairingOpened:
    """Let one client get its own token: show the code to the person, who gives it to the client.

    The client sends `POST /api/pair` with `{"code", "client"}`, any name and no token, and gets `{"token", "scopes",
    "client"}`: a token to read and write, and its final name. Five wrong codes or one success end the pairing. Only the
    runtime file's token can open it.

    Raises:
        Forbidden: The caller is itself a client, or an agent.
        NotReady: No running bridge for a client to reach.
    """
    call.principal.require_local("pair")
    if not call.is_user:
        # A token would outlive the agent's session, and nobody was asked.
        raise Forbidden("An agent may not let clients pair.", hint="Only the user may, by `vaultside pair`.")
    if call.bridge.pairing is None:
        raise NotReady("No bridge is running, so no client can pair.", hint="Start `vaultside serve`, then pair.")
    return PairingOpened(call.bridge.pairing.open(), round(OPEN_S))


def client_list_view(answer: Answer) -> Iterable[Element]:
    yield from fields({"clients": answer["clients"]})
    if not answer["clients"]:
        yield notice("No clients.")
