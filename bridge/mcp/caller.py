"""Who sent a request, and operations run in its name."""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson
from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from bridge.api.arguments import VAULT
from bridge.api.call import SESSION, Call, Principal
from bridge.api.dispatch import dispatch_call
from bridge.api.encode import encode
from bridge.api.presets import choose_preset
from bridge.api.registry import Operation
from bridge.errors import InvalidArguments
from bridge.mcp.text import Answer
from bridge.types import Preset

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge
    from bridge.engine.host import VaultEngine

Context = ServerRequestContext[Any, Request]

REQUEST: ContextVar[Request] = ContextVar("REQUEST")
"""The request that is answered, or the one with which a session of the older era began."""

PATIENCE_S = 10.0
"""Seconds that a call waits for a vault that is being read for the first time."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls and how it is served; the same for every request of a token to one address."""

    bridge: "Bridge"
    principal: Principal
    preset: Preset
    client: str | None
    """Its name and version, as it says."""
    session: str | None
    """Its session, by its own word, or that of the older era."""
    vault: str | None
    """The vault that is meant where none is named, as the address says."""

    @property
    def name(self) -> str:
        """What it is called: as its token is, else as it names itself."""
        said = (self.client or "").partition("/")[0] if self.principal.local else self.principal.name
        return said or "An agent"

    @property
    def engines(self) -> "Sequence[VaultEngine]":
        """The vaults that can be meant: all, unless the address names one.

        Raises:
            NoSuchVault: The address names one that there is not.
        """
        return [self.bridge.find(self.vault)] if self.vault is not None else list(self.bridge.vaults.values())

    @property
    def acting(self) -> Principal:
        """With what rights it calls: where it is only to read, those alone, whatever its token allows."""
        reads = self.preset == "read-only"
        return replace(self.principal, scopes=self.principal.scopes & {"read"}) if reads else self.principal

    async def ask(
        self,
        operation: Operation,
        given: Mapping[str, Any],
        write: Callable[[Answer], str] = lambda _: "",
        progress: Callable[[float, float | None, str], None] = lambda *_: None,
        consent: bool | None = None,
    ) -> tuple[Answer, str]:
        """Run an operation and return its answer, as it goes over HTTP and as it is written for a model, if it is.

        Raises:
            BridgeError: As the operation.
        """
        arguments = dict(given)
        vault = arguments.pop(VAULT, self.vault)
        if vault is not None and not isinstance(vault, str):
            raise InvalidArguments(f"`{VAULT}` must be the name or id of a vault.")
        if operation.vault:
            # An agent that has just started the bridge would only be told to call again.
            await self.bridge.find(vault).waiting.readable(PATIENCE_S)
        answers: list[Answer] = []

        def form(result: Any) -> str:
            answers.append(orjson.loads(encode(result)))
            return write(answers[0])

        call = Call(
            bridge=self.bridge,
            principal=self.acting,
            vault=vault,
            client=self.client,
            session=self.session,
            transport="mcp",
            preset=self.preset,
            progress=progress,
            consent=consent,
        )
        text = await dispatch_call(operation, call, arguments, form)
        return answers[0], text


def read_caller(context: Context, bridge: "Bridge") -> Caller:
    """Read who calls.

    Raises:
        InvalidArguments: The address asks for a preset that does not exist.
    """
    request = request_of(context)
    principal = principal_of(context)
    said = context.session.client_params
    return Caller(
        bridge,
        principal,
        choose_preset(principal, request.query_params.get("preset"), bridge.settings.mcp_preset),
        client=f"{said.client_info.name}/{said.client_info.version}" if said is not None else None,
        session=request.headers.get(SESSION) or request.headers.get("mcp-session-id"),
        vault=request.query_params.get(VAULT),
    )


def is_read_only(bridge: "Bridge") -> bool:
    """Say whether the request that is answered comes from somebody who is offered to read only."""
    request = REQUEST.get()
    asked = request.query_params.get("preset")
    try:
        return choose_preset(request.scope["state"]["principal"], asked, bridge.settings.mcp_preset) == "read-only"
    except InvalidArguments:
        # Every call says so.
        return False


def principal_of(context: Context) -> Principal:
    """Return whose token came with a request."""
    principal: Principal = request_of(context).scope["state"]["principal"]
    return principal


def request_of(context: Context) -> Request:
    """Return the request as it came over HTTP, the only way there is."""
    if context.request is None:
        raise AssertionError
    return context.request
