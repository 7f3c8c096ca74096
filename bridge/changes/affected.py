"""Finds the files whose links a change of names concerns, and writes those links anew."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from bridge.changes.concerned import concerned
from bridge.changes.effect import Reference
from bridge.changes.known import Known
from bridge.changes.naming import in_base, in_queries
from bridge.changes.proof import prove
from bridge.changes.relink import relinked
from bridge.changes.shift import Shift
from bridge.errors import NoteNotFound, NoteUnreadable, TooLarge
from bridge.types import VaultPath
from bridge.vault import LinkKind, kind_of


@dataclass(frozen=True, slots=True)
class Affected:
    """What a change of names does to the content of files, which are called here as they were before it."""

    changed: Mapping[VaultPath, bytes]
    read: Mapping[VaultPath, bytes]
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]
    naming: tuple[VaultPath, ...]
    warnings: tuple[str, ...]


def affected(known: Known, shift: Shift, names: re.Pattern[str]) -> Affected:
    """Write every link anew that would break or lead elsewhere.

    Args:
        known: The vault.
        shift: How names change.
        names: What finds the old names in a query.

    Raises:
        ProtectedPath: A note that must stay as it is has such a link.
        InvalidArguments: A link cannot be written so that it leads where it did.
    """
    changed: dict[VaultPath, bytes] = {}
    read: dict[VaultPath, bytes] = {}
    rewritten: list[Reference] = []
    mended: list[Reference] = []
    named: list[VaultPath] = []
    warnings: list[str] = []
    for path in concerned(known, shift.keys(), partial(_turns, shift), shift.moved):
        try:
            data = read[path] = known.read(path)
        except (NoteNotFound, NoteUnreadable, TooLarge) as error:
            if path in shift.moved or (path in known.notes and not isinstance(error, NoteNotFound)):
                raise
            warnings.append(f"Links were not looked for: {error.message}")
            continue
        if path.lower().endswith(".base"):
            named += [path] if in_base(data, names) else []
            continue
        after = relinked(path, data, shift)
        rewritten += after.rewritten
        mended += after.mended
        if after.rewritten:
            known.require_changeable(path)
            prove(path, after.before, after.data, shift)
            changed[path] = after.data
        if kind_of(path) == "note" and in_queries(after.before.text, names):
            named.append(path)
    return Affected(changed, read, tuple(rewritten), tuple(mended), tuple(named), tuple(warnings))


def _turns(shift: Shift, target: str, kind: LinkKind, source: VaultPath) -> bool:
    fate = shift.fate(target, kind, source)
    return fate.mended or not fate.stays
