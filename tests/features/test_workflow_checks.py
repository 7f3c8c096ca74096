"""The faults of a workflow are named with their line, and wrong variables by their name."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.api.call import OWNER, Call
from bridge.features import get_operation
from bridge.features.workflows import read
from tests.features.served import Served
from tests.features.workflows import CREATE, NOTES, PATH, note, ran, root, write_workflow

__all__ = ["NOTES"]


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
  - {id: k, do: create_note, op: delete_note, path: A.md}
"""
    await write_workflow(served, block)
    found = (await served.call("list_workflows", path=PATH)).json["workflows"][0]
    text = (root(served) / PATH).read_text().split("\n")

    def at(part: str) -> list[str]:
        line = next(number for number, one in enumerate(text, 1) if part in one)
        return [one["message"] for one in found["problems"] if one["line"] == line]

    for part, words in {
        "unused:": "Nothing uses the variable",
        "wrong:": "`type` must be one of text",
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
        "id: k,": "no argument `op`",
    }.items():
        assert any(words in one for one in at(part)), (part, at(part))
    assert any("no condition `nothing`" in one for one in at("id: c,"))
    refused = await served.call("run_workflow", path=PATH, variables={"used": "x", "unused": "y"})
    assert refused.code == "invalid_arguments"
    assert (await served.call("decide", id=f"{PATH}@{found['digest']}", verdict="accept")).code == "invalid_arguments"


async def test_an_argument_that_does_not_fit_is_named_with_its_own_line(served: Served) -> None:
    block = "version: 1\nsteps:\n  - id: a\n    do: create_note\n    path: A.md\n    txt: x\n  - id: b\n    do: brew\n"
    await write_workflow(served, block)
    found = (await served.call("list_workflows", path=PATH)).json["workflows"][0]["problems"]
    lines = (root(served) / PATH).read_text().split("\n")
    assert [lines[one["line"] - 1].strip() for one in found] == ["txt: x", "do: brew"]


async def test_a_property_that_no_note_has_is_a_remark(served: Served) -> None:
    block = """
version: 1
variables: {n: {type: number}}
conditions:
  - {id: open, where: variables.n > 1 && stauts == "open" && new == 1 && STATUS == "x", note: A.md}
  - {id: has, check: property_exists, note: A.md, property: stautus}
steps:
  - {id: a, do: set_properties, path: A.md, properties: {New: 1}, when: [open, has]}
  - {id: b, do: find_notes, where: note.statis == item.x || steps.a.count}
"""
    await write_workflow(served, block)
    found = (await served.call("list_workflows", path=PATH)).json["workflows"][0]
    text = (root(served) / PATH).read_text().split("\n")
    said = {(text[one["line"] - 1].split(",")[0].split()[-1], one["message"]) for one in found["problems"]}
    closest = "the closest is `status`."
    assert {(id_, message) for id_, message in said if "property" in message} == {
        ("open", f"There is no property `stauts`; {closest}"),
        ("has", f"There is no property `stautus`; {closest}"),
        ("b", f"There is no property `statis`; {closest}"),
    }
    assert not [one for one in found["problems"] if "property" in one["message"] and one["serious"]]


