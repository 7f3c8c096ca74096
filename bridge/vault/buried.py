"""Recognises notes that were moved to where the rules deny them."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from bridge.vault.paths import is_hidden, nfc
from bridge.vault.rules import Rules
from bridge.vault.scan import Stat, joined


def is_buried(root: Path, rules: Rules, lost: Collection[Stat]) -> bool:
    """Say whether one of the files that are gone lies at a denied path now, by what tells a file unchanged."""
    return bool(rules.deny) and any(stat in lost for stat in denied(root, rules))


def denied(root: Path, rules: Rules) -> Iterator[Stat]:
    """Yield what tells each denied file unchanged; what cannot be listed is passed over."""
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
                    yield Stat(info.st_mtime_ns, info.st_size)
