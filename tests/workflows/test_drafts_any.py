"""Whatever notes of one kind say: what is drafted of them is sound, and makes the first of them again."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from bridge.changes.draft import Draft
from bridge.changes.requests.base import RequestContext
from bridge.changes.requests.create_note import CreateNote
from bridge.features.workflows.check import check_workflow
from bridge.features.workflows.examples import Example, draft_note
from bridge.features.workflows.parse import Workflow, read_workflow
from bridge.features.workflows.read import workflow_yaml
from bridge.features.workflows.run import WorkflowHost, WorkflowRun, bind_sample
from bridge.features.workflows.templates import bind_variables
from bridge.markdown.frontmatter import cut_frontmatter, load_properties
from bridge.markdown.note import Value
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from bridge.vault.paths import file_name_for
from tests.changes.vaults import Paper

DAYS = (date(2026, 11, 28), date(2026, 12, 3))

WORDS = st.sampled_from(
    [
        *("Reti", "reti", "Automi", "Rye bread", "Lezione", "di", "C++", "a{b}c", "{", "}", "{{", "}}", "{{today}}"),
        *("[[Reti]]", "(x)", "2026-11-28", "2026-11-29", "1999-01-01", "网络", "自动机", "कक्षा", "דקדוק", "شبكة"),
        *("29.11.2026", "11/29/2026", "2026年11月28日", "November 29, 2026", "24. Dezember 2026", "03/12/2026"),
        *("\\", "é", "e\u0301", "3", "O'Neil", "-", "👩\u200d🎓", "%", "a: b", "# x", "con", "{{date:+1d}}"),
    ]
)
VALUES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
NAMES = VALUES.filter(
    lambda name: file_name_for(name, lambda _: False, default="") == name and not re.search(r"\d{4}", name)
)
SHAPES = st.sampled_from(
    [
        ("Lezione {course} {day}", "# Lezione {course}\n\nSee [[{other}]] of {day}, and {course} again.\n"),
        ("{day} {course}", "{other}\n\n## {course}\n\n- {course}, {other}\n- \\{course} \\{{{course} {{{day}}}\n"),
        ("{course}", "{course}{other}\n"),
        ("第{course}课", "今天学习{course}的内容。\n\n{other}"),
        ("{course} {other}", "Nothing that differs. {{{{x}}}} }}}} {{\n"),
    ]
)


def made(shape: tuple[str, str], course: str, other: str, day: date) -> tuple[VaultPath, bytes]:
    """Return a note as an agent makes it."""
    name, text = (one.format(course=course, other=other, day=day) for one in shape)
    path = VaultPath(f"Lessons/{name}.md")
    request = CreateNote(path=path, text=text, properties={"class": course, "of": [other, "x"], "n": len(other)})
    return path, carried_out(request, day).files[path]


def carried_out(request: Any, day: date) -> Paper:
    """Return an empty vault after a change."""
    paper = Paper.of({})
    draft = Draft(paper.read, paper.files.__contains__)
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    request.plan(draft, RequestContext(lambda _: paper.view(), ObsidianSettings, noon))
    for step in draft.steps:
        if step.kind == "put":
            paper.put(step.path, draft.read(step.path))
    return paper


def run(workflow: Workflow, given_values: Mapping[str, Any], day: date) -> Paper:
    """Return an empty vault after a run of a workflow."""

    def bind(value: Mapping[str, Any], _: object) -> Any:
        found: Any = bind_sample(value["op"], {name: one for name, one in value.items() if name != "op"})
        return found["edits"][0]

    host = WorkflowHost(Path(), None, bind, lambda *_: {}, lambda *_: {})
    return carried_out(WorkflowRun(workflow, bind_variables(workflow, given_values, lambda _, text: text), host), day)


def read_example(path: VaultPath, data: bytes) -> Example:
    text = data.decode()
    cut = cut_frontmatter(text)
    assert cut is not None
    return Example(path, dict(load_properties(text[slice(*cut[0])]).values), text[cut[1] :])


def sample_of(facts: Mapping[str, Value]) -> Value:
    text = str(facts["description"]).partition(" · ")[0]
    return int(text) if facts["type"] == "number" else text.split(", ") if facts["type"] == "list" else text


@given(SHAPES, st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=3), st.booleans())
@example(("Lezione {course} {day}", "# {course}\n\n[[{course}]]\n"), [("Reti", "x"), ("Automi", "y")], True)
@example(("{day} {course}", "- \\{{{course} {{{day}}}\n"), [("{{today}}", "Reti")], False)
@example(("Lezione {course} {day}", "# {course}\n\n[[{course}]]\n"), [("Reti", "x")], True)
@example(("{day} {course}", "# {course}\n"), [("{{ con", "Reti")], False)
@example(("{course} {other}", "Nothing that differs.\n"), [("Reti", "reti")], False)
@example(("第{course}课", "今天学习{course}的内容。\n\n{other}"), [("Reti reti", "x"), ("reti", "x")], False)
def test_a_draft_is_sound_and_makes_the_first_note_again_with_less_text(
    shape: tuple[str, str], values: list[tuple[str, str]], same_day: bool
) -> None:
    days = tuple(DAYS[0] if same_day else DAYS[at % 2] for at in range(len(values)))
    notes = [made(shape, course, other, day) for (course, other), day in zip(values, days, strict=True)]
    assume(all(len(path) < 80 for path, _ in notes))
    found = draft_note([read_example(path, data) for path, data in notes], lambda _: VaultPath(""))
    read = read_workflow(workflow_yaml("A lesson.", found.variables, found.steps, ""))
    assert [*read.problems, *check_workflow(read.workflow, bind_sample)] == []
    samples = {name: sample_of(facts) for name, facts in found.variables.items()}
    path, data = notes[0]
    ((again, written),) = run(read.workflow, samples, days[0]).files.items()
    assert again == path
    lines = data.decode().casefold().splitlines()
    cut = cut_frontmatter(written.decode())
    for line in written.decode()[0 if cut is None else cut[1] :].casefold().splitlines():
        assert any(one.startswith(line) for one in lines)
