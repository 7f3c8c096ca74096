"""The resolved links, stored beside the index and taken up at the next start."""

import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from bridge.engine import link_graph
from bridge.engine.link_graph import LinkResolver, LinkTable
from bridge.graph.columns import Nodes
from bridge.index.index import Index
from bridge.index.link_file import FILE
from bridge.index.note import IndexedNote
from bridge.markdown.names import Names
from bridge.types import VaultPath
from tests.index.made import DAMAGES, all_of, damage_file, opened, prepared
from tests.index.test_erasing import SECRET, everything, private

BOARD = {
    "nodes": [{"id": "1", "type": "file", "file": "Rye.md"}, {"id": "2", "type": "file", "file": "deep/Rye.md"}],
    "edges": [{"id": "3", "fromNode": "1", "toNode": "2"}],
}
NOTES = {
    "Barley.md": "[[Rye]] [[rye]] ![[oven.png]] [[Not Yet]] [x](deep/Rye.md)",
    "Rye.md": "[[Barley#Heading]] [[会议]] [[\ud800]]",
    "deep/Rye.md": "[[Rye]] [[not yet]]",
    "deep/Oats.md": "[[Rye]] #tag",
    "Board.canvas": json.dumps(BOARD),
    "会议.md": "",
}
FILES = frozenset({"oven.png"})

Links = tuple[list[str], list[str], list[list[int]]]


