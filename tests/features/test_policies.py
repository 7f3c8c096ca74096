"""Policies are checked, approved by the user only, and run as one change that sees its own steps."""

import asyncio
from typing import Any

import pytest

from bridge.settings.file import save_settings
from tests.features.policies import Agent, agent_of, approve, contents, note, root, write_policy
from tests.features.served import Served

NOTES = {
    "A.md": "---\nstatus: open\n---\n# A\n\n## Log\n\n- one\n\n- [ ] Sow beans\n",
    "B.md": "See [[A]].\n",
    "Folder/C.md": "# C\n",
    "Kept/K.md": "# K\n",
    "Secret/S.md": "# S\n\nhidden words\n",
}
PATH = "Agents/Policies/P.md"
CREATE = """
version: 1
description: Makes a note.
variables:
  title: {type: text}
steps:
  - id: note
    do: create_note
    path: Made/{{variables.title}}.md
    text: "Of {{variables.title}}."
"""


async def ran(served: Served, block: str, /, **variables: Any) -> Any:
    """Write a policy, and run it as the user; return the answer, or the error."""
    await write_policy(served, block)
    answer = await served.call("run_policy", path=PATH, variables=variables)
    return answer.json if answer.status == 200 else answer.json["error"]


# -- trust ----------------------------------------------------------------------------------------------------------


async def test_an_agent_runs_only_what_the_user_approved_as_it_is(served: Served) -> None:
    digest = await write_policy(served, CREATE)
    agent = await agent_of(served)
    refused = await agent.call("run_policy", path=PATH, variables={"title": "X"})
    assert refused.code == "forbidden"
    assert "approve-policy" in refused.json["error"]["hint"]
    assert (await agent.call("approve_policy", path=PATH, digest=digest)).code == "forbidden"
    assert (await agent.call("preview_policy", path=PATH, variables={"title": "X"})).json["approved"] is False
    assert not (root(served) / "Made").exists()

    assert (await served.call("approve_policy", path=PATH, digest="0" * 12)).code == "note_changed"
    await approve(served, PATH, digest[:12])
    assert (await agent.call("run_policy", path=PATH, variables={"title": "X"})).status == 200
    assert (root(served) / "Made/X.md").read_text() == "Of X.\n"

    # The prose may change, the block may not.
    file = root(served) / PATH
    file.write_text(file.read_text().replace("For tests.", "For all."))
    assert (await agent.call("run_policy", path=PATH, variables={"title": "Y"})).status == 200
    file.write_text(file.read_text().replace("Of {{", "About {{"))
    changed = await agent.call("run_policy", path=PATH, variables={"title": "Z"})
    assert (changed.code, "changed since" in changed.json["error"]["message"]) == ("forbidden", True)
    listed = (await served.call("list_policies")).json["policies"]
    assert [(one["approved"], one["changed"]) for one in listed] == [(False, True)]
    assert not (root(served) / "Made/Z.md").exists()
    # Only the same block is what was approved; where it stands does not matter.
    file.write_text(file.read_text().replace("About {{", "Of {{"))
    assert (await served.call("move_note", path=PATH, to="Agents/Policies/Moved.md")).status == 200
    assert (await agent.call("run_policy", path="Agents/Policies/Moved.md", variables={"title": "Z"})).status == 200
    withdrawn = await served.call("approve_policy", path="Agents/Policies/Moved.md", digest=digest, withdraw=True)
    assert withdrawn.json["approved"] is False
    assert (
        await agent.call("run_policy", path="Agents/Policies/Moved.md", variables={"title": "Q"})
    ).code == "forbidden"


