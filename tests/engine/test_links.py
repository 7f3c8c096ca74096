"""Links are resolved again where a change can have moved them, and nowhere else."""

import json
from collections.abc import Mapping

from bridge.engine.link_graph import LinkTable
from bridge.graph.graph import Graph
from bridge.index.boilerplate import Boilerplate
from bridge.index.note import IndexedNote
from bridge.index.prepare import prepare
from bridge.markdown.documents import read_document
from bridge.markdown.names import Names
from bridge.types import VaultPath
from bridge.vault.scan import Stat


class Vault:
    """Notes in memory, and the links that follow them."""

    def __init__(self, notes: Mapping[str, str]) -> None:
        self.notes: dict[VaultPath, IndexedNote] = {}
        self.names = Names()
        self.links = LinkTable()
        for path, text in notes.items():
            self.write(path, text)

    def write(self, written: str, text: str) -> None:
        path = VaultPath(written)
        new = path not in self.names
        self.names.add(path)
        self.notes = {
            **self.notes,
            path: prepare(read_document(path, text.encode()), Stat(1, len(text)), Boilerplate()).note,
        }
        self.links.mark_changed([path], names=[path] if new else [])

    def remove(self, written: str) -> None:
        path = VaultPath(written)
        self.names.discard(path)
        self.notes = {other: note for other, note in self.notes.items() if other != path}
        self.links.mark_changed([path], names=[path])

    def graph(self) -> Graph:
        self.links.resolve(self.links.take(), self.notes, self.names)
        assert self.links.resolved_links is not None
        return self.links.resolved_links.graph(self.notes)

    def pairs(self) -> set[tuple[str, str]]:
        graph = self.graph()
        return {(path, target) for path in self.notes for target in graph.links_to(path)}


def test_a_new_note_takes_the_links_to_its_name() -> None:
    vault = Vault({"a.md": "[[New]] and [[b]]", "b.md": "[md](/New.md)"})
    assert vault.pairs() == {("a.md", "b.md")}
    vault.write("deep/New.md", "")
    assert vault.pairs() == {("a.md", "b.md"), ("a.md", "deep/New.md")}
    vault.write("New.md", "")
    assert vault.pairs() == {("a.md", "b.md"), ("a.md", "New.md"), ("b.md", "New.md")}


def test_a_vanished_note_gives_its_links_to_the_next_of_its_name() -> None:
    vault = Vault({"a.md": "[[x]]", "x.md": "[[a]]", "deep/x.md": ""})
    assert vault.pairs() == {("a.md", "x.md"), ("x.md", "a.md")}
    vault.remove("x.md")
    assert vault.pairs() == {("a.md", "deep/x.md")}
    vault.remove("deep/x.md")
    assert vault.pairs() == set()


def test_a_note_that_comes_back_has_its_links_again() -> None:
    vault = Vault({"a.md": "[[b]]", "b.md": "[[a]]"})
    vault.graph()
    vault.remove("b.md")
    assert vault.pairs() == set()
    vault.write("b.md", "[[a]]")
    assert vault.pairs() == {("a.md", "b.md"), ("b.md", "a.md")}


def test_a_name_that_becomes_a_file_moves_the_links_to_it() -> None:
    vault = Vault({"a.md": "![[plan.png]]", "plan.png.md": ""})
    assert vault.pairs() == {("a.md", "plan.png.md")}
    vault.names.add(VaultPath("plan.png"))
    vault.links.mark_changed([], names=[VaultPath("plan.png")])
    assert vault.pairs() == set()


def test_an_edit_replaces_only_what_the_note_says() -> None:
    vault = Vault({"a.md": "[[b]] [[c]]", "b.md": "[[c]]", "c.md": ""})
    before = vault.graph()
    vault.write("a.md", "[[c]]")
    after = vault.graph()
    assert before.links_to(VaultPath("a.md")) == {"b.md", "c.md"}
    assert after.links_to(VaultPath("a.md")) == {"c.md"}
    assert after.linked_from(VaultPath("c.md")) == {"a.md", "b.md"}


def test_what_changes_while_a_snapshot_is_taken_is_due_after_it() -> None:
    vault = Vault({"a.md": "[[b]]"})
    due = vault.links.take()
    vault.write("b.md", "")
    vault.links.resolve(due, vault.notes, vault.names)
    assert not vault.links.is_settled
    assert vault.pairs() == {("a.md", "b.md")}
    assert vault.links.is_settled


def test_strange_names_and_links_to_oneself_lead_nowhere_else() -> None:
    vault = Vault(
        {"a.md": "[[#here]] [[a]] [[.*]] [[a(b]] [[ ]] [[x#y^z|w]] [t](https://example.org)", "b.md": "[[a]]"}
    )
    assert vault.pairs() == {("b.md", "a.md")}


def test_a_name_that_no_note_has_is_one_however_it_is_written() -> None:
    graph = Vault({"a.md": "[[Not Yet]] [[not yet#there]] [x](Not%20yet.md)", "b.md": "[[deep/not yet]]"}).graph()
    wanted = graph.edges_of(["wiki", "markdown"], stubs=True).target.tolist()
    assert [graph.nodes.labels[number] for number in dict.fromkeys(wanted)] == ["\0Not Yet", "\0deep/not yet"]


def test_ten_thousand_links_in_one_note() -> None:
    targets = {f"n{number}.md": "" for number in range(10_000)}
    vault = Vault({"hub.md": " ".join(f"[[n{number}]] [[m{number}]]" for number in range(10_000)), **targets})
    graph = vault.graph()
    assert (len(graph), graph.degree(VaultPath("hub.md"))) == (10_001, 10_000)


def test_an_arrow_of_a_canvas_joins_two_notes() -> None:
    board = {
        "nodes": [
            {"id": "1", "type": "file", "file": "a.md", "x": 0, "y": 0},
            {"id": "2", "type": "file", "file": "b.md", "subpath": "#h", "x": 0, "y": 9},
            {"id": "3", "type": "text", "text": "c", "x": 0, "y": 20},
        ],
        "edges": [
            {"id": "4", "fromNode": "1", "toNode": "2", "label": "feeds"},
            {"id": "5", "fromNode": "1", "toNode": "3"},
        ],
    }
    vault = Vault({"a.md": "", "b.md": "", "c.md": "", "board.canvas": json.dumps(board)})
    graph = vault.graph()
    assert graph.links_to(VaultPath("board.canvas")) == {"a.md", "b.md"}
    # Ranking follows links; an arrow joins two notes for those who ask.
    assert graph.links_to(VaultPath("a.md")) == frozenset()
    arrows = graph.edges_of(["arrow"])
    ends = [[graph.paths[int(number)] for number in side] for side in (arrows.source, arrows.target, arrows.owner)]
    assert ends == [["a.md"], ["b.md"], ["board.canvas"]]
