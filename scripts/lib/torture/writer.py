"""Changes, failures at every call, crashes and a user who edits the same notes; and real processes that are killed."""

import random
import tempfile
from pathlib import Path

from scripts.lib.torture.report import Report
from tests.vault.write.dying import killed_once
from tests.vault.write.world import World

STEPS_A_KILL = 200
"""Steps of the state machine for each real process that is started and killed."""


def torture_writer(steps: int, seed: int) -> Report:
    """Run this many steps, and count faults."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        world = World(Path(folder), draw)
        for _ in range(steps):
            world.step()
        world.close()
        found, done = world.figures, world.figures.done
    kills, broken = kill_writers(draw, max(steps // STEPS_A_KILL, 1))
    return Report(
        faults={
            **{kind: len(faults) for kind, faults in found.by_kind.items()},
            "killed processes that left neither old nor new": len(broken),
        },
        figures={
            "what went wrong in a change, and what is there after": "",
            **{f"  {name}": count for name, count in sorted(done.items())},
            "processes killed": kills,
        },
        examples=(*found.faults, *broken),
    )


def kill_writers(draw: random.Random, times: int) -> tuple[int, list[str]]:
    """Repeatedly kill a writing process; return how often, and the faults afterwards."""
    broken = []
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        (Path(folder) / "vault").mkdir()
        for _ in range(times):
            try:
                killed_once(Path(folder), draw)
            except AssertionError as error:
                broken.append(str(error) or "not all of a change")
    return times, broken
