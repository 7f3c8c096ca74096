"""Short constructors of plans, and an in-memory journal."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bridge.types import Digest, VaultPath
from bridge.vault.plan import Plan, Step
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write.writer import JournalEntry, Writer


@dataclass
class Noted:
    """A row of the journal that is kept in memory."""

    plan: Plan | None = None
    settled: bool | None = None
    said: list[str] = field(default_factory=list)

    def prepare(self, plan: Plan) -> None:
        self.plan = plan
        self.said.append("prepared")

    def settle(self, done: bool) -> None:
        self.settled = done
        self.said.append("done" if done else "not done")


def digest(data: bytes) -> Digest:
    return Digest(hashlib.sha256(data).hexdigest())


def put(path: str, before: bytes | None, after: bytes) -> Plan:
    old = {} if before is None else {digest(before): before}
    known = None if before is None else digest(before)
    return Plan([Step("put", VaultPath(path), before=known, after=digest(after))], {**old, digest(after): after})


def move(path: str, to: str, data: bytes | None = None) -> Plan:
    return Plan([Step("move", VaultPath(path), to=VaultPath(to), before=None if data is None else digest(data))])


def remove(path: str, data: bytes, *, kept: bool = True) -> Plan:
    return Plan([Step("remove", VaultPath(path), before=digest(data))], {digest(data): data} if kept else {})


def folder(path: str) -> Plan:
    return Plan([Step("make_folder", VaultPath(path))])


def no_folder(path: str) -> Plan:
    return Plan([Step("remove_folder", VaultPath(path))])


def together(*plans: Plan) -> Plan:
    blobs: dict[Digest, bytes] = {}
    for plan in plans:
        blobs |= plan.blobs
    return Plan([step for plan in plans for step in plan.steps], blobs)


def write_plan(writer: Writer, plan: Plan, entry: JournalEntry) -> Sequence[Step]:
    """Prepare a plan and write it at once."""
    return writer.write(writer.prepare(plan), entry)


def writer_of(root: Path, **rules: tuple[str, ...]) -> Writer:
    return Writer(Vault(root, Rules(**rules)))  # type: ignore[arg-type]


def tree(root: Path) -> dict[str, bytes | None]:
    """Return every file with its bytes, every link with its target, and every folder."""

    found: dict[str, bytes | None] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            place = Path(folder, name)
            path = place.relative_to(root).as_posix()
            if place.is_symlink():
                found[path] = bytes(place.readlink())
            else:
                found[path] = None if name in folders else place.read_bytes()
    return dict(sorted(found.items()))
