"""Numbers for notes, and for names that no note has."""

from bridge.types import VaultPath
from bridge.vault import asks_for_attachment

NO_NOTE = "\0"
"""Begins the key of a name without a note, since no path has this character."""


class Nodes:
    """Gives each path and each name a number for good; only grows, so that all snapshots share it."""

    def __init__(self) -> None:
        """Start with none."""
        self.labels: list[str] = []
        """By number: the path, or the name as it was first written."""
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        """Count the numbers given."""
        return len(self.labels)

    def of(self, path: VaultPath) -> int:
        """Return the number of a path."""
        return self._number(path, path)

    def of_name(self, folded: str, written: str) -> int:
        """Return the number of a name without a note.

        Args:
            folded: What makes it the same name.
            written: How to show it, if it is new.
        """
        return self._number(NO_NOTE + folded, NO_NOTE + written)

    def find(self, path: str) -> int | None:
        """Return the number of a path if it has one."""
        return self._numbers.get(path)

    def _number(self, key: str, label: str) -> int:
        number = self._numbers.get(key)
        if number is None:
            # The label first: whoever sees the number can read it.
            self.labels.append(label)
            number = self._numbers[key] = len(self.labels) - 1
        return number


def is_name(label: str) -> bool:
    """Say whether a label is of a name without a note; a picture that is missing is not one."""
    return label.startswith(NO_NOTE) and not asks_for_attachment(label)
