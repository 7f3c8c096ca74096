"""What writes tell beside what they did: digests, unresolved links, names that are said twice, dry runs."""

import hashlib
from typing import Any

import pytest

from tests.features.served import Served

NOTES = {
    "Syntax.md": "# Syntax\n\n## Images\n\nText of images. ^pic\n\n## Lists\n\nItems.\n",
    "Web.md": "See [[Syntax#Images|images]], [[Syntax#Lists]], [[Syntax#^pic]] and [x](Syntax.md#Images).\n",
    "Old name.md": "---\naliases: [New name]\n---\n# Old name\n\nWords.\n",
    "Clusters.md": "---\naliases: [DBSCAN]\n---\nDense parts. [[Nowhere]]\n",
    "K-Means Clustering.md": "Means.\n",
    "K-Mean.png": "",
    "Twice.md": "# B\n\n## Notes\n\nOne.\n\n## Notes\n\n- Two.\n",
    "A/Same.md": "Same.\n",
}


async def edit(served: Served, path: str, *edits: dict[str, Any], **more: Any) -> Any:
    return (await served.call("edit_note", path=path, edits=list(edits), **more)).json


async def digest_of(served: Served, path: str) -> str:
    digest: str = (await served.call("read_note", path=path)).json["digest"]
    return digest


def text(served: Served, path: str) -> str:
    return (served.bridge.find(None).root / path).read_text()


async def test_links_to_headings_and_blocks_that_go_are_told(served: Served) -> None:
    digest = await digest_of(served, "Syntax.md")
    section = {"op": "replace_lines", "lines": [3, 6], "text": "See [[#Images]].\n"}
    tried = await edit(served, "Syntax.md", section, digest=digest, dry_run=True)
    assert [(one["path"], one["text"]) for one in tried["links_broken"]] == [
        ("Web.md", "Syntax#Images"),
        ("Web.md", "Syntax#^pic"),
        ("Web.md", "Syntax.md#Images"),
    ]
    assert tried["warnings"] == ["`[[#Images]]` in `Syntax.md:3` is unresolved: `Syntax.md` has no heading `Images`."]
    extracted = await served.call(
        "change_set",
        edits=[
            {"op": "create_note", "path": "Images.md", "text": "Text of images."},
            {"op": "edit_note", "path": "Syntax.md", "digest": digest, "edits": [{**section, "text": "[[Images]]\n"}]},
            {
                "op": "edit_note",
                "path": "Web.md",
                "digest": await digest_of(served, "Web.md"),
                "edits": [
                    {"op": "replace_text", "old": "[[Syntax#Images|images]]", "new": "[[Images]]"},
                    {"op": "replace_text", "old": "(Syntax.md#Images)", "new": "(Images.md)"},
                ],
            },
        ],
    )
    assert [one["text"] for one in extracted.json["links_broken"]] == ["Syntax#^pic"], extracted.body
    assert extracted.json["warnings"] == []


async def test_links_that_lead_nowhere_are_told_when_they_are_written(served: Served) -> None:
    words = "[[DBSCAN]], [[K-Means]], [[Anna Rossi]], [[Clusters]], [[Syntax#Nope]], [[Syntax#Lists]], [[Syntax#^no]]"
    made = (await served.call("create_note", path="New.md", text=words, properties={"up": "[[Zzyzx]]"})).json
    assert made["warnings"] == [
        "`[[Zzyzx]]` in `New.md:2` is unresolved: no note has this name.",
        "`[[DBSCAN]]` in `New.md:4` is unresolved: it is only an alias of `Clusters.md`; write `[[Clusters|DBSCAN]]`.",
        "`[[K-Means]]` in `New.md:4` is unresolved; the closest is `K-Means Clustering.md`.",
        "`[[Anna Rossi]]` in `New.md:4` is unresolved: no note has this name.",
        "`[[Syntax#Nope]]` in `New.md:4` is unresolved: `Syntax.md` has no heading `Nope`.",
        "Unresolved links that are not named here: 1.",
    ]
    assert made["links_broken"] == []
    # What led nowhere before is not held against an edit.
    assert (await edit(served, "Clusters.md", {"op": "append", "text": "More."}))["warnings"] == []


