"""What is denied after agents worked with it: the user is told what they and the bridge wrote about it."""

from typing import Any

import pytest

from bridge.api.call import OWNER, Call
from bridge.features import get_operation
from tests.features.served import Served
from tests.features.test_agents_folder import contents, root, write_beside

NOTES = {"Oven.md": "# Oven\n\nBuilt of clay.\n"}
WORDS = ("kwvhidden", "Zqxghost", "Private/S")
PRIVATE = {f"Private/S{n}.md": f"---\ntags: [kwvhidden]\n---\n# S{n}\nbread [[Zqxghost]]\n" for n in range(5)}


async def deny(served: Served, *globs: str) -> tuple[str, ...]:
    """Deny notes, and return what is told."""
    call = Call(served.bridge, OWNER)
    told: Any = await get_operation("change_settings").run(call, {"changes": {"deny": list(globs)}})
    return tuple(told.problems)


async def test_notes_that_tell_of_what_is_denied_are_listed_and_erased_in_the_same_way(served: Served) -> None:
    # Else the journal may be brought up to date between two looks.
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": {"sessions.journals": "off"}})
    for path, text in PRIVATE.items():
        await write_beside(served, path, text)
    await served.call("set_up_memory", templates=False)
    await served.call("remember", title="Clay", text="Clay cracks.")
    await served.call("remember", title="Bread", text="See [[S1]] for the bread.")
    await served.call("remember", title="Glaze", text="See [[Private/S1|it]].")
    [plan] = [(await served.call("plan_tidy", checks=["prospects", "broken_links"])).json["path"]]
    edit = {"op": "append", "text": "x"}
    assert (await served.call("edit_note", path="Private/S1.md", edits=[edit])).status == 200
    assert (await served.call("save_session", goal="Bake")).status == 200
    [journal] = [path for path in contents(served) if path.startswith("Agents/Sessions/")]
    assert b"Private/S1" in contents(served)[journal]
    before = contents(served)
    [told] = await deny(served, "Private/**")
    assert contents(served) == before
    listed = sorted(filter(None, (journal, plan, "Agents/Memory/Bread.md", "Agents/Memory/Glaze.md")))
    assert told.startswith(f"{', '.join(f'`{path}`' for path in listed)} still tell of notes that are denied now")
    assert await deny(served, "Private/**", *listed) == ()
    for operation, arguments in (
        ("list_tags", {"among": "all"}),
        ("find_notes", {"among": "all", "tags": ["kwvhidden"]}),
        ("search", {"query": "kwvhidden", "among": "all"}),
        ("list_changes", {"limit": 200}),
        ("list_sessions", {}),
        ("brief", {"task": "bread"}),
    ):
        answer = (await served.call(operation, **arguments)).json
        answer.pop("notices", None)
        text = str(answer)
        assert not any(
            word in text for word in ("kwvhidden", "Zqxghost", "Private/S") if word != arguments.get("query")
        )
    assert root(served).joinpath(journal).read_bytes() == before[journal]


@pytest.mark.parametrize("by_change", [False, True])
async def test_a_workflow_of_denied_examples_is_listed_and_erased(served: Served, *, by_change: bool) -> None:
    await write_beside(served, "Open/About.md", "# About\n")
    for n in range(2):
        text = f"---\naliases: [Zqxghost{n}]\ntags: [kwvhidden]\npay: high{n}\n---\n# S{n}\n\nWords.\n"
        await write_beside(served, f"Open/S{n}.md", text)
    await served.call("set_up_memory", templates=False)
    examples = ["Open/S0.md", "Open/S1.md"]
    if by_change:
        made = [
            (await served.call("set_properties", path=path, properties={"shelf": f"kwvhidden{path[-4]}"})).json[
                "change_id"
            ]
            for path in examples
        ]
        examples = made
    drafted = await served.call("author_workflow", name="Pay", description="", examples=examples, confirm=True)
    path = drafted.json["path"]
    moved = await served.call("move_note", path="Open/S0.md", to="Private/Moved.md")
    assert moved.status == 200
    await served.call("move_note", path=path, to="Recipes/Pay.md", confirm=True)
    told = " ".join(await deny(served, "Private/**"))
    assert "`Recipes/Pay.md`" in told
    told = " ".join(await deny(served, "Private/**", "Open/**", "Recipes/**", path))
    for operation, arguments in (("list_workflows", {}), ("list_changes", {"limit": 200})):
        answer = str((await served.call(operation, **arguments)).json)
        assert not any(word in answer for word in ("Zqxghost", "kwvhidden"))


async def test_nothing_is_told_where_nothing_is_left(served: Served) -> None:
    await write_beside(served, "Private/S1.md", PRIVATE["Private/S1.md"])
    await served.call("set_up_memory", templates=False)
    await served.call("remember", title="Clay", text="Clay cracks.")
    assert await deny(served, "Private/**") == ()


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_what_tells_of_a_note_that_is_gone_by_now_is_listed(served: Served, *, is_deleted: bool) -> None:
    await write_beside(served, "Private/S1.md", PRIVATE["Private/S1.md"])
    await served.call("set_up_memory", templates=False)
    await served.call("remember", title="Glaze", text="See [[Private/S1|it]].")
    edit = {"op": "append", "text": "x"}
    assert (await served.call("edit_note", path="Private/S1.md", edits=[edit])).status == 200
    file = root(served) / "Private/S1.md"
    if is_deleted:
        file.unlink()
        await served.call("report_changes", changes=[{"kind": "delete", "path": "Private/S1.md"}])
    else:
        file.rename(file.with_name("S2.md"))
        renamed = {"kind": "rename", "from": "Private/S1.md", "path": "Private/S2.md"}
        await served.call("report_changes", changes=[renamed])
    [told] = await deny(served, "Private/**")
    assert "`Agents/Memory/Glaze.md`" in told


async def test_what_was_copied_from_a_denied_note_is_listed_and_a_proposal_with_its_text_is_erased(
    served: Served,
) -> None:
    await write_beside(served, ".obsidian/templates.json", '{"folder": "Private"}')
    await write_beside(served, "Private/T.md", "# T\n\nkwvhidden template\n")
    await write_beside(served, "Private/S.md", "# S\n\n## Part\n\nkwvhidden part\n")
    await write_beside(served, "Private/M.md", "# M\n\nkwvhidden merged\n")
    await write_beside(served, "Open.md", "# Open\n")
    made = await served.call("create_note", path="X/a.md", template="Private/T.md")
    assert (made.status, b"kwvhidden" in contents(served)["X/a.md"]) == (200, True)
    split = await served.call("split_note", path="Private/S.md", heading="Part", to="X/part.md")
    assert split.status == 200
    digest = (await served.call("read_note", path="Private/M.md")).json["digest"]
    merged = await served.call("merge_notes", path="Private/M.md", into="Open.md", digest=digest, confirm=True)
    assert merged.status == 200
    proposed = await served.call_as("helper", "create_note", path="X/t.md", template="Private/T.md")
    assert proposed.json["state"] == "proposed"
    assert "kwvhidden" in str((await served.call("show_change", change_id=proposed.json["change_id"])).json)
    [told] = await deny(served, "Private/**")
    for path in ("X/a.md", "X/part.md", "Open.md"):
        assert f"`{path}`" in told
    assert "`Private/" not in told
    assert (await served.call("show_change", change_id=proposed.json["change_id"])).status == 404
    for operation, arguments in (("list_changes", {"limit": 200}), ("list_decisions", {})):
        assert "kwvhidden" not in str((await served.call(operation, **arguments)).json)
