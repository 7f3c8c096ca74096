"""The clients that hold tokens, in a file that commands change while bridges read it, and how they get one."""

import hashlib
import hmac
import logging
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, json
from msgspec.structs import replace

from bridge.errors import BridgeError, Forbidden, InvalidArguments
from bridge.private_files import file_lock, file_stamp, write_error, write_private
from bridge.records import Record
from bridge.types import Digest, Preset, Scope

log = logging.getLogger(__name__)

TOKEN_BYTES = 32
NAME = re.compile(r"[A-Za-z0-9](?:[ -~]{0,62}[!-~])?")
"""Names that a header can carry and a command line needs no escapes for."""

RESERVED_NAMES = {"runtime", "owner"}
"""Names of principals that hold no client token."""

SCOPES: tuple[Scope, ...] = get_args(Scope)


class Client(Record, forbid_unknown_fields=False):
    """A program that holds a token."""

    id: str
    name: str
    scopes: frozenset[Scope]
    preset: Preset | None
    created: str
    last_used: str | None
    """The day, ISO 8601; no finer, since nobody needs to know at what time somebody worked."""
    digest: Annotated[Digest, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    """That of its token."""

    def wire(self) -> dict[str, Any]:
        """Return the client as a JSON object, without the digest."""
        return {
            "id": self.id,
            "name": self.name,
            "scopes": [scope for scope in SCOPES if scope in self.scopes],
            "preset": self.preset,
            "created": self.created,
            "last_used": self.last_used,
        }


class ClientLedger(Record):
    """The content of the file: all clients, oldest first, and the names whose tokens were revoked."""

    schema: Literal[1]
    """Version of the file format."""
    clients: tuple[Client, ...]
    revoked: frozenset[str]

    def find_client(self, name: str) -> Client | None:
        """Find a client by its name, regardless of case."""
        return next((client for client in self.clients if client.name.casefold() == name.casefold()), None)


EMPTY_LEDGER = ClientLedger(1, (), frozenset())


class Tokens:
    """The clients as the file lists them now."""

    def __init__(self, path: Path, now: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        self.path = path
        self.aside = path.with_suffix(f".damaged{path.suffix}")
        """Where a damaged file is set aside."""
        self._now = now
        self._seen: tuple[int, ...] | None = None
        self._ledger = EMPTY_LEDGER

    def holder(self, token: str) -> Client | None:
        digest = token_digest(token)
        return next((client for client in self._current().clients if client.digest == digest), None)

    def find_client(self, name: str) -> Client | None:
        return self._current().find_client(name)

    def is_revoked(self, name: str) -> bool:
        """Say whether the last token of this name was revoked."""
        return name.casefold() in self._current().revoked

    def clients(self) -> tuple[Client, ...]:
        """Return every client, oldest first."""
        return self._current().clients

    def create(
        self, name: str, scopes: Iterable[Scope], preset: Preset | None = None, *, numbered: bool = False
    ) -> tuple[Client, str]:
        check_name(name)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self._lock_ledger() as ledger:
            if numbered:
                name = free_client_name(name, ledger)
            elif ledger.find_client(name) is not None:
                raise InvalidArguments(
                    f"A client named `{name}` already exists.",
                    hint=f"Choose another name, or run `vaultside tokens revoke '{name}'` first.",
                )
            created = self._now().isoformat(timespec="seconds")
            digest = token_digest(token)
            client = Client(secrets.token_hex(4), name, frozenset(scopes), preset, created, None, digest)
            self._write(ClientLedger(1, (*ledger.clients, client), ledger.revoked - {name.casefold()}))
        return client, token

    def revoke(self, name_or_id: str) -> Client:
        with self._lock_ledger() as ledger:
            client = ledger.find_client(name_or_id) or next((c for c in ledger.clients if c.id == name_or_id), None)
            if client is None:
                raise InvalidArguments("There is no such client.", hint="`vaultside tokens list` shows them.")
            others = tuple(other for other in ledger.clients if other.id != client.id)
            self._write(ClientLedger(1, others, ledger.revoked | {client.name.casefold()}))
        return client

    def is_noted(self, client: Client) -> bool:
        """Say whether the file already records that the client was used today."""
        return client.last_used == self._today()

    def note_use(self, client: Client) -> None:
        """Record that a client was used today; if that cannot be written, the call still succeeds."""
        with suppress(BridgeError), self._lock_ledger() as ledger:
            today = self._today()
            clients = tuple(replace(c, last_used=today) if c.id == client.id else c for c in ledger.clients)
            if clients != ledger.clients:
                self._write(replace(ledger, clients=clients))

    def _today(self) -> str:
        return self._now().date().isoformat()

    def _current(self) -> ClientLedger:
        stamp = file_stamp(self.path)
        if stamp != self._seen:
            try:
                self._ledger = self._read()
            except OSError as error:
                log.warning("%s cannot be read: %s. No client gets in.", self.path, error.strerror)
                self._ledger = EMPTY_LEDGER
            self._seen = stamp
        return self._ledger

    def _read(self) -> ClientLedger:
        try:
            return load_ledger(self.path)
        except ValueError:
            with file_lock(self.path.with_suffix(".lock")):
                return self._sound()

    def _sound(self) -> ClientLedger:
        """Read the file and set a damaged one aside; only under the lock, so that a good file is never set aside."""
        try:
            return load_ledger(self.path)
        except ValueError:
            self.path.replace(self.aside)
            log.warning("%s was damaged and is now %s. Every client needs a new token.", self.path, self.aside.name)
            return EMPTY_LEDGER

    @contextmanager
    def _lock_ledger(self) -> Iterator[ClientLedger]:
        try:
            with file_lock(self.path.with_suffix(".lock")):
                yield self._sound()
        except OSError as error:
            raise write_error(self.path, error) from None

    def _write(self, ledger: ClientLedger) -> None:
        write_private(self.path, json.format(json.encode(ledger, order="deterministic")) + b"\n")


def token_digest(token: str) -> Digest:
    return Digest(hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest())


def load_ledger(path: Path) -> ClientLedger:
    """Read the file; an absent one has no clients."""
    try:
        return json.decode(path.read_bytes(), type=ClientLedger)
    except FileNotFoundError:
        return EMPTY_LEDGER


def check_name(name: str) -> None:
    """Require a name that any client can send."""
    if not NAME.fullmatch(name) or name.casefold() in RESERVED_NAMES:
        raise InvalidArguments(
            "This is not a valid client name.",
            hint="Use up to 64 plain characters, starting with a letter or digit; `runtime` and `owner` are reserved.",
        )


def free_client_name(base: str, ledger: ClientLedger) -> str:
    if ledger.find_client(base) is None:
        return base
    numbered = (f"{base[:58].rstrip()} ({number})" for number in range(2, len(ledger.clients) + 3))
    return next(name for name in numbered if ledger.find_client(name) is None)


OPEN_S = 120.0
"""Seconds for which a code is valid."""

PAIRING_TRIES = 5
CODE_DIGITS = 6


class PairingWindow(Record):
    """A code that is valid now."""

    code: str
    until: float
    tries: int


class Pairing:
    """Holds at most one pairing window, in this process only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._window: PairingWindow | None = None

    def open(self) -> str:
        """Open a window, replacing an open one, and return its code."""
        code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
        self._window = PairingWindow(code, self._clock() + OPEN_S, PAIRING_TRIES)
        return code

    def enter(self, code: str) -> None:
        """Accept the right code and close the window."""
        window, self._window = self._window, None
        if window is None or self._clock() >= window.until:
            raise Forbidden("No pairing is open.", hint="Run `vaultside pair` and send its code within two minutes.")
        if hmac.compare_digest(code.encode("utf-8", "replace"), window.code.encode()):
            return
        left = window.tries - 1
        if not left:
            raise Forbidden("The code is wrong; pairing is closed.", hint="Run `vaultside pair` for a new code.")
        self._window = PairingWindow(window.code, window.until, left)
        raise Forbidden("The code is wrong.", hint="Send the code that `vaultside pair` showed last.", tries_left=left)
