"""Documents that are revised have the postings of documents that are built from their text."""

import random

import numpy as np

from bridge.index.documents import IndexDocument, build_segments
from bridge.index.segment import LAYOUT, IndexSegment
from bridge.index.tokens import WORDS, TermFinder
from bridge.index.write import DocumentRevision, revise_documents

CHOICE = [*(f"w{number}" for number in range(40)), "größer", "お茶", "a-b/c"]


def some(dice: random.Random, most: int) -> str:
    return " ".join(dice.choices(CHOICE, k=dice.randrange(most)))


def segment_of(texts: dict[int, str], vocabulary: TermFinder) -> IndexSegment:
    (segment,) = build_segments(
        [IndexDocument(number, 0, number % 7, text) for number, text in texts.items()], vocabulary
    )
    return segment


def assert_equal(found: IndexSegment, expected: IndexSegment) -> None:
    for name, _ in LAYOUT:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


def test_a_revised_document_is_as_if_built_from_its_text() -> None:
    dice, vocabulary = random.Random(7), TermFinder(WORDS)
    for _ in range(30):
        front, back = ({number: some(dice, 30) for number in range(50)} for _ in range(2))
        removed = {number: some(dice, 6) for number in range(50)}
        before = {number: f"{front[number]}\n{removed[number]}\n{back[number]}" for number in range(50)}
        segments = [segment_of({n: before[n] for n in part}, vocabulary) for part in (range(20), range(20, 50))]
        chosen = dice.sample(range(50), 25)
        revisions, after = list[DocumentRevision](), dict[int, str]()
        for place, number in enumerate(chosen):
            added = some(dice, 6)
            after[100 + place] = f"{front[number]}\n{added}\n{back[number]}"
            revisions.append(DocumentRevision(number, 100 + place, (100 + place) % 7, removed[number], added))
        (revised,), inexact = revise_documents(segments, revisions, vocabulary)
        assert not inexact
        assert_equal(revised, segment_of(after, vocabulary))


def test_a_document_whose_frequencies_are_not_known_exactly_is_left_out() -> None:
    vocabulary = TermFinder(WORDS)
    segment = segment_of({1: "tea " * 200 + "cup", 2: "cup pot", 3: "pot"}, vocabulary)
    revisions = [
        DocumentRevision(1, 11, 4, "tea", "leaf"),
        DocumentRevision(2, 12, 5, "cup", "mug"),
        DocumentRevision(3, 13, 6, "nothing that it has", "jug"),
        DocumentRevision(9, 14, 0, "", "no such document"),
    ]
    (revised,), inexact = revise_documents([segment], revisions, vocabulary)
    assert inexact == [revisions[0], revisions[2], revisions[3]]
    assert_equal(revised, segment_of({12: "mug pot"}, vocabulary))


def test_a_document_that_does_not_count_is_not_revised() -> None:
    vocabulary = TermFinder(WORDS)
    segment = segment_of({1: "tea", 2: "pot"}, vocabulary)
    segment.drop(1)
    revision = DocumentRevision(1, 5, 5, "tea", "mug")
    assert revise_documents([segment], [revision], vocabulary) == ([], [revision])
