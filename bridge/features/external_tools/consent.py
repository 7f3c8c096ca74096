"""The user's agreement to calls of a program of others."""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from bridge.api.call import Call
from bridge.errors import BridgeError, ConfirmationRequired, Forbidden
from bridge.features.external_tools.pool import ServerPool
from bridge.features.external_tools.reply import ExternalTool
from bridge.features.external_tools.server_file import ExternalServer
from bridge.private_files import file_lock, write_private
from bridge.text.invisible import inline, one_line

NOT_ALLOWED = "The user lists what agents may use in `tools` of the server."


def may_call(call: Call, server: ExternalServer, tool: str) -> bool:
    """Return whether the caller may call a tool of a server; the user may call all."""
    return call.is_user or server.allows(tool)


def require_allowed(call: Call, server: ExternalServer, tool: str) -> None:
    """Refuse a tool that the caller may not call."""
    if not may_call(call, server, tool):
        raise Forbidden(f"Agents may not call `{one_line(tool)}` of `{server.name}`.", hint=NOT_ALLOWED)


async def needs_consent(call: Call, server: ExternalServer) -> bool:
    """Return whether the user must agree to a call of a server."""
    if server.confirm != "first":
        return server.confirm == "always"
    agreed = await asyncio.to_thread(read_agreed, call.bridge.folders.agreed_servers)
    return agreed.get(server.name) != server.fingerprint


def read_agreed(path: Path) -> Mapping[str, str]:
    """Return the fingerprint of the program that the user agreed to, by server; damage counts as no agreement."""
    try:
        agreed = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return agreed if isinstance(agreed, dict) else {}


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
    return [
        ExternalTool(server.name, one.name, one.description, one.arguments)
        for one in (running.summaries if running is not None else ())
        if may_call(call, server, one.name)
    ]


MAX_ARGUMENT_CHARS = 1_000
"""Most characters of a call's arguments in the question to the user."""

HINT = (
    "Ask the user to call it once by `vault-bridge call-server … --confirm`, or to set `confirm` of the server. If your"
    " program can show the user a question, repeat the call with `confirm`."
)


async def require_consent(call: Call, server: ExternalServer, act: str, given: Any, *, confirm: bool) -> None:
    if not await needs_consent(call, server):
        return
    path, once = call.bridge.folders.agreed_servers, server.confirm == "first"
    if not (call.may_decide and call.is_confirmed(confirm)):
        # Not by orjson, which refuses numbers of more than 64 bits.
        shown = json.dumps(given, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)
        extent = ", and later calls of this program without asking" if once else ""
        what = [server.fingerprint] if once else [server.fingerprint, act, shown]
        raise ConfirmationRequired(
            f"The server `{server.name}` is a program of others; the user must agree to this call.",
            would=f"let the external program `{inline(server.program)}` (server `{server.name}`), which may "
            f"use the network, {inline(act)} with {shorten(inline(shown))}{extent}",
            subject=f"external server {server.name} {hashlib.sha256(orjson.dumps(what)).hexdigest()}",
            hint=HINT,
        )
    # What an agent says of a user who cannot be asked holds for this call only.
    if once and call.has_agreed:
        await asyncio.to_thread(record_agreement, path, server)


def shorten(text: str) -> str:
    if len(text) <= MAX_ARGUMENT_CHARS:
        return text
    return f"{text[:MAX_ARGUMENT_CHARS]}… ({len(text):,} characters)"


def record_agreement(path: Path, server: ExternalServer) -> None:
    with file_lock(path.with_name(f".{path.name}.lock")):
        write_private(path, orjson.dumps({**read_agreed(path), server.name: server.fingerprint}))