async def test_an_agent_cannot_approve_by_revising(served: Served) -> None:
    digest = await write_policy(served, CREATE)
    await approve(served, PATH, digest)
    agent = await agent_of(served)
    new = CREATE.replace("Made/", "Folder/").strip()
    assert (await agent.call("revise_policy", path=PATH, digest="1" * 12, text=new)).code == "note_changed"
    revised = await agent.call("revise_policy", path=PATH, digest=digest, text=new)
    assert revised.status == 200, revised.body
    assert (root(served) / PATH).read_text() == note(new)
    assert (await agent.call("run_policy", path=PATH, variables={"title": "X"})).code == "forbidden"
    undone = await served.call("undo_change", change_id=revised.json["change_id"])
    assert undone.status == 200
    assert (await agent.call("run_policy", path=PATH, variables={"title": "X"})).status == 200


async def test_the_change_of_a_proposing_agent_waits(served: Served) -> None:
    await approve(served, PATH, await write_policy(served, CREATE))
    agent = await agent_of(served, applies=False)
    made = await agent.call("run_policy", path=PATH, variables={"title": "X"})
    assert made.json["state"] == "proposed"
    assert not (root(served) / "Made").exists()
    assert (await served.call("accept_change", change_id=made.json["change_id"])).status == 200
    assert (root(served) / "Made/X.md").exists()


async def test_a_denied_policy_is_not_there(served: Served) -> None:
    digest = await write_policy(served, CREATE, "Secret/P.md")
    await approve(served, "Secret/P.md", digest)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    for operation, more in (
        ("check_policy", {}),
        ("preview_policy", {}),
        ("run_policy", {}),
        ("approve_policy", {"digest": digest}),
        ("revise_policy", {"digest": digest, "text": CREATE}),
    ):
        answer = await served.call(operation, path="Secret/P.md", **more)
        assert answer.code in {"note_not_found", "protected_path"}, (operation, answer.body)
    assert (await served.call("list_policies")).json["policies"] == []
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": []}))
    agent = await agent_of(served)
    async with asyncio.timeout(20):
        while (answer := await agent.call("run_policy", path="Secret/P.md", variables={"title": "X"})).status != 403:
            await asyncio.sleep(0.05)
    assert answer.code == "forbidden", "what was denied is approved no more"


# -- what is written ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        "[[A]] and [[B|b]]",
        "two\nlines: yes\n- [ ] x",
        "}} {{today}} {{variables.other}}",
        "a: b # c",
        "---\nx: 1\n---",
        '"',
        "\\{{",
    ],
)
async def test_a_value_stays_data(served: Served, value: str) -> None:
    block = """
version: 1
variables: {words: {type: text}, other: {type: text, default: OTHER}}
conditions:
  - {id: same, where: variables.words != variables.other}
steps:
  - id: note
    when: same
    do: create_note
    path: Made.md
    properties: {said: "{{variables.words}}"}
    text: "Said: {{variables.words}} by {{variables.other}}"
"""
    made = await ran(served, block, words=value)
    assert made["conditions"] == [{"id": "same", "holds": True}], made
    read = (await served.call("read_note", path="Made.md")).json
    assert read["properties"]["said"] == value
    assert f"Said: {value} by OTHER" in (root(served) / "Made.md").read_text()
    assert sorted(one for one in contents(served) if one.startswith("Made")) == ["Made.md"]


@pytest.mark.parametrize("value", ["../B", "Folder/C", "..", "/etc/x", "a\\b", "x\n../../B", ".obsidian/app"])
async def test_a_name_leads_to_no_other_folder(served: Served, value: str) -> None:
    before = contents(served)
    made = await ran(served, CREATE, title=value)
    added = contents(served).keys() - before.keys() - {PATH}
    assert all(one.startswith("Made/") and one.count("/") == 1 for one in added), (made, added)
    assert len(added) == 1


async def test_a_folder_given_as_a_value_stays_in_the_vault(served: Served) -> None:
    block = CREATE.replace("Made/{{variables.title}}.md", '"{{variables.title}}/Note.md"')
    for value in ("../x", "/tmp", "Folder/../..", ".."):
        found = await ran(served, block, title=value)
        assert found["code"] == "invalid_arguments", found
    assert (await ran(served, block, title="Folder/Sub"))["path"] == "Folder/Sub/Note.md"
    assert (await ran(served, block, title=".obsidian"))["code"] == "protected_path"


