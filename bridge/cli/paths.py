"""Converts paths as a shell completes them, absolute or relative to the current folder, to paths in the vault."""

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.cli.console import print_message
from bridge.errors import OutsideVault

if TYPE_CHECKING:
    from bridge.export.command_catalogue import OperationCommand


def to_vault_paths(command: "OperationCommand", arguments: Mapping[str, Any], root: Path) -> dict[str, Any]:
    found = dict(arguments)
    for name, argument in command["arguments"].items():
        value = arguments.get(name)
        if argument["kind"] not in {"path", "folder"}:
            continue
        if isinstance(value, str):
            found[name] = vault_path(value, root)
        elif isinstance(value, list):
            found[name] = [vault_path(one, root) if isinstance(one, str) else one for one in value]
    return found


def vault_path(typed: str, root: Path, here: Path | None = None) -> str:
    """Return a typed path relative to the vault's root.

    A path that exists in the vault is taken as such, since notes are named that way everywhere else; `./` in front
    makes it relative to the current folder.
    """
    here = Path.cwd() if here is None else here
    if not typed:
        return typed
    from_here = relative_to_vault(root, here / typed)
    if from_here and typed.endswith("/"):
        # The slash marks a folder.
        from_here += "/"
    if Path(typed).is_absolute() or re.match(r"\.\.?([/\\]|$)", typed):
        if from_here is None:
            raise OutsideVault(f"`{typed}` is outside the vault {root}.", hint="Give a path inside the vault.")
        return from_here
    if from_here is None:
        return typed
    if not exists(root / typed):
        return from_here if exists(here / typed) else typed
    if from_here != typed and exists(here / typed):
        print_message(f"`{typed}` is taken from the top of the vault; `./{typed}` means {from_here}.")
    return typed


def exists(path: Path) -> bool:
    """Say whether a file or folder of this path exists, or a note with `.md` appended."""
    return os.path.lexists(path) or os.path.lexists(f"{path}.md")


def relative_to_vault(root: Path, path: Path) -> str | None:
    real = Path(os.path.realpath(path.parent), path.name)
    for base, place in ((root, path), (Path(os.path.realpath(root)), real)):
        for one, other in spellings(Path(os.path.normpath(place)), base):
            if one.is_relative_to(other):
                return "/".join(one.relative_to(other).parts)
    return None


def spellings(*paths: Path) -> Iterator[tuple[Path, ...]]:
    """Yield paths as given and in NFC: macOS hands out one form, and disks contain either."""
    yield paths
    yield tuple(Path(unicodedata.normalize("NFC", str(path))) for path in paths)
