"""How a note and its copy in the global vault name each other, by properties."""

from collections.abc import Collection, Mapping
from typing import Final

from bridge.markdown.note import Value, property_of, texts_of
from bridge.types import VaultId, VaultPath

ORIGIN: Final = "promoted_from"
"""The property of a copy with the notes that it is of, each as its vault's id and its path there."""

BODY_DIGEST: Final = "promoted_digest"
"""The property of a copy with the digest of its text as it was last copied."""

PROJECT: Final = "project"
"""The property of a copy with the names of the vaults of these notes."""

PROMOTED: Final = "promoted"
"""The property that says of a note that it was copied."""

COPY: Final = "promoted_to"
"""The property of that note with the address of the copy."""

OWN_VAULT_BONUS: Final = 0.05
"""What a memory of the vault that is asked counts more than one of the global vault."""


def origin_of(vault: VaultId, path: VaultPath) -> str:
    """Return what a copy says of the note that it is of."""
    return f"{vault}/{path}"


def is_copy_of(properties: Mapping[str, Value], vaults: Collection[VaultId], path: VaultPath) -> bool:
    origins = texts_of(property_of(properties, ORIGIN))
    return any(origin_of(vault, path) in origins for vault in vaults)
