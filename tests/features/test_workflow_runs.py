"""A workflow is one change: its steps see each other, values stay data, and bounds hold."""

import pytest

from bridge.settings.file import save_settings
from tests.features.served import Served
from tests.features.workflows import CREATE, NOTES, PATH, approve, contents, ran, root, write_workflow

__all__ = ["NOTES"]


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
    drafted = (await served.call("author_workflow", name="P", text=written, dry_run=True)).json
    assert ["properties" in one["message"] for one in drafted["problems"]] == [True]


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
    digest = await write_workflow(served, COURSE)
    before = contents(served)
    shown = (await served.call("run_workflow", path=PATH, dry_run=True)).json
    assert contents(served) == before
    await approve(served, PATH, digest)
    made = (await served.call("run_workflow", path=PATH)).json
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
        ("{id: z, do: set_properties, path: '{{variables.none}}', properties: {a: 1}}", "note_not_found"),
        ("{id: z, do: create_note, path: B.md}", "note_exists"),
        ("{id: z, do: edit_note, path: '{{variables.kept}}', edits: [{op: append, text: x}]}", "protected_path"),
        ("{id: z, do: create_note, path: '{{variables.secret}}/New.md'}", "protected_path"),
        ("{id: z, do: edit_note, path: '{{variables.secret}}/S.md', edits: [{op: append, text: x}]}", "note_not_found"),
        ("{id: z, do: edit_note, path: B.md, edits: [{op: replace_text, old: See, new: Do}]}", "invalid_arguments"),
        ("{id: z, do: delete_note, path: B.md}", "invalid_arguments"),
    ],
)
async def test_a_refused_step_undoes_all(served: Served, last: str, code: str) -> None:
    rules = {"readonly": ["Kept/**"], "deny": ["Secret/**"]}
    await served.bridge.use(save_settings(served.bridge.settings_path, rules))
    # The check before a run knows no values.
    places = "{kept: {default: Kept/K.md}, secret: {default: Secret}, none: {default: None.md}}"
    block = f"version: 1\nvariables: {places}\nsteps:\n  - {{id: a, do: create_note, path: New.md}}\n  - {last}\n"
    await write_workflow(served, block)
    before = contents(served)
    for dry_run in (True, False):
        answer = await served.call("run_workflow", path=PATH, dry_run=dry_run)
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
  - {id: told, do: summarise, modified_after: "2000-01-01", focus: hidden}
  - {id: told_of, each: steps.told.sentences, do: create_note, path: "Told of {{item.name}}.md", if_exists: skip}
  - id: note
    do: create_note
    path: New.md
    text: |
      {{conditions.there}} {{conditions.named}} {{conditions.section}}
      {{steps.found.count}} {{steps.all.count}} {{steps.hits.count}}
"""
    step = "{id: a, do: create_note, path: Of.md, text: '{{variables.of}}'}"
    of = f"version: 1\nvariables: {{of: {{type: note}}}}\nsteps: [{step}]"
    for name in ("Secret/S.md", "S", "[[S]]", "Nowhere"):
        assert (await ran(served, of, of=name))["code"] == "note_not_found"
    made = await ran(served, block)
    assert (root(served) / "New.md").read_text() == "false false false\n0 0 0\n", made
    assert not (root(served) / "Told of S.md").exists()


async def test_a_summary_is_a_list_of_sentences_with_their_notes(served: Served) -> None:
    said = "The bees came back in April and filled two frames."
    await served.call("create_note", path="Folder/Bees.md", text=f"# Bees\n\n{said}\n")
    block = """
version: 1
variables: {of: {type: text}}
steps:
  - {id: told, do: summarise, paths: ["Folder/{{variables.of}}.md"], length: line}
  - id: note
    do: create_note
    path: New.md
    text: |
      {{steps.told.first.text}} ([[{{steps.told.first.name}}]], line {{steps.told.first.line}})
"""
    made = await ran(served, block, of="Bees")
    written = (root(served) / "New.md").read_text()
    assert written == f"{said} ([[Bees]], line 3)\n", made


async def test_what_a_summary_lacks_is_refused_before_it_runs(served: Served) -> None:
    block = """
version: 1
steps:
  - {id: told, do: summarise, paths: [Folder], limit: 3}
  - {id: note, do: create_note, path: New.md, text: "{{steps.told.text}}"}
