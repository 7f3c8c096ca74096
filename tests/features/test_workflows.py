"""Only the user approves workflows, as they are; and they are drafted from what was done."""

import asyncio
from pathlib import Path

from bridge.settings.file import save_settings
from tests.features.served import PATIENCE_S, Served
from tests.features.workflows import CREATE, NOTES, PATH, Agent, agent_of, approve, contents, root, write_workflow

__all__ = ["NOTES"]


async def test_an_agent_runs_only_what_the_user_approved_as_it_is(served: Served) -> None:
    digest = await write_workflow(served, CREATE)
    agent = await agent_of(served)
    refused = await agent.call("run_workflow", path=PATH, variables={"title": "X"})
    assert refused.code == "forbidden"
    assert "vaultside decide" in refused.json["error"]["hint"]
    assert (await agent.call("decide", id=f"{PATH}@{digest}", verdict="accept")).code == "forbidden"
    assert (await agent.call("run_workflow", path=PATH, variables={"title": "X"}, dry_run=True)).json[
        "approved"
    ] is False
    assert not (root(served) / "Made").exists()

    assert (await served.call("decide", id=f"{PATH}@{'0' * 12}", verdict="accept")).code == "note_changed"
    await approve(served, PATH, digest[:12])
    assert (await agent.call("run_workflow", path=PATH, variables={"title": "X"})).status == 200
    assert (root(served) / "Made/X.md").read_text() == "Of X.\n"

    # The prose may change, the block may not.
    file = root(served) / PATH
    file.write_text(file.read_text().replace("For tests.", "For all."))
    assert (await agent.call("run_workflow", path=PATH, variables={"title": "Y"})).status == 200
    file.write_text(file.read_text().replace("Of {{", "About {{"))
    changed = await agent.call("run_workflow", path=PATH, variables={"title": "Z"})
    assert (changed.code, "changed since" in changed.json["error"]["message"]) == ("forbidden", True)
    listed = (await served.call("list_workflows")).json["workflows"]
    assert [(one["approved"], one["changed"]) for one in listed] == [(False, True)]
    assert not (root(served) / "Made/Z.md").exists()
    # A note that is moved keeps its approval; a copy has none.
    file.write_text(file.read_text().replace("About {{", "Of {{"))
    copied = await agent.call("create_note", path="Copy.md", text=file.read_text(), confirm=True)
    assert copied.status == 200
    assert (await agent.call("run_workflow", path="Copy.md", variables={"title": "Z"})).code == "forbidden"
    assert (await served.call("move_note", path=PATH, to="Agents/Workflows/Moved.md")).status == 200
    assert (await agent.call("run_workflow", path="Agents/Workflows/Moved.md", variables={"title": "Z"})).status == 200
    withdrawn = await served.call("decide", id=f"Agents/Workflows/Moved.md@{digest}", verdict="reject")
    assert withdrawn.json["decision"]["answer"] == "reject"
    assert (
        await agent.call("run_workflow", path="Agents/Workflows/Moved.md", variables={"title": "Q"})
    ).code == "declined"


async def test_an_agent_cannot_approve_by_revising(served: Served) -> None:
    digest = await write_workflow(served, CREATE)
    await approve(served, PATH, digest)
    agent = await agent_of(served)
    edits = [{"op": "replace_text", "old": "Made/", "new": "Folder/", "all": True}]
    seen = (await agent.call("read_note", path=PATH)).json["digest"]
    revised = await agent.call("edit_note", path=PATH, edits=edits, digest=seen)
    assert revised.status == 200, revised.body
    assert (await agent.call("run_workflow", path=PATH, variables={"title": "X"})).code == "forbidden"
    undone = await served.call("undo_change", change_id=revised.json["change_id"])
    assert undone.status == 200
    assert (await agent.call("run_workflow", path=PATH, variables={"title": "X"})).status == 200


async def test_the_change_of_a_proposing_agent_waits(served: Served) -> None:
    await approve(served, PATH, await write_workflow(served, CREATE))
    agent = await agent_of(served, applies=False)
    made = await agent.call("run_workflow", path=PATH, variables={"title": "X"})
    assert made.json["state"] == "proposed"
    assert not (root(served) / "Made").exists()
    assert (await served.call("decide", id=made.json["change_id"], verdict="accept")).status == 200
    assert (root(served) / "Made/X.md").exists()


async def test_a_denied_workflow_is_not_there(served: Served) -> None:
    digest = await write_workflow(served, CREATE, "Secret/P.md")
    await approve(served, "Secret/P.md", digest)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    for operation, more in (
        ("list_workflows", {"path": "Secret/P.md"}),
        ("run_workflow", {"path": "Secret/P.md"}),
        ("run_workflow", {"path": "Secret/P.md", "dry_run": True}),
        ("decide", {"id": f"Secret/P.md@{digest}", "verdict": "accept"}),
    ):
        answer = await served.call(operation, **more)
        assert answer.code in {"note_not_found", "protected_path"}, (operation, answer.body)
    assert (await served.call("list_workflows")).json["workflows"] == []
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": []}))
    agent = await agent_of(served)
    async with asyncio.timeout(PATIENCE_S):
        while (answer := await agent.call("run_workflow", path="Secret/P.md", variables={"title": "X"})).status != 403:
            await asyncio.sleep(0.05)
    assert answer.code == "forbidden", "what was denied is approved no more"


