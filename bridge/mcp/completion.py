"""Completes arguments that a person types: paths, vaults, folders, topics."""

import contextlib
from collections.abc import Callable, Iterable, Mapping

from mcp import types

from bridge.api.arguments import VAULT
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.errors import BridgeError
from bridge.index.note import IndexedNote
from bridge.mcp.caller import Context, read_caller
from bridge.mcp.errors import protocol_errors
from bridge.mcp.prompts import PERIODS
from bridge.records import dataclass
from bridge.text.invisible import one_line

MOST = 100
"""The protocol's limit."""


@dataclass(frozen=True, slots=True)
class Completion:
    """Completes the arguments of prompts and of note addresses."""

    bridge: Bridge

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Return the possible values of an argument, the likeliest first."""
        with protocol_errors(context):
            who = read_caller(context, self.bridge)
            who.principal.require("read")
            chosen = (params.context.arguments if params.context else None) or {}
            vault = chosen.get(VAULT)
            hosts = [self.bridge.find(vault)] if vault else who.hosts
            offer = OFFERS.get(params.argument.name, no_offers)
            words = offer(hosts) if offer is periods else sorted(set(offer(hosts)), key=str.casefold)
            found = match_words(words, params.argument.value.casefold())
            values = types.Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST)
            return types.CompleteResult(completion=values)


def match_words(words: Iterable[str], typed: str) -> list[str]:
    """Return the words that contain what was typed; first those that start with it, in full or in their last part."""

    def nearness(word: str) -> tuple[bool, bool]:
        folded = word.casefold()
        return not folded.startswith(typed), not folded.rpartition("/")[2].startswith(typed)

    return sorted((word for word in words if typed in word.casefold()), key=nearness)


def open_notes(hosts: Iterable[Host]) -> Iterable[IndexedNote]:
    """Yield the notes of some vaults; one that is not open has none yet."""
    for host in hosts:
        with contextlib.suppress(BridgeError):
            yield from list(host.vault.index.notes.values())


def complete_paths(hosts: Iterable[Host]) -> Iterable[str]:
    return (note.path for note in open_notes(hosts))


def complete_folders(hosts: Iterable[Host]) -> Iterable[str]:
    return filter(None, (note.path.rpartition("/")[0] for note in open_notes(hosts)))


def topics(hosts: Iterable[Host]) -> Iterable[str]:
    """Offer titles and tags."""
    return filter(None, (one_line(word) for note in open_notes(hosts) for word in (note.title, *note.tags)))


def periods(_: Iterable[Host]) -> Iterable[str]:
    return PERIODS


def vaults(hosts: Iterable[Host]) -> Iterable[str]:
    return (host.name for host in hosts)


def no_offers(_: Iterable[Host]) -> Iterable[str]:
    return ()


OFFERS: Mapping[str, Callable[[Iterable[Host]], Iterable[str]]] = {
    "path": complete_paths,
    "folder": complete_folders,
    "topic": topics,
    "since": periods,
    VAULT: vaults,
}
