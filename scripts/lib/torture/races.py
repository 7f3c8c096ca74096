"""Agents change notes while editors and sync tools save the same ones, with the system's file leases and without."""

import asyncio
import random
import tempfile
from pathlib import Path
from unittest.mock import patch

from scripts.lib.torture.report import Report
from tests.vault.write.dying_races import NOTE, raced_once
from tests.vault.write.faults import Findings
from tests.vault.write.races import run_races

AT_ONCE = 16
WITHOUT_LEASES = 5
"""One in this many races is run as on a system without leases."""
RACES_A_KILL = 100
"""Races for each process that is killed while it changes a note that is being saved."""


def torture_races(steps: int, seed: int) -> Report:
    """Run this many races, and count faults."""
    without = steps // WITHOUT_LEASES
    found = {"with leases": run_in_folder(steps - without, seed)}
    with (
        patch("bridge.vault.write.syscalls.SystemCalls.take_lease", staticmethod(no_lease)),
        patch("bridge.vault.stable_read.take_lease", no_lease),
    ):
        found["without leases"] = run_in_folder(without, seed)
    kills, broken = kill_savers(random.Random(seed), max(steps // RACES_A_KILL, 1))
    return Report(
        faults={
            "saves lost, or changes left open, by processes that were killed": len(broken),
        }
        | {f"{name} ({way})": len(faults) for way, one in found.items() for name, faults in one.by_kind.items()},
        figures={f"{name} ({way})": n for way, one in found.items() for name, n in sorted(one.done.items())}
        | {"processes killed": kills},
        examples=(*broken, *(fault for one in found.values() for fault in one.faults)),
    )


def run_in_folder(races: int, seed: int) -> Findings:
    """Run races in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        return asyncio.run(run_races(Path(folder), races, seed, at_once=AT_ONCE))


def kill_savers(draw: random.Random, times: int) -> tuple[int, list[str]]:
    """Repeatedly kill a process that changes a note which is being saved; return how often, and the faults."""
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        (Path(folder) / "vault").mkdir()
        (Path(folder) / "vault" / NOTE).write_text("# Note\n")
        wrong = [raced_once(Path(folder), draw) for _ in range(times)]
    return times, [fault for fault in wrong if fault is not None]


def no_lease(_descriptor: int) -> None:
    """Raise the error of a system without leases."""
