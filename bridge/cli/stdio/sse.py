"""Server-sent events, read from chunks as they come."""

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `data` may be empty in one that only tells its id."""

    id: str | None
    data: bytes


async def events(chunks: AsyncIterable[bytes]) -> AsyncIterator[Event]:
    """Yield each event once it is whole; one that breaks off is none."""
    id_: str | None = None
    data: list[bytes] = []
    async for line in lines(chunks):
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if data or id_ is not None:
                yield Event(id_, b"\n".join(data))
            id_, data = None, []
        elif name == b"data":
            data.append(value)
        elif name == b"id":
            id_ = value.decode("utf-8", "replace")


async def lines(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Yield lines of any length without their ends; what follows the last end is none."""
    parts: list[bytes] = []
    async for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            yield b"".join((*parts, part)).removesuffix(b"\r")
            parts.clear()
        parts.append(rest)