async def test_a_workflow_is_drafted_from_three_notes_and_runs_for_an_agent_as_approved(served: Served) -> None:
    for name, water in (("Rye", "80 g"), ("Wheat", "70 g"), ("Spelt", "65 g")):
        file = root(served) / f"Bread/{name}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"---\nwater: '{water}'\n---\n# {name}\n\nOf {name}.\n\nNice with {water}.\n")
    await served.bridge.find(None).vault.indexer.look_at([""])
    examples = ["Bread/Rye.md", "Wheat", "[[Spelt]]"]
    drafted = await served.call(
        "author_workflow", name="New bread", description="A bread.", examples=examples, confirm=True
    )
    assert drafted.status == 200, drafted.body
    assert drafted.json["problems"] == []
    path = drafted.json["path"]
    checked = (await served.call("list_workflows", path=path)).json["workflows"][0]
    assert {one["name"] for one in checked["variables"]} == {"title", "water"}
    agent, variables = await agent_of(served), {"title": "Oat", "water": "75 g"}
    assert (await agent.call("run_workflow", path=path, variables=variables)).code == "forbidden"
    await approve(served, path, checked["digest"])
    assert (await agent.call("run_workflow", path=path, variables=variables)).status == 200
    assert (root(served) / "Bread/Oat.md").read_text() == (
        "---\nwater: 75 g\n---\n# Oat\n\nOf Oat.\n\nNice with 75 g.\n"
    )
    file, variables = root(served) / path, {"title": "Emmer", "water": "60"}
    file.write_text(file.read_text().replace("Of {{", "Bread of {{"))
    before = contents(served)
    assert (await agent.call("run_workflow", path=path, variables=variables)).code == "forbidden"
    assert contents(served) == before
    await approve(served, path, (await served.call("list_workflows", path=path)).json["workflows"][0]["digest"])
    assert (await agent.call("run_workflow", path=path, variables=variables)).status == 200
    assert (root(served) / "Bread/Emmer.md").read_text().endswith("Bread of Emmer.\n\nNice with 60.\n")


async def test_one_note_is_compared_with_those_like_it(served: Served) -> None:
    for name, text in (("Ann", "Met at the mill."), ("Bob", "A neighbour."), ("Cy", "")):
        (root(served) / f"Folder/{name}.md").write_text(f"---\nphone: {len(name)}\n---\n# {name}\n\n## Met\n\n{text}\n")
    await served.bridge.find(None).vault.indexer.look_at([""])
    drafted = await served.call("author_workflow", name="Person", examples=["Bob"], confirm=True)
    assert drafted.json["problems"] == []
    written = (root(served) / drafted.json["path"]).read_text()
    assert "description: Person\n" in written
    assert [one["name"] for one in drafted.json["variables"]] == ["title", "phone"]
    assert drafted.json["steps"][0].startswith("note: create_note · path: Folder/{{variables.title}}.md · properties")
    assert drafted.json["text_left_out"][0].endswith("lines, such as A neighbour.")
    assert "path: Folder/{{variables.title}}.md\n" in written
    assert "    # {{variables.title}}\n\n    ## Met\noutput:" in written
    assert "neighbour" not in written
    missing = await served.call("author_workflow", name="N", examples=["Nobody"])
    assert missing.code == "note_not_found"
    broken = root(served) / "Broken.md"
    broken.write_text("---\na: [\n---\n")
    await served.bridge.find(None).vault.indexer.look_at([""])
    assert (
        "cannot be read"
        in (await served.call("author_workflow", name="N", examples=["Broken"])).json["error"]["message"]
    )
    assert (await served.call("author_workflow", name="N")).code == "invalid_arguments"
    assert "reading-note" in (await served.call("author_workflow", name="N", starter="x")).json["error"]["hint"]


async def test_two_runs_at_once_are_one_after_the_other(served: Served) -> None:
    block = """
version: 1
conditions:
  - {id: new, check: note_missing, note: Once.md}
steps:
  - {id: make, when: new, do: create_note, path: Once.md}
  - {id: add, do: edit_note, path: A.md, edits: [{op: append, text: More.}]}
"""
    await write_workflow(served, block)
    made = await asyncio.gather(*(served.call("run_workflow", path=PATH) for _ in range(4)))
    assert [one.status for one in made] == [200] * 4
    assert sum(one.json["steps"][0]["state"] == "done" for one in made) == 1
    assert (root(served) / "A.md").read_text().count("More.") == 4


async def test_the_workflow_of_the_documentation_runs(served: Served) -> None:
    page = Path(__file__).parents[2] / "docs/workflows.md"
    example = page.read_text(encoding="utf-8").partition("````markdown\n")[2].partition("\n````")[0]
    (root(served) / "Reading note.md").write_text(example, encoding="utf-8")
    checked = (await served.call("list_workflows", path="Reading note.md")).json["workflows"][0]
    assert (checked["sound"], checked["problems"]) == (True, [])
    for title in ("Soil", "Bees"):
        made = await served.call("run_workflow", path="Reading note.md", variables={"title": title, "author": "Ada"})
        assert made.json["output"] == f"The note is Reading/{title}.md."
    assert (root(served) / "Reading/List.md").read_text() == "# Being read\n- [[Soil]]\n- [[Bees]]\n"
    assert "author: Ada\n" in (root(served) / "Reading/Soil.md").read_text()


async def test_no_agent_is_offered_the_approval(served: Served) -> None:
    agent: Agent = await agent_of(served)
    found = await agent.call("find_tool", task="approve a workflow")
    assert "decide" not in [one["name"] for one in found.json["tools"]]
