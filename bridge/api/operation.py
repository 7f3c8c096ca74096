"""What an operation is, and how it runs for a caller."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec.structs import replace

from bridge.api import arguments
from bridge.api.call import Call
from bridge.api.redact import redact_denied
from bridge.api.signature import Signature, gather_records
from bridge.errors import BridgeError
from bridge.types import Scope
from bridge.vault.rules import Rules


class DenyChanged(Exception):
    """What a call reads may be denied by now."""


class Operation(Signature, eq=False):
    """One operation of the bridge, in the form that every transport and document is made from."""

    title: str
    summary: str
    details: str
    scope: Scope
    result: type
    errors: Mapping[type[BridgeError], str]
    """When each error is raised."""
    example: Mapping[str, Any]
    vault: bool
    """Whether it works on one vault; if not, it answers before any vault is ready."""
    idempotent: bool
    """Whether doing it twice has the effect of doing it once."""
    tool: bool
    """Whether agents may be offered it; false for what only makes sense in an application."""
    complete: Scope
    """The scope with which nothing is left out of its result."""
    tasks: tuple[str, ...]
    """What it is good for, in a caller's words, which `find_tool` searches."""
    function: Callable[..., Awaitable[Any]]
    records: Mapping[str, type]
    """The parameters of the function that take several arguments together."""
    streams: bool
    """Whether it can say parts of its result before it ends."""
    early: bool
    """Whether it answers some calls while a vault is still read for the first time."""
    quotes: bool
    """Whether its result may contain text from notes."""
    open_world: bool
    """Whether it may reach programs of others, and with them the network."""
    whole_vault: bool
    """Whether it works on the texts of all notes; such calls take turns."""

    def bind(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as the function takes them, including defaults."""
        return arguments.bind(self, given)

    async def run(self, call: Call, given: Mapping[str, Any]) -> Any:
        """Check the caller and the arguments, then run; in its turn, if it takes much memory."""
        call.principal.require(self.scope)
        if not self._takes_turn(call, given):
            return await self._run(call, given)
        async with call.bridge.turn:
            return await self._run(replace(call, has_turn=True), given)

    def _takes_turn(self, call: Call, given: Mapping[str, Any]) -> bool:
        # Programs of others may take their time, and what `run_tool` runs takes a turn of its own.
        may_be_large = self.vault and not self.open_world
        return not call.has_turn and (self.whole_vault or (may_be_large and arguments.is_large(given)))

    async def _run(self, call: Call, given: Mapping[str, Any]) -> Any:
        located = self.vault or call.vault_name is not None
        # In a thread: of a long list, each item is checked.
        check = functools.partial(self._check, call, given, located=located)
        bound = await asyncio.to_thread(check) if arguments.is_long(given) else check()
        if not located:
            return await self.function(call, **gather_records(self.records, bound))
        while True:
            rules = call.host.files.rules
            told = _tell_while(call, rules) if self.streams and self.reads else call
            try:
                result = await self.function(told, **gather_records(self.records, bound))
            except DenyChanged:
                continue
            # A result found before a rule was added must not leave after it.
            if not self.reads or call.host.files.rules.deny == rules.deny:
                return redact_denied(result, call.host.files.rules)

    def _check(self, call: Call, given: Mapping[str, Any], *, located: bool) -> dict[str, Any]:
        bound = self.bind(given)
        return arguments.locate(self, bound, call.host.files, call.host.known_names) if located else bound


def _tell_while(call: Call, rules: Rules) -> Call:
    """Return a call whose parts are told only as long as the same notes are denied."""

    def check(tell: Callable[..., None]) -> Callable[..., None]:
        def tell_checked(*given: Any) -> None:
            if call.host.files.rules.deny != rules.deny:
                raise DenyChanged
            tell(*given)

        return tell_checked

    return replace(call, say=check(call.say), progress=check(call.progress))
