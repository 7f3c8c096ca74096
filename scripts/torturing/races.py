"""Agents change notes while editors and sync tools save the same ones; with leases of the system and without."""

import asyncio
import tempfile
from pathlib import Path
from unittest.mock import patch

from scripts.torturing.report import Report
from tests.vault.write.races import Found, run_races

AT_ONCE = 16
WITHOUT_LEASES = 5
"""One race of so many is run as on a system without leases."""


def torture_races(steps: int, seed: int) -> Report:
    """Run so many races, and count what must never be."""
    without = steps // WITHOUT_LEASES
    found = {"with leases": run(steps - without, seed)}
    with (
        patch("bridge.vault.write.disk.Disk.take_lease", staticmethod(no_lease)),
        patch("bridge.vault.settled.take_lease", no_lease),
    ):
        found["without leases"] = run(without, seed)
    return Report(
        faults={
            f"{name} ({way})": len(faults)
            for way, one in found.items()
            for name, faults in (
                ("saves lost", one.lost),
                ("initial texts lost", one.beginnings),
                ("journal or answer lies", one.lies),
                ("unclear refusals", one.unclear),
            )
        },
        figures={f"{name} ({way})": n for way, one in found.items() for name, n in sorted(one.done.items())},
        examples=tuple(fault for one in found.values() for fault in one.faults),
    )


def run(races: int, seed: int) -> Found:
    """Run races in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        return asyncio.run(run_races(Path(folder), races, seed, at_once=AT_ONCE))


def no_lease(_descriptor: int) -> None:
    """Say what a system says that has no leases."""
