"""What the folder of a note says about it."""

from collections.abc import Collection, Iterator
from typing import Final

from bridge.text.fold import fold_case
from bridge.topics.ontology import Ontology
from bridge.topics.settings import FolderMeaning
from bridge.types import VaultPath

GENERIC: Final = frozenset(
    (
        *("inbox", "attachments", "attachment", "archive", "archives", "daily", "daily notes", "journal"),
        *("templates", "template", "assets", "files", "images", "media", "notes", "misc"),
    )
)
"""Names of folders that say where something is kept, not what it is about."""


class FolderMeanings:
    """The folders that mean something."""

    def __init__(self, meaning: FolderMeaning, generic: Collection[str], ontology: Ontology) -> None:
        """Prepare to look up folders."""
        self._meaning = meaning
        self._generic = GENERIC.union(fold_case(name).strip() for name in generic)
        self._ontology = ontology

    def topics(self, path: VaultPath) -> frozenset[VaultPath]:
        """Return the topics of which the folders around a note have the names."""
        if self._meaning == "none" or self._ontology.holds(path):
            return frozenset()
        found = (self._ontology.named(name) for name in self._names(path))
        return frozenset(topic for topic in found if topic is not None and topic != path)

    def joins(self, folder: str) -> bool:
        name = fold_case(folder.rpartition("/")[2])
        return self._meaning == "all" and bool(name) and name not in self._generic

    def _names(self, path: VaultPath) -> Iterator[str]:
        return (name for name in path.split("/")[:-1] if fold_case(name) not in self._generic)
