"""The global vault, asked beside the vault of a call."""

from collections.abc import Iterable
from dataclasses import replace

from bridge.api.call import Call
from bridge.errors import BridgeError, NoSuchVault
from bridge.features.memory.promoted_copy import is_copy_of
from bridge.text.invisible import inline
from bridge.types import VaultPath

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
