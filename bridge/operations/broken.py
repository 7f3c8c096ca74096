"""Unresolved links."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from bridge.graph import WRITTEN
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.engine import Chart
    from bridge.vault import Link, Names


def broken_links(chart: "Chart", names: "Names", folder: str) -> Iterator[tuple[VaultPath, "Link"]]:
    """Yield the unresolved links in notes of a folder, `""` for all, with the note each stands in."""
    import numpy as np

    graph = chart.graph
    edges = graph.edges_of(WRITTEN, stubs=True)
    owners = np.unique(edges.owner[graph.stubs[edges.target]]).tolist()
    # By path, so that a name is shown alike whichever note was read first.
    for path in sorted(graph.paths[number] for number in owners if number in graph.paths):
        if path not in chart.notes or not is_in(path, folder):
            continue
        for link in chart.notes[path].links:
            if names.resolve(link.target, path, link.kind).path is None and wanted_note(link):
                yield path, link


def stubs_of(broken: "Iterable[tuple[VaultPath, Link]]") -> Mapping[str, set[VaultPath]]:
    """Gather the names that no note has, as written, with the notes that link to each."""
    from bridge.vault import name_key

    written: dict[str, str] = {}
    wanting: dict[str, set[VaultPath]] = defaultdict(set)
    for path, link in broken:
        name = wanted_note(link)
        wanting[written.setdefault(name_key(name, whole=True), name)].add(path)
    return wanting


def wanted_note(link: "Link") -> str:
    """Return the note that a link asks for, without its ending; empty when it asks for another file or for none."""
    from bridge.vault import asked_file, asks_for_attachment

    name = asked_file(link.target, link.kind).removesuffix(".md")
    return "" if asks_for_attachment(name) else name


def is_in(path: VaultPath, folder: str) -> bool:
    """Say whether a note is in a folder or below; `""` is the whole vault."""
    return not folder or path.startswith(f"{folder}/")
