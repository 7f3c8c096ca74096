"""When notes were created and changed: what the times of files do not tell after a vault was copied."""

import re
from collections.abc import Collection, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Final

from bridge.api.moments import iso
from bridge.bases.values import parse_date
from bridge.changes.git import last_commits
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.open_file import birth_time, place_on_disk

COPY_S: Final = 600.0
"""Seconds between the times of two files that were copied together."""

MIN_COPIED: Final = 50
"""Notes of which most must have the time of one copy; fewer may be written within minutes."""

WORDS_BESIDE: Final = "date|time|day|page|file|note|last|at|on|am|le|el|il|data|fecha|datum|дата|tarihi|日|时间|日時"


def name_pattern(words: str) -> re.Pattern[str]:
    """Return a pattern of the names of properties that have one of the words, and none but those that go with it."""
    return re.compile(rf"(?:(?:{WORDS_BESIDE})[ _-]*)*(?:{words})(?:[ _-]*(?:{WORDS_BESIDE}))*", re.IGNORECASE)


CREATION_NAME: Final = name_pattern(
    "create|created|creation|creazione|création|creación|criação|создания|ctime|erstellt|angelegt|créé|creado|criado|creato|aangemaakt|skapad|utworzono|создано"
    "|oluşturulma|创建|建立|作成|생성"
)
CHANGE_NAME: Final = name_pattern(
    "modified|modification|modifica|update|updated|изменения|edited|changed|mtime|geändert|aktualisiert|modifié|actualizado|modificado|atualizado|modificato"
    "|aggiornato|gewijzigd|ändrad|zmieniono|изменено|обновлено|güncellenme|修改|更新|수정"
)


def tells_time(name: str) -> bool:
    """Return whether a property of this name says when its note was created or changed."""
    return any(pattern.fullmatch(name) for pattern in (CREATION_NAME, CHANGE_NAME))


class NoteTimes(Record):
    """When the notes of a vault were created and changed, in seconds since 1970."""

    root: Path
    copied: tuple[float, float] | None = None
    """Between which times most files were written, at once: then these tell of a copy, not of the notes."""
    committed: Mapping[VaultPath, float] = {}

    @classmethod
    def of(cls, notes: Collection[IndexedNote], root: Path, *, commits: bool = False) -> "NoteTimes":
        """Look whether the times of files tell something, and else, if wanted, at the commits of git; blocks."""
        copied = find_copy([note.mtime for note in notes])
        return cls(root, copied, last_commits(root) if copied and commits else {})

    def creation_time(self, note: IndexedNote) -> float | None:
        """Return when a note was created: by its properties, else as the system tells; None where nothing does."""
        stated = stated_time(note, CREATION_NAME)
        if stated is not None:
            return stated
        born = birth_time(place_on_disk(self.root, note.path))
        return None if born is None or self._is_of_copy(born) else min(born, note.mtime)

    def creation_text(self, note: IndexedNote) -> str | None:
        """Return when a note was created, in local ISO 8601; None where nothing tells."""
        seconds = self.creation_time(note)
        return None if seconds is None else iso(seconds)

    def modification_time(self, note: IndexedNote) -> float | None:
        """Return when a note was changed: of a copied file as its properties or git tell; None where they do not."""
        if not self._is_of_copy(note.mtime):
            return note.mtime
        told = (stated_time(note, CHANGE_NAME), self.committed.get(note.path))
        return max((time for time in told if time is not None and time <= note.mtime), default=None)

    def _is_of_copy(self, time: float) -> bool:
        return self.copied is not None and self.copied[0] <= time <= self.copied[1]


def find_copy(times: Collection[float]) -> tuple[float, float] | None:
    """Return the first and last time of the files that were written at once, if most were."""
    ordered = sorted(times)
    starts = [0, *(at + 1 for at, (one, next_) in enumerate(pairwise(ordered)) if next_ - one > COPY_S), len(ordered)]
    start, end = max(pairwise(starts), key=lambda run: run[1] - run[0])
    if end - start < max(MIN_COPIED, len(ordered) / 2):
        return None
    return ordered[start], ordered[end - 1]


def stated_time(note: IndexedNote, names: re.Pattern[str]) -> float | None:
    """Return the time in the first property with such a name."""
    for name, value in note.properties.items():
        if isinstance(value, str) and names.fullmatch(name):
            found = parse_date(value.strip().removeprefix("[[").removesuffix("]]"))
            if found is not None:
                return found.moment.timestamp()
    return None
