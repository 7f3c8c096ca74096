"""Random splits in real vaults: every link leads on, to the same heading, and all are undone byte by byte."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from bridge.changes.draft import Draft
from bridge.changes.requests.split_note import split
from bridge.errors import InvalidArguments, InvalidProperties, NoteExists
from bridge.markdown.kinds import kind_of
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.markdown.sections import decode_place, resolve_headings, section_names
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from scripts.lib.torture.moves import read_vault
from tests.changes.test_merging_real import Target
from tests.changes.trial import Trial
from tests.changes.vaults import Paper
from tests.evaldata import EVAL, needs_eval

VAULTS = Path(__file__).parents[1] / "vaults"
parse_once = lru_cache(maxsize=None)(parse)


def parsed(paper: Paper) -> dict[VaultPath, Note]:
    return {path: parse_once(path, data) for path, data in paper.files.items() if kind_of(path) == "note"}


def targets(note: Note, names: Names, notes: dict[VaultPath, Note]) -> Iterator[Target]:
    """Yield the file that each link of a note leads to, and the text of the heading or the id of the block there."""
    for link in note.links:
        found = names.resolve(link.target, note.path, link.kind)
        place = link.target.partition("#")[2]
        headings = notes[found.path].headings if found.path in notes else ()
        at = resolve_headings(headings, f"#{decode_place(place, markdown=link.kind == 'markdown')}") if place else ()
        yield found.path, headings[at[-1]].text if at else f"^{found.block}" if found.block else ""


def require_all_led_on(paper: Paper, after: Paper, path: VaultPath, to: VaultPath, leave: str) -> None:
    before, now = parsed(paper), parsed(after)
    names, names_now = Names(paper.files), Names(after.files)
    moved = {*(heading.text for heading in now[to].headings), *(f"^{block.id}" for block in now[to].blocks)}

    def follow(target: Target) -> list[Target]:
        # Of two headings of a name either may be the one that went; the text tells nothing then.
        went = [(to, target[1])] if target[0] == path and target[1] in moved else []
        return [*went, target]

    for source, note in before.items():
        wanted = [follow(one) for one in targets(note, names, before)]
        if source == path:
            found = Counter([*targets(now[path], names_now, now), *targets(now[to], names_now, now)])
            found[to, ""] -= leave != "nothing"
            for ways in wanted:
                assert ways[-1][0] is None or any(found[way] > 0 for way in ways), (path, to, ways)
            continue
        for ways, one in zip(wanted, targets(now[source], names_now, now), strict=True):
            assert ways[-1][0] is None or one in ways, (source, path, to, one, ways)


def split_at_random(root: Path, count: int, seed: int) -> Counter[str]:
    """Split random sections of a vault off, one after the other, and undo all."""
    dice, done = random.Random(seed), Counter[str]()
    paper = read_vault(Vault(root, Rules(max_file_bytes=2**31)))
    original, trial = dict(paper.files), Trial()
    trial.files = dict(paper.files)
    while done["split"] < count and done["refused"] < 20 * count:
        path = dice.choice([path for path in paper.files if kind_of(path) == "note"])
        note = parse(path, paper.files[path])
        if not note.headings:
            continue
        leave = dice.choice(["link", "embed", "nothing"])
        folder = dice.choice([None, VaultPath(dice.choice([*paper.files]).rpartition("/")[0])])
        heading = dice.choice(section_names(note.headings))
        try:
            planned = split(path, heading, paper.view(), ObsidianSettings(), leave=leave, to=folder or None)  # type: ignore[arg-type]
        except (InvalidArguments, InvalidProperties, NoteExists):
            done["refused"] += 1
            continue
        done["split"] += 1
        done["links"] += planned.effect.links_rewritten
        after = paper.carry_out(planned)
        require_all_led_on(paper, after, path, planned.effect.files[0], leave)

        def draw(draft: Draft, plan: object = planned.plan) -> None:
            draft.take(plan)  # type: ignore[arg-type]

        trial.do(draw)
        paper = after
    for change in reversed(trial.changes):
        trial.undo(change)
    assert trial.files == original
    return done


@pytest.mark.parametrize(("vault", "count"), [("sample", 8), ("tangled", 5)])
def test_no_link_is_lost_in_the_vaults_of_this_checkout(vault: str, count: int) -> None:
    done = split_at_random(VAULTS / vault, count, seed=5)
    assert done["split"] == count
    assert done["links"]


@needs_eval
@pytest.mark.eval
@pytest.mark.parametrize("vault", ["DawnVespero__TheBlackSunLodge", "clickear__knowledge-garden"])
def test_no_link_is_lost_in_a_vault_that_people_use(vault: str) -> None:
    done = split_at_random(EVAL / "links" / vault, 10, seed=5)
    assert done["split"] == 10
