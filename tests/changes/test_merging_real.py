"""Random merges in real vaults: every link leads on, to the same heading, and all are undone byte by byte."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from bridge.changes.requests.merge_notes import merge
from bridge.errors import InvalidArguments, InvalidProperties
from bridge.markdown.kinds import kind_of
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.markdown.sections import decode_place, resolve_headings
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from scripts.lib.torture.moves import read_vault
from tests.changes.trial import Trial
from tests.changes.vaults import Paper
from tests.evaldata import EVAL, needs_eval

VAULTS = Path(__file__).parents[1] / "vaults"
Target = tuple[VaultPath | None, str]


def targets(note: Note, names: Names, notes: dict[VaultPath, Note]) -> Iterator[Target]:
    """Yield the file that each link of a note leads to, and the text of the heading there."""
    for link in note.links:
        found = names.resolve(link.target, note.path, link.kind).path
        place = link.target.partition("#")[2]
        headings = notes[found].headings if found in notes else ()
        at = resolve_headings(headings, f"#{decode_place(place, markdown=link.kind == 'markdown')}") if place else ()
        yield found, headings[at[-1]].text if at else ""


parse_once = lru_cache(maxsize=10_000)(parse)
"""Most notes are the same after a merge."""


def parsed(paper: Paper) -> dict[VaultPath, Note]:
    return {path: parse_once(path, data) for path, data in paper.files.items() if kind_of(path) == "note"}


def require_all_led_on(paper: Paper, after: Paper, path: VaultPath, into: VaultPath) -> None:
    before, now = parsed(paper), parsed(after)
    names, names_now = Names(paper.files), Names(after.files)
    title = path.rpartition("/")[2].removesuffix(".md")

    def follow(target: Target) -> Target:
        if target[0] != path:
            return target
        # The heading of the section stands in place of one that repeats the title.
        return into, "" if target[1].casefold() == title.casefold() else target[1]

    for source, note in before.items():
        wanted = [follow(one) for one in targets(note, names, before)]
        if source in (path, into):
            found = Counter(targets(now[into], names_now, now))
            missing = Counter(one for one in wanted if one[0] is not None) - found
            assert {one for one in missing if one[1] and not one[1].startswith("From ")} == set(), (source, path, into)
            assert {one[0] for one in missing} <= {one[0] for one in found}
            continue
        for was, one in zip(wanted, targets(now[source], names_now, now), strict=True):
            assert was[0] in (None, one[0]), (source, path, into)
            assert was[1] in ("", one[1]), (source, path, into)


def merge_at_random(root: Path, count: int, seed: int) -> Counter[str]:
    """Merge random notes of a vault one after the other, and undo all."""
    dice, done = random.Random(seed), Counter[str]()
    paper = read_vault(Vault(root, Rules(max_file_bytes=2**31)))
    original, trial = dict(paper.files), Trial()
    trial.files = dict(paper.files)
    while done["merged"] < count and done["refused"] < 10 * count:
        notes = [path for path in paper.files if kind_of(path) == "note"]
        path, into = dice.sample(notes, 2)
        try:
            planned = merge(path, into, paper.view(), {})
        except (InvalidArguments, InvalidProperties):
            done["refused"] += 1
            continue
        done["merged"] += 1
        done["links"] += planned.effect.links_rewritten
        after = paper.carry_out(planned)
        require_all_led_on(paper, after, path, into)
        trial.do(lambda draft, plan=planned.plan: draft.take(plan))  # type: ignore[misc]
        paper = after
    for change in reversed(trial.changes):
        trial.undo(change)
    assert trial.files == original
    return done


@pytest.mark.parametrize("vault", ["sample", "tangled"])
def test_no_link_is_lost_in_the_vaults_of_this_checkout(vault: str) -> None:
    done = merge_at_random(VAULTS / vault, 12, seed=5)
    assert done["merged"] == 12
    assert done["links"]


@needs_eval
@pytest.mark.eval
@pytest.mark.parametrize("vault", ["DawnVespero__TheBlackSunLodge", "clickear__knowledge-garden"])
def test_no_link_is_lost_in_a_vault_that_people_use(vault: str) -> None:
    done = merge_at_random(EVAL / "links" / vault, 10, seed=5)
    assert done["merged"] == 10
