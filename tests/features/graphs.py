"""A vault whose graph is easy to understand."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.features.served import Served, serving, write_vault

BOARD = {
    "nodes": [
        {"id": "1", "type": "file", "file": "Beans.md", "x": 0, "y": 0},
        {"id": "2", "type": "file", "file": "Lone.md", "x": 0, "y": 9},
        {"id": "3", "type": "text", "text": "a card", "x": 0, "y": 20},
    ],
    "edges": [
        {"id": "4", "fromNode": "1", "toNode": "2", "label": "feeds"},
        {"id": "5", "fromNode": "3", "toNode": "2"},
    ],
}
NOTES = {
    "Index.md": "Root. See [[Rye]] first. Then [beans](Beans.md)! [[Index]] [[Nowhere]]\n",
    "Bread/Rye.md": "---\nnext: '[[Spelt]]'\n---\nIt is dense. #rare\n\n![[Spelt]] and [[Spelt]]; [[Nowhere|later]].\n",
    "Bread/Spelt.md": "Older than wheat. #Rare\n\n> Sown with [[Beans]]. And so on.\n",
    "Beans.md": "[[C++ [draft]]] [[.*]] [[Deep/Nowhere#x^y]] [[|]]\n",
    "Board.canvas": json.dumps(BOARD),
    "Lone.md": "Nothing. #rare\n",
    "Secret/Plan.md": "[[Beans]] [[Unheard]]\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def drawn(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("graph")
    vault = write_vault(folder / "Notes", NOTES)
    (folder / "data").mkdir()
    (folder / "data/settings.toml").write_text('deny = ["Secret/**"]\n')
    async with serving([vault], folder / "data", folder / "no models") as served:
        yield served
