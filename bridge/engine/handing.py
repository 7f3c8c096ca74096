"""Changes that are offered to a program in which the vault is open, such as Obsidian with the plugin."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from bridge.errors import BridgeError, ChangeConflict, ChangeNotFound
from bridge.events import Events
from bridge.store import Change, State
from bridge.types import VaultId

T = TypeVar("T")

CLAIMED_WITHIN_S = 1.0
"""Seconds after which a change that nobody claimed goes to the disk."""

ANSWERED_WITHIN_S = 10.0
"""Seconds after which the disk tells what became of a change that was claimed."""

LEFT_S = 1.0
"""The same, once no program is there any more."""

Refusal = Literal["unsaved", "changed", "failed"]
"""Why a program did not make a change: it has edits that are not saved; another text; or something went wrong."""

UNCLAIMED: Final = "unclaimed"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program says of a change that it claimed."""

    refused: Refusal | None
    """Why it was not made; None when it was."""


class Offer:
    """One change that waits to be claimed, then to be acknowledged; used on the event loop only."""

    def __init__(self, change: Change, text: str, keep: Callable[[], None]) -> None:
        """Begin.

        Args:
            change: The change; its only step puts a text in place of another.
            text: The whole text of the note afterwards.
            keep: Writes down that the change was claimed; blocks.
        """
        loop = asyncio.get_running_loop()
        self.change = change
        self.text = text
        self._keep = keep
        self._claimed: asyncio.Future[bool] = loop.create_future()
        self._answer: asyncio.Future[Answer | None] = loop.create_future()
        self.became: asyncio.Future[State | None] = loop.create_future()
        """What became of it; None when that could not be settled."""

    async def claim(self) -> None:
        """Give it to who asks: once, and only in time.

        Raises:
            ChangeConflict: Somebody has it, or it goes to the disk.
            DiskFull: That it was claimed cannot be written down; then it was not made.
        """
        if self._claimed.done():
            raise ChangeConflict("The change was claimed before, or too late.", hint="Do not make it.")
        self._claimed.set_result(True)
        try:
            await asyncio.to_thread(self._keep)
        except BridgeError:
            settle(self._answer, Answer("failed"))
            raise

    def answer(self, answer: Answer) -> bool:
        """Take what a program says; False when it is too late for that.

        Raises:
            ChangeConflict: It was not claimed.
        """
        if not self._claimed.done() or not self._claimed.result():
            raise ChangeConflict("The change was not claimed.", hint="Do not make it.")
        return settle(self._answer, answer)

    def leave(self) -> None:
        """Wait no longer than must be: nobody is there any more."""
        settle(self._claimed, False)
        asyncio.get_running_loop().call_later(LEFT_S, settle, self._answer, None)

    async def outcome(self) -> Answer | Literal["unclaimed"] | None:
        """Wait for what a program says; None when it says nothing."""
        await asyncio.wait([self._claimed], timeout=CLAIMED_WITHIN_S)
        settle(self._claimed, False)
        if not self._claimed.result():
            return UNCLAIMED
        await asyncio.wait([self._answer], timeout=ANSWERED_WITHIN_S)
        settle(self._answer, None)
        return self._answer.result()


class Handing:
    """Knows who makes changes of one vault, and what is offered to them."""

    def __init__(self, vault: VaultId, events: Events) -> None:
        self._vault = vault
        self._events = events
        self._programs = 0
        self._offers: dict[str, Offer] = {}

    @property
    def is_wanted(self) -> bool:
        """Whether a program is there that makes changes."""
        return self._programs > 0

    @contextmanager
    def applying(self) -> Iterator[None]:
        """Count a program as there until the block is left."""
        self._programs += 1
        try:
            yield
        finally:
            self._programs -= 1
            if not self.is_wanted:
                for offer in self._offers.values():
                    offer.leave()

    @contextmanager
    def offering(self, offer: Offer) -> Iterator[None]:
        """Offer a change until the block is left."""
        change = offer.change
        self._offers[change.id] = offer
        try:
            self._events.publish("apply_change", self._vault, change=change.id, path=change.steps[0].path)
            yield
        finally:
            del self._offers[change.id]
            settle(offer.became, None)

    def offered(self, change: str) -> Offer | None:
        """Return what is offered as a change; None when nothing is, or not any more."""
        return self._offers.get(change)

    async def claim(self, change: str) -> Offer:
        """Give a change to who asks.

        Raises:
            ChangeNotFound: It is not offered, or not any more.
            ChangeConflict: Somebody has it.
        """
        offer = self._offers.get(change)
        if offer is None:
            raise ChangeNotFound("This change is not offered any more.", hint="Do not make it.")
        await offer.claim()
        return offer


def settle(future: "asyncio.Future[T]", result: T) -> bool:
    """Settle a future; False when it was before."""
    if future.done():
        return False
    future.set_result(result)
    return True
