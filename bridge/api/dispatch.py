"""Runs a call for any transport and records it: caller, operation, outcome and the notes concerned.

The content of requests and results is never recorded; of a change only checksums, too short to give its lines back.
"""

import asyncio
import contextlib
import logging
import re
import time
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, TypeVar, get_args

from msgspec.structs import asdict

from bridge.api.arguments import parse_literal, truncate
from bridge.api.call import Call
from bridge.api.hints import strip_hint
from bridge.api.operation import Operation
from bridge.api.registry import OPERATIONS
from bridge.api.schemas import encode, encode_seen, view_json
from bridge.api.write import session_of
from bridge.engine.host import Host
from bridge.errors import BridgeError, Internal, NoteNotFound
from bridge.priority import CALLER
from bridge.records import Record
from bridge.state.call_log import MAX_SEARCHED_VALUES, CallRecord, sums_of
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import inline, quote_freely
from bridge.text.secrets import find_secret
from bridge.types import LOOK_UP, VaultPath

MAX_RECORDED_NOTES = 20
"""Most notes recorded per call."""

FLAT_TYPES = (str, int, float, type(None))
"""Types that contain no other values."""

Formed = TypeVar("Formed", str, bytes)


async def dispatch_call(
    operation: Operation, call: Call, given: Mapping[str, Any], form: Callable[[Any], Formed]
) -> Formed:
    """Run an operation, encode its result for the transport, and record the call, unless a command only looks up."""
    if operation.name == "status" and (call.client or "").startswith(LOOK_UP):
        return form(await operation.run(call, given))
    began, clock = time.time(), time.perf_counter()
    # Before the call, which may end its session.
    session = session_of(call)
    code: str | None = "internal"
    cause = ""
    sent: str | bytes = b""
    result = None
    called, inner = inner_call(operation, given)
    CALLER.set(caller := call.principal.name_for(call.client))
    try:
        with call.bridge.activity.during_call():
            result = await operation.run(call, given)
        # In a thread: a result may be as large as the largest note.
        sent = formed = await asyncio.to_thread(form, result)
        code = None
    except BridgeError as error:
        error.message, error.hint = quote_freely(error.message), quote_freely(error.hint)
        code, sent = error.code, encode(error.wire())
        cause = cause_of(error, called)
        raise
    except asyncio.CancelledError:
        code = "cancelled"
        raise
    finally:
        ms = (time.perf_counter() - clock) * 1000
        # A vault that is not open yet cannot record calls.
        with contextlib.suppress(BridgeError):
            host = recording_vault(operation, call)
            call.bridge.sessions.touch(session)
            made = CallRecord(
                time=began,
                tool=called.name,
                client=truncate(caller) or None,
                version=truncate((call.client or "").partition("/")[2]) or None,
                session=session,
                transport=call.transport,
                code=code,
                ms=round(ms, 2),
                tokens=estimate_tokens(sent if isinstance(sent, str) else sent.decode("utf-8", "replace")),
                paths=touched_notes(host, called, inner, result, code),
                cause=cause,
                sums="" if called.reads or inner.get("dry_run") else sums_of(session, inner),
            )
            host.store.calls.record(made)
    return formed


async def dispatch_viewed(operation: Operation, call: Call, given: Mapping[str, Any]) -> bytes:
    """Run an operation as `dispatch_call` does, and return its result and the view of it as JSON."""
    results: list[Any] = []

    def form(result: Any) -> bytes:
        seen, answer = encode_seen(result)
        results.append(seen)
        return answer

    answer = await dispatch_call(operation, call, given, form)
    view = await asyncio.to_thread(lambda: encode(view_json(results[0])))
    return b'{"result":' + answer + b',"view":' + view + b"}"