async def test_a_name_that_notes_share_or_say_twice_is_told(served: Served) -> None:
    made = (await served.call("create_note", path="B/Same.md", text="Other.")).json
    assert made["warnings"] == ["`A/Same.md` has this name too: `[[Same]]` can mean either note."]
    moved = (await served.call("move_note", path="Old name.md", to="New name.md")).json
    assert moved["warnings"] == [
        "`New name.md` still begins with the heading `Old name`; `rename_heading` changes it.",
        "`New name.md` has its new name as an alias too.",
    ]


async def test_why_nothing_changed_is_told(served: Served) -> None:
    asked: dict[str, Any]
    for asked, says in (
        ({}, "no property was given to set or to remove."),
        ({"remove": ["nope"]}, "the note has no property `nope`."),
        ({"remove": ["nope", "none"]}, "the note has no properties `nope` and `none`."),
    ):
        for dry_run in (True, False):
            none = await served.call("set_properties", path="Web.md", **asked, dry_run=dry_run)
            assert none.json["warnings"] == [f"No change: {says}"]
    await served.call("set_properties", path="Web.md", properties={"a": 1})
    asked = {"path": "Web.md", "properties": {"a": 1}}
    again = (await served.call("set_properties", **asked)).json
    assert again["warnings"] == ["No change: the note has these properties already."]
    more = (await served.call("set_properties", **asked, remove=["nope"])).json
    assert more["warnings"] == ["No change: the note has these properties already and has no property `nope`."]
    line = {"op": "replace_lines", "lines": [2, 2], "text": "a: 1\n"}
    same = await edit(served, "Web.md", line, digest=more["digest"])
    assert same["warnings"] == ["No change: `Web.md` is as it was before."]


async def test_only_names_that_stand_at_the_end_are_told(served: Served) -> None:
    for name in ("One", "Two"):
        await served.call("create_note", path=f"{name}.md", text=f"# {name}\n")

    def moved(path: str, to: str) -> dict[str, Any]:
        return {"op": "move_note", "path": path, "to": to}

    async def warnings(*edits: dict[str, Any]) -> Any:
        return (await served.call("change_set", edits=list(edits), dry_run=True)).json["warnings"]

    swap = (moved("One.md", "tmp.md"), moved("Two.md", "One.md"), moved("tmp.md", "Two.md"))
    says = "`{}.md` still begins with the heading `{}`; `rename_heading` changes it."
    assert await warnings(*swap) == [says.format("Two", "One"), says.format("One", "Two")]
    assert await warnings(swap[0], moved("tmp.md", "One.md")) == ["No change: every note is as it was before."]
    renamed = {"op": "rename_heading", "path": "tmp.md", "heading": "One", "to": "tmp"}
    assert await warnings(swap[0], renamed) == []
    assert await warnings(moved("A/Same.md", "A/One.md"), moved("A", "B")) == []


async def test_nothing_that_was_read_is_replaced_without_its_digest(served: Served) -> None:
    calls: dict[str, dict[str, Any]] = {
        "set_properties": {"path": "Web.md", "properties": {"status": "done"}},
        "rename_heading": {"path": "Syntax.md", "heading": "Lists", "to": "Items"},
        "rename_alias": {"path": "Clusters.md", "alias": "DBSCAN", "to": "Density"},
        "move_note": {"path": "Web.md", "to": "Pages.md"},
    }
    for operation, arguments in calls.items():
        stale = await served.call(operation, **arguments, digest="0" * 12)
        assert stale.code == "note_changed", operation
        assert (await served.call(operation, **arguments)).status == 200, operation
    replacing = {"op": "replace_text", "old": "Means", "new": "Centres"}
    for dry_run in (True, False):
        asked = {"path": "K-Means Clustering.md", "edits": [replacing], "dry_run": dry_run}
        refused = await served.call("edit_note", **asked)
        assert (refused.code, "digest" in refused.json["error"]["message"]) == ("invalid_arguments", True)
    digest = await digest_of(served, "K-Means Clustering.md")
    made = await edit(served, "K-Means Clustering.md", replacing, digest=digest[:12].upper())
    assert text(served, "K-Means Clustering.md") == "Centres.\n"
    assert len(made["digest"]) == 64
    assert (await served.call("delete_note", path="K-Means Clustering.md")).code == "invalid_arguments"
    await served.result("delete_note", path="K-Means Clustering.md", digest=made["digest"][:20])


