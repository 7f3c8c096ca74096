"""Renames tags, properties and values of a real vault at random, checks every line, and undoes it."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bridge.changes.effect import PlanAndEffect
from bridge.changes.requests.many_notes import (
    rename_property_everywhere,
    rename_tag_everywhere,
    replace_values_everywhere,
)
from bridge.changes.view import VaultView
from bridge.errors import InvalidArguments
from bridge.markdown.edit.properties import read_items
from bridge.markdown.edit.tags import TagRename
from bridge.markdown.note import Note, Value
from bridge.markdown.parse import parse
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from scripts.lib.torture.moves import SAMPLES, VAULTS, read_vault
from scripts.lib.torture.report import Report
from tests.changes.trial import Trial
from tests.changes.vaults import Paper
from tests.evaldata import EVAL

CHAIN = 10
"""Refactors that are made one after the other before all are undone."""

Refactor = tuple[str, Callable[[VaultView], PlanAndEffect], Callable[[Note], object]]
"""What a line that changes must contain, the plan, and what a note must say afterwards, given the note before."""


def torture_order(steps: int, seed: int) -> Report:
    """Refactor each vault at random.

    Args:
        steps: How many refactors in each.
        seed: The random seed.
    """
    real = [EVAL / "links" / name for name in VAULTS] + [EVAL / "vaults" / "kepano"]
    figures: dict[str, object] = {}
    faults: Counter[str] = Counter({"lines changed without the name": 0, "notes that say something else": 0})
    faults["vaults not restored"] = 0
    for vault in [path for path in real if path.is_dir()] or [SAMPLES / "sample", SAMPLES / "tangled"]:
        found, wrong = refactor_at_random(vault, steps, seed)
        figures |= {f"{vault.name}: {name}": count for name, count in sorted(found.items())}
        faults.update(wrong)
    return Report(dict(faults), figures, ())


def refactor_at_random(source: Path, count: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """Make and undo random refactors of a vault in memory.

    Returns:
        What was done, and what went wrong.
    """
    dice, found, wrong = random.Random(seed), Counter[str](), Counter[str]()
    paper = read_vault(Vault(source, Rules(max_file_bytes=2**31)))
    original = dict(paper.files)
    while found["refactors"] < count:
        trial = Trial()
        trial.files = dict(paper.files)
        for _ in range(min(CHAIN, count - found["refactors"])):
            try:
                _refactor_once(paper, trial, dice, found, wrong)
            except InvalidArguments:
                found["refused"] += 1
        for change in reversed(trial.changes):
            trial.undo(change)
        wrong["vaults not restored"] += trial.files != original
        for path in [path for path, data in paper.files.items() if data != original[path]]:
            paper.put(path, original[path])
    return found, wrong


def _refactor_once(paper: Paper, trial: Trial, dice: random.Random, found: Counter[str], wrong: Counter[str]) -> None:
    name, plan, meaning = _choose(paper, dice)
    found["refactors"] += 1
    planned = plan(paper.view())
    trial.do(lambda draft: draft.take(planned.plan))
    found["notes skipped"] += len(planned.effect.skipped)
    for path in planned.effect.files:
        before, after = paper.files[path], trial.files[path]
        found["files written"] += 1
        wrong["lines changed without the name"] += _strange_lines(before, after, name)
        if path.lower().endswith(".md"):
            old, new = parse(path, before), parse(path, after)
            says = {tag.name.casefold() for tag in new.tags}, dict(new.properties)
            wrong["notes that say something else"] += meaning(old) not in says
            wrong["notes that say something else"] += _body_links(old) != _body_links(new)
        paper.put(path, after)


def _body_links(note: Note) -> list[str]:
    """Return the targets of a note's links outside its properties."""
    return [link.target for link in note.links if link.kind != "property"]


def _strange_lines(before: bytes, after: bytes, name: str) -> int:
    """Count the lines that are gone though they do not contain a name."""
    left = Counter(before.splitlines(keepends=True)) - Counter(after.splitlines(keepends=True))
    return sum(name.casefold() not in line.decode("utf-8", "replace").casefold() for line in left)


def _choose(paper: Paper, dice: random.Random) -> Refactor:
    """Return a random refactor of a vault."""
    notes = list(paper.notes.values())
    tags = sorted({tag for note in notes for tag in note.tags})
    names = sorted({name for note in notes for name in note.properties})
    new = dice.choice(["New", "a/b", "ünï-cödé", "新しい", "x_1"])
    kind = dice.choice(["tag"] * 2 * bool(tags) + ["property", "value"] * bool(names) or ["tag"])
    if kind == "tag":
        old = dice.choice(tags or ["none"])
        to = dice.choice([new, old.swapcase(), dice.choice(tags or ["other"]), f"{old}/more"])
        rename = TagRename.of(dice.choice([old, old.partition("/")[0]]), to)
        return (
            rename.old,
            lambda view: rename_tag_everywhere(rename, view),
            lambda note: {(rename.apply(tag.name) or tag.name).casefold() for tag in note.tags},
        )
    own = dice.choice(names)
    if kind == "property":
        to = dice.choice([new, own.upper(), own.title()])
        return (
            own,
            lambda view: rename_property_everywhere(own, to, view, {}, on_clash="keep"),
            lambda note: {to if name.casefold() == own.casefold() else name: v for name, v in note.properties.items()},
        )
    values = [
        item
        for note in notes
        if own in note.properties
        for item in read_items(note.properties[own])
        if isinstance(item, str | int | float) and str(item).strip()
    ]
    chosen: Value = dice.choice(values) if values else "none"
    changed: Value = dice.choice([new, 7, True, "x: y # z", *values[:1]])
    return (
        str(chosen).partition("\n")[0][:20] if isinstance(chosen, str) else "",
        lambda view: replace_values_everywhere(own, chosen, changed, view),
        lambda note: _properties_after(note, own, chosen, changed),
    )


def _properties_after(note: Note, name: str, old: Value, new: Value) -> dict[str, Value]:
    """Return the properties that a note should have when a value was replaced."""

    def same(item: Value) -> bool:
        return type(item) is type(old) and item == old

    after: dict[str, Value] = {}
    for own, value in note.properties.items():
        if own.casefold() != name.casefold():
            after[own] = value
        elif isinstance(value, list | tuple):
            items: list[Value] = []
            has_new = any(type(item) is type(new) and item == new for item in value)
            for item in value:
                if not same(item):
                    items.append(item)
                elif not has_new:
                    items.append(new)
                    has_new = True
            after[own] = items
        else:
            after[own] = new if same(value) else value
    return after
