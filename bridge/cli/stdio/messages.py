"""JSON-RPC messages, as far as a relay must understand them."""

import json
from collections.abc import Mapping
from typing import Any

import orjson
from msgspec.structs import replace

from bridge.errors import BridgeError
from bridge.records import Record

READ_LIMIT = 64 * 2**20
"""Largest line in bytes that is read; far more than is forwarded, so that refused messages still get an answer."""

BODY_LIMIT = 8 * 2**20
"""Largest message in bytes that the bridge accepts."""

TOO_LONG = f"A message may have {BODY_LIMIT >> 20} MiB."

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
"""The key under which a message of the newer era names the protocol version."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
BRIDGE_ERROR = -32000

BOM = b"\xef\xbb\xbf"

Id = str | int


class ClientMessage(Record):
    """One message from the client."""

    line: bytes
    id: Id | None
    method: str
    """Empty in a response to a request of the bridge."""
    params: Mapping[str, Any]

    @property
    def is_request(self) -> bool:
        return self.id is not None and self.method != ""

    @property
    def version(self) -> str | None:
        """The protocol version that it names; in the older era only the handshake does."""
        meta = self.params.get("_meta")
        version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        return version if isinstance(version, str) else None

    def renumber(self, id_: Id) -> "ClientMessage":
        try:
            # Unlike orjson, this keeps integers of any length.
            content = {**json.loads(self.line), "id": id_}
            line = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
        except RecursionError:
            raise MalformedMessage(INVALID_REQUEST, "This message is nested too deeply.", self.id) from None
        return replace(self, line=line, id=id_)


class MalformedMessage(Exception):
    """A line is not a message; `answer` is the error for the client."""

    def __init__(self, code: int, text: str, id_: Id | None = None) -> None:
        super().__init__(text)
        self.answer = encode_error(id_, code, text)


def parse_message(line: bytes) -> ClientMessage:
    if len(line) > READ_LIMIT:
        raise MalformedMessage(INVALID_REQUEST, TOO_LONG)
    # Some shells on Windows begin the first line with one.
    line = line.removeprefix(BOM)
    content = _read_json(line)
    match content:
        case {"id": None | bool() | float() | list() | dict()}:
            # Other numbers, and those of more digits, could not be given back as they are.
            raise MalformedMessage(INVALID_REQUEST, "An id must be a text or a whole number of at most 64 bits.")
        case {"method": str(method), "params": dict(params)}:
            message = ClientMessage(line, content.get("id"), method, params)
        case {"method": str(method)} if content.get("params") is None:
            message = ClientMessage(line, content.get("id"), method, {})
        case {"method": str()}:
            raise MalformedMessage(INVALID_PARAMS, "`params` must be an object.", content.get("id"))
        case {"id": id_} if "result" in content or "error" in content:
            message = ClientMessage(line, id_, "", {})
        case dict():
            raise MalformedMessage(INVALID_REQUEST, "A message needs a `method` or a `result`.", content.get("id"))
        case _:
            raise MalformedMessage(INVALID_REQUEST, "This is no JSON-RPC message; batches are not taken.")
    if content.get("jsonrpc") != "2.0":
        text = 'A message needs `"jsonrpc": "2.0"`.'
        raise MalformedMessage(INVALID_REQUEST, text, message.id if message.is_request else None)
    if len(line) > BODY_LIMIT:
        raise MalformedMessage(INVALID_REQUEST, TOO_LONG, message.id if message.is_request else None)
    return message


def _read_json(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        text = f"This is not JSON: {error.msg} at {error.pos}."
        raise MalformedMessage(PARSE_ERROR, text, _find_id(line)) from None


def _find_id(line: bytes) -> Id | None:
    """Return the id of a message that only Python's reader takes, such as one with half of a surrogate pair."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match content:
        case {"id": bool()}:
            return None
        case {"id": str(text)} if text.isascii():
            return text
        case {"id": int(number)} if abs(number) < 2**63:
            return number
    return None


def parse_json(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def encode_error(id_: Id | None, code: int, text: str, data: Mapping[str, Any] | None = None) -> bytes:
    error = {"code": code, "message": text, **({"data": data} if data else {})}
    return orjson.dumps({"jsonrpc": "2.0", "id": id_, "error": error})


def encode_result(id_: Id | None, result: Mapping[str, Any]) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "id": id_, "result": result})


def encode_refusal(id_: Id | None, error: BridgeError) -> bytes:
    details: Any = error.wire()["error"]
    return encode_error(id_, BRIDGE_ERROR, f"{error.message} {error.hint}".strip(), details)


def encode_notification(method: str, params: Mapping[str, Any] | None = None) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})