@dataclass
class Start:
    """An index and the links of its notes."""

    index: Index
    names: Names
    resolver: LinkResolver

    @classmethod
    async def of(cls, folder: Path, files: Iterable[str] = FILES, notes: Mapping[str, str] | None = None) -> Self:
        """Open an index, as a start does, and find files beside its notes."""
        index = await opened(folder, notes)
        names = Names(index.notes)
        resolver = LinkResolver(index, names, lambda: None)
        found = [VaultPath(path) for path in files]
        for path in found:
            names.add(path)
        resolver.mark_changed((), names=found)
        return cls(index, names, resolver)

    async def write(self, path: str, text: str) -> None:
        """Write a note, and say so as the indexer does."""
        written = VaultPath(path)
        await self.index.write([prepared(path, text)])
        fresh = written not in self.names
        self.names.add(written)
        self.resolver.mark_changed([written], names=[written] if fresh else [])

    async def remove(self, path: str) -> None:
        """Remove a note, and say so as the indexer does."""
        gone = VaultPath(path)
        await self.index.write([], [gone])
        self.names.discard(gone)
        self.resolver.mark_changed([gone], names=[gone])

    async def links(self) -> Links:
        """Resolve what is due, and return all links with their numbers."""
        await self.resolver.resolve()
        found = self.resolver.resolved_links
        assert found is not None
        return found.nodes.keys(), found.nodes.labels, [column.tolist() for column in found.table.columns]

    async def close(self) -> None:
        """Close the index, then store the links."""
        await self.index.close()
        self.resolver.save()


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The notes whose links are resolved, in turn."""
    paths: list[str] = []
    rows = LinkTable._rows

    def note_and_resolve(table: LinkTable, note: IndexedNote, *of: Any) -> Any:
        paths.append(note.path)
        return rows(table, note, *of)

    monkeypatch.setattr(link_graph.LinkTable, "_rows", note_and_resolve)
    return paths


def without_numbers(links: Links) -> list[tuple[object, ...]]:
    """Return links by the keys of their notes, whatever numbers these have."""
    keys, _, columns = links
    return sorted(
        (keys[owner], keys[source], keys[target], kind, count)
        for owner, source, target, kind, count, _ in zip(*columns, strict=True)
    )


async def from_scratch(folder: Path, files: Iterable[str] = FILES) -> Links:
    """Return the links as a start without the file resolves them."""
    (folder / FILE).unlink(missing_ok=True)
    start = await Start.of(folder, files)
    links = await start.links()
    start.index.abandon()
    return links


async def test_a_start_resolves_no_link_of_unchanged_notes(tmp_path: Path, resolved: list[str]) -> None:
    start = await Start.of(tmp_path, notes=NOTES)
    links = await start.links()
    await start.close()
    resolved.clear()
    start = await Start.of(tmp_path)
    assert (await start.links(), resolved) == (links, [])
    before = (tmp_path / FILE).stat()
    await start.close()
    assert (tmp_path / FILE).stat() == before
    assert await from_scratch(tmp_path) == links


@pytest.mark.parametrize("seed", range(12))
async def test_restored_links_are_those_of_a_start_from_scratch(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    names = ("a", "b", "B", "x/a", "x/b", "y/c", "会")
    files = {f"{name}.png" for name in dice.sample(names, 3)}
    start = await Start.of(tmp_path, files, {"a.md": "[[b]]"})
    for _ in range(5):
        for _ in range(dice.randrange(5)):
            path = f"{dice.choice(names)}.md"
            if dice.random() < 0.3:
                await start.remove(path)
            else:
                asked = dice.choices(("a", "b", "./b", "x/a", "c", "B.png", "a.png", "not Yet", "Not yet", "会"), k=4)
                await start.write(path, " ".join(f"[[{name}]] [m]({name})" for name in asked))
            if dice.random() < 0.4:
                await start.resolver.resolve()
        links = await start.links()
        await start.close()
        # Files come and go while nobody looks.
        files = files ^ {f"{dice.choice(names)}.png"}
        start = await Start.of(tmp_path, files)
        now = await start.links()
        start.index.abandon()
        expected = await from_scratch(tmp_path, files)
        assert without_numbers(now) == without_numbers(expected), links
        start = await Start.of(tmp_path, files)


async def test_numbers_that_nothing_needs_are_not_stored(tmp_path: Path) -> None:
    start = await Start.of(tmp_path, notes=NOTES)
    await start.links()
    await start.write("New.md", "[[Never again]]")
    await start.links()
    await start.remove("New.md")
    await start.remove("Rye.md")
    await start.links()
    await start.close()
    start = await Start.of(tmp_path)
    restored = await start.links()
    start.index.abandon()
    assert restored == await from_scratch(tmp_path)
    assert not {"New.md", "\0never again"} & {*restored[0]}


async def test_links_are_not_stored_when_a_write_was_not_told(tmp_path: Path) -> None:
    start = await Start.of(tmp_path, notes=NOTES)
    await start.links()
    # As by a task that is cancelled while it writes.
    await start.index.write(all_of({"Barley.md": "[[deep/Oats]]"}))
    await start.close()
    assert not (tmp_path / FILE).exists()


async def test_links_of_before_a_crash_do_not_count(tmp_path: Path) -> None:
    start = await Start.of(tmp_path, notes=NOTES)
    await start.links()
    await start.close()
    start = await Start.of(tmp_path)
    await start.links()
    await start.write("Barley.md", "[[deep/Oats]]")
    # As in a crash, nothing is stored.
    start.index.abandon()
    start = await Start.of(tmp_path)
    links = await start.links()
    start.index.abandon()
    assert links == await from_scratch(tmp_path)


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_of_links_is_written_again(tmp_path: Path, damage: str, resolved: list[str]) -> None:
    start = await Start.of(tmp_path, notes=NOTES)
    links = await start.links()
    await start.close()
    resolved.clear()
    whole = (tmp_path / FILE).read_bytes()
    damage_file(tmp_path / FILE, damage)
    start = await Start.of(tmp_path)
    assert await start.links() == links
    assert resolved
    await start.close()
    assert (tmp_path / FILE).read_bytes() == whole


async def test_links_of_erased_notes_are_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    start = await Start.of(folder, notes={**NOTES, SECRET: "[[Whispered name]]"})
    await start.links()
    await start.close()
    assert b"whispered" in (folder / FILE).read_bytes()
    start = await Start.of(folder)
    denied = [path for path in start.names if private(path)]
    start.index.hide(private)
    for path in denied:
        start.names.discard(path)
    start.resolver.hide(denied)
    await start.index.erase(private)
    assert not (folder / FILE).exists()
    await start.links()
    await start.close()
    assert (folder / FILE).exists()
    left = everything(folder)
    assert SECRET.encode() not in left
    assert b"hispered" not in left


def test_numbered_nodes_go_on_counting() -> None:
    nodes = Nodes.from_keys(["a.md", "\0not yet"], ["a.md", "\0Not Yet"])
    assert (nodes.of(VaultPath("a.md")), nodes.of_name("not yet", "NOT YET"), nodes.of(VaultPath("b.md"))) == (0, 1, 2)
    assert (nodes.keys(), nodes.labels) == (["a.md", "\0not yet", "b.md"], ["a.md", "\0Not Yet", "b.md"])
