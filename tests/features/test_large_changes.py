"""A change of many notes: found at once, undone byte for byte, and told in few lines."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.api import write
from bridge.api.arguments import ITEMS_AT_ONCE
from bridge.changes import hunks
from bridge.features.history import operations
from bridge.types import VaultPath
from bridge.vault.vault import Vault
from tests.features.served import serving

COUNT = 140
TEXT = "---\nkind: {kind}\ntags: [old/{number}]\n---\n# Note {number}\n\nA word{number} of [[Note {other}]].\n"


async def test_a_rename_over_many_notes_is_found_at_once_and_undone_byte_for_byte(tmp_path: Path) -> None:
    vault, none = tmp_path / "vault", tmp_path / "none"
    vault.mkdir()
    texts = {f"Note {n}.md": TEXT.format(kind=f"k{n}", number=n, other=(n + 1) % COUNT) for n in range(COUNT)}
    for name, text in texts.items():
        (vault / name).write_text(text)
    async with serving([vault], tmp_path / "data", none) as served:
        index = served.bridge.find(None).vault.index
        passages = {entry.note.path: entry.key for entry in index._opened.catalogue.entries()}
        shown = await served.command("change-notes", "--rename", "kind=sort", "--confirm")
        assert shown.status == 0
        assert len(shown.out.splitlines()) + len(shown.err.splitlines()) < 90
        assert f"and {COUNT - 5} more files" in shown.out + shown.err
        assert f"shows all {COUNT} files" in shown.out + shown.err
        found = (await served.call("find_notes", where='sort == "k7"')).json
        assert [note["path"] for note in found["notes"]] == ["Note 7.md"]
        assert (await served.call("find_notes", where="kind != null")).json["total"] == 0
        hits = (await served.call("search", query="word7", mode="keyword")).json["hits"]
        assert [hit["path"] for hit in hits] == ["Note 7.md"]
        renamed = (await served.call("change_notes", rename_tags={"old": "new"}, confirm=True)).json
        assert renamed["files"] == COUNT
        assert (await served.call("find_notes", tags=["new/7"])).json["total"] == 1
        assert {entry.note.path: entry.key for entry in index._opened.catalogue.entries()} == passages
        changes = (await served.call("list_changes")).json["changes"]
        for change in changes:
            assert (await served.call("undo_change", change_id=change["id"])).json["state"] == "applied"
        assert {name: (vault / name).read_text() for name in texts} == texts
        assert (await served.call("find_notes", where='kind == "k7"')).json["total"] == 1
        links = (await served.call("note_links", path="Note 7.md")).json
        assert [link["path"] for link in links["links"]] == ["Note 8.md"]


async def test_of_very_many_files_the_first_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.api.write.MAX_FILES", 2)
    vault, none = tmp_path / "vault", tmp_path / "none"
    vault.mkdir()
    for number in range(5):
        (vault / f"Note {number}.md").write_text(TEXT.format(kind="k", number=number, other=0))
    async with serving([vault], tmp_path / "data", none) as served:
        made = (await served.call("change_notes", rename={"kind": "sort"})).json
        assert (made["files"], [file["path"] for file in made["changed"]]) == (5, ["Note 0.md", "Note 1.md"])
        assert made["diff"].count("+sort: k\n") == 2
        assert made["diff"].endswith("… and 3 more\n")
        shown = (await served.call("show_change", change_id=made["change_id"])).json
        assert shown["diff"].count("+sort: k\n") == 5
        moved = (
            await served.call("move_note", path="Note 0.md", to="Moved.md", digest=made["changed"][0]["digest"])
        ).json
        assert "rename to Moved.md\n" in moved["diff"]
        assert (moved["files"], len(moved["changed"])) == (5, 2)


async def test_an_undone_merge_leaves_no_empty_trash(tmp_path: Path) -> None:
    vault, none = tmp_path / "vault", tmp_path / "none"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "app.json").write_text('{"trashOption": "local"}')
    (vault / "A.md").write_text("One.\n")
    (vault / "B.md").write_text("Two.\n")
    async with serving([vault], tmp_path / "data", none) as served:
        digest = (await served.call("read_note", path="A.md")).json["digest"]
        merged = await served.call("merge_notes", path="A.md", into="B.md", digest=digest, confirm=True)
        assert (vault / ".trash" / "A.md").exists()
        await served.call("undo_change", change_id=merged.json["change_id"])
        assert sorted(path.name for path in vault.iterdir()) == [".obsidian", "A.md", "B.md"]


async def test_what_takes_long_for_a_long_input_leaves_the_event_loop_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locate, show, threads = Vault.locate, hunks.differences, dict[str, set[int]]()

    def note_locating(vault: Vault, path: str) -> VaultPath:
        threads.setdefault("locate", set()).add(threading.get_ident())
        return locate(vault, path)

    def note_showing(*steps: Any) -> Iterator[hunks.Difference]:
        threads.setdefault("show", set()).add(threading.get_ident())
        return show(*steps)

    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "A.md").write_text("One.\n")
    async with serving([tmp_path / "vault"], tmp_path / "data", tmp_path / "none") as served:
        monkeypatch.setattr(Vault, "locate", note_locating)
        for module in (write, operations):
            monkeypatch.setattr(module, "differences", note_showing)
        snapshot = [{"path": f"N{number}.md", "mtime": 1, "size": 1} for number in range(ITEMS_AT_ONCE + 1)]
        assert (await served.call("report_changes", snapshot=snapshot)).json == {"news": 0}
        assert threading.get_ident() not in threads["locate"]
        done = await served.call("edit_note", path="A.md", edits=[{"op": "append", "text": "Two.\n"}])
        await served.call("undo_change", change_id=done.json["change_id"])
        assert threads["show"]
        assert threading.get_ident() not in threads["show"]
