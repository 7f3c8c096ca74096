import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bridge.index.digests import TextDigests
from bridge.index.matrix import TITLE_WEIGHT, Floats, VectorMatrix
from tests.index.made import DIMENSIONS, vector

Notes = dict[int, TextDigests]

ROUNDING = 2**-10
"""How far a product of two unit vectors moves at most when both are rounded to float16."""


def name(text: str) -> bytes:
    return text.encode().ljust(32, b"\0")


def held(title: str, *passages: str | None) -> TextDigests:
    return TextDigests.of(name(title), [None if text is None else name(text) for text in passages])


def filled(notes: Notes, texts: set[str]) -> VectorMatrix:
    layout = VectorMatrix(DIMENSIONS)
    layout.put(notes)
    layout.fill([name(text) for text in sorted(texts)], np.stack([vector(text) for text in sorted(texts)]))
    return layout


def expected(
    notes: dict[int, tuple[str, list[str | None]]], known: set[str], query: str
) -> dict[int, tuple[int, float]]:
    """Compute the answer by the formula, one passage after another."""
    answer: dict[int, tuple[int, float]] = {}
    for key, (title, passages) in notes.items():
        for ordinal, text in enumerate(passages):
            if text is None or text not in known:
                continue
            both = vector(text) + (TITLE_WEIGHT * vector(title) if title in known else 0)
            score = float(vector(query) @ (both / np.linalg.norm(both)))
            if key not in answer or score > answer[key][1] + 1e-6:
                answer[key] = (ordinal, score)
    return answer


TEXTS = [f"text {letter}" for letter in "abcdefghij"]
NOTE = st.tuples(st.sampled_from(TEXTS), st.lists(st.none() | st.sampled_from(TEXTS), max_size=4))
CHANGE = st.tuples(st.integers(0, 8), st.none() | NOTE)


@settings(max_examples=150, deadline=None)
@given(st.lists(CHANGE, max_size=25), st.sets(st.sampled_from(TEXTS)), st.integers(0, 25))
def test_the_nearest_are_those_of_the_formula(
    changes: list[tuple[int, tuple[str, list[str | None]] | None]], known: set[str], filled_at: int
) -> None:
    layout = VectorMatrix(DIMENSIONS)
    notes: dict[int, tuple[str, list[str | None]]] = {}

    def fill() -> None:
        if known:
            layout.fill([name(t) for t in sorted(known)], np.stack([vector(t) for t in sorted(known)]))

    for at, (key, note) in enumerate(changes):
        if at == filled_at:
            fill()
        layout.drop(key)
        notes.pop(key, None)
        if note is not None:
            layout.put({key: held(note[0], *note[1])})
            notes[key] = note
    if filled_at >= len(changes):
        fill()
    answer = {key: (ordinal, score) for key, ordinal, score in layout.nearest(vector("text a"), 20, None)()}
    wanted = expected(notes, known if changes or filled_at >= len(changes) else set(), "text a")
    if (len(changes) and filled_at < len(changes)) or filled_at >= len(changes):
        assert answer.keys() == wanted.keys()
        for key, (ordinal, score) in wanted.items():
            assert abs(answer[key][1] - score) < ROUNDING
            assert abs(expected({key: notes[key]}, known, "text a")[key][1] - answer[key][1]) < ROUNDING
            assert ordinal == answer[key][0] or notes[key][1][ordinal] == notes[key][1][answer[key][0]]
    texts = {text for title, passages in notes.values() for text in (title, *passages) if text is not None}
    assert set(layout.waiting) == {name(text) for text in texts - known}
    assert layout.count_placed() == sum(text in known for _, passages in notes.values() for text in passages)


def test_thousands_of_notes_come_and_go() -> None:
    layout = VectorMatrix(DIMENSIONS)
    for turn in range(3):
        layout.put({turn * 5_000 + at: held("t", f"p{turn}-{at}", "shared") for at in range(5_000)})
        for at in range(4_990):
            layout.drop(turn * 5_000 + at)
    layout.fill([name("t"), name("shared"), name("p2-4999")], np.stack([vector("t"), vector("shared"), vector("p")]))
    assert sorted(key for key, _, _ in layout.nearest(vector("shared"), 100, None)()) == sorted(
        turn * 5_000 + at for turn in range(3) for at in range(4_990, 5_000)
    )
    assert [key for key, _, _ in layout.nearest(vector("p"), 1, None)()] == [14_999]
    assert layout.count_pending() == 29


def test_a_note_as_one_vector_is_the_mean_of_its_passages() -> None:
    layout = filled({1: held("t", "a", "b", None)}, {"t", "a", "b"})
    parts = [vector(text) + TITLE_WEIGHT * vector("t") for text in ("a", "b")]
    mean = np.mean([part / np.linalg.norm(part) for part in parts], axis=0)
    found = layout.vector_of(1)
    assert found is not None
    assert np.allclose(found, mean / np.linalg.norm(mean), atol=ROUNDING)
    assert layout.vector_of(2) is None


def test_a_passage_as_one_vector_is_its_own_with_the_title_in_it() -> None:
    layout = filled({1: held("t", "a", "b", None), 2: held("t", "c")}, {"t", "a", "b"})
    part = vector("b") + TITLE_WEIGHT * vector("t")
    found = layout.vector_of(1, 1)
    assert found is not None
    assert np.allclose(found, part / np.linalg.norm(part), atol=ROUNDING)
    assert [layout.vector_of(1, 2), layout.vector_of(1, 3), layout.vector_of(2, 0)] == [None, None, None]


def test_only_the_best_passage_of_a_note_is_returned() -> None:
    layout = filled({1: held("t", "a", "b"), 2: held("t", "c")}, {"t", "a", "b", "c"})
    assert layout.nearest(vector("b"), 5, None)()[0][:2] == (1, 1)
    assert [key for key, _, _ in layout.nearest(vector("b"), 5, [2])()] == [2]
    assert layout.nearest(vector("b"), 5, [])() == []


