"""What changes have in common becomes steps; what differs, or names a note, becomes variables."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from bridge.changes.draft import digest_of
from bridge.errors import InvalidArguments
from bridge.features.workflows.block import find_block, workflow_note, workflow_yaml
from bridge.features.workflows.examples import Example, draft_steps
from bridge.features.workflows.parse import read_workflow
from bridge.features.workflows.templates import moment_text, parse_reference
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

DAY = date(2026, 1, 31)


class Kept:
    """Contents by their digests."""

    def __init__(self) -> None:
        self.blobs: dict[Digest, bytes] = {}

    def keep(self, text: str | None) -> Digest | None:
        if text is None:
            return None
        digest = digest_of(text.encode())
        self.blobs[digest] = text.encode()
        return digest

    def put(self, path: str, before: str | None, after: str) -> Step:
        return Step("put", VaultPath(path), before=self.keep(before), after=self.keep(after))


def drafted(kept: Kept, *changes: list[Step], days: tuple[date, ...] = (DAY, DAY)) -> tuple[Any, Mapping[str, Any]]:
    found = draft_steps([Example(steps, day) for steps, day in zip(changes, days, strict=False)], kept.blobs.get)
    return found.steps, {name: one.sample for name, one in found.variables.items()}


def test_a_title_and_days_of_one_change() -> None:
    kept = Kept()
    log = "# Log\n\n## Done\n\n- old\n"
    steps = [
        kept.put(
            "Made/Rye bread.md",
            None,
            "---\nof: 2026-01-31\n---\n# Rye bread\n\nDue 2026-02-01, not 1999-01-01. {{x}}\n",
        ),
        kept.put("Log.md", log, f"{log}- 2026-01-31: [[Rye bread]]\n"),
    ]
    made, variables = drafted(kept, steps)
    assert variables == {"title": "Rye bread"}
    assert made == [
        {
            "op": "create_note",
            "path": "Made/{{variables.title}}.md",
            "properties": {"of": "{{today}}"},
            "text": "# {{variables.title}}\n\nDue {{date:+1d}}, not 1999-01-01. \\{{x}}\n",
        },
        {
            "op": "edit_note",
            "path": "Log.md",
            "edits": [{"op": "add_item", "text": "{{today}}: [[{{variables.title}}]]", "heading": "Log > Done"}],
        },
    ]


@pytest.mark.parametrize(
    ("written", "template"),
    [
        ("24.12.2026", "{{date:+1d:DD.MM.YYYY}}"),
        ("1.1.2027", "{{date:+9d:D.M.YYYY}}"),
        ("12/24/2026", "{{date:+1d:MM/DD/YYYY}}"),
        ("24/12/2026", "{{date:+1d:DD/MM/YYYY}}"),
        ("2026/12/23", "{{now:YYYY/MM/DD}}"),
        ("December 23, 2026", "{{now:MMMM D, YYYY}}"),
        ("24 Dec 2026", "{{date:+1d:D MMM YYYY}}"),
        ("2026年12月24日", "{{date:+1d:YYYY年M月D日}}"),
        ("2026년 12월 24일", "{{date:+1d:YYYY년 M월 D일}}"),
    ],
)
def test_a_day_keeps_its_form(written: str, template: str) -> None:
    kept, day = Kept(), date(2026, 12, 23)
    found = draft_steps([Example([kept.put("Made.md", None, f"By {written}, or 1.1.1999.\n")], day)], kept.blobs.get)
    assert (found.steps[0]["text"], found.remarks) == (f"By {template}, or 1.1.1999.\n", [])
    assert moment_text(parse_reference(template.strip("{}")), datetime(2026, 12, 23, 12, tzinfo=UTC)) == written


@pytest.mark.parametrize(
    "written",
    [
        *("11/12/2026", "12-12-2026", "24 décembre 2026", "24. Dezember 2026", "24 de diciembre de 2026"),
        *("२४ दिसंबर 2026", "24 בדצמבר 2026", "٢٤ ديسمبر ٢٠٢٦", "٢٤/١٢/٢٠٢٦"),
    ],
)
def test_a_day_that_cannot_be_read_stays_and_is_told(written: str) -> None:
    kept, days = Kept(), (date(2026, 12, 23), date(2026, 12, 23))
    steps = [kept.put("Made.md", None, f"By {written}.\n")]
    found = draft_steps([Example(steps, days[0])], kept.blobs.get)
    assert found.steps[0]["text"] == f"By {written}.\n"
    assert [remark.partition(":")[0] for remark in found.remarks] == [f"The day `{written}` stays as it is"]
    made, variables = drafted(kept, steps, [kept.put("Made.md", None, "By 9.1.2027.\n")], days=days)
    assert (made[0]["text"], variables) == ("By {{variables.text}}.\n", {"text": written})


def test_what_differs_between_two_changes() -> None:
    kept = Kept()
    each = [
        [
            kept.put(f"{name}.md", None, f"---\nwater: {water}\n---\n{name} has {water} % of water, as always.\n"),
            Step("move", VaultPath(f"{old}.md"), to=VaultPath(f"Old/{old}.md")),
        ]
        for name, water, old in (("Rye", "80", "Aa"), ("Spelt", "65", "Bb"))
    ]
    made, variables = drafted(kept, *each, days=(DAY, date(2026, 2, 3)))
    assert variables == {"title": "Rye", "water": 80, "name": "Aa"}
    assert made[0]["text"] == "{{variables.title}} has {{variables.water}} % of water, as always.\n"
    assert made[0]["properties"] == {"water": "{{variables.water}}"}
    assert made[1] == {"op": "move_note", "path": "{{variables.name}}.md", "to": "Old/{{variables.name}}.md"}


def test_what_differs_stands_in_a_title_beside_a_day() -> None:
    kept = Kept()
    each = [
        [
            kept.put(
                f"Uni/Lezione {of} {DAY}.md", None, f"---\nclass: '[[{of}]]'\ncourse: {of}\n---\n# {of}\n\nOf {DAY}.\n"
            )
        ]
        for of in ("Reti", "Automi")
    ]
    made, variables = drafted(kept, *each)
    assert variables == {"course": "Reti"}
    assert made == [
        {
            "op": "create_note",
            "path": "Uni/Lezione {{variables.course}} {{today}}.md",
            "properties": {"class": "[[{{variables.course}}]]", "course": "{{variables.course}}"},
            "text": "# {{variables.course}}\n\nOf {{today}}.\n",
        }
    ]
    alone, variables = drafted(kept, each[0])
    assert variables == {"course": "Reti", "title": "Lezione Reti"}
    assert alone[0]["path"] == "Uni/{{variables.title}} {{today}}.md"
    assert "Reti" not in str(alone)


def test_a_property_that_one_change_lacks_is_left_out() -> None:
    kept = Kept()
    each = [
        [kept.put(f"{of}.md", None, f"---\nn: {n}\nof: [{of}]\n{more}---\n")]
        for of, n, more in (("Aa", 1, "x: y\n"), ("Bb", 2, ""))
    ]
    found = draft_steps([Example(steps, DAY) for steps in each], kept.blobs.get)
    assert found.steps[0]["properties"] == {"n": "{{variables.n}}", "of": ["{{variables.of}}"]}
    assert found.variables["n"].kind == "number"
    assert found.remarks == ["The property `x` of `Aa.md` is left out: not every change has it."]


def test_properties_tasks_and_sections_are_recognised() -> None:
    kept = Kept()
    before = "---\na: 1\nb: 2\n---\n# T\n\n## S\n\nText.\n\n## Z\n\n- [ ] x\n"
    after = "---\na: 1\nc: 3\n---\n# T\n\n## S\n\nText.\n\nNew paragraph.\n\n## Z\n\n- [ ] x\n- [ ] y\n"
    made, _ = drafted(kept, [kept.put("N.md", before, after)])
    assert made == [
        {"op": "set_properties", "path": "N.md", "properties": {"c": 3}, "remove": ["b"]},
        {
            "op": "edit_note",
            "path": "N.md",
            "edits": [{"op": "insert_under", "text": "New paragraph.", "heading": "T > S"}],
        },
        {"op": "add_task", "path": "N.md", "text": "y", "heading": "T > Z"},
    ]


def test_a_changed_note_is_given_by_its_name_or_as_a_note() -> None:
    kept = Kept()

    def read(*paths: str) -> list[Step]:
        return [kept.put(path, "", "---\nread: true\n---\n") for path in paths]

    log = [[kept.put("Log.md", "", f"---\nlast: Rye {of}\n---\n")] for of in ("bread", "cake")]
    made, variables = drafted(kept, *[read(f"Books/Rye {of}.md") + log[at] for at, of in enumerate(("bread", "cake"))])
    assert [one["path"] for one in made] == ["Books/{{variables.name}}.md", "Log.md"]
    assert (made[1]["properties"], variables) == ({"last": "{{variables.name}}"}, {"name": "Rye bread"})

    found = draft_steps(
        [
            Example(steps, DAY)
            for steps in (read("Books/Dune.md", "Log 2026-01-31.md"), read("Films/Alien.md", "Log 2026-01-31.md"))
        ],
        kept.blobs.get,
    )
    assert [one["path"] for one in found.steps] == ["{{variables.note}}", "Log {{today}}.md"]
    assert [(name, one.kind, one.sample) for name, one in found.variables.items()] == [
        ("note", "note", "Books/Dune.md")
    ]


def test_what_cannot_be_repeated_is_refused_or_said() -> None:
    kept = Kept()
    gone = Step("remove", VaultPath("A.md"), before=kept.keep("x"))
    with pytest.raises(InvalidArguments, match="can be repeated"):
        drafted(kept, [gone])
    with pytest.raises(InvalidArguments, match="not alike"):
        drafted(kept, [kept.put("A.md", None, "x")], [Step("move", VaultPath("A.md"), to=VaultPath("B.md"))])
    found = draft_steps(
        [Example([kept.put("Abc.md", None, "x"), gone, kept.put("B.md", "one\n", "two\n")], DAY)], kept.blobs.get
    )
    assert [one["op"] for one in found.steps] == ["create_note"]
    assert len(found.remarks) == 2


@pytest.mark.parametrize(
    "text", ["yes", "0o17", "1e3", "a: b # c", "- x\n  y\n", "```\nx\n```\n", "\u2028", "  x  \n\ny ", "[[a]]", "{{x"]
)
def test_yaml_says_what_was_meant(text: str) -> None:
    steps: list[dict[str, Any]] = [
        {"id": "a", "do": "create_note", "path": "A.md", "text": text, "properties": {"n": 1, "t": text, "of": None}}
    ]
    written = workflow_yaml("Of a: b", {"v": {"type": "text"}}, steps)
    workflow = read_workflow(written).workflow
    assert workflow.description == "Of a: b"
    assert workflow.steps[0].arguments == {name: value for name, value in steps[0].items() if name not in ("id", "do")}
    assert read_workflow(find_block(workflow_note("N", "Prose", written)).text).workflow == workflow
