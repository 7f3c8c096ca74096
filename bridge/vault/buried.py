"""Recognises notes that were moved to where the rules deny them."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from bridge.types import VaultPath
from bridge.vault.paths import is_hidden, nfc
from bridge.vault.rules import Rules
from bridge.vault.scan import Stat, joined


def buried(root: Path, rules: Rules, lost: Mapping[Stat, VaultPath]) -> Mapping[VaultPath, VaultPath]:
    """Return those of the files that are gone that lie at a denied path now, each with that path.

    Args:
        root: The vault.
        rules: What is denied.
        lost: The files that are gone, by what tells one unchanged.
    """
    return {lost[stat]: path for stat, path in denied(root, rules) if stat in lost} if rules.deny and lost else {}


def denied(root: Path, rules: Rules) -> Iterator[tuple[Stat, VaultPath]]:
    """Yield each denied file with what tells it unchanged; what cannot be listed is passed over."""
    rest = [("", os.fspath(root), False)]
    while rest:
        folder, place, below = rest.pop()
        with suppress(OSError), os.scandir(place) as listing:
            for entry in listing:
                path = joined(folder, nfc(entry.name))
                inside = below or rules.denies(path)
                if entry.is_dir(follow_symlinks=False):
                    if not is_hidden(path):
                        rest.append((path, entry.path, inside))
                elif inside:
                    info = entry.stat(follow_symlinks=False)
                    yield Stat(info.st_mtime_ns, info.st_size), VaultPath(path)
