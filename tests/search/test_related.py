import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import InvalidArguments, NoteNotFound
from bridge.search.model import Sources
from bridge.search.pipeline import read_passages
from bridge.search.related import find_related, rare_words
from bridge.types import VaultPath
from tests.search.vaults import opened, write_vault

FILES = {
    "Sourdough.md": "A starter of rye flour and water. Hydration and proofing decide the crumb. See [[Oven]].\n",
    "Rye.md": "Rye flour makes a dense crumb; its starter needs more hydration.\n",
    "Oven.md": "A stone holds heat.\n",
    "Fern.md": "Shade and rain.\n",
}


@pytest.fixture
async def sources(tmp_path: Path) -> AsyncIterator[Sources]:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        yield found


async def test_notes_with_the_same_rare_words_and_links_are_related_and_the_note_itself_is_not(
    sources: Sources,
) -> None:
    answer = await find_related(sources, path=VaultPath("Sourdough.md"), text=None, limit=5)
    why = {hit.path: hit.why for hit in answer.hits}
    assert why.keys() == {"Rye.md", "Oven.md"}
    assert "linked from *Sourdough*" in why[VaultPath("Oven.md")]
    assert why[VaultPath("Rye.md")] == ("says “rye”, “flour”, “crumb”",)


async def test_a_note_that_leaves_the_index_meanwhile_is_left_out(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slowly(*arguments: Any) -> Any:
        texts = await read_passages(*arguments)
        await sources.index.write([], [VaultPath("Rye.md")])
        return texts

    monkeypatch.setattr(sys.modules[rare_words.__module__], "read_passages", slowly)
    answer = await find_related(sources, path=None, text="What hydration does a rye starter want?", limit=2)
    assert [hit.path for hit in answer.hits] == ["Sourdough.md"]


async def test_a_text_need_not_be_in_the_vault(sources: Sources) -> None:
    answer = await find_related(sources, path=None, text="What hydration does a rye starter want?", limit=2)
    assert {hit.path for hit in answer.hits} == {"Rye.md", "Sourdough.md"}
    assert answer.notices[0].startswith("There is no model")


async def test_the_passage_at_a_line_counts_instead_of_the_whole_note(tmp_path: Path) -> None:
    files = {
        "Garden.md": f"# Soil\n\n{'Compost feeds earthworms. ' * 60}\n\n# Bees\n\n{'Drones leave their hive. ' * 60}\n",
        "Worm.md": "Earthworms turn compost.\n",
        "Hive.md": "Drones guard no hive.\n",
    }
    write_vault(tmp_path / "vault", files)
    garden = VaultPath("Garden.md")
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        near = {
            line: {hit.path for hit in (await find_related(found, path=garden, line=line, text=None, limit=5)).hits}
            for line in (None, 1, 4, 5, 99)
        }
    assert near[None] == {"Worm.md", "Hive.md"}
    assert near[1] == near[4] == {"Worm.md"}
    assert near[5] == near[99] == {"Hive.md"}


async def test_a_template_is_related_to_templates_only(tmp_path: Path) -> None:
    forms = {"Forms/Loaf.md": "Rye flour, hydration, crumb.\n", "Forms/Roll.md": "Rye flour, hydration, crust.\n"}
    write_vault(tmp_path / "vault", FILES | forms)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        near = {
            path: {hit.path for hit in answer.hits}
            for path in ("Sourdough.md", "Forms/Loaf.md")
            if (answer := await find_related(found, path=VaultPath(path), text=None, limit=9, templates=["Forms"]))
        }
    assert near["Sourdough.md"] == {"Rye.md", "Oven.md"}
    assert {"Forms/Roll.md", "Rye.md"} <= near["Forms/Loaf.md"]


async def test_a_reason_names_only_words_that_are_marked(tmp_path: Path) -> None:
    apart = "Nothing of it is told in this long sentence. " * 6
    common = {f"Day {day}.md": f"Another year, another day {day}.\n" for day in range(9)}
    files = {
        "Plan.md": "A year of proofing, hydration and crumb.\n",
        "Long.md": f"Hydration. {apart} A year. {apart} Proofing and crumb.\n",
    }
    write_vault(tmp_path / "vault", files | common)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        answer = await find_related(found, path=VaultPath("Plan.md"), text=None, limit=1)
    (hit,) = answer.hits
    assert set(re.findall("==(.+?)==", hit.snippet)) == {"Proofing", "crumb"}
    assert hit.why == ("says “proofing”, “crumb”",)


async def test_either_a_note_or_a_text(sources: Sources) -> None:
    with pytest.raises(InvalidArguments):
        await find_related(sources, path=None, text=None, limit=5)
    with pytest.raises(NoteNotFound):
        await find_related(sources, path=VaultPath("Gone.md"), text=None, limit=5)


@pytest.mark.parametrize("text", ["", "…", "the of and", "\x00" * 50_000])
async def test_a_text_that_says_nothing_has_no_relations(sources: Sources, text: str) -> None:
    assert (await find_related(sources, path=None, text=text, limit=5)).hits == ()


def test_rare_words_are_the_frequent_long_ones() -> None:
    assert rare_words("the hydration of the dough, hydration 42") == ("hydration", "dough")


async def test_a_list_of_everything_is_less_related_than_what_a_note_alone_is_linked_with(tmp_path: Path) -> None:
    others = {f"Other {at}.md": "Nothing of it.\n" for at in range(20)}
    listed = " ".join(f"[[Other {at}]]" for at in range(20))
    files = {
        "Loaf.md": "Flour. [[Zest]]\n",
        "All.md": f"[[Loaf]] {listed}\n",
        "Zest.md": "Peel.\n",
        **others,
    }
    write_vault(tmp_path / "vault", files)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        answer = await find_related(found, path=VaultPath("Loaf.md"), text=None, limit=2)
    assert [(hit.path, hit.why) for hit in answer.hits] == [
        ("Zest.md", ("linked from *Loaf*",)),
        ("All.md", ("says “loaf”", "links to *Loaf*")),
    ]
