"""Random moves in an in-memory vault, comparing each link before and after."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from bridge.changes.effect import PlanAndEffect
from bridge.changes.requests.move_note import move
from bridge.errors import InvalidArguments, NoteExists
from bridge.markdown.kinds import is_document
from bridge.markdown.names import Names
from bridge.markdown.note import LinkKind
from bridge.types import VaultPath
from tests.changes.vaults import Paper, path_after

WORDS = ("Rye", "rye", "Old name", "Ноты", "麦", "خبز", "A & B", "50% off", "v1.2", "x(y)", "é", "a'b", "Index")


@dataclass
class Tally:
    """The results of a run of moves."""

    moves: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    rewritten: int = 0
    mended: int = 0
    files: int = 0
    checked: int = 0
    broken: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


Meaning = tuple[VaultPath, int, LinkKind, str | None, str | None, VaultPath | None]


def meanings(paper: Paper, names: Names) -> Iterator[Meaning]:
    """Yield the meaning of every link of a vault, from what the index stores about each note."""
    for path, note in paper.notes.items():
        for number, (target, kind) in enumerate(note.targets):
            found = names.resolve(target, path, kind)
            yield path, number, kind, found.heading, found.block, found.path


def random_move(paper: Paper, dice: random.Random) -> tuple[VaultPath, VaultPath]:
    """Choose a file or a folder and a new path for it."""
    paths = sorted(paper.files)
    folders = sorted({"", *(path.rpartition("/")[0] for path in paths)})
    if dice.random() < 0.15:
        old = VaultPath(dice.choice(folders[1:] or [""]))
        name = dice.choice([old.rpartition("/")[2], dice.choice(WORDS)])
    else:
        old = dice.choice([path for path in paths if is_document(path)] if dice.random() < 0.8 else paths)
        last = old.rpartition("/")[2]
        stem, dot, ending = last.rpartition(".")
        other = dice.choice(paths).rpartition("/")[2].rpartition(".")[0]
        renamed = dice.choice([f"{stem} 2", dice.choice(WORDS), other, stem.swapcase()]) or "x"
        name = last if dice.random() < 0.3 else f"{renamed}{dot}{ending}"
    folder = dice.choice([old.rpartition("/")[0], dice.choice(folders), dice.choice(folders), dice.choice(WORDS)])
    return old, VaultPath(f"{folder}/{name}" if folder else name)


def compare(before: Paper, after: Paper, planned: PlanAndEffect, tally: Tally) -> None:
    """Count the links whose target changes in a move."""
    new = {(path, number): rest for path, number, *rest in meanings(after, after.view().names)}
    for path, number, kind, heading, block, target in meanings(before, before.view().names):
        now = path_after(path, planned.plan)
        found = new.pop((now, number), [None] * 4)
        wanted = path_after(target, planned.plan) if target else None
        tally.checked += 1
        where = f"{now} #{number}: {target} -> {wanted}, found {found}"
        if target is not None and found[3] is None:
            tally.broken.append(where)
        elif found[:3] != [kind, heading, block] or (target is not None and found[3] != wanted):
            tally.changed.append(where)
    tally.changed += [f"{key}: a link more" for key in new]


def torture(paper: Paper, moves: int, seed: int) -> Tally:
    """Make random moves, each on the result of the last."""
    dice, tally = random.Random(seed), Tally()
    while tally.moves < moves:
        old, new = random_move(paper, dice)
        view = paper.view()
        begun = time.perf_counter()
        try:
            planned = move(old, new, view)
        except (InvalidArguments, NoteExists) as error:
            reason = type(error).__name__ + (": " + error.message if "link" in error.message else "")
            tally.refused[reason] = tally.refused.get(reason, 0) + 1
            continue
        tally.seconds.append(time.perf_counter() - begun)
        after = paper.carry_out(planned)
        compare(paper, after, planned, tally)
        tally.moves += 1
        tally.rewritten += planned.effect.links_rewritten
        tally.mended += len(planned.effect.mended)
        tally.files += len(planned.effect.files)
        paper = after
    return tally
