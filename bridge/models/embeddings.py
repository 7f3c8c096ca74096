"""One call of the embedder: its texts, in groups small enough that no query waits long for them."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from bridge.errors import Unready
from bridge.records import dataclass

_GROUP_TEXTS = 16
# About one passage per round trip, the longest time that a query waits for a worker.
_GROUP_CHARACTERS = 800
_CHARACTERS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Unit vectors, one row per text, which texts were truncated for the model, and the number of tokens of each."""

    vectors: NDArray[np.float32]
    truncated: tuple[bool, ...]
    tokens: tuple[int, ...]


class RejectedText(Unready):
    """A text crashes the model each time it is tried.

    The other texts of the call are embedded: `embeddings` holds them, with zeros at `indexes`.
    """

    code = "not_ready"
    hint = "The passage is left out of search by meaning; keyword search finds it."

    def __init__(self, indexes: Sequence[int], embeddings: Embeddings) -> None:
        """Build the error for some texts."""
        super().__init__("A text stops the model each time it is tried.")
        self.indexes = tuple(indexes)
        self.index = self.indexes[0]
        self.embeddings = embeddings


@dataclass(slots=True, eq=False)
class EmbeddingCall:
    """The texts of one call and their vectors so far."""

    texts: Sequence[str]
    query: bool
    prefix: str
    done: asyncio.Future[None]
    rows: NDArray[np.float32]
    truncated: list[bool]
    tokens: list[int]
    left: int
    poison: list[int] = field(default_factory=list)

    def groups(self) -> "Iterator[Group]":
        """Split the call into groups: long texts alone, short ones together."""
        start = characters = 0
        for place, text in enumerate(self.texts):
            if place > start and (place - start == _GROUP_TEXTS or characters + len(text) > _GROUP_CHARACTERS):
                yield Group(self, range(start, place))
                start, characters = place, 0
            characters += len(text)
        yield Group(self, range(start, len(self.texts)))

    def settle(self, count: int) -> None:
        """Count texts as done; the last ones complete the call."""
        self.left -= count
        if not self.left:
            with contextlib.suppress(asyncio.InvalidStateError):
                self.done.set_result(None)


@dataclass(slots=True, eq=False)
class Group:
    """Consecutive texts of a call that go to a worker together, and how many workers died on them."""

    call: EmbeddingCall
    places: range
    deaths: int = 0

    def heads(self, window: int) -> list[str]:
        """Return the texts with their prefix, cut where the model certainly stops reading."""
        most = _CHARACTERS_PER_TOKEN * window
        return [self.call.prefix + self.call.texts[place][:most] for place in self.places]

    def deliver(self, done: Embeddings, window: int) -> None:
        most, places = _CHARACTERS_PER_TOKEN * window, self.places
        here = slice(places.start, places.stop)
        self.call.rows[here] = done.vectors
        self.call.tokens[here] = done.tokens
        self.call.truncated[here] = [
            cut or len(self.call.texts[place]) > most for place, cut in zip(places, done.truncated, strict=True)
        ]
        self.call.settle(len(places))

    def singly(self) -> "list[Group]":
        return [Group(self.call, range(place, place + 1), self.deaths) for place in self.places]
