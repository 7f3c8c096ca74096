"""Notes of a type, which their property `type` names: counted, listed and drawn."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
import pytest_asyncio

from tests.features.served import Served, serving, write_vault

NOTES = {
    "Use rye.md": "---\ntype: Decision\n---\n# Use rye\n\nIt keeps **longer** than [[Wheat|wheat]].\n",
    "Ask twice.md": "---\ntype: '[[decision|Decision]]'\n---\n[[Use rye]]\n",
    "Monday.md": "---\ntype: [journal, log]\n---\n[[Use rye]]\n",
    "Twice.md": "---\nTYPE: decision\n---\n[[Use rye]]\n",
    "Odd.md": "---\ntype: 7\n---\n" + "Many words of one long line. " * 20,
    "Wheat.md": "",
    "Secret/Plan.md": "---\ntype: conspiracy\n---\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("types")
    vault = write_vault(folder / "Notes", NOTES)
    (folder / "data").mkdir()
    (folder / "data/settings.toml").write_text('deny = ["Secret/**"]\n')
    async with serving([vault], folder / "data", folder / "no models") as served:
        yield served


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_notes_of_each_type_are_counted_without_denied_ones(served: Served) -> None:
    (vault,) = (await served.call("status")).json["vaults"]
    assert list(vault["types"].items()) == [("decision", 3), ("journal", 1)]
    assert datetime.fromisoformat(vault["indexed"]) <= datetime.now(UTC)


async def test_listed_notes_say_their_type_and_how_they_begin(served: Served) -> None:
    notes = {note["path"]: note for note in (await served.call("find_notes", excerpts=True)).json["notes"]}
    types = {path: note["note_type"] for path, note in notes.items() if note["note_type"]}
    assert types == {
        "Use rye.md": "decision",
        "Ask twice.md": "decision",
        "Twice.md": "decision",
        "Monday.md": "journal",
    }
    assert notes["Use rye.md"]["excerpt"] == "It keeps longer than wheat."
    assert notes["Wheat.md"]["excerpt"] == ""
    assert notes["Odd.md"]["excerpt"].startswith("Many words")
    assert len(notes["Odd.md"]["excerpt"]) <= 241
    plain = (await served.call("find_notes", properties={"type": ["decision"]})).json["notes"]
    assert [(note["path"], note["excerpt"]) for note in plain] == [
        ("Ask twice.md", ""),
        ("Twice.md", ""),
        ("Use rye.md", ""),
    ]


async def test_the_graph_shows_types_and_is_narrowed_to_some(served: Served) -> None:
    drawn = (await served.call("graph_view")).json["nodes"]
    assert {node["title"]: node["note_type"] for node in drawn} == {
        "Use rye": "decision", "Ask twice": "decision", "Twice": "decision", "Monday": "journal", "Odd": "", "Wheat": ""
    }  # fmt: skip
    some = (await served.call("graph_view", properties={"type": ["Decision", "Journal"]})).json
    assert ({node["title"] for node in some["nodes"]}, some["total"]) == (
        {"Use rye", "Ask twice", "Twice", "Monday"},
        4,
    )


async def test_a_new_note_is_counted(served: Served) -> None:
    made = await served.call("create_note", path="New.md", properties={"type": "journal"})
    assert made.status == 200
    assert (await served.call("status")).json["vaults"][0]["types"]["journal"] == 2
    # The vault is that of the other tests, too.
    assert (await served.call("undo_change", change_id=made.json["change_id"])).status == 200
    assert (await served.call("status")).json["vaults"][0]["types"]["journal"] == 1
