"""A command says what it has to say, whatever still computes, and does not wait for that."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.features.served import PATIENCE_S, command

COMPUTES_FOR_EVER = """
import asyncio, sys, threading
from bridge.cli.exit import leave, run_coroutine as run

async def work():
    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
    return "the answer"

print(run(work()))
sys.exit(leave(7))
"""

WAITS_IN_MANY_THREADS = """
import asyncio, sys, threading
from bridge.cli.exit import run_coroutine as run

async def work():
    free = threading.Event()
    long = [asyncio.create_task(asyncio.to_thread(free.wait)) for _ in range(20)]
    await asyncio.sleep(0)
    answer = await asyncio.to_thread(str, "a small answer")
    free.set()
    await asyncio.gather(*long)
    return answer, sys.getswitchinterval() < 0.001

print(*run(work()))
"""

FAILS_MEANWHILE = """
import asyncio, sys, threading
from bridge.cli import main, run_operation as operate
from bridge.cli.exit import run_coroutine as run
from bridge.errors import NotReady

async def work():
    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
    raise NotReady("It is not ready.", hint="Wait.")

operate.main = lambda given: run(work())
sys.exit(main.main(["list-folders"]))
"""


HAS_A_CHILD_OF_ITS_OWN = """
import multiprocessing, time
from bridge.cli import exit, main

child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(300,))
child.start()
status = main.main(["--help"])
print(status, child.is_alive())
child.kill()
"""


def test_a_program_that_calls_the_command_keeps_its_processes() -> None:
    ran = subprocess.run([sys.executable, "-c", HAS_A_CHILD_OF_ITS_OWN], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "0 True")


def test_an_answer_is_printed_before_what_still_computes_is_left_behind() -> None:
    ran = subprocess.run([sys.executable, "-c", COMPUTES_FOR_EVER], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (7, "the answer\n", "")


def test_a_small_call_waits_for_no_thread_of_long_ones_nor_the_loop_for_its_turn() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WAITS_IN_MANY_THREADS], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "a small answer True\n", "")


def test_a_command_that_fails_does_not_wait_for_what_still_computes() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FAILS_MEANWHILE], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "vaultside: It is not ready.\n  Wait.\n")


async def test_what_another_process_measured_is_printed_where_no_bridge_runs(vault: Path, tmp_path: Path) -> None:
    ran = await command("graph-insights", "--json", data=tmp_path / "data", models=tmp_path / "m", cwd=vault)
    assert (ran.status, ran.err, ran.json["counts"]["notes"]) == (0, "", 2)


@pytest.mark.parametrize("module", ["bridge.cli.parser", "bridge.cli.run_operation", "argparse"])
def test_whoever_interrupts_the_program_while_it_loads_sees_no_traceback(module: str) -> None:
    code = f"""
import sys
from bridge.cli.main import main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.modules.pop({module!r}, None)
sys.meta_path.insert(0, Interrupting())
sys.exit(main(["status"]))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")
