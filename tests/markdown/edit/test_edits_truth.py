"""Every kind of edit on the notes of real vaults."""

from pathlib import Path
from random import Random

import pytest

from bridge.errors import AmbiguousHeading, InvalidArguments
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.headings import replace_heading
from bridge.markdown.edit.lint import new_faults
from bridge.markdown.edit.requests import (
    AddItem,
    Append,
    Edit,
    InsertUnder,
    Prepend,
    ReplaceBlock,
    ReplaceLines,
    ReplaceSection,
    ReplaceText,
)
from bridge.markdown.parse import parse
from bridge.markdown.sections import Outline
from tests.evaldata import EVAL, needs_eval
from tests.markdown.edit.notes import NOTE, check

VAULTS = Path(__file__).resolve().parents[2] / "vaults"
TEXTS = (
    "A sentence.",
    "- item\n  - nested",
    "# New\n\ntext",
    "| a | b |\n|---|---|",
    "```\ncode\n```",
    "> [!tip]\n> x",
)


def some_edits(data: bytes, chance: Random) -> list[Edit]:
    """Return one edit of each kind that fits a note."""
    note = parse(NOTE, data)
    text = chance.choice(TEXTS)
    made: list[Edit] = [Append(text=text), Prepend(text=text), AddItem(text="a\n- b", task=True)]
    if note.headings:
        heading = chance.choice(Outline(note).paths)
        made += [InsertUnder(heading=heading, text=text), ReplaceSection(heading=heading, text=text)]
        made.append(AddItem(heading=heading, text="x"))
    if note.blocks:
        made.append(ReplaceBlock(block=chance.choice(note.blocks).id, text=text))
    line = chance.randint(1, max(1, note.text.count("\n")))
    made.append(ReplaceLines(lines=(line, line), text=text))
    if words := note.text[note.body :].split():
        made.append(ReplaceText(old=chance.choice(words), new=text, all=True))
    return made


def edit_all(notes: list[Path]) -> tuple[int, dict[str, int]]:
    """Make every edit of every note and check it; return how many were made, and why others were refused."""
    chance, made, refused = Random(5), 0, dict[str, int]()
    for path in notes:
        data = path.read_bytes()
        for edit in some_edits(data, chance):
            try:
                after = apply_edits(NOTE, data, [edit])
            except (InvalidArguments, AmbiguousHeading) as error:
                refused[error.message[:30]] = refused.get(error.message[:30], 0) + 1
                continue
            made += 1
            check(data, edit, after)
            new_faults(NOTE, data, after)
    return made, refused


@pytest.mark.parametrize("vault", ["sample", "tangled", "hostile"])
def test_the_notes_of_the_sample_vaults_are_edited(vault: str) -> None:
    notes = sorted(path for path in (VAULTS / vault).rglob("*.md") if path.is_file())
    made, refused = edit_all(notes)
    assert made > 3 * len(notes)
    assert vault == "hostile" or sum(refused.values()) < made / 20, refused


@needs_eval
@pytest.mark.eval
@pytest.mark.parametrize(
    "vault",
    ["vaults/kepano", "vaults/obsidian-tasks-demo", "vaults/oldwinter-zh", "links/clickear__knowledge-garden"],
)
def test_the_notes_of_real_vaults_are_edited(vault: str) -> None:
    notes = sorted((EVAL / vault).rglob("*.md"))
    made, refused = edit_all(notes[:: max(1, len(notes) // 150)])
    assert made > 500
    assert sum(refused.values()) < made / 20, refused


@needs_eval
@pytest.mark.eval
def test_headings_of_real_notes_are_renamed_one_at_a_time() -> None:
    chance = Random(5)
    notes = sorted((EVAL / "links/DawnVespero__TheBlackSunLodge").rglob("*.md"))[::3]
    for path in notes:
        data = path.read_bytes()
        before = parse(NOTE, data)
        if not before.headings or before.problems:
            continue
        number = chance.randrange(len(before.headings))
        try:
            after = parse(NOTE, replace_heading(NOTE, data, Outline(before).paths[number], "Another name"))
        except AmbiguousHeading:
            continue
        changed = [at for at, one in enumerate(before.headings) if one.text != after.headings[at].text]
        assert changed == [number]
        assert before.text.count("\n") == after.text.count("\n")
