"""Names and notes that nobody would expect: a right answer or a plain refusal."""

import unicodedata
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.features.served import Served, serving, write_vault

CAFE = unicodedata.normalize("NFD", "Café crème")
NOTES = {
    "a.*b+.md": "x\n",
    "C# [x]^.md": "x\n",
    "X.md": "x\n",
    "one/Same.md": "x\n",
    "two/Same.md": "x\n",
    "خبز.md": "x\n",
    "Café crème.md": "x\n",
    "Regex.md": "It says a.*b+ and aXXb.\n",
    "Strange.md": "See C# [x]^ here.\n",
    "Letter.md": "X marks the spot.\n",
    "two/List.md": "- Same\n",
    "Elsewhere.md": "- Same\n",
    "Arabic.md": "رائحة خبز طازج\n",
    "Combining.md": f"Ein {CAFE} bitte.\n",
    "Itself.md": "Itself and [[Itself]].\n",
    "Many.md": "[[Regex]] [[Nowhere]]\n" * 5_000 + "\nA خبز at last.\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def strange(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("strange")
    vault = write_vault(folder / "Notes", NOTES)
    async with serving([vault], folder / "data", folder / "no models") as served:
        yield served


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("path", "links"),
    [
        ("Regex.md", ["[[a.*b+]]"]),
        ("Strange.md", [r"[C# \[x\]^](C%23%20%5Bx%5D%5E.md)"]),
        ("Letter.md", []),
        ("two/List.md", ["[[two/Same|Same]]"]),
        ("Elsewhere.md", ["[[one/Same|Same]]"]),
        ("Arabic.md", ["[[خبز]]"]),
        ("Combining.md", [f"[[Café crème|{CAFE}]]"]),
        ("Itself.md", []),
        ("Many.md", ["[[خبز]]"]),
    ],
)
async def test_every_name_is_linked_as_it_is_written(strange: Served, path: str, links: list[str]) -> None:
    answer = (await strange.call("apply_links", path=path, strictness="aggressive", dry_run=True)).json
    assert [one["link"] for one in answer["links"]] == links
    assert answer["refused"] == []


@pytest.mark.asyncio(loop_scope="module")
async def test_thousands_of_broken_links_are_one_stub(strange: Served) -> None:
    told: Any = (await strange.call("link_report")).json
    assert [(one["name"], one["wanted"]) for one in told["stubs"]] == [("Nowhere", 1)]
    found = (await strange.call("find_prospects")).json["prospects"]
    assert "Nowhere" not in [one["name"] for one in found]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_link_from_a_note_to_itself_is_not_made(strange: Served) -> None:
    chosen = {"target": "Itself.md", "text": "Itself", "span": [0, 6]}
    answer = (await strange.call("apply_links", path="Itself.md", suggestions=[chosen])).json
    assert (answer["diff"], [one["line"] for one in answer["refused"]]) == ("", [1])
