"""JSON-RPC messages, as far as one who passes them on must understand them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from bridge.cli.stdio.pipes import READ_LIMIT
from bridge.errors import BridgeError

BODY_LIMIT = 8 * 2**20
"""Bytes of a message that the bridge takes."""

TOO_LONG = f"A message may have {BODY_LIMIT >> 20} MiB."

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
"""Where a message of the newer era names the version of the protocol."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
BRIDGE_ERROR = -32000

Id = str | int | float


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the client."""

    line: bytes
    id: Id | None
    method: str
    """Empty in an answer to what the bridge asked."""
    params: Mapping[str, Any]

    @property
    def is_request(self) -> bool:
        """Whether it must be answered."""
        return self.id is not None and self.method != ""

    @property
    def version(self) -> str | None:
        """The version of the protocol that it names; in the older era only the handshake does."""
        meta = self.params.get("_meta")
        version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        return version if isinstance(version, str) else None


class MalformedMessage(Exception):
    """A line is no message; `answer` says so to the client."""

    def __init__(self, code: int, text: str, id_: Id | None = None) -> None:
        super().__init__(text)
        self.answer = encode_error(id_, code, text)


def parse_message(line: bytes) -> Message:
    """Read a line.

    Raises:
        Malformed: It cannot be passed on.
    """
    if len(line) > READ_LIMIT:
        raise MalformedMessage(INVALID_REQUEST, TOO_LONG)
    try:
        content = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise MalformedMessage(PARSE_ERROR, f"This is not JSON: {error.msg} at {error.pos}.") from None
    match content:
        case {"id": None | bool() | list() | dict()}:
            raise MalformedMessage(INVALID_REQUEST, "An id must be a text or a number.")
        case {"method": str(method), "params": dict(params)}:
            message = Message(line, content.get("id"), method, params)
        case {"method": str(method)} if "params" not in content:
            message = Message(line, content.get("id"), method, {})
        case {"id": id_} if "result" in content or "error" in content:
            message = Message(line, id_, "", {})
        case _:
            raise MalformedMessage(INVALID_REQUEST, "This is no JSON-RPC message; batches are not taken.")
    if len(line) > BODY_LIMIT:
        raise MalformedMessage(INVALID_REQUEST, TOO_LONG, message.id if message.is_request else None)
    return message


def parse_json(text: bytes) -> Any:
    """Read JSON; None when it is none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def encode_error(id_: Id | None, code: int, text: str, data: Mapping[str, Any] | None = None) -> bytes:
    """Write an error for the client."""
    error = {"code": code, "message": text, **({"data": data} if data else {})}
    return orjson.dumps({"jsonrpc": "2.0", "id": id_, "error": error})


def encode_refusal(id_: Id | None, error: BridgeError) -> bytes:
    """Write for the client what went wrong here, and the way out."""
    told: Any = error.wire()["error"]
    return encode_error(id_, BRIDGE_ERROR, f"{error.message} {error.hint}".strip(), told)


def encode_notification(method: str) -> bytes:
    """Write a notification without parameters."""
    return orjson.dumps({"jsonrpc": "2.0", "method": method})
