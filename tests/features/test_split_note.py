"""A section is split off over HTTP, shown before, and undone byte for byte."""

from pathlib import Path

from bridge.settings.file import save_settings
from tests.features.served import Served

TEXT = (
    "---\ntags: [bread]\n---\n# Rye\r\n\r\nTop[^1].\r\n\r\n## Dough\r\n\r\nWet[^1] [[#Rye]]. ^w\r\n\r\n[^1]: Note.\r\n"
)
NOTES = {
    "Bread/Rye.md": TEXT,
    "Index.md": "[[Rye#Dough]] and [[Rye#^w|wet]] and [[Dough]].\n",
    "Kept/Old.md": "[[Rye#Dough]]\n",
}


def contents(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}


async def test_a_split_is_shown_made_and_undone(served: Served) -> None:
    root = served.bridge.find(None).root
    (root / "Bread/Rye.md").write_bytes(TEXT.encode())
    before = contents(root)
    wanted = {"path": "Bread/Rye.md", "heading": "Dough", "to": "Bread/Parts", "properties": ["tags"]}
    shown = (await served.call("split_note", **wanted, dry_run=True)).json
    assert shown["links_rewritten"] == 4
    assert contents(root) == before

    made = await served.result("split_note", **wanted)
    after = contents(root)
    assert (
        after["Bread/Parts/Dough.md"].decode().endswith("# Dough\r\n\r\nWet[^1] [[Rye#Rye]]. ^w\r\n\r\n[^1]: Note.\r\n")
    )
    assert "- bread" in after["Bread/Parts/Dough.md"].decode()
    assert after["Bread/Rye.md"].decode().endswith("Top[^1].\r\n\r\n[[Dough]]\r\n\r\n[^1]: Note.\r\n")
    assert after["Index.md"] == b"[[Dough#Dough]] and [[Dough#^w|wet]] and [[Dough]].\n"

    await served.result("undo_change", change_id=made["change_id"])
    assert contents(root) == before
    assert not (root / "Bread/Parts").exists()


async def test_nothing_is_changed_where_a_link_could_not_follow(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"readonly": ["Kept/**"]}))
    root = served.bridge.find(None).root
    before = contents(root)
    refused = await served.call("split_note", path="Bread/Rye.md", heading="Dough")
    assert refused.code == "protected_path"
    assert "Kept/Old.md" in refused.json["error"]["message"]
    assert contents(root) == before


async def test_a_split_is_part_of_a_set_and_sees_what_came_before(served: Served) -> None:
    edits = [
        {"op": "edit_note", "path": "Bread/Rye.md", "edits": [{"op": "append", "text": "## Oven\n\nHot."}]},
        {"op": "split_note", "path": "Bread/Rye.md", "heading": "Oven", "leave": "nothing"},
        {"op": "merge_notes", "path": "Bread/Oven.md", "into": "Index.md"},
    ]
    await served.result("change_set", edits=edits)
    found = contents(served.bridge.find(None).root)
    assert "Bread/Oven.md" not in found
    assert b"Hot." in found["Index.md"]
    assert b"Oven" not in found["Bread/Rye.md"]
