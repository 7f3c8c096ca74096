"""Notifies clients of both eras of changed notes."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from mcp import types
from mcp.server.connection import Connection
from mcp.server.subscriptions import ListenHandler, ResourcesListChanged, ResourceUpdated, SubscriptionBus

from bridge.engine.bridge import Bridge
from bridge.errors import BridgeError
from bridge.events import IndexProgress, Message, NoteUpdate, Reset
from bridge.mcp.caller import Context, SessionEnds, principal_of, request_of
from bridge.mcp.resources import note_uris
from bridge.mcp.text import protocol_errors
from bridge.types import VaultId

ListenResult = Coroutine[Any, Any, types.SubscriptionsListenResult]

PATIENCE_S = 1.0
"""Seconds that a client of the older era may take to accept a notification before it misses it."""


class McpSessions:
    """The open sessions of the older era, each with the addresses it subscribed to."""

    def __init__(self) -> None:
        self._subscriptions: dict[Connection, set[str]] = {}

    def subscriptions(self, context: Context) -> set[str]:
        """Return the addresses that the session of a request subscribed to; removed when the session ends."""
        # The library offers no other way to learn when a session ends.
        connection = context.session._connection  # noqa: SLF001
        if connection not in self._subscriptions:
            self._subscriptions[connection] = set()
            connection.exit_stack.callback(self._subscriptions.pop, connection, None)
        return self._subscriptions[connection]

    async def add_session(self, context: Context, _: types.NotificationParams) -> None:
        """Add a session that is ready for notifications."""
        self.subscriptions(context)

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        with protocol_errors(context):
            principal_of(context).require("read")
        self.subscriptions(context).add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.subscriptions(context).discard(params.uri)
        return types.EmptyResult()

    async def notify_updated(self, uri: str) -> None:
        """Notify the sessions that subscribed to a note."""
        for connection in [connection for connection, uris in self._subscriptions.items() if uri in uris]:
            await send_with_timeout(connection.send_resource_updated(uri))

    async def listed_anew(self) -> None:
        for connection in list(self._subscriptions):
            await send_with_timeout(connection.send_resource_list_changed())


async def send_with_timeout(sending: Awaitable[None]) -> None:
    """Send, but do not let one client that has stopped reading delay the others."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            await sending


class KnownNotes:
    """The notes that clients know of, to detect added and removed ones."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._paths: dict[VaultId, set[str]] = {}

    def process(self, message: Message) -> bool:
        """Process an event; true if it adds or removes a note."""
        vault = VaultId(message.vault or "")
        paths = self._paths.setdefault(vault, set())
        match message.event:
            case Reset():
                return True in [self.look(vault) for vault in self._bridge.vaults]
            case NoteUpdate(path=path, change="gone"):
                news = path in paths
                paths.discard(path)
                return news
            case NoteUpdate(path=path):
                news = path not in paths
                paths.add(path)
                return news
            case IndexProgress(notes=count) if count != len(paths):
                return self.look(vault)
        return False

    def look(self, vault: VaultId) -> bool:
        """Compare with the index: many changes at once are not published one by one."""
        try:
            now: set[str] = set(self._bridge.vaults[vault].vault.index.notes)
        except BridgeError:
            now = set()
        before, self._paths[vault] = self._paths.get(vault), now
        return now != before


def listen_handler(
    listeners: ListenHandler,
    ends: SessionEnds,
) -> Callable[[Context, types.SubscriptionsListenRequestParams], ListenResult]:
    async def listen(
        context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        with protocol_errors(context):
            principal_of(context).require("read")
        async with ends.stream(request_of(context)):
            return await listeners(context, params)

    return listen


async def publish_changes(bridge: Bridge, bus: SubscriptionBus, sessions: McpSessions) -> None:
    """Forward the bridge's note events to clients, until cancelled."""
    notes = KnownNotes(bridge)
    for vault in bridge.vaults:
        notes.look(vault)
    with bridge.events.subscribe() as queue:
        while True:
            messages = [await queue.get()]
            while not queue.empty():
                messages.append(queue.get_nowait())
            for uri in changed_note_uris(bridge, messages):
                await bus.publish(ResourceUpdated(uri=uri))
                await sessions.notify_updated(uri)
            if True in [notes.process(message) for message in messages]:
                await bus.publish(ResourcesListChanged())
                await sessions.listed_anew()


def changed_note_uris(bridge: Bridge, messages: Iterable[Message]) -> Iterable[str]:
    notes = dict.fromkeys(
        (VaultId(message.vault or ""), message.event.path)
        for message in messages
        if isinstance(message.event, NoteUpdate)
    )
    return [uri for vault, path in notes if vault in bridge.vaults for uri in note_uris(bridge.vaults[vault], path)]