def inner_call(operation: Operation, given: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
    """Return what a call is for, with its arguments: that which `run_tool` was told to run."""
    name, inner = given.get("name"), given.get("arguments")
    if operation.name != "run_tool" or not isinstance(name, str) or name not in OPERATIONS:
        return operation, given
    inner = parse_literal(inner) if isinstance(inner, str) else inner
    return OPERATIONS[name](), inner if isinstance(inner, Mapping) else {}


def cause_of(error: BridgeError, operation: Operation) -> str:
    """Return why arguments did not fit, up to the first words that may be the caller's or a note's."""
    names = "|".join((operation.name, *(argument.name for argument in operation.arguments)))
    said = re.match(rf"(?:edits\[\d+\]: )?((?:`(?:{names})(?:\[\d+\](?:\.\w+)?)?`|[^`\"'“‘’:;.…\d])*)", error.message)
    cause = said[1].strip().removesuffix(", not") if said and error.code == "invalid_arguments" else ""
    return cause if "`" in cause else ""


def recording_vault(operation: Operation, call: Call) -> Host:
    """Return the vault that records a call; the first one if the call concerns no particular vault."""
    if operation.vault or call.vault_name is not None or not call.bridge.vaults:
        return call.host
    return next(iter(call.bridge.vaults.values()))


def touched_notes(
    host: Host, operation: Operation, given: Mapping[str, Any], result: Any, code: str | None
) -> tuple[VaultPath, ...]:
    """Return the notes that a call concerned; of one that would have changed a note that is not there, its path."""
    try:
        notes = host.vault.index.notes
    except BridgeError:
        return ()
    if code == NoteNotFound.code and not operation.reads:
        wanted = [VaultPath(path) for path in requested_paths(operation, given) if is_plain_path(path)]
        return tuple(path for path in wanted[:1] if not host.files.rules.denies(path))
    paths: dict[VaultPath, None] = {}
    for path in chain(requested_paths(operation, given), paths_in_result(result, {host.id, host.name})):
        if path in notes:
            paths[VaultPath(path)] = None
        if len(paths) == MAX_RECORDED_NOTES:
            break
    return tuple(paths)


MAX_PATH_CHARS = 250


def is_plain_path(path: str) -> bool:
    """Return whether what a caller gave as a path may be told to others as one."""
    plain = path == inline(path) and len(path) <= MAX_PATH_CHARS and path.endswith(".md") and "`" not in path
    return plain and find_secret(path) is None


def requested_paths(operation: Operation, given: Mapping[str, Any]) -> Iterator[str]:
    for name in path_arguments(operation):
        match given.get(name):
            case str(path):
                yield path
            case [*paths]:
                yield from (path for path in paths if isinstance(path, str))


@cache
def path_arguments(operation: Operation) -> tuple[str, ...]:
    hints = {argument.name: strip_hint(argument.hint) for argument in operation.arguments}
    return tuple(name for name, hint in hints.items() if hint is VaultPath or VaultPath in get_args(hint))


def paths_in_result(result: Any, vault: Collection[str] = ()) -> Iterator[str]:
    waiting = deque([result])
    for _ in range(MAX_SEARCHED_VALUES):
        if not waiting:
            return
        item = waiting.popleft()
        values: Mapping[str, Any] = {}
        match item:
            case list() | tuple():
                waiting.extend(value for value in item if not isinstance(value, FLAT_TYPES))
                continue
            case Mapping():
                values = item
            case Record():
                values = asdict(item)
        if isinstance(home := values.get("vault"), str) and home not in vault:
            continue
        yield from (path for name, path in values.items() if name == "path" and isinstance(path, str))
        waiting.extend(value for value in values.values() if not isinstance(value, FLAT_TYPES))


log = logging.getLogger(__name__)

MAX_FRAMES = 6


def internal_error(error: Exception) -> Internal:
    """Log the place of an internal error, without any note content, and return the error for the caller."""
    frames = traceback.extract_tb(error.__traceback__)[-MAX_FRAMES:]
    places = " < ".join(
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in reversed(frames)
    )
    log.error("%s at %s", type(error).__name__, places)
    return Internal("Internal error. This is a bug in Vaultside; the log has the details.")
