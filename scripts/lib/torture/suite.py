"""The tests again and again, each time in another order, beside two programs that take all they can get."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.lib.chance import PYTEST, read_failures
from scripts.lib.torture.report import Report

ROOT = Path(__file__).resolve().parents[3]
OPTIONS = ("--numprocesses=3", "--dist=loadfile", "--no-loadscope-reorder", "--max-worker-restart=0", "--tb=short")
KEPT = ROOT / "var"
"""What a run told is kept here when a test failed in it."""


def torture_suite(rounds: int, seed: int) -> Report:
    """Run all tests so often, in the orders of this seed and of those after it."""
    failed: dict[str, list[str]] = {}
    unfinished = 0
    for number in range(rounds):
        order = seed + number
        status, failures, output = run_all(order)
        failed[str(order)] = list(failures)
        unfinished += status not in {0, 1}
        if status:
            KEPT.mkdir(exist_ok=True)
            (KEPT / f"suite-{order}.txt").write_text(output, encoding="utf-8")
        print(f"  order {order}: {f'{len(failures)} failed' if status else 'passed'}", flush=True)
    return Report(
        {"tests that failed": sum(map(len, failed.values())), "runs that ended early": unfinished},
        {"runs without a failure": f"{rounds - sum(map(bool, failed.values()))} of {rounds}"},
        tuple(f"order {order}: {test}" for order, tests in failed.items() for test in tests),
    )


def run_all(order: int) -> tuple[int, dict[str, str], str]:
    """Run all tests in an order; return the exit status, the failures by test, and what was told."""
    with tempfile.NamedTemporaryFile() as file, busy_programs(2):
        command = [str(PYTEST), *OPTIONS, f"--randomly-seed={order}", f"--failures={file.name}"]
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        return done.returncode, dict(read_failures(Path(file.name))), done.stdout


@contextmanager
def busy_programs(count: int) -> Iterator[None]:
    """Run programs that compute without end, until the block is left."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()