async def test_what_is_not_there_is_named(served: Served) -> None:
    """A step that always runs cannot do without it; what may be there until then, or another value, is a remark."""
    block = """
version: 1
variables:
  list: {type: text, default: List.md}
  inbox: {type: text, default: Inbox}
  any: {type: text}
conditions:
  - {id: listed, check: note_exists, note: Other.md}
steps:
  - {id: a, do: edit_note, path: Nowhere.md, edits: [{op: append, text: x}]}
  - {id: b, do: edit_note, path: "{{variables.list}}", edits: [{op: append, text: x}]}
  - {id: c, do: edit_note, path: Other.md, edits: [{op: append, text: x}], when: listed}
  - {id: d, do: find_notes, folder: "{{variables.inbox}}"}
  - {id: e, do: create_note, path: New.md, template: Templates/None.md}
  - {id: f, do: edit_note, path: New, edits: [{op: append, text: x}]}
  - {id: g, do: edit_note, path: "{{variables.any}}.md", edits: [{op: append, text: x}]}
  - {id: h, do: create_note, path: "{{daily}}", template: "{{daily:template}}"}
  - {id: i, do: find_notes, where: status == "shut" && variables.inbox == "Inbox"}
  - {id: j, do: find_notes, where: status == "open", folder: Folder}
  - {id: k, do: find_notes, where: status == "open"}
  - {id: l, do: find_notes, where: status == steps.k.count}
"""
    daily = root(served) / ".obsidian/daily-notes.json"
    daily.parent.mkdir(exist_ok=True)
    daily.write_text('{"template": "Templates/Day"}')
    await write_workflow(served, block)
    found = (await served.call("list_workflows", path=PATH)).json["workflows"][0]
    assert [(one["message"], one["serious"]) for one in found["problems"]] == [
        ("The step `a` needs `Nowhere.md`: it is not there.", True),
        ("The step `b` needs `List.md`: it is not there.", False),
        ("The step `c` needs `Other.md`: it is not there.", False),
        ("The step `d` needs `Inbox`: it is not there.", False),
        ("The step `e` needs `Templates/None.md`: it is not there.", True),
        ("The step `h` needs `Templates/Day.md`: it is not there.", False),
        ("The step `i` finds nothing now: no note passes `where`.", False),
        ("The step `j` finds nothing now: no note passes `where`.", False),
    ]


async def test_a_note_needs_its_type_and_one_block(served: Served) -> None:
    for text, words in {
        note(CREATE).replace("type: workflow", "type: note"): "is no workflow",
        note(CREATE) + note(CREATE): "2 blocks",
        "---\ntype: workflow\n---\n": "no block",
        "---\ntype: workflow\n---\n```workflow\nversion: 1\n": "never ends",
        "---\ntype: workflow\n---\n````md\n```workflow\nversion: 1\n```\n````\n": "no block",
    }.items():
        (root(served) / "P.md").write_text(text)
        answer = await served.call("list_workflows", path="P.md")
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
    await write_workflow(served, block)
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
        answer = await served.call("run_workflow", path=PATH, variables={**good, **wrong})
        assert answer.code in {"invalid_arguments", "note_not_found"}, (wrong, answer.body)
        assert next(iter(wrong)) in answer.json["error"]["message"]
    assert (await served.call("run_workflow", path=PATH, variables=good)).status == 200
    text = (root(served) / "X.md").read_text()
    assert text.startswith("---\nn: 2.5\nyes: true\nmany:\n  - a\n  - 2\nday: 2026-01-31\n---\nred Folder/C.md a, 2 ")


PATHS = [
    ("do: create_note, path: ../Out.md", "outside_vault"),
    ("do: create_note, path: '../{{variables.x}}.md'", "outside_vault"),
    ("do: create_note, path: '{{variables.x}}/../Out.md'", "outside_vault"),
    ("do: create_note, path: /etc/passwd.md", "outside_vault"),
    ("do: create_note, path: .obsidian/Note.md", "protected_path"),
    ("do: create_note, path: '.obsidian/{{now:YYYY/MM}}.md'", "protected_path"),
    ("do: create_note, path: '.{{variables.x}}.md'", "protected_path"),
    ("do: create_note, path: Made.txt", "invalid_arguments"),
    ("do: create_note, path: Made", "invalid_arguments"),
    ("do: create_note, path: Secret/New.md", "protected_path"),
    ("do: create_note, path: 'Secret/{{variables.x}}.md'", "protected_path"),
    ("do: create_note, path: 'Outside/{{variables.x}}.md'", "outside_vault"),
    ("do: create_note, path: Kept/New.md", "protected_path"),
    ("do: move_note, path: A.md, to: ../A.md", "outside_vault"),
    ("do: move_note, path: A.md, to: Kept/A.md", "protected_path"),
    ("do: edit_note, path: Kept/K.md, edits: [{op: append, text: x}]", "protected_path"),
    ("do: edit_note, path: '[[../A]]', edits: [{op: append, text: x}]", "outside_vault"),
    ("do: find_notes, folder: ../Out", "outside_vault"),
    ("do: find_notes, folder: .obsidian", "protected_path"),
]


