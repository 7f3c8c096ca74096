"""The user's agreement to calls of a program of others."""

import asyncio
import hashlib
import json
from typing import Any

import orjson

from bridge.api.agreement import ask_user, keep_answer
from bridge.api.call import Call
from bridge.errors import BridgeError, ConfirmationRequired, Declined, Forbidden
from bridge.features.external_tools.connection import ExternalTool
from bridge.features.external_tools.pool import ServerPool
from bridge.features.external_tools.server_file import ExternalServer
from bridge.state.decisions import Decision
from bridge.text.invisible import inline, one_line
from bridge.types import Digest

NOT_ALLOWED = "The user lists what agents may use in `tools` of the server."


def may_call(call: Call, server: ExternalServer, tool: str) -> bool:
    """Return whether the caller may call a tool of a server; the user may call all."""
    return call.is_user or server.allows(tool)


def require_allowed(call: Call, server: ExternalServer, tool: str) -> None:
    """Refuse a tool that the caller may not call."""
    if not may_call(call, server, tool):
        raise Forbidden(f"Agents may not call `{one_line(tool)}` of `{server.name}`.", hint=NOT_ALLOWED)


async def may_start(call: Call, server: ExternalServer, *, confirm: bool = False) -> bool:
    """Return whether a server may be started for the caller to see its tools."""
    if call.is_user or server.confirm == "never":
        return True
    program = Decision("server", name=server.name, digest=server.fingerprint)
    answer = await asyncio.to_thread(call.host.store.decisions.find_answer, program)
    if server.confirm == "first" and answer:
        return answer == "accept"
    return call.may_decide and call.is_confirmed(confirm)


async def running_tools(call: Call) -> list[ExternalTool]:
    """Return the tools of running servers that the caller may call; a list with a mistake has none."""
    if not call.bridge.part(ServerPool).is_any_running:
        return []
    try:
        servers = await call.bridge.part(ServerPool).servers()
    except BridgeError:
        return []
    return [tool for server in servers.values() if server.enabled for tool in tools_of(call, server)]


def tools_of(call: Call, server: ExternalServer) -> list[ExternalTool]:
    """Return the tools of a server that the caller may call, in its words; none if it does not run."""
    running = call.bridge.part(ServerPool).find_connection(server.name)
    return [one for one in (running.summaries if running is not None else ()) if may_call(call, server, one.tool)]


MAX_ARGUMENT_CHARS = 1_000
"""Most characters of a call's arguments in the question to the user."""

WAITS = (
    "It waits for the user, who answers in Obsidian or by `vaultside decide`; repeat the call then. If your program"
    " can show the user a question, repeat it with `confirm`."
)


async def require_consent(call: Call, server: ExternalServer, act: str, given: Any, *, confirm: bool) -> None:
    if server.confirm == "never":
        return
    asked, decisions = describe_call(server, act, given), call.host.store.decisions
    answer = await asyncio.to_thread(decisions.use, asked)
    if answer == "accept":
        return
    if answer == "reject" and not call.is_user:
        raise Declined(f"The user declined this: {asked.would}.")
    if not (call.may_decide and call.is_confirmed(confirm)):
        waits = call.consent is None and not call.is_user
        if waits:
            await ask_user(call, asked)
        raise ConfirmationRequired(
            f"The server `{server.name}` is a program of others; the user must agree to this call.",
            would=asked.would,
            subject=f"external server {asked.id}",
            hint=WAITS if waits else "Repeat the call with `confirm`.",
        )
    # What an agent says of a user who cannot be asked holds for this call only.
    if asked.lasts and not answer and call.has_agreed:
        await keep_answer(call, asked, "accept")


def describe_call(server: ExternalServer, act: str, given: Any) -> Decision:
    """Return what the user must agree to: this call, or at the `first` one, all calls of the program."""
    # Not by orjson, which refuses numbers of more than 64 bits.
    shown = json.dumps(given, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)
    once = server.confirm == "always"
    digest = hashlib.sha256(orjson.dumps([server.fingerprint, act, shown])).hexdigest() if once else server.fingerprint
    extent = "" if once else ", and later calls of this program without asking"
    would = (
        f"let the external program `{inline(server.program)}` (server `{server.name}`), which may use the network,"
        f" {inline(act)} with {shorten(inline(shown))}{extent}"
    )
    return Decision("server", name=server.name, digest=Digest(digest), would=would, lasts=not once)


def shorten(text: str) -> str:
    if len(text) <= MAX_ARGUMENT_CHARS:
        return text
    return f"{text[:MAX_ARGUMENT_CHARS]}… ({len(text):,} characters)"
