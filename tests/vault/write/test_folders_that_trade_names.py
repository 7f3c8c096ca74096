"""Folders that trade their names, with the process dying at each call: what is in them is never called otherwise."""

import contextlib
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.errors import BridgeError
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write.writer import Writer
from tests.vault.write.drawn import Tree
from tests.vault.write.faults import Fault, FaultyDisk, FaultyEntry, Killed, Kind
from tests.vault.write.plans import Noted, folder, move, put, together, tree, write_plan

MAX_CALLS = 400
SWAP = (move("A", "between"), move("B", "A"), move("between", "B"))
CIRCLE = (move("A", "between"), move("C", "A"), move("B", "C"), move("between", "B"))
LINKS = put("links.md", b"old", b"new")
COURSES = {
    "a swap": SWAP,
    "a circle": CIRCLE,
    "a swap, then links": (*SWAP, LINKS),
    "links, then a swap": (LINKS, *SWAP),
    "links in a circle": (*CIRCLE[:2], LINKS, *CIRCLE[2:]),
    "a swap in a folder": tuple(move(f"In/{one}", f"In/{to}") for one, to in (("A", "t"), ("B", "A"), ("t", "B"))),
    "a circle and a new folder": (*CIRCLE, folder("New")),
    "a new folder that moves, then a swap": (folder("New"), move("New", "Moved"), *SWAP, LINKS),
    "what is in a folder takes its name": (move("A/A", "between"), move("A", "between/A"), move("between", "A")),
}


def vault(root: Path) -> Path:
    for top in (root, root / "In"):
        for name in ("A", "B", "C", "A/A"):
            (top / name).mkdir(parents=True)
            (top / name / "same.md").write_bytes(f"in {name}".encode())
    (root / "links.md").write_bytes(b"old")
    return root


def left_by(root: Path, plan: Plan, fault: Fault) -> tuple[Noted, int]:
    """Carry a plan out until something goes wrong; return what the journal says and how many calls there were."""
    disk, noted = FaultyDisk(fault), Noted()
    with contextlib.suppress(Killed, BridgeError):
        write_plan(Writer(Vault(root, Rules()), disk), plan, FaultyEntry(noted, disk))
    return noted, disk.calls


def outcomes(tmp_path: Path, plan: Plan) -> dict[str, Tree]:
    root = vault(tmp_path / "whole")
    before = tree(root)
    noted, _ = left_by(root, plan, Fault())
    assert noted.settled
    return {"before": before, "after": tree(root)}


@pytest.mark.parametrize("kind", ["kill", "once"])
@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_a_crash_among_folders_that_trade_names_leaves_all_old_or_all_new(
    tmp_path: Path, course: tuple[Plan, ...], kind: Kind
) -> None:
    plan = together(*course)
    wanted = outcomes(tmp_path, plan)
    became = set()
    for at in range(1, MAX_CALLS):
        root = vault(tmp_path / f"{at}")
        noted, calls = left_by(root, plan, Fault(kind, at))
        if noted.plan is None or noted.settled is not None:
            outcome = "after" if noted.settled else "before"
        else:
            outcome = Writer(Vault(root, Rules())).recover(noted.plan)
        assert tree(root) == wanted[outcome], f"call {at}: {outcome}"
        became.add(outcome)
        if calls < at:
            break
    assert at < MAX_CALLS - 1
    assert became == {"before", "after"}


@pytest.mark.parametrize("done", [0, 3, 4])
def test_folders_that_cannot_be_told_apart_after_a_crash_stay_as_they_are(tmp_path: Path, done: int) -> None:
    root, noted = vault(tmp_path / "vault"), Noted()
    writer = Writer(Vault(root, Rules()))
    write_plan(writer, together(*SWAP, LINKS), noted)
    assert noted.plan is not None
    for step in reversed(noted.plan.steps[done:]):
        match step.kind:
            case "put":
                (root / step.path).write_bytes(b"old")
            case "move":
                (root / (step.to or "")).rename(root / step.path)
    # As by a program that copies the vault somewhere else and back.
    for name in ("A", "B"):
        os.rename(root / name, root / f"{name} old")  # noqa: PTH104
        (root / name).mkdir()
        for one in (root / f"{name} old").iterdir():
            one.rename(root / name / one.name)
        (root / f"{name} old").rmdir()
    left = tree(root)
    # A journal of an older version does not know the numbers of folders.
    older = Plan([replace(step, inode=None) for step in noted.plan.steps], noted.plan.blobs)
    assert writer.recover(older) == ("after" if done == 4 else "conflict")
    assert writer.recover(noted.plan) == ("after" if done == 4 else "conflict")
    assert tree(root) == left
