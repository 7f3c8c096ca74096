"""Sets of moves: each sees what the earlier ones did, and none costs more for it."""

import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.changes.draft import Draft
from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.move_note import MoveNote
from bridge.engine.apply_requests import apply_requests, request_context
from bridge.engine.planned_change import PlannedChange
from bridge.markdown.edit.requests import Append
from bridge.markdown.names import Names
from bridge.types import VaultPath
from bridge.vault.vault import Vault
from tests.changes.vaults import Paper


def plan_on(root: Path, files: dict[str, str], *requests: Request) -> tuple[Draft, PlannedChange]:
    """Apply requests to a draft of a vault on disk."""
    paper = Paper.of(files, deny=tuple(f"{path}*" for path in files if path.startswith("Denied/")))
    for path, data in paper.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    vault = Vault(root, paper.rules)
    draft = Draft(lambda path: vault.read(path)[0], vault.has)
    names = Names(path for path in paper.files if not paper.rules.denies(path))
    return draft, apply_requests(requests, draft, request_context(vault, names, paper.notes, lambda _: None))


def move(path: str, to: str) -> MoveNote:
    return MoveNote(path=VaultPath(path), to=VaultPath(to))


def text(draft: Draft, path: str) -> str:
    return draft.read(VaultPath(path)).decode()


def test_a_move_rewrites_links_that_an_earlier_request_wrote(tmp_path: Path) -> None:
    edit = EditNote(path=VaultPath("log.md"), edits=(Append(text="See [[b]]."),))
    draft, done = plan_on(
        tmp_path, {"a.md": "", "b.md": "", "log.md": "[[a]]\n"}, move("a.md", "c.md"), edit, move("b.md", "d.md")
    )
    assert text(draft, "log.md") == "[[c]]\n\nSee [[d]].\n"
    assert done.effect.links_rewritten == 2


def test_links_follow_into_a_folder_that_takes_the_name_of_another(tmp_path: Path) -> None:
    files = {"A/x.md": "[[target]]\n", "B/x.md": "no link\n", "target.md": ""}
    draft, _ = plan_on(tmp_path, files, move("B", "C"), move("A", "B"), move("target.md", "goal.md"))
    assert text(draft, "B/x.md") == "[[goal]]\n"
    assert text(draft, "C/x.md") == "no link\n"


def test_a_name_that_was_given_up_is_free_for_the_next_move(tmp_path: Path) -> None:
    files = {"a.md": "I am a", "b.md": "I am b", "log.md": "[[a]] [[b]]\n"}
    draft, _ = plan_on(tmp_path, files, move("a.md", "t.md"), move("b.md", "a.md"), move("t.md", "b.md"))
    assert (text(draft, "a.md"), text(draft, "b.md"), text(draft, "log.md")) == ("I am b", "I am a", "[[b]] [[a]]\n")


def test_names_in_queries_and_canvases_are_found_after_their_file_moved(tmp_path: Path) -> None:
    canvas = '{"nodes":[{"id":"1","type":"file","file":"a.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}'
    files = {"a.md": "", "list.md": '```dataview\nLIST FROM "a"\n```\n', "map.canvas": canvas}
    draft, done = plan_on(
        tmp_path, files, move("list.md", "F/list.md"), move("map.canvas", "F/map.canvas"), move("a.md", "b.md")
    )
    assert '"file":"b.md"' in text(draft, "F/map.canvas")
    assert "F/list.md" in done.effect.named_in


def test_a_denied_note_is_neither_read_nor_named(tmp_path: Path) -> None:
    files = {"a.md": "", "Denied/x.md": "[[a]] [[b]]\n", "b.md": "[[a]]"}
    _, done = plan_on(tmp_path, files | {"c.md": "[[b]]"}, move("a.md", "d.md"))
    assert [found.path for found in done.effect.rewritten] == ["b.md"]


@pytest.mark.parametrize("hub", ["md", "base"])
def test_a_move_costs_the_same_however_many_are_in_the_set(tmp_path: Path, hub: str) -> None:
    """A hub links to every note, and each move rewrites other notes; calls are counted, since time varies."""
    files = {f"{n}.md": f"[[{n + 1}]]\n" for n in range(101)} | {f"hub.{hub}": "```tasks\npath includes 1\n```\n"}

    def calls(count: int) -> float:
        made = 0

        def note_call(_frame: Any, event: str, _arg: Any) -> None:
            nonlocal made
            made += event == "call"

        root = tmp_path / str(count)
        moves = [move(f"{n}.md", f"F/{n}.md") for n in range(count)]
        sys.setprofile(note_call)
        try:
            plan_on(root, files, *moves)
        finally:
            sys.setprofile(None)
        return made

    # The first fills caches, which would count for it.
    _, few, some, many = calls(2), calls(10), calls(40), calls(70)
    assert many - some < 1.3 * (some - few)
