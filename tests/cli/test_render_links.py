"""Answers about missing links, as a person reads them."""

from typing import Any

import pytest

from bridge.cli import render
from tests.features.results import drawn, result_of

REPORT: dict[str, Any] = {
    "totals": {"broken": 1, "stubs": 7, "unlinked": 1, "ambiguous": 0},
    "offset": 2,
    "unresolved": 1,
    "broken": [{"name": "Rey", "wanted": 1, "notes": ["a.md"], "meant": "Rye.md", "why": "its alias"}],
    "stubs": [{"name": "Gone", "wanted": 2, "notes": ["a.md", "b.md"]}],
    "unlinked": [
        {
            "path": "b.md",
            "said": ["B", "Bee"],
            "mentioned": 2,
            "linked": 0,
            "notes": ["a.md"],
            "places": [{"path": "a.md", "line": 3, "text": "B"}],
        }
    ],
    "ambiguous": [],
    "accepted": 0,
    "declined": 0,
    "rate": None,
    "next_offset": 3,
}
READ = (
    "Rey\tLikely mean a note\ta.md\tRye.md\tits alias\n"
    "Gone\tNames of no note\t2\ta.md | b.md\n"
    "b.md\tMentioned without a link\t2\t“B” “Bee”\ta.md:3\n"
)
WHY = {"target": "b.md", "text": "Bee", "lines": [3, 3], "span": [0, 3], "score": 0.756, "why": ["says “Bee”"]}
SUGGESTED = "Columns: path, line, text, score, why\n"
NAME = {"name": "Lisbon", "notes": 2, "confidence": 0.4, "examples": ["a.md"]}


@pytest.mark.parametrize(
    ("operation", "result", "out", "err"),
    [
        (
            "link_report",
            REPORT,
            READ,
            (
                "Columns: name, section, notes, meant, why\nColumns: name, section, wanted, notes\n"
                "Columns: path, section, mentioned, said, places\n"
                "1 name that links ask for has no note.\n`--offset 3` shows more.\n"
            ),
        ),
        ("suggest_links", {"suggestions": [WHY], "digest": ""}, "b.md\t3\tBee\t0.756\tsays “Bee”\n", SUGGESTED),
        ("suggest_links", {"suggestions": [], "digest": ""}, "", "There is no link to suggest.\n"),
        (
            "find_prospects",
            {"prospects": [NAME], "total": 3, "next_offset": 1},
            "Lisbon\t2\t0.4\ta.md\n",
            "Columns: name, notes, confidence, examples\n1 of 3 names; `--offset 1` shows more\n",
        ),
        (
            "find_prospects",
            {"prospects": [], "total": 0},
            "",
            "No name that several notes link to lacks a note.\n",
        ),
    ],
)
def test_answers_about_missing_links_are_read_at_a_glance(
    operation: str, result: dict[str, Any], out: str, err: str, capsys: pytest.CaptureFixture[str]
) -> None:
    render.show(operation, drawn(result_of(operation, result)))
    assert capsys.readouterr() == (out, err)