async def test_a_text_brings_no_properties_of_its_own(served: Served) -> None:
    block = CREATE.replace('"Of {{variables.title}}."', '"{{variables.words}}"').replace(
        "  title: {type: text}", "  title: {type: text}\n  words: {type: text}"
    )
    found = await ran(served, block, title="X", words="---\nadmin: true\n---\nText")
    assert (found["code"], "properties" in found["message"]) == ("invalid_arguments", True)
    written = CREATE.replace('"Of {{variables.title}}."', '"---\\nname: {{variables.title}}\\n---\\n"')
    checked = (await served.call("check_policy", text=written)).json
    assert ["properties" in one["message"] for one in checked["problems"]] == [True]


# -- steps see each other -------------------------------------------------------------------------------------------

COURSE = """
version: 1
conditions:
  - {id: open, note: A.md, where: status == "open"}
  - {id: there, check: note_exists, note: New/A.md}
  - {id: logged, check: section_exists, note: New/A.md, heading: After}
steps:
  - {id: first, when: open, do: set_properties, path: A.md, properties: {status: done}}
  - {id: second, when: open, do: create_note, path: Never.md}
  - {id: move, when: not there, do: move_note, path: A.md, to: New/A.md}
  - {id: again, when: not there, do: create_note, path: Never.md}
  - {id: log, when: [there, not logged], do: edit_note, path: New/A.md, edits: [{op: append, text: "## After"}]}
  - {id: log_again, when: not logged, do: create_note, path: Never.md}
  - {id: done, do: find_notes, where: 'status == "done" && file.inFolder("New")'}
  - {id: tasks, do: list_tasks, folder: New, status: open}
  - id: each
    each: steps.done.notes
    do: add_task
    path: "{{item.path}}"
    text: "Look at {{item.name}} ({{steps.tasks.first.text}})"
  - {id: more, do: list_tasks, folder: New, status: open}
output: "{{steps.more.count}} tasks, {{steps.done.first.path}}, {{conditions.there}}"
"""


async def test_later_steps_see_what_earlier_ones_did(served: Served) -> None:
    digest = await write_policy(served, COURSE)
    before = contents(served)
    shown = (await served.call("preview_policy", path=PATH)).json
    assert contents(served) == before
    await approve(served, PATH, digest)
    made = (await served.call("run_policy", path=PATH)).json
    assert [one["state"] for one in made["steps"]] == [
        *("done", "skipped", "done", "skipped", "done", "skipped", "done", "done", "done", "done")
    ]
    assert made["output"] == "2 tasks, New/A.md, true"
    assert (made["steps"], made["output"], made["diff"]) == (shown["steps"], shown["output"], shown["diff"])
    text = (root(served) / "New/A.md").read_text()
    assert "- [ ] Look at A (Sow beans)" in text
    assert (root(served) / "B.md").read_text() == "See [[A]].\n"
    assert not (root(served) / "Never.md").exists()
    assert (await served.call("undo_change", change_id=made["change_id"])).status == 200
    assert contents(served) == before


@pytest.mark.parametrize(
    ("last", "code"),
    [
        ("{id: z, do: set_properties, path: Missing.md, properties: {a: 1}}", "note_not_found"),
        ("{id: z, do: create_note, path: B.md}", "note_exists"),
        ("{id: z, do: edit_note, path: Kept/K.md, edits: [{op: append, text: x}]}", "protected_path"),
        ("{id: z, do: create_note, path: Secret/New.md}", "protected_path"),
        ("{id: z, do: edit_note, path: Secret/S.md, edits: [{op: append, text: x}]}", "note_not_found"),
        ("{id: z, do: edit_note, path: B.md, edits: [{op: replace_text, old: See, new: Do}]}", "invalid_arguments"),
        ("{id: z, do: delete_note, path: B.md}", "invalid_arguments"),
    ],
)
async def test_a_refused_step_undoes_all(served: Served, last: str, code: str) -> None:
    rules = {"readonly": ["Kept/**"], "deny": ["Secret/**"]}
    await served.bridge.use(save_settings(served.bridge.settings_path, rules))
    block = f"version: 1\nsteps:\n  - {{id: a, do: create_note, path: New.md}}\n  - {last}\n"
    await write_policy(served, block)
    before = contents(served)
    for operation in ("preview_policy", "run_policy"):
        answer = await served.call(operation, path=PATH)
        assert answer.code == code, answer.body
        if code != "protected_path":
            assert "step `z`" in answer.json["error"]["message"]
    assert contents(served) == before


