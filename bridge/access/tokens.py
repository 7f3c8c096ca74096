"""The token file, which commands change while bridges read it."""

import hashlib
import logging
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from bridge.access.token_file import Client, Ledger, decode_ledger, encode_ledger
from bridge.errors import BridgeError, InvalidArguments
from bridge.private_files import file_lock, write_error, write_private
from bridge.types import Digest, Preset, Scope

log = logging.getLogger(__name__)

TOKEN_BYTES = 32
NAME = re.compile(r"[A-Za-z0-9](?:[ -~]{0,62}[!-~])?")
"""Names that a header can carry and a command line needs no escapes for."""

RESERVED = {"runtime", "owner"}
"""Names of principals that hold no client token."""

Stamp = tuple[int, int, int]


class Tokens:
    """The clients as the file lists them now."""

    def __init__(self, path: Path, now: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        """Defer reading the file."""
        self.path = path
        self.aside = path.with_suffix(f".damaged{path.suffix}")
        """Where a damaged file is set aside."""
        self._now = now
        self._seen: Stamp | None = None
        self._ledger = Ledger()

    def holder(self, token: str) -> Client | None:
        return self._current().clients.get(token_digest(token))

    def find_client(self, name: str) -> Client | None:
        return self._current().find_client(name)

    def is_revoked(self, name: str) -> bool:
        """Say whether the last token of this name was revoked."""
        return name.casefold() in self._current().revoked

    def clients(self) -> tuple[Client, ...]:
        """Return every client, oldest first."""
        return tuple(self._current().clients.values())

    def create(
        self, name: str, scopes: Iterable[Scope], preset: Preset | None = None, *, numbered: bool = False
    ) -> tuple[Client, str]:
        """Create a token."""
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
            client = Client(secrets.token_hex(4), name, frozenset(scopes), preset, created, None)
            self._write(ledger.with_client(token_digest(token), client))
        return client, token

    def revoke(self, name_or_id: str) -> Client:
        """Revoke a client's token."""
        with self._lock_ledger() as ledger:
            client = ledger.find_client(name_or_id) or next(
                (c for c in ledger.clients.values() if c.id == name_or_id), None
            )
            if client is None:
                raise InvalidArguments("There is no such client.", hint="`vaultside tokens list` shows them.")
            self._write(ledger.without(client))
        return client

    def is_noted(self, client: Client) -> bool:
        """Say whether the file already records that the client was used today."""
        return client.last_used == self._today()

    def note_use(self, client: Client) -> None:
        """Record that a client was used today; if that cannot be written, the call still succeeds."""
        with suppress(BridgeError), self._lock_ledger() as ledger:
            for key, entry in ledger.clients.items():
                if entry.id == client.id and not self.is_noted(entry):
                    self._write(ledger.with_client(key, replace(entry, last_used=self._today())))

    def _today(self) -> str:
        return self._now().date().isoformat()

    def _current(self) -> Ledger:
        stamp = file_stamp(self.path)
        if stamp != self._seen:
            try:
                self._ledger = self._read()
            except OSError as error:
                log.warning("%s cannot be read: %s. No client gets in.", self.path, error.strerror)
                self._ledger = Ledger()
            self._seen = stamp
        return self._ledger

    def _read(self) -> Ledger:
        try:
            return load_ledger(self.path)
        except ValueError:
            with file_lock(self.path.with_suffix(".lock")):
                return self._sound()

    def _sound(self) -> Ledger:
        """Read the file and set a damaged one aside; only under the lock, so that a good file is never set aside."""
        try:
            return load_ledger(self.path)
        except ValueError:
            self.path.replace(self.aside)
            log.warning("%s was damaged and is now %s. Every client needs a new token.", self.path, self.aside.name)
            return Ledger()

    @contextmanager
    def _lock_ledger(self) -> Iterator[Ledger]:
        try:
            with file_lock(self.path.with_suffix(".lock")):
                yield self._sound()
        except OSError as error:
            raise write_error(self.path, error) from None

    def _write(self, ledger: Ledger) -> None:
        write_private(self.path, encode_ledger(ledger))


def token_digest(token: str) -> Digest:
    return Digest(hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest())


def file_stamp(path: Path) -> Stamp | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns, facts.st_size


def load_ledger(path: Path) -> Ledger:
    """Read the file; an absent one has no clients."""
    try:
        return decode_ledger(path.read_bytes())
    except FileNotFoundError:
        return Ledger()


def check_name(name: str) -> None:
    """Require a name that any client can send."""
    if not NAME.fullmatch(name) or name.casefold() in RESERVED:
        raise InvalidArguments(
            "This is not a valid client name.",
            hint="Use up to 64 plain characters, starting with a letter or digit; `runtime` and `owner` are reserved.",
        )


def free_client_name(base: str, ledger: Ledger) -> str:
    if ledger.find_client(base) is None:
        return base
    numbered = (f"{base[:58].rstrip()} ({number})" for number in range(2, len(ledger.clients) + 3))
    return next(name for name in numbered if ledger.find_client(name) is None)