SIZES = st.lists(st.integers(0, 6), min_size=1, max_size=40)
KEYS = st.sets(st.integers(0, 60))


@settings(max_examples=150, deadline=None)
@given(SIZES, st.none() | KEYS, st.none() | KEYS, KEYS, KEYS, st.integers(1, 50), st.integers(0, 2**32))
def test_scores_are_those_of_float32(
    sizes: list[int],
    keys: set[int] | None,
    hidden: set[int] | None,
    dropped: set[int],
    untitled: set[int],
    limit: int,
    seed: int,
) -> None:
    random = np.random.default_rng(seed)
    layout = VectorMatrix(DIMENSIONS)
    wanted: dict[int, float] = {}
    query = unit(random.standard_normal(DIMENSIONS))
    for key, size in enumerate(sizes):
        title, *passages = unit(random.standard_normal((size + 1, DIMENSIONS)))
        names = [name(f"{key} {at}") for at in range(size)]
        layout.put({key: TextDigests.of(name(f"{key}"), names)})
        known = [(name(f"{key}"), title)] if key not in untitled else []
        known += zip(names, passages, strict=True)
        if known:
            layout.fill([digest for digest, _ in known], np.stack([each for _, each in known]))
        shown = key not in dropped and key not in (hidden or ()) and (keys is None or key in keys)
        if shown and size:
            whole = passages + np.float32(0 if key in untitled else TITLE_WEIGHT) * title
            wanted[key] = float((unit(whole) @ query).max())
    for key in dropped:
        layout.drop(key)
    without = None if hidden is None else np.array(sorted(hidden), np.int64)
    answer = layout.nearest(query, limit, keys, without)()
    scores = [score for _, _, score in answer]
    assert scores == sorted(scores, reverse=True)
    assert len({key for key, _, _ in answer}) == len(answer) == min(limit, len(wanted))
    assert all(abs(wanted[key] - score) < ROUNDING for key, _, score in answer)
    best = sorted(wanted.values(), reverse=True)[: len(answer)]
    assert np.allclose(scores, best, rtol=0, atol=ROUNDING)


def unit(vectors: NDArray[np.floating]) -> Floats:
    scaled: Floats = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return scaled


def test_a_search_answers_about_the_moment_in_which_it_began() -> None:
    notes: Notes = {key: held("t", f"a {key}", f"b {key}") for key in range(100)}
    layout = filled(notes, {"t", *(f"a {key}" for key in range(100))})
    for keys in (None, range(0, 100, 3)):
        before = layout.nearest(vector("a"), 50, keys)()
        search = layout.nearest(vector("a"), 50, keys)
        for key, _, _ in before[:10]:
            layout.drop(key)
        layout.put({key: held("t", "a") for key in (1_000, 1_001)})
        layout.fill([name(f"b {key}") for key in range(100)], np.stack([vector(f"b {key}") for key in range(100)]))
        layout.put({2_000 + key: held("t", "a") for key in range(5_000)})
        assert search() == before
        assert layout.nearest(vector("a"), 50, keys)() != before
        layout = filled(notes, {"t", *(f"a {key}" for key in range(100))})


def test_few_notes_score_as_they_do_among_all() -> None:
    layout = VectorMatrix(DIMENSIONS)
    layout.put({key: held("t", f"p {key}") for key in range(10_000)})
    random = np.random.default_rng(1)
    layout.fill([name(f"p {key}") for key in range(10_000)], unit(random.standard_normal((10_000, DIMENSIONS))))
    layout.fill([name("t")], vector("t")[None])
    every = {key: score for key, _, score in layout.nearest(vector("p"), 10_000, None)()}
    few = {key: score for key, _, score in layout.nearest(vector("p"), 10_000, range(0, 10_000, 97))()}
    assert few == {key: every[key] for key in range(0, 10_000, 97)}


def test_the_nearest_passages_may_be_of_one_note() -> None:
    texts = {"near", "far", "other", "title"}
    layout = filled({1: held("title", "near", "far"), 2: held("title", "other")}, texts)
    query = vector("near")
    notes = layout.nearest(query, 2, None)()
    assert [(key, ordinal) for key, ordinal, _ in notes] == [(1, 0), (2, 0)]
    passages = layout.nearest(query, 3, None, every_passage=True)()
    assert passages[0] == notes[0]
    assert {(key, ordinal) for key, ordinal, _ in passages} == {(1, 0), (1, 1), (2, 0)}
    assert [score for *_, score in passages] == sorted((score for *_, score in passages), reverse=True)
    assert len(layout.nearest(query, 2, None, every_passage=True)()) == 2
    assert {key for key, *_ in layout.nearest(query, 3, [2], every_passage=True)()} == {2}
    assert layout.nearest(query, 3, [], every_passage=True)() == []


def test_all_notes_that_equal_the_last_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.matrix.MAX_EQUAL_HITS", 1_000)
    far = {key: held("t", "far") for key in range(500)}
    equal: Notes = {key: held("t", "near", "near") for key in range(700, 500, -1)}
    layout = filled(far | equal | {999: held("near", "near")}, {"t", "near", "far"})
    for limit in (2, 100, 201):
        found = layout.nearest(vector("near"), limit, None)()
        assert (found[0][0], {(key, ordinal) for key, ordinal, _ in found[1:]}) == (999, {(key, 0) for key in equal})
        passages = layout.nearest(vector("near"), limit, None, every_passage=True)()
        assert (passages[0][0], len(passages)) == (999, 401)
    assert [key for key, _, _ in layout.nearest(vector("near"), 1, None)()] == [999]
