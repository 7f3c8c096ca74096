"""Identifies who sent a request, runs operations on its behalf, and ends sessions."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any

from mcp.server.context import ServerRequestContext
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bridge.api.arguments import VAULT, pop_vault
from bridge.api.call import SESSION, Call, Principal
from bridge.api.dispatch import dispatch_call
from bridge.api.operation import Operation
from bridge.api.presets import choose_preset
from bridge.api.schemas import encode_seen
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.errors import InvalidArguments, NotReady
from bridge.features.injections.public import put_in_front
from bridge.records import Record
from bridge.types import Preset

Context = ServerRequestContext[Any, Request]

REQUEST: ContextVar[Request] = ContextVar("REQUEST")
"""The current request, or the one that opened a session of the older era."""

PATIENCE_S = 10.0
"""Seconds that a call waits for a vault that is being read for the first time."""


class Caller(Record):
    """A caller and its settings; the same for every request with one token to one address."""

    bridge: Bridge
    principal: Principal
    preset: Preset
    client: str | None
    """Its name and version, as it reports them."""
    session: str | None
    """Its session, from its own header or that of the older era."""
    vault: str | None
    """The vault from the address, used where a call names none."""

    @property
    def name(self) -> str:
        """The name of its token, else the name it reports."""
        return self.principal.name_for(self.client) or "An agent"

    @property
    def hosts(self) -> Sequence[Host]:
        """The vaults that calls can address: all, unless the address names one."""
        return [self.bridge.find(self.vault)] if self.vault is not None else list(self.bridge.vaults.values())

    @property
    def acting_principal(self) -> Principal:
        reads = self.preset == "read-only"
        return replace(self.principal, scopes=self.principal.scopes & {"read"}) if reads else self.principal

    async def ask(
        self,
        operation: Operation,
        given: Mapping[str, Any],
        write: Callable[[Any], str] = lambda _: "",
        progress: Callable[[float, float | None, str], None] = lambda *_: None,
        consent: bool | None = None,
        *,
        adds: bool = False,
    ) -> tuple[Any, str]:
        """Run an operation and return its result as its reader sees it, and as text for a model."""
        arguments = dict(given)
        vault = pop_vault(arguments, self.vault)
        host = self.bridge.find(vault) if operation.vault else None
        if host is not None:
            # An agent that has just started the bridge would otherwise have to call again.
            await host.wait_until_readable(PATIENCE_S, early=operation.early)
        results: list[Any] = []

        def form(result: Any) -> str:
            results.append(encode_seen(result)[0])
            return write(results[0])

        call = Call(
            bridge=self.bridge,
            principal=self.acting_principal,
            vault_name=vault,
            client=self.client,
            session=self.session,
            transport="mcp",
            preset=self.preset,
            progress=progress,
            consent=consent,
        )
        try:
            text = await dispatch_call(operation, call, arguments, form)
        except NotReady:
            if host is None or not operation.early:
                raise
            # This call is not among those that are answered early.
            await host.wait_until_readable(PATIENCE_S)
            text = await dispatch_call(operation, call, arguments, form)
        return results[0], await put_in_front(call, text) if adds and host is not None else text


def read_caller(context: Context, bridge: Bridge) -> Caller:
    request = request_of(context)
    principal = principal_of(context)
    client_params = context.session.client_params
    return Caller(
        bridge,
        principal,
        choose_preset(principal, request.query_params.get("preset"), bridge.settings.mcp_preset),
        client=f"{client_params.client_info.name}/{client_params.client_info.version}"
        if client_params is not None
        else None,
        session=session_name(request),
        vault=request.query_params.get(VAULT),
    )


def current_preset(bridge: Bridge) -> Preset:
    request = REQUEST.get()
    preset = request.query_params.get("preset")
    try:
        return choose_preset(request.scope["state"]["principal"], preset, bridge.settings.mcp_preset)
    except InvalidArguments:
        # Every call reports this error.
        return "default"


def principal_of(context: Context) -> Principal:
    principal: Principal = request_of(context).scope["state"]["principal"]
    return principal


def request_of(context: Context) -> Request:
    """Return the HTTP request; there is no other transport."""
    if context.request is None:
        raise AssertionError
    return context.request


RESUME_S = 60.0
"""Seconds in which a client may resume a broken stream, or call, before its session is over."""

MCP_SESSION = "mcp-session-id"
"""The header of sessions of the older era."""


def session_name(request: Request) -> str | None:
    """Return the session that a request names, in our own header or that of the older era."""
    return request.headers.get(SESSION) or request.headers.get(MCP_SESSION)


def client_of_token(request: Request) -> str | None:
    principal = request.scope["state"]["principal"]
    return None if principal.local else principal.name


class SessionEnds:
    """Follows the streams of sessions and requests that end them."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._streams: Counter[tuple[str | None, str]] = Counter()

    async def delete(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """End the session that a request names; one of the newer era is unknown to the library."""
        request, statuses = Request(scope), list[int]()

        async def observe(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        own = MCP_SESSION not in request.headers and SESSION in request.headers
        await (Response(status_code=HTTPStatus.NO_CONTENT) if own else app)(scope, receive, observe)
        if statuses and statuses[0] < HTTPStatus.BAD_REQUEST:
            self._bridge.end_sessions(client_of_token(request), session_name(request))

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[None]:
        """Follow a stream of a session; when the last one ends and nothing follows, so does the session."""
        name = session_name(request)
        if name is None:
            yield
            return
        key = (client_of_token(request), name)
        self._streams[key] += 1
        try:
            yield
        finally:
            self._streams[key] -= 1
            if not self._streams[key]:
                del self._streams[key]
                asyncio.get_running_loop().call_later(RESUME_S, self._end_unless_resumed, *key)

    def _end_unless_resumed(self, client: str | None, name: str) -> None:
        if not self._streams[client, name] and self._bridge.sessions.is_quiet(name, RESUME_S):
            self._bridge.end_sessions(client, name)
