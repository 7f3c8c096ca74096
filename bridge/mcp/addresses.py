"""The address of a note: `vault://{vault}/{path}`.

Each segment of the path is percent-encoded on its own, so `/` stays what it is. Reading is lenient, since a client
that fills in the template leaves `?` and `#` as they are: all that follows the vault is the path.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from bridge.engine import VaultEngine

TEMPLATE = "vault://{vault}/{+path}"
WRITTEN = re.compile(r"vault://([^/?#]+)/(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Address:
    """A note of a vault, which is given by name or id."""

    vault: str
    path: str


def written(vault: str, path: str) -> str:
    """Write the address of a note."""
    return f"vault://{quote(vault, safe='')}/{quote(path)}"


def forms(engine: "VaultEngine", path: str) -> tuple[str, str]:
    """Write a note's address in both ways in which a client may know it: by the vault's id, and by its name."""
    return written(engine.id, path), written(engine.name, path)


def read(uri: str) -> Address | None:
    """Read an address; None when it is none of ours."""
    found = WRITTEN.fullmatch(uri)
    return Address(unquote(found[1]), unquote(found[2])) if found else None
