"""What a model is told of a refusal."""

import pytest

from bridge.errors import HeadingNotFound
from bridge.markdown.parse import parse
from bridge.markdown.sections import find_section
from bridge.mcp.text import tool_error
from bridge.types import VaultPath
from tests.mcp.client import text_of


def test_of_many_headings_those_that_look_alike_are_named_once_and_in_order() -> None:
    days = [f"Day {number}" for number in range(1, 31)]
    note = parse(VaultPath("Log.md"), "".join(f"## {day}\n\n" for day in ["Alpha", *days, "Omega"]).encode())
    with pytest.raises(HeadingNotFound) as refused:
        find_section(note, "Dya 12")
    text = text_of(tool_error(refused.value))
    assert text.count("Day 12") == 1
    assert "headings:" not in text
    assert "and 24 more" in text
    assert "Omega" not in text
    named = [int(part.partition("`")[0]) for part in text.split("`Day ")[1:]]
    assert named == sorted(named)
    assert len(named) == 8
