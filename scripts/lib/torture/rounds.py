"""Changes copies of real vaults at random through the bridge, and undoes everything in random order."""

import asyncio
import tempfile
import time
from pathlib import Path

from scripts.lib.torture.report import Report
from tests.engine.random_edits import there_and_back
from tests.evaldata import EVAL

VAULTS = (
    "links/DawnVespero__TheBlackSunLodge",
    "links/clickear__knowledge-garden",
    "vaults/kepano",
    "vaults/obsidian-tasks-demo",
)
SAMPLE = Path(__file__).resolve().parents[3] / "tests" / "vaults" / "sample"


def torture_rounds(steps: int, seed: int) -> Report:
    """Change each vault and undo the changes.

    Args:
        steps: How many changes in each.
        seed: The random seed.
    """
    real = [EVAL / name for name in VAULTS if (EVAL / name).is_dir()] or [SAMPLE]
    figures: dict[str, object] = {}
    faults = {"files that differ": 0, "folders that stay": 0, "changes that stay": 0}
    examples: list[str] = []
    for vault in real:
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="torture-") as place:
            found = asyncio.run(there_and_back(vault, Path(place), steps, seed))
        left = [found.rounds.refusals[id_] for id_ in found.rounds.ids]
        for name, some in zip(faults, (found.different, found.folders_left, left), strict=True):
            faults[name] += len(some)
            examples += [f"{vault.name}: {one}" for one in some]
        figures[f"{vault.name}: changes"] = sum(found.rounds.done.values())
        figures |= {f"  {vault.name}: {name}": count for name, count in sorted(found.rounds.done.items())}
        figures[f"  {vault.name}: requests refused"] = sum(found.rounds.refused.values()) - found.refused
        figures[f"  {vault.name}: undone only after others"] = found.refused_first
        figures[f"  {vault.name}: seconds"] = round(time.perf_counter() - begun)
    return Report(faults, figures, tuple(examples))
