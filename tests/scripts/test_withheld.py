"""Judged sets made of a vault: what is asked for is no longer said in it."""

from pathlib import Path

import pytest

from scripts.lib.evaluation.sets import JudgedSet
from scripts.lib.evaluation.withheld import make_judged_set, write_notes

FERN = """\
---
description: What to know before buying a fern
aliases:
  - Bracken
  - wood fern
tags: [shade, plants/green]
---
It grows slowly in the dark. The [[Rye|rye field]] beside it wants sun all day long. Nothing eats it.
"""
NOTES = {
    "Fern.md": FERN,
    "Rye.md": "---\naliases: [Roggen]\n---\nSee [[Fern|wood fern]] and #shade.\n",
    "Deep/Moss.md": "---\ntags: shade\naliases: Rye\n---\n",
}


def made(tmp_path: Path, kind: str) -> tuple[JudgedSet, dict[str, str]]:
    for path, text in NOTES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    judged = make_judged_set(tmp_path, kind)
    return judged, {id_: text for id_, _, text in judged.documents}


def asked(judged: JudgedSet) -> dict[str, list[str]]:
    return {question.text: sorted(question.relevant) for question in judged.questions}


def test_aliases_that_no_title_and_no_link_says_are_asked_for(tmp_path: Path) -> None:
    judged, said = made(tmp_path, "aliases")
    assert asked(judged) == {"Bracken": ["Fern.md"], "Roggen": ["Rye.md"]}
    assert said["Fern.md"] == FERN.replace("aliases:\n  - Bracken\n  - wood fern\n", "")
    assert said["Deep/Moss.md"] == "---\ntags: shade\n---\n"


def test_descriptions_are_asked_for(tmp_path: Path) -> None:
    judged, said = made(tmp_path, "descriptions")
    assert asked(judged) == {"What to know before buying a fern": ["Fern.md"]}
    assert "buying" not in said["Fern.md"]


def test_tags_that_several_notes_share_are_asked_for(tmp_path: Path) -> None:
    judged, said = made(tmp_path, "tags")
    assert asked(judged) == {"shade": ["Deep/Moss.md", "Fern.md", "Rye.md"]}
    assert not any("shade" in text for text in said.values())


@pytest.mark.parametrize("kind", ["sentences", "words"])
def test_one_sentence_of_a_note_is_asked_for_as_a_reader_sees_it(tmp_path: Path, kind: str) -> None:
    judged, said = made(tmp_path, kind)
    ((text, notes),) = asked(judged).items()
    assert notes == ["Fern.md"]
    assert not {"[", "|", "]"} & set(text)
    assert not any(word in said["Fern.md"].split() for word in text.split() if len(word) > 3)
    assert len(text.split()) == 4 or kind == "sentences"


def test_what_is_left_is_written_as_notes(tmp_path: Path) -> None:
    judged, said = made(tmp_path / "vault", "tags")
    assert write_notes(judged, tmp_path / "out") == {path: path for path in NOTES}
    assert (tmp_path / "out" / "Deep/Moss.md").read_text(encoding="utf-8") == said["Deep/Moss.md"]
