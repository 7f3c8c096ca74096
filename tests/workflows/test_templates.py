"""Templates are filled in once, with values that stay what they are."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest

from bridge.errors import InvalidArguments
from bridge.features.workflows.templates import (
    TemplateFiller,
    TemplateReference,
    find_references,
    moment_text,
    parse_reference,
)
from bridge.markdown.note import Value

NOW = datetime(2026, 1, 31, 9, 5).astimezone()
VALUES: Mapping[str, Value] = {
    "a": "A: [[x]] {{today}} \\{{",
    "n": 3,
    "yes": True,
    "many": ["x", 1],
    "up": "../../x",
    "name": "One/Two: three?",
    "object": {"path": "x"},
    "none": None,
}


def resolve(reference: TemplateReference) -> Value:
    if reference.root in ("today", "now", "date"):
        return moment_text(reference, NOW)
    return VALUES[reference.names[0]]


@pytest.fixture
def filler() -> TemplateFiller:
    return TemplateFiller(resolve)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{variables.a}}!", "A: [[x]] {{today}} \\{{!"),
        ("{{ variables.n }}", 3),
        ("n {{variables.n}}", "n 3"),
        ("{{variables.many}}", ["x", 1]),
        ("- {{variables.many}}", "- x, 1"),
        ("{{variables.yes}}/{{variables.none}}.", "true/."),
        (
            "{{today}} {{date:+1d}} {{date:-1m}} {{date:+1y}} {{date:+ 2 w}}",
            "2026-01-31 2026-02-01 2025-12-31 2027-01-31 2026-02-14",
        ),
        ("{{now:HH:mm}} {{now:GGGG-[W]WW}}", "09:05 2026-W05"),
        ("\\{{today}}", "{{today}}"),
        ("{ {today}} }} {{", "{ {today}} }} {{"),
        ([{"b": ["{{variables.n}}"]}], [{"b": [3]}]),
    ],
)
def test_a_value_is_filled_in(filler: TemplateFiller, text: Any, found: Any) -> None:
    assert filler.fill(text) == found


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("{{variables.name}}/x.md", "One/Two: three?/x.md"),
        ("{{variables.name}}", "One/Two: three?"),
        ("{{variables.name}}.md", "One Two three.md"),
        ("In/{{variables.name}}/x.md", "In/One Two three/x.md"),
        ("In/{{variables.up}}.md", "In/x.md"),
        ("In/{{now:YYYY/MM}}.md", "In/2026/01.md"),
    ],
)
def test_a_path_keeps_its_folders(filler: TemplateFiller, path: str, found: str) -> None:
    assert filler.path(path) == found


def test_what_has_no_meaning_is_refused(filler: TemplateFiller) -> None:
    for text in (
        "{{x}}",
        "{{variables}}",
        "{{steps.a}}",
        "{{date:1}}",
        "{{now:N}}",
        "{{item.a.b}}",
        "{{variables.a + 1}}",
    ):
        with pytest.raises(InvalidArguments):
            list(find_references(text))
    for path in ("{{variables.up}}/x.md", "{{variables.up}}"):
        with pytest.raises(InvalidArguments, match="no folder"):
            filler.path(path)
    with pytest.raises(InvalidArguments, match="no text"):
        filler.text("of {{variables.object}}")
    with pytest.raises(InvalidArguments, match="too far away"):
        filler.text("{{date:+99999y}}")


def test_a_run_has_an_end() -> None:
    filler = TemplateFiller(lambda _: "x" * 1_000, left=10_500)
    filler.text("{{today}}" * 10)
    with pytest.raises(InvalidArguments, match="characters"):
        filler.text("{{today}}")


def test_a_reference_is_said_as_it_is_written() -> None:
    for text in (
        "variables.a",
        "steps.a.first.path",
        "item",
        "item.path",
        "conditions.c",
        "today",
        "now:HH:mm",
        "date:+1d",
    ):
        assert str(parse_reference(text)) == text
