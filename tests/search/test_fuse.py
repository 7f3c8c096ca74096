import pytest
from msgspec.structs import replace

from bridge.search.calibrate import (
    Curve,
    ModelCalibration,
    calibrate_cosines,
    model_calibration,
    model_trust,
    scale_by_spread,
    share_of_best,
)
from bridge.search.fuse import (
    Evidence,
    FusedHit,
    RetrieverResult,
    choose_pinned,
    explain_scores,
    fuse,
    keep_best,
    lower,
)
from bridge.search.model import RetrieverScore
from bridge.search.query import parse_query
from bridge.types import VaultPath

A, B, C = VaultPath("a"), VaultPath("b"), VaultPath("c")

ENGLISH = model_calibration("all-minilm-l6-v2")


def test_retrievers_add_up_by_weight_and_an_empty_one_does_not_count() -> None:
    results = [
        RetrieverResult(1.0, {A: 0.6, B: 0.2}, {A: 0.9, B: 0.1}),
        RetrieverResult(0.5, {B: 8.0}, {B: 1.0}),
        RetrieverResult(0.5),
    ]
    assert [(hit.path, round(hit.score, 6)) for hit in fuse(results)] == [(A, 0.6), (B, 0.4)]


def test_equal_scores_are_ordered_by_path() -> None:
    assert [hit.path for hit in fuse([RetrieverResult(1.0, {}, {B: 1.0, A: 1.0})])] == [A, B]


def test_what_is_fair_by_all_comes_before_neither_half_s_best() -> None:
    notes = [VaultPath(f"{number}") for number in range(8)]
    near = RetrieverResult(1.0, {}, {notes[6]: 0.9, notes[5]: 0.8, notes[4]: 0.7, notes[3]: 0.6})
    words = RetrieverResult(1.0, {}, {notes[7]: 1.0, notes[0]: 0.9})
    ranked = [FusedHit(path, 1 - number / 10) for number, path in enumerate(notes)]
    evidence = Evidence(meaning=near, stems=words)
    placed = keep_best(ranked, evidence, is_word=False)
    assert [hit.path for hit in placed] == [notes[at] for at in (6, 7, 5, 0, 1, 2, 3, 4)]
    assert [hit.score for hit in placed] == sorted((hit.score for hit in placed), reverse=True)
    assert keep_best(placed, evidence, is_word=False) == placed


def test_the_best_that_says_a_single_word_comes_first() -> None:
    words = RetrieverResult(1.0, {}, {C: 0.9})
    ranked = [FusedHit(A, 0.9), FusedHit(B, 0.8), FusedHit(C, 0.7)]
    evidence = Evidence(meaning=RetrieverResult(1.0, {}, {A: 0.9, B: 0.8}), stems=words)
    assert [hit.path for hit in keep_best(ranked, evidence, is_word=True)] == [C, A, B]
    assert [hit.path for hit in keep_best(ranked, evidence, is_word=False)] == [A, C, B]
    spelt_alike = replace(evidence, stems=RetrieverResult(), name=words)
    assert [hit.path for hit in keep_best(ranked, spelt_alike, is_word=True)] == [A, C, B]


@pytest.mark.parametrize(
    ("text", "is_word"),
    [
        *((word, True) for word in ("crolla", "the crolla", "crolla il", "öğretmen", "咖啡因")),
        *((text, False) for text in ("due parole", "谁带领黑豹队擒杀", "")),
    ],
)
def test_what_is_a_single_word(text: str, is_word: bool) -> None:
    assert parse_query(text).is_word == is_word


def test_neither_noise_nor_little_of_a_question_is_kept_at_the_top() -> None:
    ranked = [FusedHit(A, 0.9), FusedHit(B, 0.8), FusedHit(C, 0.7)]
    evidence = Evidence(meaning=RetrieverResult(1.0, {}, {C: 0.1}), stems=RetrieverResult(1.0, {}, {C: 0.1}))
    assert keep_best(ranked, evidence, is_word=False) == ranked
    assert keep_best([], evidence, is_word=False) == []