async def test_denied_notes_are_not_there_for_conditions_and_questions(served: Served) -> None:
    await served.call("set_up_memory", templates=False)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    block = """
version: 1
conditions:
  - {id: there, check: note_exists, note: Secret/S.md}
  - {id: named, check: note_exists, note: S}
  - {id: section, check: section_exists, note: Secret/S.md, heading: S}
steps:
  - {id: found, do: find_notes, folder: Secret}
  - {id: all, do: find_notes, where: file.name.contains("S.md")}
  - {id: hits, do: search, query: hidden, mode: keyword}
  - id: note
    do: create_note
    path: New.md
    text: |
      {{conditions.there}} {{conditions.named}} {{conditions.section}}
      {{steps.found.count}} {{steps.all.count}} {{steps.hits.count}}
"""
    made = await ran(served, block)
    assert (root(served) / "New.md").read_text() == "false false false\n0 0 0\n", made


# -- bounds ---------------------------------------------------------------------------------------------------------


async def test_bounds_hold(served: Served) -> None:
    many = [f"n{number}" for number in range(301)]
    loop = """
version: 1
variables: {names: {type: list}}
steps:
  - {id: a, each: variables.names, do: create_note, path: "Many/{{item}}.md"}
"""
    before = contents(served)
    found = await ran(served, loop, names=many)
    assert "more than 200 files" in found["message"]
    twice = loop + "  - {id: b, each: variables.names, do: create_note, path: A.md, if_exists: skip}\n"
    found = await ran(
        served,
        twice.replace("Many/{{item}}", "A").replace(
            'create_note, path: "A.md"', "create_note, path: A.md, if_exists: skip"
        ),
        names=many,
    )
    assert "500 turns" in found["message"], found
    await served.bridge.use(save_settings(served.bridge.settings_path, {"confirm_files": 5}))
    await write_policy(served, loop)
    unconfirmed = await served.call("run_policy", path=PATH, variables={"names": many[:10]})
    assert unconfirmed.code == "confirmation_required"
    assert contents(served).keys() - before.keys() == {PATH}
    shown = await served.call("preview_policy", path=PATH, variables={"names": many[:10]})
    assert "confirm_files" in shown.json["confirmation"]
    wrong = await served.call("run_policy", path=PATH, variables={"names": many[:3]}, expect={"files": 4})
    assert wrong.code == "expectation_failed"
    made = await served.call(
        "run_policy", path=PATH, variables={"names": many[:10]}, confirm=True, expect={"files": 10}
    )
    assert made.json["files"] == 10


async def test_moves_count_for_confirmation(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"confirm_files": 2}))
    block = """
version: 1
steps:
  - {id: a, do: find_notes}
  - {id: b, each: steps.a.notes, do: move_note, path: "{{item.path}}", to: "Other/{{item.name}}.md"}
"""
    await write_policy(served, block)
    assert (await served.call("run_policy", path=PATH)).code == "confirmation_required"


async def test_yaml_does_not_grow(served: Served) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    for text in (
        bomb,
        "x: " + "[" * 5_000,
        "version: 1\n" + "# " + "x" * 65_000,
        "\x00",
        "a: *b",
        "- a",
        "!!python/object:os.system {}",
    ):
        checked = await served.call("check_policy", text=text)
        assert checked.status == 200, checked.body
        assert checked.json["sound"] is False
        assert (await served.call("preview_policy", text=text)).code == "invalid_arguments"


# -- checks ---------------------------------------------------------------------------------------------------------