@pytest.mark.parametrize(("step", "code"), PATHS)
async def test_a_path_that_a_run_refuses_is_a_fault_before(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: str
) -> None:
    (root(served) / "Outside").symlink_to(tmp_path)
    rules = {"deny": ["Secret/**"], "readonly": ["Kept/**"]}
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": rules})
    block = f"version: 1\nvariables: {{x: {{type: text}}}}\nsteps:\n  - {{id: a, {step}}}\n"
    await write_workflow(served, block + 'output: "{{variables.x}}"')
    found = (await served.call("list_workflows", path=PATH)).json["workflows"][0]
    assert [one["line"] for one in found["problems"] if one["serious"]] == [12], found["problems"]
    # The run itself refuses it, too, if nothing is checked before.
    read_text = read.read_text
    monkeypatch.setattr(read, "read_text", lambda *given: replace(read_text(*given), problems=()))
    refused = await served.call("run_workflow", path=PATH, variables={"x": "y"})
    assert refused.code == code, refused.body


@pytest.mark.parametrize(
    "step",
    [
        "do: create_note, path: '{{variables.x}}/New.md'",
        "do: create_note, path: '{{variables.x}}'",
        "do: create_note, path: 'Made/{{now:YYYY-MM-DD}}.md'",
        "do: create_note, path: 'Folder/{{variables.x}}'",
        "do: edit_note, path: '[[A#Log|a: b]]', edits: [{op: append, text: x}]",
        "do: edit_note, path: A, edits: [{op: append, text: x}]",
        "do: find_notes, folder: /",
        "do: find_notes, folder: Folder/",
        "do: search, query: ../x, folder: Folder",
    ],
)
async def test_a_path_that_may_be_right_is_no_fault(served: Served, step: str) -> None:
    rules = {"deny": ["Secret/**", "{{*", "*{{variables.x}}*"], "readonly": ["Kept/**"]}
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": rules})
    block = f"version: 1\nvariables: {{x: {{type: text}}}}\nsteps:\n  - {{id: a, {step}}}\n"
    await write_workflow(served, block + 'output: "{{variables.x}}"')
    found = (await served.call("list_workflows", path=PATH)).json["workflows"][0]
    assert [one for one in found["problems"] if one["serious"]] == []


@pytest.mark.parametrize(
    ("field", "sound"),
    [
        ("path: '{{variables.x}}{today}}.md'", False),
        ("path: '{{variables.x}.md'", False),
        ("path: 'a{ {{variables.x}}.md'", False),
        ("path: '{{variables.x}} {draft}.md'", True),
        ("path: '{{variables.x}}.md', text: 'of {today}}'", False),
        ("path: '{{variables.x}}.md', text: 'of {{today'", False),
        ("path: '{{variables.x}}.md', properties: {a: '{variables.x}}'}", False),
        ("path: '{{variables.x}}.md', text: '\\{{today}} \\{{ \\frac{a_{1}}{b} }} {today} {{'", True),
        ("path: '{{variables.x}}.md', text: '{{variables.y}}'", True),
        ("path: 'Of {{variables.y}}.md', text: '{{variables.x}}'", False),
    ],
)
async def test_braces_that_cannot_be_meant_and_paths_without_a_name_are_faults(
    served: Served, field: str, sound: bool
) -> None:
    variables = "x: {type: text}, y: {type: text, required: false}"
    block = f"version: 1\nvariables: {{{variables}}}\nsteps:\n  - {{id: a, do: create_note, {field}}}\n"
    await write_workflow(served, block + 'output: "{{variables.x}} {{variables.y}}"')
    found = (await served.call("list_workflows", path=PATH)).json["workflows"][0]
    assert found["sound"] is sound, found["problems"]


async def test_a_protected_path_in_a_step_that_may_be_skipped_is_a_remark(served: Served) -> None:
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": {"readonly": ["Kept/**"]}})
    block = """
version: 1
conditions: [{id: there, check: note_exists, note: Nowhere.md}]
steps:
  - {id: a, when: there, do: create_note, path: Kept/New.md}
  - {id: b, do: create_note, path: New.md}
"""
    assert (await ran(served, block))["path"] == "New.md"
    found = (await served.call("list_workflows", path=PATH)).json["workflows"][0]
    assert [(one["serious"], "protect" in one["message"]) for one in found["problems"]] == [(False, True)]
