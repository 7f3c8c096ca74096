"""Words indexed where notes are read, and numbered where they are written."""

from collections import Counter
from pathlib import Path

import pytest

from bridge.index.documents import IndexDocument, Vocabularies, build_segments, number_segments
from bridge.index.inverted_index import InvertedIndex
from bridge.index.prepare import add_segments
from bridge.index.segment import FREQUENCIES, IndexSegment
from bridge.types import VaultPath
from tests.index.made import all_of, opened, paths, prepared, sentence, words

NOTES = {
    f"{number}.md": f"# Note {number}\n\n{sentence(number)}\n\n## More\n\n{sentence(-number)}\n" for number in range(9)
}
Posting = tuple[int, int, int, int, float]


def postings(segments: list[IndexSegment]) -> Counter[Posting]:
    """Return each posting: the term, the document's number, ordinal and mark, and the frequency."""
    found: Counter[Posting] = Counter()
    for segment in segments:
        for at, term in enumerate(segment.terms.tolist()):
            for place in range(segment.starts[at], segment.starts[at + 1]):
                document = segment.documents[:][place]
                ids = (int(segment.numbers[document]), int(segment.ordinals[document]), int(segment.marks[:][document]))
                found[term, *ids, float(FREQUENCIES[segment.frequencies[:][place]])] += 1
    return found


def built(texts: dict[tuple[int, int, int], str]) -> list[IndexSegment]:
    documents = [IndexDocument(number, ordinal, mark, text) for (number, ordinal, mark), text in texts.items()]
    return list(build_segments(documents, Vocabularies.empty().words))


@pytest.mark.parametrize("most", [3, 1 << 16])
def test_documents_get_their_numbers_and_marks(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("bridge.index.documents.MAX_DOCUMENTS", most)
    first = built({(0, 0, 0): "rye flour", (0, 1, 0): "rye", (1, 0, 0): "left out", (2, 0, 0): "water"})
    second = built({(0, 0, 0): "salt water"})
    numbered = number_segments([(first[0], {2: (40, 4), 0: (50, 5)}), (second[0], {0: (30, 3)})])
    wanted = {(50, 0, 5): "rye flour", (50, 1, 5): "rye", (40, 0, 4): "water", (30, 0, 3): "salt water"}
    assert postings(numbered) == postings(built(wanted))
    assert all([*segment.numbers] == sorted(segment.numbers) for segment in numbered)


def test_of_notes_that_are_not_written_nothing_is_found() -> None:
    [segment] = number_segments([(built({(0, 0, 0): "rye"})[0], {})])
    index = InvertedIndex()
    index.add(segment)
    assert (len(segment), index.segments) == (0, ())


@pytest.mark.parametrize("shares", [(0, 9), (4, 9), (0, 3), (3, 6)])
async def test_it_does_not_matter_where_the_words_were_indexed(tmp_path: Path, shares: tuple[int, int]) -> None:
    first, last = shares
    notes = all_of(NOTES)
    vocabularies = Vocabularies.empty()
    indexed = [
        *notes[:first],
        *add_segments(notes[first:last], vocabularies),
        *add_segments(notes[last:], vocabularies),
    ]
    # One that was read with the others is not written, and one is written later.
    early, late = [note for note in indexed if note.note.path not in ("1.md", "5.md")], indexed[5]
    index, other = await opened(tmp_path / "index"), await opened(tmp_path / "other")
    await index.write(early)
    await index.write([late])
    await other.write([notes[at] for at in (0, 2, 3, 4, 6, 7, 8, 5)])
    for number in range(9):
        word = sentence(number).split()[0]
        found = await index.passages(words(word), 50)
        assert found == await other.passages(words(word), 50)
        assert (VaultPath("1.md") in {hit.path for hit in found}) is False
        assert await index.search_notes(words(word), 50) == await other.search_notes(words(word), 50)
    await index.close()
    await other.close()


async def test_a_moved_note_keeps_its_passages_and_is_found_at_its_new_path(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index")
    await index.write(add_segments([prepared("a.md", "# A\n\nBarley.\n")], Vocabularies.empty()))
    moved = add_segments(
        [prepared("b.md", "# A\n\nBarley.\n"), prepared("c.md", "# C\n\nOats.\n")], Vocabularies.empty()
    )
    await index.write(moved, [VaultPath("a.md")])
    assert await paths(index.passages(words("barley"), 9)) == ["b.md"]
    assert await paths(index.passages(words("oats"), 9)) == ["c.md"]
    await index.close()