async def test_faults_are_named_with_their_line_in_the_note(served: Served) -> None:
    block = """
version: 1
variables:
  used: {type: text}
  unused: {type: text}
  wrong: {type: txt}
conditions:
  - {id: yes_it_is, check: note_exists, note: A.md}
  - {id: no_it_is_not, check: note_missing, note: A.md}
  - {id: idle, where: status == 1}
  - {id: never, where: "false"}
  - {id: broken, where: status ==}
steps:
  - {id: a, do: create_note, path: "{{variables.used}}.md", txt: x}
  - {id: b, do: make_coffee}
  - {id: c, do: create_note, path: "{{variables.other}}.md", when: nothing}
  - {id: d, do: create_note, path: D.md, when: [yes_it_is, no_it_is_not]}
  - {id: e, do: create_note, path: "{{steps.f.path}}"}
  - {id: f, do: create_note, path: E.md, when: never}
  - {id: g, do: create_note, path: "{{item.path}}"}
  - {id: h, do: find_notes, where: variables.othr == 1}
  - {id: i, do: create_note, path: I.md, each: []}
  - {id: j, do: create_note, path: {{today}}}
"""
    await write_policy(served, block)
    found = (await served.call("check_policy", path=PATH)).json
    text = (root(served) / PATH).read_text().split("\n")

    def at(part: str) -> list[str]:
        line = next(number for number, one in enumerate(text, 1) if part in one)
        return [one["message"] for one in found["problems"] if one["line"] == line]

    for part, words in {
        "unused:": "Nothing uses the variable",
        "wrong:": "types are text",
        "id: idle": "Nothing uses the condition",
        "id: broken": "cannot be read",
        "id: a,": "has no field `txt`",
        "id: b,": "make_coffee",
        "id: c,": "no variable `other`",
        "id: d,": "never run",
        "id: e,": "comes later",
        "id: f,": "never run",
        "id: g,": "`item` has a value only",
        "id: h,": "no variable `othr`",
        "id: i,": "never run",
        "id: j,": "in quotes",
    }.items():
        assert any(words in one for one in at(part)), (part, at(part))
    assert any("no condition `nothing`" in one for one in at("id: c,"))
    refused = await served.call("run_policy", path=PATH, variables={"used": "x", "unused": "y"})
    assert refused.code == "invalid_arguments"
    assert (await served.call("approve_policy", path=PATH, digest=found["digest"])).code == "invalid_arguments"


async def test_a_note_needs_its_type_and_one_block(served: Served) -> None:
    for text, words in {
        note(CREATE).replace("type: policy", "type: note"): "is no policy",
        note(CREATE) + note(CREATE): "2 blocks",
        "---\ntype: policy\n---\n": "no block",
        "---\ntype: policy\n---\n```policy\nversion: 1\n": "never ends",
        "---\ntype: policy\n---\n````md\n```policy\nversion: 1\n```\n````\n": "no block",
    }.items():
        (root(served) / "P.md").write_text(text)
        answer = await served.call("check_policy", path="P.md")
        assert answer.code == "invalid_arguments"
        assert words in answer.json["error"]["message"]


async def test_variables_are_checked(served: Served) -> None:
    block = """
version: 1
variables:
  n: {type: number, default: 3}
  yes: {type: yes-no, default: false}
  many: {type: list, required: false}
  one: {type: choice, choices: [red, blue]}
  day: {type: date, default: 2026-01-31}
  of: {type: note}
steps:
  - id: x
    do: create_note
    path: X.md
    properties: {n: "{{variables.n}}", yes: "{{variables.yes}}", many: "{{variables.many}}", day: "{{variables.day}}"}
    text: "{{variables.one}} {{variables.of}} {{variables.many}} {{date:+1w}}"
"""
    await write_policy(served, block)
    good = {"one": "red", "of": "[[C]]", "n": "2.5", "yes": "yes", "many": ["a", 2]}
    for wrong in (
        {"one": "green"},
        {"of": "Nowhere"},
        {"n": "x"},
        {"yes": "maybe"},
        {"day": "someday"},
        {"tow": 1},
        {"one": None},
    ):
        answer = await served.call("run_policy", path=PATH, variables={**good, **wrong})
        assert answer.code in {"invalid_arguments", "note_not_found"}, (wrong, answer.body)
        assert next(iter(wrong)) in answer.json["error"]["message"]
    assert (await served.call("run_policy", path=PATH, variables=good)).status == 200
    text = (root(served) / "X.md").read_text()
    assert text.startswith("---\nn: 2.5\nyes: true\nmany:\n  - a\n  - 2\nday: 2026-01-31\n---\nred Folder/C.md a, 2 ")


