"""A process is killed in the middle of writing; the next one finds whole notes and finishes the job."""

import asyncio
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.index.index import Index
from tests.index.made import DIMENSIONS, MODEL, embed_all, opened, paths, until, words

pytestmark = pytest.mark.process

WRITER = """
import asyncio, os, signal, sys
from pathlib import Path
from bridge.index.table import LanceTable
from tests.index.made import *

folder, at = Path(sys.argv[1]), int(sys.argv[2])
calls = 0

def counted(method):
    async def call(self, *arguments):
        global calls
        calls += 1
        if calls == at:
            os.kill(os.getpid(), signal.SIGKILL)
        await method(self, *arguments)
    return call

async def main():
    index = await opened(folder)
    for name in ("add", "drop", "optimise"):
        setattr(LanceTable, name, counted(getattr(LanceTable, name)))
    index.use_model(MODEL, DIMENSIONS)
    for turn in range(3):
        await index.write(all_of({f"n{at}.md": f"# N{at}\\n\\nturn{turn} of{at}\\n" for at in range(10)}))
        await embed_all(index)
        moved = prepared(f"moved{turn}.md", f"# N0\\n\\nturn{turn} of0\\n")
        await index.write([moved], ["n0.md", f"moved{turn - 1}.md"])
        await embed_all(index)
        await index.optimise()
    print("done", flush=True)

asyncio.run(main())
"""


async def sound(index: Index) -> None:
    """Check that every note believed has its passages, each found once."""
    # A note that was moved before a kill may be there beside the one that a later process wrote with its text.
    equal: dict[str, set[str]] = {}
    for path, note in index.notes.items():
        equal.setdefault(note.digest, set()).add(path)
    for path, note in index.notes.items():
        passages = index.passages_of(path)
        assert [passage.ordinal for passage in passages] == list(range(note.passages))
        own = passages[0].text.split("\n")[-1]
        found = await paths(index.passages(words(must=own.split()), 50))
        assert (len(found), {*found}) == (len(equal[note.digest]), equal[note.digest])
    total = sum(note.passages for note in index.notes.values())
    hits = await index.passages(words("turn0", "turn1", "turn2"), 500)
    assert len(hits) == len(set(hits)) == total


@pytest.mark.parametrize("at", [*range(1, 11), 14, 18, 24])
async def test_a_kill_between_two_commits_leaves_whole_notes(tmp_path: Path, at: int) -> None:
    folder = tmp_path / "index"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(folder), str(at), stdout=subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert (process.returncode, out) == (-signal.SIGKILL, b"")
    index = await opened(folder)
    assert index.health().set_aside is None
    await sound(index)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.optimise()
    await sound(index)
    assert index.pending_vectors() == 0
    await index.close()


async def test_kills_at_random_moments_lose_nothing_that_was_stored(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    dice = random.Random(5)
    embedded = 0
    for _ in range(4):
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, str(folder), "0")
        files = len(list(folder.rglob("*"))) + dice.randrange(5, 60)
        await until(lambda: len(list(folder.rglob("*"))) >= files or process.returncode is not None)  # noqa: B023
        if process.returncode is None:
            process.kill()
        await process.wait()
        index = await opened(folder)
        assert index.health().set_aside is None
        await sound(index)
        index.use_model(MODEL, DIMENSIONS)
        await embed_all(index)
        stored = len(index.vectors._models()[0].layout.rows.of)
        assert stored >= embedded
        embedded = stored
        await index.close()
