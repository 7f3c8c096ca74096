"""Links between notes as the names of the vault resolve them now, and the graph made of them."""

from collections.abc import Iterable, Mapping

from bridge.graph import Edge, Graph
from bridge.index import IndexedNote
from bridge.types import VaultPath
from bridge.vault import Names


class Links:
    """Resolved links of every note; only what a change can have moved is resolved again."""

    def __init__(self) -> None:
        self._targets: dict[VaultPath, tuple[VaultPath, ...]] = {}
        self._stale: set[VaultPath] | None = None

    def changed(self, paths: Iterable[VaultPath], *, names: bool) -> None:
        """Note which notes changed.

        Args:
            paths: Notes that were written or removed.
            names: A file appeared or vanished, which can change the target of any link.
        """
        if names:
            self._stale = None
        elif self._stale is not None:
            self._stale |= set(paths)

    @property
    def settled(self) -> bool:
        """True when nothing waits to be resolved."""
        return self._stale is not None and not self._stale

    def take(self) -> frozenset[VaultPath] | None:
        """Hand out the notes to resolve again, None for all; call on the event loop, before `graph`."""
        stale, self._stale = self._stale, set()
        return None if stale is None else frozenset(stale)

    def graph(self, stale: frozenset[VaultPath] | None, notes: Mapping[VaultPath, IndexedNote], names: Names) -> Graph:
        """Resolve what is stale and build the graph; call in a thread, one at a time."""
        present = dict(notes)
        for path in self._targets.keys() - present.keys():
            del self._targets[path]
        for path in present.keys() if stale is None else stale & present.keys():
            self._targets[path] = targets(present[path], names)
        edges = (Edge(source, target) for source, found in self._targets.items() for target in found)
        return Graph.build(present, edges)


def targets(note: IndexedNote, names: Names) -> tuple[VaultPath, ...]:
    """Return the path that each link of a note means; links that mean nothing are left out."""
    found = (names.resolve(link.target, note.path, link.kind).path for link in note.links)
    return tuple(path for path in found if path is not None)