async def test_what_a_change_set_wrote_needs_no_digest_in_it(served: Served) -> None:
    async def change(*edits: dict[str, Any]) -> Any:
        return await served.call("change_set", edits=list(edits))

    def replacing(old: str, new: str, path: str = "Web.md", **more: str) -> dict[str, Any]:
        return {"op": "edit_note", "path": path, "edits": [{"op": "replace_text", "old": old, "new": new}], **more}

    add = {"op": "edit_note", "path": "Web.md", "edits": [{"op": "append", "text": "Added here."}]}
    stale = await change(add, replacing("See", "Look at"))
    assert stale.code == "invalid_arguments"
    assert stale.json["error"]["message"].startswith("edits[1]: `digest` is required to replace text")
    assert (await change(add, replacing("Added", "Written"))).status == 200
    before = await digest_of(served, "Web.md")
    first = await change(replacing("See", "Look at", digest=before), replacing("Look", "Gaze"))
    assert first.status == 200, first.body
    after = await digest_of(served, "Web.md")
    made = {"op": "create_note", "path": "Made.md", "text": "One."}
    both = await change(replacing("Gaze", "Look", digest=after), replacing("Look at", "See", digest=after[:12]), made)
    assert both.status == 200, both.body
    assert (await change({**made, "path": "M.md"}, replacing("One", "Two", "M.md"))).status == 200
    assert (await change({**made, "path": "N.md"}, {"op": "delete_note", "path": "N.md"})).status == 200
    moved = {"op": "move_note", "path": "M.md", "to": "O.md", "digest": await digest_of(served, "M.md")}
    assert (await change(moved, replacing("Two", "Three", "O.md"))).status == 200
    assert text(served, "O.md") == "Three.\n"


async def test_line_numbers_of_a_note_that_the_set_changed_are_refused(served: Served) -> None:
    def edits(edit: dict[str, Any], path: str = "Twice.md", **more: str) -> dict[str, Any]:
        return {"op": "edit_note", "path": path, "edits": [edit], **more}

    def line(number: int, new: str) -> dict[str, Any]:
        return {"op": "replace_lines", "lines": [number, number], "text": new}

    async def change(*edits: dict[str, Any], **more: Any) -> Any:
        return await served.call("change_set", edits=list(edits), **more)

    read, before = await digest_of(served, "Twice.md"), text(served, "Twice.md")
    grow, top = edits(line(1, "B1\nB2\nB3\n"), digest=read), edits({"op": "prepend", "text": "Top."})
    renamed = {"op": "rename_heading", "path": "Twice.md", "heading": "Notes (line 7)", "to": "Remarks"}
    for first, second in (
        (grow, edits(line(3, "C\n"), digest=read)),
        (grow, edits(line(3, "C\n"))),
        (top, edits(line(1, "C\n"), digest=read)),
        (top, edits({"op": "replace_section", "heading": "Notes (line 3)", "text": "C"}, digest=read)),
        (top, edits({"op": "insert_under", "heading": "Notes (line 3)", "text": "C"})),
        (top, {"op": "add_task", "path": "Twice.md", "heading": "Notes (line 7)", "text": "C"}),
        (top, renamed),
    ):
        for dry_run in (True, False):
            refused = await change(first, second, dry_run=dry_run)
            assert refused.code == "invalid_arguments", refused.body
            assert refused.json["error"]["message"] == (
                "edits[1]: An earlier edit of this set changed `Twice.md`, so line numbers may have shifted."
            )
    assert text(served, "Twice.md") == before
    # Whoever counted the lines of the state in between says so by its digest.
    between = hashlib.sha256(before.replace("# B\n", "B1\nB2\nB3\n").encode()).hexdigest()
    counted = await change(grow, edits(line(3, "C\n"), digest=between))
    assert counted.status == 200, counted.body
    assert text(served, "Twice.md").startswith("B1\nB2\nC\n\n## Notes\n\nOne.")
    # A note that is only moved is as it was read, and nobody read one that the set makes.
    moved = {"op": "move_note", "path": "A/Same.md", "to": "A/Other.md"}
    made = {"op": "create_note", "path": "Made.md", "text": "One.\nTwo.\n"}
    again = await change(
        moved,
        edits(line(1, "Else.\n"), "A/Other.md", digest=await digest_of(served, "A/Same.md")),
        made,
        edits(line(1, "1\n2\n"), "Made.md"),
        edits(line(2, "3\n"), "Made.md"),
    )
    assert again.status == 200, again.body
    assert (text(served, "A/Other.md"), text(served, "Made.md")) == ("Else.\n", "1\n3\nTwo.\n")


