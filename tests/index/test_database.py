"""What of LanceDB is imported when."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.index.made import opened

READ = """
import asyncio, sys
from pathlib import Path
from bridge.index.index import Index
from tests.index.made import paths, prepared, words

async def main():
    index = Index.open(Path(sys.argv[1]))
    assert await paths(index.passages(words("alpha"), 5)) == ["A.md"]
    assert (await index.text_of(await index.passages(words("alpha"), 5)))[0].text == "alpha"
    assert await index.wholes() != {}
    print(sorted({"lancedb", "pydantic", "pyarrow.compute"} & sys.modules.keys()))
    await asyncio.gather(*(index.write([prepared(f"{name}.md", "gamma")]) for name in "BCD"))
    print("lancedb" in sys.modules)
    await index.close()
    again = Index.open(Path(sys.argv[1]))
    print(sorted(await paths(again.passages(words("gamma"), 5))))
    await again.close()

asyncio.run(main())
"""


async def make(folder: Path) -> None:
    await (await opened(folder, {"A.md": "alpha"})).close()


@pytest.mark.process
def test_reading_needs_only_the_compiled_part(tmp_path: Path) -> None:
    asyncio.run(make(tmp_path / "index"))
    ran = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path / "index")], capture_output=True, text=True, check=False
    )
    assert (ran.stdout.splitlines(), ran.stderr) == (["[]", "True", "['B.md', 'C.md', 'D.md']"], "")
