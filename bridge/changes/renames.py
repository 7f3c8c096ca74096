"""How the names of a vault change, and what becomes of a link by it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bridge.markdown.link_targets import name_key, target_file
from bridge.markdown.names import Names
from bridge.markdown.note import LinkKind
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class Fate:
    """What a link leads to before a change, where that file is after it, if anywhere, and what the link means then."""

    was: VaultPath | None
    wanted: VaultPath | None
    means: VaultPath | None
    exact: bool = False
    """Whether letters' case counts, as in a canvas, which Obsidian asks for files by their very paths."""

    @property
    def stays(self) -> bool:
        """Whether the link leads to the same file as it is written."""
        return self.was is None or (self.wanted is not None and self.wanted == self.means and not self.exact)

    @property
    def mended(self) -> bool:
        """Whether it led nowhere and leads to a file then."""
        return self.was is None and self.means is not None


@dataclass(frozen=True, slots=True)
class Shift:
    """Names before and after a change."""

    before: Names
    after: Names
    moved: Mapping[VaultPath, VaultPath]
    gone: frozenset[VaultPath] = frozenset()

    @classmethod
    def of(cls, names: Names, moved: Mapping[VaultPath, VaultPath], gone: Iterable[VaultPath] = ()) -> "Shift":
        """Give files other paths, and take some away."""
        lost = frozenset(gone)
        return cls(names, Names(moved.get(path, path) for path in names if path not in lost), moved, lost)

    def now(self, path: VaultPath) -> VaultPath:
        """Return the path that a file has after the change."""
        return self.moved.get(path, path)

    def keys(self) -> frozenset[str]:
        """Return the names that only a link to which can mean something else after the change."""
        return frozenset(name_key(path) for path in (*self.moved, *self.moved.values(), *self.gone))

    def fate(self, target: str, kind: LinkKind, source: VaultPath) -> Fate:
        """Say what becomes of a link.

        Args:
            target: What it points at.
            kind: How it is written.
            source: The path, before the change, of the file that has it.
        """
        was = self.before.resolve(target, source, kind).path
        means = self.after.resolve(target, self.now(source), kind).path
        if was is None:
            return Fate(None, None, means)
        wanted = self.now(was) if was not in self.gone else None
        exact = kind == "canvas" and was in self.moved and target_file(target, kind) != wanted
        return Fate(was, wanted, means, exact)