async def test_a_change_set_tells_of_every_file(served: Served) -> None:
    edits = [
        {"op": "create_note", "path": "Made.md", "text": "One.\nTwo."},
        {"op": "set_properties", "path": "Web.md", "properties": {"a": 1}},
        {"op": "move_note", "path": "A", "to": "C"},
    ]
    tried = (await served.call("change_set", edits=edits, dry_run=True)).json
    assert (tried["dry_run"], tried["change_id"], {one["digest"] for one in tried["changed"]}) == (True, None, {None})
    made = (await served.call("change_set", edits=edits)).json
    assert [(one["path"], one["added"], one["removed"]) for one in made["changed"]] == [
        ("Made.md", 2, 0),
        ("Web.md", 3, 0),
        ("C", 0, 0),
    ]
    assert made["changed"][1]["digest"] == await digest_of(served, "Web.md")
    assert made["changed"][2]["digest"] is None
    assert (
        made["would"]
        == tried["would"]
        == ("create 1 note, change 1 note and move 1 file (set properties): Made.md, Web.md, A")
    )


async def test_a_name_that_is_left_and_taken_in_one_set_is_told(served: Served) -> None:
    def made(path: str, text: str = "New.") -> dict[str, Any]:
        return {"op": "create_note", "path": path, "text": text}

    def moved(path: str, to: str) -> dict[str, Any]:
        return {"op": "move_note", "path": path, "to": to}

    gone = {"op": "delete_note", "path": "Twice.md", "digest": await digest_of(served, "Twice.md")}
    more = {"op": "edit_note", "path": "Twice 2.md", "edits": [{"op": "append", "text": "More."}]}
    for edits, would in (
        ([made("Work/Z1.md"), moved("Work/Z1.md", "Archive/Z1.md")], "create `Archive/Z1.md`"),
        ([gone, made("Twice.md")], "delete `Twice.md` and create `Twice.md`"),
        (
            [moved("A/Same.md", "A/Same 2.md"), made("A/Same.md")],
            "move `A/Same.md` to `A/Same 2.md` and create `A/Same.md`",
        ),
        ([made("Twice 1.md"), moved("Twice 1.md", "Twice 2.md"), more], "create `Twice 2.md`"),
        ([more, moved("Twice 2.md", "Twice 3.md")], "move `Twice 2.md` to `Twice 3.md` and change it (append)"),
    ):
        tried = await served.call("change_set", edits=edits, dry_run=True)
        done = await served.call("change_set", edits=edits)
        assert (tried.status, done.status) == (200, 200), (would, tried.body, done.body)
        assert tried.json["would"] == done.json["would"] == would
    assert text(served, "Archive/Z1.md") == text(served, "Twice.md") == "New.\n"
    assert (text(served, "A/Same 2.md"), text(served, "A/Same.md")) == ("Same.\n", "New.\n")
    assert text(served, "Twice 3.md") == "New.\n\nMore.\n\nMore.\n"


async def test_a_dry_run_tells_what_the_call_needs(served: Served) -> None:
    edits = [{"op": "create_note", "path": f"Made {number}.md", "text": "One."} for number in range(21)]
    tried = (await served.call("change_set", edits=edits, dry_run=True)).json
    assert tried["confirmation"] == (
        "This would create 21 notes: Made 0.md, Made 1.md, Made 2.md and 18 more. "
        "It must be confirmed: `confirm_files` is 20."
    )
    assert (await served.call("change_set", edits=edits)).code == "confirmation_required"
    assert (await served.call("change_set", edits=edits, confirm=True)).status == 200
    small = (await served.call("create_note", path="Small.md", text="One.", dry_run=True)).json
    assert (small["confirmation"], small["digest"], small["would"]) == (None, None, "create `Small.md`")
    asked = {"op": "append", "text": "More."}
    again = await edit(served, "Web.md", asked, dry_run=True)
    made = await edit(served, "Web.md", asked, digest=again["digest"])
    assert made["digest"] not in {None, again["digest"]}


