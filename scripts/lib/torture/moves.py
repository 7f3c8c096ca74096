"""Moves notes, attachments and folders of a real vault at random, on disk, and checks every link."""

import random
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bridge.changes.requests.move_note import move
from bridge.errors import InvalidArguments, NoteExists
from bridge.types import VaultPath
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write.writer import Writer
from scripts.lib.torture.report import Report
from tests.changes.random_moves import Tally, compare, random_move
from tests.changes.vaults import Paper
from tests.evaldata import EVAL

VAULTS = ("DawnVespero__TheBlackSunLodge", "clickear__knowledge-garden")
SAMPLES = Path(__file__).resolve().parents[3] / "tests" / "vaults"


@dataclass
class NullRow:
    """A journal entry that is never read."""

    settled: list[bool] = field(default_factory=list)

    def prepare(self, plan: Plan) -> None:
        """Accept the plan; nothing is stored."""

    def settle(self, done: bool) -> None:
        """Record the outcome."""
        self.settled.append(done)


def torture_moves(steps: int, seed: int) -> Report:
    """Move files of each vault at random.

    Args:
        steps: How many moves in each.
        seed: The random seed.
    """
    real = [EVAL / "links" / name for name in VAULTS if (EVAL / "links" / name).is_dir()]
    figures: dict[str, object] = {}
    faults = {"links broken": 0, "links that lead elsewhere": 0, "files not as planned": 0}
    examples: list[str] = []
    for vault in real or [SAMPLES / "sample", SAMPLES / "tangled"]:
        tally, wrong = move_at_random(vault, steps, seed)
        spent = sorted(tally.seconds)
        figures[f"{vault.name}: links written anew"] = tally.rewritten
        figures[f"{vault.name}: links compared"] = tally.checked
        figures[f"{vault.name}: moves refused"] = sum(tally.refused.values())
        figures[f"{vault.name}: seconds a move, median and worst"] = f"{spent[len(spent) // 2]:.3f} {spent[-1]:.3f}"
        found: tuple[list[str], ...] = (tally.broken, tally.changed, [str(path) for path in wrong])
        for name, some in zip(faults, found, strict=True):
            faults[name] += len(some)
            examples += some
    return Report(faults, figures, tuple(examples))


def move_at_random(source: Path, count: int, seed: int) -> tuple[Tally, list[VaultPath]]:
    """Make random moves in a copy of a vault through the writer.

    Args:
        source: The vault; it is not touched.
        count: How many moves.
        seed: The random seed.

    Returns:
        The tally of links, and the files that differ from their plan.
    """
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "vault"
        shutil.copytree(source, root, ignore=shutil.ignore_patterns(".*"), copy_function=shutil.copyfile)
        for folder in (root, *(path for path in root.rglob("*") if path.is_dir())):
            # The source vaults may be read-only.
            folder.chmod(0o755)
        vault = Vault(root, Rules(max_file_bytes=2**31))
        writer = Writer(vault)
        dice, tally = random.Random(seed), Tally()
        wrong: list[VaultPath] = []
        paper = read_vault(vault)
        while tally.moves < count:
            view = paper.view()
            begun = time.perf_counter()
            try:
                planned = move(*random_move(paper, dice), view)
                writer.write(writer.prepare(planned.plan), NullRow())
            except (InvalidArguments, NoteExists) as error:
                tally.refused[type(error).__name__] = tally.refused.get(type(error).__name__, 0) + 1
                continue
            tally.seconds.append(time.perf_counter() - begun)
            after = paper.carry_out(planned)
            compare(paper, after, planned, tally)
            tally.moves += 1
            tally.rewritten += planned.effect.links_rewritten
            wrong += [path for path in planned.effect.files if vault.read(path)[0] != after.files[path]]
            paper = after
        there = read_vault(vault).files
        wrong += [path for path in {*there, *paper.files} if there.get(path) != paper.files.get(path)]
        return tally, wrong


def read_vault(vault: Vault) -> Paper:
    """Read a whole vault."""
    scan = vault.scan()
    paper = Paper({}, rules=vault.rules)
    for path in sorted((*scan.files, *scan.others)):
        paper.put(VaultPath(path), vault.read(path)[0])
    return paper