# -- authoring ------------------------------------------------------------------------------------------------------


async def test_a_policy_is_drafted_from_what_was_done(served: Served) -> None:
    ids = []
    for name, water in (("Rye", "80"), ("Spelt", "65")):
        edits = [
            {
                "op": "create_note",
                "path": f"Bread/{name}.md",
                "properties": {"water": water},
                "text": f"# {name}\n\nOf {name}.",
            },
            {"op": "edit_note", "path": "A.md", "edits": [{"op": "add_item", "heading": "Log", "text": f"[[{name}]]"}]},
        ]
        made = await served.call("change_set", edits=edits)
        assert made.status == 200, made.body
        ids.append(made.json["change_id"])
    drafted = await served.call("author_policy", name="New bread", description="A bread.", changes=ids, confirm=True)
    assert drafted.status == 200, drafted.body
    assert drafted.json["problems"] == []
    path = drafted.json["path"]
    checked = (await served.call("check_policy", path=path)).json
    assert {one["name"] for one in checked["variables"]} == {"title", "water"}
    agent = await agent_of(served)
    await approve(served, path, checked["digest"])
    assert (await agent.call("run_policy", path=path, variables={"title": "Oat", "water": "70"})).status == 200
    assert (root(served) / "Bread/Oat.md").read_text() == '---\nwater: "70"\n---\n# Oat\n\nOf Oat.\n'
    assert "- [[Spelt]]\n\n- [[Oat]]\n" in (root(served) / "A.md").read_text()


async def test_what_cannot_be_repeated_is_said(served: Served) -> None:
    one = (await served.call("move_note", path="B.md", to="Folder/B.md")).json["change_id"]
    other = (await served.call("create_note", path="New.md", text="x")).json["change_id"]
    unlike = await served.call("author_policy", name="N", changes=[one, other])
    assert "not alike" in unlike.json["error"]["message"]
    read = (await served.call("read_note", path="New.md")).json
    gone = (await served.call("delete_note", path="New.md", digest=read["digest"])).json["change_id"]
    nothing = await served.call("author_policy", name="N", changes=[gone])
    assert "can be repeated" in nothing.json["error"]["message"]
    assert (await served.call("author_policy", name="N", changes=["0"])).code == "change_not_found"
    assert (await served.call("author_policy", name="N")).code == "invalid_arguments"
    assert "reading-note" in (await served.call("author_policy", name="N", starter="x")).json["error"]["hint"]


async def test_two_runs_at_once_are_one_after_the_other(served: Served) -> None:
    block = """
version: 1
conditions:
  - {id: new, check: note_missing, note: Once.md}
steps:
  - {id: make, when: new, do: create_note, path: Once.md}
  - {id: add, do: edit_note, path: A.md, edits: [{op: append, text: More.}]}
"""
    await write_policy(served, block)
    made = await asyncio.gather(*(served.call("run_policy", path=PATH) for _ in range(4)))
    assert [one.status for one in made] == [200] * 4
    assert sum(one.json["steps"][0]["state"] == "done" for one in made) == 1
    assert (root(served) / "A.md").read_text().count("More.") == 4


async def test_no_agent_is_offered_the_approval(served: Served) -> None:
    agent: Agent = await agent_of(served)
    found = await agent.call("find_tool", task="approve a policy")
    assert "approve_policy" not in [one["name"] for one in found.json["tools"]]
