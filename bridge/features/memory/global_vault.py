"""The global vault, asked beside the vault of a call."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.errors import BridgeError, NoSuchVault
from bridge.markdown.note import Value, property_of, texts_of
from bridge.text.invisible import inline
from bridge.types import VaultId, VaultPath

ORIGIN: Final = "promoted_from"
"""The property of a copy with the notes that it is of, each as its vault's id and its path there."""

BODY_DIGEST: Final = "promoted_digest"
"""The property of a copy with the digest of its text as it was last copied."""

PROJECT: Final = "project"
"""The property of a copy with the names of the vaults of these notes."""

PROMOTION: Final = "promoted"
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


NOT_SET = "No global vault is set."
HOW_TO_SET = "The user sets `global_vault` to the name of a served vault, in the settings file or by `change_settings`."


def call_global_vault(call: Call, everywhere: bool | None) -> tuple[Call | None, tuple[str, ...]]:
    """Return the call as one of the global vault, or None, and remarks on why."""
    if everywhere is False:
        return None, ()
    try:
        host = call.bridge.global_vault()
    except NoSuchVault as error:
        if everywhere:
            raise
        return None, (error.message,)
    if host is None and everywhere:
        raise NoSuchVault(NOT_SET, hint=HOW_TO_SET)
    if host is None or host is call.host:
        return None, ()
    return replace(call, vault_name=host.id), ()


def left_out_notice(call: Call, error: BridgeError) -> tuple[str, ...]:
    """Return the remark that the global vault could not be asked."""
    return (f"The global vault {inline(call.host.name)} is left out: {error.message}",)


def is_copy_of_any(call: Call, other: Call, copy: VaultPath, originals: Iterable[VaultPath]) -> bool:
    """Return whether a note of another vault is the copy of one of some notes."""
    note = other.vault.index.notes.get(copy)
    return note is not None and any(is_copy_of(note.properties, call.host.ids, path) for path in originals)
