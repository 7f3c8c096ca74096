"""What the vault says now, by which proofs are checked."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress

from bridge.api.call import Call
from bridge.api.note_names import find_file
from bridge.api.note_text import open_note
from bridge.errors import BridgeError, NoteNotFound
from bridge.markdown.note import Note
from bridge.types import Digest, VaultPath


class VaultEvidence:
    """The vault of a call; its methods block."""

    def __init__(self, call: Call) -> None:
        self._vault = call.vault

    def note(self, path: VaultPath) -> Note | None:
        with suppress(NoteNotFound):
            return open_note(self._vault, path)
        return None

    def file_digest(self, path: VaultPath) -> Digest | None:
        with suppress(NoteNotFound):
            return Digest(hashlib.sha256(self._vault.files.read(path)[0]).hexdigest())
        return None

    def moved_to(self, path: VaultPath) -> VaultPath | None:
        files = self._vault.files
        return self._vault.store.journal.moved_to(path, lambda one: files.has(one) and not files.rules.denies(one))

    def find(self, name: str) -> VaultPath:
        try:
            return find_file(self._vault.files, self._vault.names, name)
        except BridgeError:
            return VaultPath(name)

    def links_of(self, note: Note) -> Iterator[VaultPath]:
        for link in note.links:
            target = self._vault.names.resolve(link.target, note.path, link.kind).path
            if target is not None:
                yield target

    def change_state(self, change: str) -> str | None:
        found = self._vault.store.journal.change(change)
        return None if found is None else found.state
