"""What was sent lately, so that a client of the older era can take up a broken stream where it left it."""

from collections import deque

from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import JSONRPCMessage

REMEMBERED = 128


class Replay(EventStore):
    """The last messages of one session, on all of its streams."""

    def __init__(self) -> None:
        self._events: deque[tuple[int, StreamId, JSONRPCMessage | None]] = deque(maxlen=REMEMBERED)
        self._next = 1

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        """Remember a message and number it."""
        number, self._next = self._next, self._next + 1
        self._events.append((number, stream_id, message))
        return str(number)

    async def replay_events_after(self, last_event_id: EventId, send_callback: EventCallback) -> StreamId | None:
        """Send what came after an event on its stream."""
        known = {str(number): (number, stream) for number, stream, _ in self._events}
        if last_event_id not in known:
            return None
        last, stream = known[last_event_id]
        for number, its_stream, message in list(self._events):
            if number > last and its_stream == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


class SessionManager(StreamableHTTPSessionManager):
    """Gives each session a memory of its own.

    The library shares one among all, though sessions name their streams alike: one client would read another's.
    """

    @property
    def event_store(self) -> EventStore | None:
        """A fresh memory; asked for once by each new session."""
        return Replay()

    @event_store.setter
    def event_store(self, _: EventStore | None) -> None:
        """Take none."""
