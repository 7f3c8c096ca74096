"""Describes how the names of a vault change, and what that means for a link."""

from collections.abc import Iterable, Mapping

from bridge.markdown.link_targets import name_key, target_file
from bridge.markdown.names import Names
from bridge.markdown.note import LinkKind
from bridge.records import dataclass
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class Fate:
    """A link's target before a change, the path of that file after it, if any, and what the link resolves to then."""

    was: VaultPath | None
    new_target: VaultPath | None
    means: VaultPath | None
    exact: bool = False
    """Whether case matters, as in a canvas, where Obsidian looks files up by their exact paths."""

    @property
    def stays(self) -> bool:
        """Whether the link resolves to the same file without being rewritten."""
        return self.was is None or (self.new_target is not None and self.new_target == self.means and not self.exact)

    @property
    def mended(self) -> bool:
        """Whether the link was unresolved before and is resolved afterwards."""
        return self.was is None and self.means is not None


@dataclass(frozen=True, slots=True)
class Shift:
    """The names of a vault before and after a change."""

    before: Names
    after: Names
    moved: Mapping[VaultPath, VaultPath]
    gone: frozenset[VaultPath] = frozenset()

    @classmethod
    def of(cls, names: Names, moved: Mapping[VaultPath, VaultPath], gone: Iterable[VaultPath] = ()) -> "Shift":
        """Create a shift that moves some files and removes others."""
        lost = frozenset(gone)
        after = names.copy()
        for path in (*moved, *lost):
            after.discard(path)
        for path in moved.values():
            after.add(path)
        return cls(names, after, moved, lost)

    def now(self, path: VaultPath) -> VaultPath:
        """Return a file's path after the change."""
        return self.moved.get(path, path)

    def keys(self) -> frozenset[str]:
        """Return the names whose links can resolve differently after the change."""
        return frozenset(name_key(path) for path in (*self.moved, *self.moved.values(), *self.gone))

    def fate(self, target: str, kind: LinkKind, source: VaultPath) -> Fate:
        was = self.before.resolve(target, source, kind).path
        means = self.after.resolve(target, self.now(source), kind).path
        if was is None:
            return Fate(None, None, means)
        new_target = self.now(was) if was not in self.gone else None
        exact = kind == "canvas" and was in self.moved and target_file(target, kind) != new_target
        return Fate(was, new_target, means, exact)
