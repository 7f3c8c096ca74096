"""Follows the agents' folder when a person moves or renames it."""

import json
import logging
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from math import inf
from pathlib import Path

from bridge.errors import BridgeError
from bridge.index.note import IndexedNote
from bridge.notebook.folder import AgentsFolder, agents_folder, is_about_note
from bridge.private_files import write_private
from bridge.settings.schema import Settings
from bridge.types import VaultPath

log = logging.getLogger(__name__)

_TOGETHER_S = 60.0
"""Seconds within which the folder vanishes and appears elsewhere; what appears earlier or later is a copy."""

Notes = Mapping[VaultPath, IndexedNote]


class AgentsPlace:
    """Where the agents' folder of one vault is; the settings name it for all vaults."""

    def __init__(self, file: Path) -> None:
        """Load what was noticed by earlier runs.

        Args:
            file: Where it is kept.
        """
        self._file = file
        self._named, self._place = _read(file)
        """The folder that the settings named when it was moved, and its place since then."""
        self._appeared: dict[VaultPath, float] = {}
        self._current = ""
        self._lost = -inf
        """When the folder vanished."""

    def begin(self, notes: Notes) -> None:
        """Take the explaining notes that are there before anything is scanned for old ones."""
        self._appeared = dict.fromkeys((path for path, note in notes.items() if is_about_note(note)), -inf)

    def apply(self, settings: Settings, notes: Notes) -> Settings:
        """Return the settings with the agents' folder where it is in this vault.

        Args:
            settings: Those for all vaults.
            notes: The notes of the vault.
        """
        named = agents_folder(settings)
        moved = named.about not in notes and self._named == settings.agents_folder and _about(self._place) in notes
        self._current = self._place if moved else named.path
        return replace(settings, agents_folder=self._place) if moved else settings

    def notice(
        self, settings: Settings, notes: Notes, written: Collection[IndexedNote], gone: Collection[VaultPath]
    ) -> Settings:
        """Notice that the folder was moved, and return the settings with it where it is now.

        Args:
            settings: Those for all vaults.
            notes: The notes of the vault.
            written: The notes that were written just now.
            gone: Those that vanished.
        """
        now = time.monotonic()
        if _about(self._current) in gone:
            self._lost = now
        for path in gone:
            self._appeared.pop(path, None)
        for note in filter(is_about_note, written):
            self._appeared.setdefault(note.path, now)
        if now - self._lost < _TOGETHER_S:
            new = [path for path, since in self._appeared.items() if path in notes and now - since < _TOGETHER_S]
            if len(new) == 1:
                self._lost = -inf
                self._keep(settings.agents_folder, new[0].rpartition("/")[0])
        return self.apply(settings, notes)

    def _keep(self, named: str, place: str) -> None:
        self._named, self._place = named, place
        try:
            write_private(self._file, json.dumps({"named": named, "place": place}).encode())
        except BridgeError as error:
            log.warning("That the agents' folder was moved cannot be kept for the next start: %s", error.code)


def _about(place: str) -> VaultPath:
    return AgentsFolder(VaultPath(place)).about


def _read(file: Path) -> tuple[str, str]:
    try:
        facts = json.loads(file.read_bytes())
        return str(facts["named"]), str(facts["place"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", ""
