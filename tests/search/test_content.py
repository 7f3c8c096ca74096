"""What is no content counts for nothing: in snippets, highlights, reasons, related notes, quotes and summaries."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.markdown.documents import read_document
from bridge.search.hits import read_shown
from bridge.search.model import SearchHit, SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.search.related import find_related
from bridge.search.summary import choose_sentences_of
from bridge.types import VaultPath
from tests.index.made import learn_from, sentence
from tests.search.vaults import opened, write_vault

CHARACTER = """---
type: character
---
# {name}

> [!infobox]
> | Attribute | Value |
> | --- | --- |
> | Race | {race} |
> | Home | {home} |

## Biography
{biography}

## Inventory
Currently empty.

```mermaid
flowchart TD
  {name} --> {home}
```
"""
FILES = {
    f"Characters/{sentence(n, 1)}.md": CHARACTER.format(
        name=sentence(n, 1),
        race="Elf" if n == 5 else sentence(n + 50, 1),
        home="Ravenhold" if n < 4 else sentence(n + 90, 1),
        biography=f"{sentence(n, 1)} {sentence(n + 20, 30)}." if n % 2 else "This section is currently empty.",
    )
    for n in range(16)
} | {
    "Ravenhold.md": "# Ravenhold\n\n## Where\n\nIt stands above the sea. The sunken road ends there.\n",
    "Sunken road.md": "# Sunken road\n",
    "Almanac.md": "Travellers take the sunken road to the sea.\n",
    "Card.md": "---\nrating: seven\ncreated:\n---\n",
}
HOLDER = next(path for path, text in FILES.items() if "| Elf |" in text)


@pytest.fixture
async def sources(tmp_path: Path) -> AsyncIterator[Sources]:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        await found.index.use_boilerplate(
            learn_from([text for path, text in FILES.items() if "/" in path], "Characters/")
        )
        yield found


async def find(sources: Sources, query: str) -> list[SearchHit]:
    return [*(await search(sources, SearchRequest(query, mode="keyword"))).hits]


async def test_a_value_is_shown_with_its_label_which_is_neither_marked_nor_a_reason(sources: Sources) -> None:
    (hit, *_) = await find(sources, "race elf")
    assert hit.path == HOLDER
    assert "Race ==Elf==" in hit.snippet
    assert "Attribute" not in hit.snippet
    assert "Home" not in hit.snippet
    assert hit.why == ("says “elf”",)


async def test_a_title_shows_how_its_note_begins_and_no_bare_heading(sources: Sources) -> None:
    (hit, *_) = await find(sources, "Ravenhold")
    assert (hit.path, hit.snippet) == ("Ravenhold.md", "It stands above the sea. The sunken road ends there.")


@pytest.mark.parametrize("query", ["currently empty", "biography", "flowchart", "inventory"])
async def test_what_all_notes_of_a_folder_say_is_not_shown(sources: Sources, query: str) -> None:
    hits = await find(sources, query)
    assert hits
    for hit in hits:
        assert not any(word in hit.snippet for word in ("==", "empty", "flowchart", "Biography", "Inventory"))


async def test_a_note_that_says_nothing_is_below_one_that_answers(sources: Sources) -> None:
    found = {hit.path: hit.snippet for hit in await find(sources, "Sunken road")}
    assert [*found].index(VaultPath("Almanac.md")) < [*found].index(VaultPath("Sunken road.md"))
    assert found[VaultPath("Sunken road.md")] == ""


async def test_a_note_of_properties_shows_those_that_match(sources: Sources) -> None:
    assert [hit.snippet for hit in await find(sources, "rating")] == ["==rating==: seven"]


async def test_labels_and_templates_do_not_relate_notes(sources: Sources) -> None:
    answer = await find_related(sources, path=VaultPath(HOLDER), text=None, limit=20)
    said = " ".join(line.casefold() for hit in answer.hits for line in hit.why)
    assert not any(f"“{word}”" in said for word in ("race", "home", "attribute", "currently", "empty", "flowchart"))


async def test_what_is_no_content_sums_up_nothing(sources: Sources) -> None:
    note = read_document(
        VaultPath("A.md"), b"Lorem ipsum dolor sit amet and so on.\n\nBread needs some time to rise.\n"
    )
    text = sources.index.boilerplate.blank(note.text)
    shown = choose_sentences_of([read_document(note.path, text.encode())], 3)
    assert [(one.text, one.lines) for one in shown] == [("Bread needs some time to rise.", (3, 3))]


async def test_a_passage_of_labelled_values_has_the_lead_beside_it(sources: Sources) -> None:
    from bridge.index.hits import PassageHit

    filled = next(path for path in FILES if path.startswith("Characters/") and "This section" not in FILES[path])
    passages = await read_shown(sources.index, [PassageHit(VaultPath(filled), 0, 1.0)])
    shown = [one.lead or one for one in passages]
    assert all(filled.removeprefix("Characters/").removesuffix(".md") in one.text for one in shown)
