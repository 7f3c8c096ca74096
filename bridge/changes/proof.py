"""Proves a plan before it is carried out: every link of a changed file is read again and must mean what it meant."""

from collections.abc import Iterator
from dataclasses import dataclass

from bridge.changes.shift import Shift
from bridge.errors import InvalidArguments
from bridge.types import VaultPath
from bridge.vault import LinkKind, Names, read_document, read_spots


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a link means."""

    path: VaultPath | None
    heading: str | None
    block: str | None
    kind: LinkKind
    embed: bool


def prove(path: VaultPath, before: bytes, after: bytes, shift: Shift) -> None:
    """Let a changed file pass only when each of its links means what it meant.

    Raises:
        InvalidArguments: One does not.
    """
    was = list(_meanings(path, before, shift.before))
    now = list(_meanings(shift.now(path), after, shift.after))
    for number, (_, old) in enumerate(was):
        line, new = now[number] if number < len(now) else (0, None)
        if new is None or not _alike(old, new, shift):
            raise _unlike(path, line, old)
    if len(now) > len(was):
        raise _unlike(path, now[len(was)][0], now[len(was)][1])


def _meanings(path: VaultPath, data: bytes, names: Names) -> Iterator[tuple[int, Meaning]]:
    """Yield what the links of a file mean, read as the index reads them, then those that it does not count."""
    for link in read_document(path, data).links:
        found = names.resolve(link.target, path, link.kind)
        yield link.line, Meaning(found.path, found.heading, found.block, link.kind, link.embed)
    for spot in read_spots(path, data).links:
        if not spot.counted:
            found = names.resolve(spot.target, path, spot.kind)
            yield spot.line, Meaning(found.path, found.heading, found.block, spot.kind, embed=False)


def _alike(old: Meaning, new: Meaning, shift: Shift) -> bool:
    """Tell whether two meanings are one; a link that led nowhere may lead somewhere now."""
    same = (old.heading, old.block, old.kind, old.embed) == (new.heading, new.block, new.kind, new.embed)
    return same and (old.path is None or new.path == shift.now(old.path))


def _unlike(path: VaultPath, line: int, meaning: Meaning) -> InvalidArguments:
    where = f" in line {line}" if line else ""
    return InvalidArguments(
        f"The link to `{meaning.path or 'a missing note'}`{where} of `{path}` would lead elsewhere.",
        hint="Choose another path, or change that link first.",
        path=path,
    )
