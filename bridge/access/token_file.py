"""The clients that hold tokens, and their file format."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

import orjson
from msgspec import field

from bridge.records import Record
from bridge.types import Digest, Preset, Scope

SCHEMA = 1
"""Version of the file format."""

SCOPES: tuple[Scope, ...] = get_args(Scope)
DIGEST = re.compile("[0-9a-f]{64}")


class Client(Record):
    """A program that holds a token."""

    id: str
    name: str
    scopes: frozenset[Scope]
    preset: Preset | None
    created: str
    last_used: str | None
    """The day, ISO 8601; no finer, since nobody needs to know at what time somebody worked."""

    def wire(self) -> dict[str, Any]:
        """Return the client as a JSON object."""
        return {
            "id": self.id,
            "name": self.name,
            "scopes": [scope for scope in SCOPES if scope in self.scopes],
            "preset": self.preset,
            "created": self.created,
            "last_used": self.last_used,
        }


class Ledger(Record):
    """All clients by the digest of their tokens, and the names whose tokens were revoked."""

    clients: Mapping[Digest, Client] = field(default_factory=dict)
    revoked: frozenset[str] = frozenset()

    def find_client(self, name: str) -> Client | None:
        """Find a client by its name, regardless of case."""
        return next((c for c in self.clients.values() if c.name.casefold() == name.casefold()), None)

    def with_client(self, digest: Digest, client: Client) -> "Ledger":
        return Ledger({**self.clients, digest: client}, self.revoked - {client.name.casefold()})

    def without(self, client: Client) -> "Ledger":
        """Remove a client and remember its name as revoked."""
        clients = {digest: entry for digest, entry in self.clients.items() if entry.id != client.id}
        return Ledger(clients, self.revoked | {client.name.casefold()})


def encode_ledger(ledger: Ledger) -> bytes:
    clients = [{**client.wire(), "digest": digest} for digest, client in ledger.clients.items()]
    whole = {"schema": SCHEMA, "clients": clients, "revoked": sorted(ledger.revoked)}
    return orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def decode_ledger(data: bytes) -> Ledger:
    try:
        match orjson.loads(data):
            case {"schema": version, "clients": list(clients), "revoked": list(revoked)} if version == SCHEMA:
                return Ledger(dict(map(parse_client, clients)), frozenset(require_strings(revoked)))
    except (KeyError, TypeError) as error:
        raise ValueError(f"a field is wrong: {error}") from None
    raise ValueError("it has another form")


def parse_client(facts: Mapping[str, Any]) -> tuple[Digest, Client]:
    id_, name, created, digest = require_strings([facts["id"], facts["name"], facts["created"], facts["digest"]])
    scopes, preset, last_used = require_strings(facts["scopes"]), facts["preset"], facts["last_used"]
    if not DIGEST.fullmatch(digest) or not set(scopes) <= set(SCOPES) or preset not in (None, *get_args(Preset)):
        raise ValueError("a field is wrong")
    if last_used is not None:
        require_strings([last_used])
    granted: frozenset[Scope] = frozenset(scope for scope in SCOPES if scope in scopes)
    return Digest(digest), Client(id_, name, granted, preset, created, last_used)


def require_strings(values: Iterable[Any]) -> list[str]:
    texts = list(values)
    if not all(isinstance(value, str) for value in texts):
        raise ValueError("a field is no text")
    return texts