@pytest.mark.parametrize("pointer", ["version https://git-lfs.github.com/spec/v1\n", '{"folder": "../out"}'])
async def test_settings_that_cannot_be_read_stop_a_write_in_the_wrong_place(served: Served, pointer: str) -> None:
    root = served.bridge.find(None).root
    (root / ".obsidian/daily-notes.json").write_text(pointer)
    refused = await served.call("daily_note", append="- x", dry_run=True)
    assert refused.code == "settings_unreadable"
    assert "daily-notes.json" in refused.json["error"]["message"]
    assert "create_note" in refused.json["error"]["hint"]
    read = (await served.call("daily_note")).json
    assert "daily-notes.json" in read["warnings"][0]
    assert not [*root.glob("2*.md")]
    (root / ".obsidian/app.json").write_text("version https://git-lfs")
    gone = await served.call("delete_note", path="Web.md", digest=await digest_of(served, "Web.md"))
    assert gone.code == "settings_unreadable"
    assert (root / "Web.md").exists()
    (root / ".obsidian/templates.json").write_text("oid sha256:0")
    made = await served.call("create_note", path="New.md", template="Web.md")
    assert made.code == "settings_unreadable"


async def test_a_daily_note_gets_the_heading_that_it_lacks(served: Served) -> None:
    asked = {"date": "2026-01-31", "append": "- Rain", "heading": "Log"}
    (served.bridge.find(None).root / "2026-01-31.md").write_text("# Saturday\n\nWords.\n")
    missing = await served.call("daily_note", **asked)
    assert missing.code == "heading_not_found"
    assert "create_heading" in missing.json["error"]["hint"]
    assert (await served.call("daily_note", **asked, create_heading=True)).status == 200
    assert text(served, "2026-01-31.md") == "# Saturday\n\nWords.\n\n## Log\n\n- Rain\n"
    again = await served.call("daily_note", **{**asked, "append": "- Sun"}, create_heading=True)
    assert again.json["text"].endswith("## Log\n\n- Rain\n- Sun\n")
    tomorrow = await served.call("daily_note", **{**asked, "date": "2026-02-01"}, create_heading=True)
    assert tomorrow.json["text"] == "## Log\n\n- Rain\n"
    await served.result("add_task", path="2026-02-01.md", text="Sow", heading="Log > To do", create_heading=True)
    assert text(served, "2026-02-01.md") == "## Log\n\n- Rain\n\n### To do\n\n- [ ] Sow\n"


async def test_no_blank_text_is_added_to_a_daily_note(served: Served) -> None:
    for append in ("", " \n"):
        for more in ({}, {"heading": "Log", "create_heading": True}):
            for dry_run in (True, False):
                refused = await served.call("daily_note", date="2026-03-01", append=append, dry_run=dry_run, **more)
                assert refused.code == "invalid_arguments", refused.body
                assert "blank" in refused.json["error"]["message"]
    assert not (served.bridge.find(None).root / "2026-03-01.md").exists()


async def test_sections_of_one_name_are_told_apart_by_their_lines(served: Served) -> None:
    under = {"op": "insert_under", "heading": "B > Notes", "text": "Here."}
    refused = await served.call("edit_note", path="Twice.md", edits=[under])
    assert refused.code == "ambiguous_heading"
    first, second = refused.json["error"]["headings"]
    assert (first, second) == ("B > Notes (line 3)", "B > Notes (line 7)")
    assert second in refused.json["error"]["message"]
    read = (await served.call("read_note", path="Twice.md", section=second)).json
    assert (read["text"], read["headings"]) == ("## Notes\n\n- Two.\n", ["B", first, second])
    await edit(served, "Twice.md", {"op": "add_item", "heading": second, "text": "Three."})
    await edit(served, "Twice.md", {**under, "heading": "Notes (line 3)"})
    digest = await digest_of(served, "Twice.md")
    await edit(
        served, "Twice.md", {"op": "replace_section", "heading": "notes (line 9)", "text": "- Four."}, digest=digest
    )
    await served.result("rename_heading", path="Twice.md", heading=first, to="Remarks")
    assert text(served, "Twice.md") == "# B\n\n## Remarks\n\nOne.\n\nHere.\n\n## Notes\n\n- Four.\n"
    none = await served.call("read_note", path="Twice.md", section="Notes (line 1)")
    assert none.code == "heading_not_found"


@pytest.mark.parametrize(("path", "to"), [("Fresh.md", "Moved.md"), ("New", "Renamed")])
async def test_what_another_program_has_just_written_is_moved(served: Served, path: str, to: str) -> None:
    root = served.bridge.find(None).root
    (root / "New").mkdir()
    for file in ("Fresh.md", "New/Inner.md"):
        (root / file).write_text("Written a moment ago.\n")
    await served.result("move_note", path=path, to=to)
    assert not (root / path).exists()
    assert (root / to).exists()
