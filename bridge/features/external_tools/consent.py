"""The user's agreement to calls of a program of others."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import orjson

from bridge.api.agreement import is_user
from bridge.api.call import Call
from bridge.errors import ConfirmationRequired
from bridge.features.external_tools.permission import needs_consent, read_agreed
from bridge.features.external_tools.server_file import ExternalServer
from bridge.private_files import file_lock, write_private
from bridge.text.invisible import inline

MAX_ARGUMENT_CHARS = 1_000
"""Most characters of a call's arguments in the question to the user."""

HINT = "Ask the user, then repeat the call with `confirm`."


async def require_consent(call: Call, server: ExternalServer, act: str, given: Any, *, confirm: bool) -> None:
    if not await needs_consent(call, server):
        return
    path, once = call.bridge.folders.agreed_servers, server.confirm == "first"
    if not call.is_confirmed(confirm):
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
    if once and (call.consent is True or is_user(call)):
        await asyncio.to_thread(record_agreement, path, server)


def shorten(text: str) -> str:
    if len(text) <= MAX_ARGUMENT_CHARS:
        return text
    return f"{text[:MAX_ARGUMENT_CHARS]}… ({len(text):,} characters)"


def record_agreement(path: Path, server: ExternalServer) -> None:
    with file_lock(path.with_name(f".{path.name}.lock")):
        write_private(path, orjson.dumps({**read_agreed(path), server.name: server.fingerprint}))