def test_the_numbers_name_each_retriever_s_share() -> None:
    evidence = Evidence(
        meaning=RetrieverResult(1.0, {A: 0.6, B: 0.7}, {A: 0.8, B: 0.9}),
        stems=RetrieverResult(0.5, {B: 8.0}, {B: 1.0}),
    )
    assert explain_scores(evidence, [A]) == {
        A: {"meaning": RetrieverScore(raw=0.6, calibrated=0.8, weight=1.0, rank=2)}
    }


@pytest.mark.parametrize(
    ("named", "empty", "pinned"),
    [("", "", ""), ("b", "", "b"), ("bc", "b", "c"), ("b", "b", "ab"), ("b", "ab", "b"), ("", "b", "")],
)
def test_a_named_note_is_pinned_below_the_best_that_says_something(named: str, empty: str, pinned: str) -> None:
    ranked = [FusedHit(A, 0.9), FusedHit(B, 0.8), FusedHit(C, 0.7)]
    assert choose_pinned(ranked, {*map(VaultPath, named)}, {*map(VaultPath, empty)}) == {*pinned}


def test_full_text_scores_are_shares_of_the_best() -> None:
    assert share_of_best({A: 8.0, B: 2.0}) == {A: 1.0, B: 0.25}
    assert share_of_best({}) == {}
    assert share_of_best({A: 0.0}) == {}


def test_a_low_cosine_stays_low_even_when_it_is_the_best() -> None:
    assert calibrate_cosines({A: 0.1}, ENGLISH)[A] < 0.05
    assert calibrate_cosines({A: 0.6}, ENGLISH)[A] > 0.5


def test_the_nearest_of_many_notes_that_are_as_near_counts_for_less_than_one_that_stands_out() -> None:
    others = [VaultPath(f"{number}.md") for number in range(30)]
    alone = calibrate_cosines({A: 0.45, **dict.fromkeys(others, 0.2)}, ENGLISH)
    crowded = calibrate_cosines({A: 0.45, **dict.fromkeys(others, 0.43)}, ENGLISH)
    assert crowded[A] < alone[A] / 1.5
    assert max(crowded, key=lambda path: crowded[path]) == A


def test_an_unknown_model_is_scaled_by_what_stands_out() -> None:
    scaled = calibrate_cosines({A: 0.9, B: 0.8, C: 0.8}, ModelCalibration())
    assert scaled == scale_by_spread({A: 0.9, B: 0.8, C: 0.8})
    assert scaled[A] > scaled[B]
    assert scale_by_spread({A: 0.5}) == {A: 0.5}


def test_an_english_model_is_not_asked_about_other_scripts() -> None:
    assert model_trust("where is the fern", ENGLISH) == 1.0
    assert model_trust("蕨类植物在哪里", ENGLISH) == 0.0
    assert 0 < model_trust("the fern 蕨类 in the garden", ENGLISH) < 1
    assert model_trust("2024", ENGLISH) == 1.0
    assert model_trust("wo ist der Farn", ENGLISH, "german") == 0.5
    assert model_trust("蕨类植物", ModelCalibration(Curve(0.8, 0.02), every_script=True)) == 1.0
    assert model_trust("wo ist der Farn", ModelCalibration(Curve(0.8, 0.02), every_script=True), "german") == 1.0


def test_notes_that_say_nothing_are_below_those_about_the_query() -> None:
    ranked = [FusedHit(VaultPath(path), score) for path, score in (("stub", 0.9), ("a", 0.5), ("b", 0.3), ("c", 0.1))]
    assert lower(ranked, {VaultPath("stub")}) == [
        *ranked[1:3],
        FusedHit(VaultPath("stub"), 0.3),
        FusedHit(VaultPath("c"), 0.1),
    ]
    assert lower(ranked[:1], {VaultPath("stub")}) == ranked[:1]
