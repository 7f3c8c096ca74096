"""Sentences that stand for a text."""

from hypothesis import given
from hypothesis import strategies as st

from bridge.text.extract import choose_sentences, terms_of

TEXT = """\
rye bread needs a starter
the weather was fine
a starter for rye bread is fed with rye
rye bread needs a starter
bread of rye keeps a week"""
BREAD = [line.split() for line in TEXT.splitlines()]


def test_what_the_text_is_about_comes_before_what_it_also_says() -> None:
    assert 1 not in choose_sentences(BREAD, [1.0] * 5, 2)


def test_nothing_is_said_twice_while_there_is_something_else() -> None:
    assert not {0, 3} <= {*choose_sentences(BREAD, [1.0] * 5, 3)}


def test_a_focus_brings_what_is_about_it() -> None:
    assert choose_sentences(BREAD, [1.0] * 5, 1, ["weather"]) == [1]
    assert choose_sentences(BREAD, [1.0] * 5, 1, ["snow"]) == choose_sentences(BREAD, [1.0] * 5, 1)


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=12), st.integers(0, 20))
def test_each_place_is_chosen_once_and_the_choice_is_repeatable(sentences: list[list[str]], most: int) -> None:
    chosen = choose_sentences(sentences, [1.0] * len(sentences), most)
    assert len(chosen) == len({*chosen}) <= most
    assert all(sentences[place] for place in chosen)
    assert choose_sentences(sentences, [1.0] * len(sentences), most) == chosen
    assert choose_sentences(sentences, [1.0] * len(sentences), most + 1)[: len(chosen)] == chosen


def test_forms_of_a_word_are_one_term_in_every_script() -> None:
    assert terms_of("The starters started 2 starters", "english") == ["starter", "start", "starter"]
    assert terms_of("What she wrote and fed", "english") == terms_of("write, feed", "english")
    assert terms_of("酵母很好", None) == ["酵母", "母很", "很好"]
    assert terms_of("Закваска и хлеб", None) == ["закваска", "хлеб"]


@given(
    st.text("eglmtu'’ 酵母хл0_"),
    st.sampled_from(["english", "dutch", "french", "russian", None]),
    st.text("eglmtu酵х0", max_size=3),
)
def test_no_term_with_a_wanted_initial_is_left_out(text: str, language: str | None, initials: str) -> None:
    every = terms_of(text, language)
    wanted = [term for term in every if term[0] in initials]
    assert [term for term in terms_of(text, language, frozenset(initials)) if term[0] in initials] == wanted
