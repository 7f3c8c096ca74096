"""A command says what it has to say, whatever still computes, and does not wait for that."""

import subprocess
import sys
from pathlib import Path

from tests.operations.served import command

COMPUTES_FOR_EVER = """
import asyncio, sys, threading
from bridge.cli.leaving import leave, run

async def work():
    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
    return "the answer"

print(run(work()))
sys.exit(leave(7))
"""


def test_an_answer_is_printed_before_what_still_computes_is_left_behind() -> None:
    ran = subprocess.run([sys.executable, "-c", COMPUTES_FOR_EVER], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (7, "the answer\n", "")


async def test_what_another_process_measured_is_printed_where_no_bridge_runs(vault: Path, tmp_path: Path) -> None:
    ran = await command("graph-insights", "--json", data=tmp_path / "data", models=tmp_path / "m", cwd=vault)
    assert (ran.status, ran.err, ran.json["counts"]["notes"]) == (0, "", 2)