"""
    await write_workflow(served, block)
    problems = (await served.call("list_workflows", path=PATH)).json["workflows"][0]["problems"]
    told = [one["message"] for one in problems if one["serious"]]
    assert [name for name in ("limit", "text") if any(f"`{name}`" in one for one in told)] == ["limit", "text"], told


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
    await write_workflow(served, loop)
    unconfirmed = await served.call("run_workflow", path=PATH, variables={"names": many[:10]})
    assert unconfirmed.code == "confirmation_required"
    assert contents(served).keys() - before.keys() == {PATH}
    shown = await served.call("run_workflow", path=PATH, variables={"names": many[:10]}, dry_run=True)
    assert "confirm_files" in shown.json["confirmation"]
    wrong = await served.call("run_workflow", path=PATH, variables={"names": many[:3]}, expect={"files": 4})
    assert wrong.code == "expectation_failed"
    made = await served.call(
        "run_workflow", path=PATH, variables={"names": many[:10]}, confirm=True, expect={"files": 10}
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
    await write_workflow(served, block)
    assert (await served.call("run_workflow", path=PATH)).code == "confirmation_required"


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
        drafted = await served.call("author_workflow", name="P", text=text, dry_run=True)
        assert drafted.status in {200, 400}, drafted.body
        assert drafted.status == 400 or any(one["serious"] for one in drafted.json["problems"])


async def test_a_question_is_asked_for_every_entry_of_a_list(served: Served) -> None:
    block = """
version: 1
variables: {places: {type: list}, none: {type: list, default: []}}
steps:
  - {id: found, each: variables.places, do: find_notes, folder: "{{item}}", where: 'file.name != variables.places'}
  - {id: more, each: steps.found.notes, do: list_tasks, path: "{{item.path}}"}
  - {id: nothing, each: variables.none, do: find_notes, folder: "{{item}}"}
  - {id: note, do: create_note, path: Found.md, text: "{{steps.found.count}} {{steps.nothing.total}}"}
  - id: list
    each: steps.found.notes
    do: edit_note
    path: Found.md
    edits: [{op: add_item, text: "[[{{item.name}}]]"}]
output: "{{steps.more.count}} of {{steps.more.total}}, first {{steps.more.first.text}}"
"""
    (root(served) / "Folder/D.md").write_text("- [ ] Dig\n- [ ] Dig\n- [x] Rest\n")
    made = await ran(served, block, places=["Folder", "Kept", "folder"])
    assert made["output"] == "3 of 3, first Dig", made
    assert (root(served) / "Found.md").read_text() == "3 0\n\n- [[C]]\n- [[D]]\n- [[K]]\n"
    assert [(one["id"], one["turns"], one["found"]) for one in made["steps"][:3]] == [
        ("found", 3, 3),
        ("more", 3, 3),
        ("nothing", 0, None),
    ]
    too_many = await ran(served, block.replace("Found.md", "Other.md"), places=["Folder"] * 51)
    assert "at most 50 times" in too_many["message"]


GIVEN = """
version: 1
variables:
  title: {type: text}
  day: {type: date}
  author: {type: text, required: false}
  genre: {type: list, required: false}
  seen: {type: text, default: ""}
steps:
  - id: note
    do: create_note
    path: "{{variables.day:YYYY}}/{{variables.title}}.md"
    properties:
      author: "{{variables.author}}"
      seen: "{{variables.seen}}"
      genre: "{{variables.genre}}"
      tags: [book, "{{variables.genre}}"]
    text: |
      Of {{variables.day:MMM. Do, YYYY}}
      By: {{variables.author}}
"""


async def test_what_is_not_given_is_left_out_unless_it_has_an_empty_default(served: Served) -> None:
    made = await ran(served, GIVEN, title='A "small" (old?) book', day="2002-04-07")
    assert made["path"] == "2002/A small (old) book.md"
    assert ['A "small" (old?) book' in one for one in made["warnings"]] == [True]
    written = (root(served) / made["path"]).read_text()
    assert written == "---\nseen:\ntags:\n  - book\n---\nOf Apr. 7th, 2002\nBy:\n"
    made = await ran(served, GIVEN, title="B", day="2002-04-07", author="Ada", genre=["book", "sand"])
    written = (root(served) / made["path"]).read_text()
    assert "tags:\n  - book\n  - sand\n" in written
    assert written.startswith("---\nauthor: Ada\nseen:\ngenre:\n  - book\n  - sand\n")
    assert (await ran(served, GIVEN.replace("variables.day:", "variables.title:"), title="C", day="2002-04-07"))[
        "code"
    ] == "invalid_arguments"


async def test_a_variable_that_names_a_note_has_its_fields(served: Served) -> None:
    block = """
version: 1
variables: {note: {type: note}}
steps:
  - id: mark
    do: set_properties
    path: "{{variables.note}}"
    properties: {since: "2002-04-07", tags: ["{{variables.note.properties.tags}}", seen]}
  - id: move
    do: move_note
    path: "{{variables.note}}"
    to: "{{variables.note.properties.status}}/{{variables.note.properties.since:YYYY}}/{{variables.note.name}}.md"
"""
    assert (await ran(served, block, note="A"))["path"] == "open/2002/A.md"
    assert "tags:\n  - seen\n" in (root(served) / "open/2002/A.md").read_text()
    for wrong in ("variables.note.nothing", "variables.note.name.of"):
        text = block.replace("variables.note.name", wrong)
        refused = await served.call("author_workflow", name="P", text=text, dry_run=True)
        assert [wrong in one["message"] for one in refused.json["problems"]] == [True]
