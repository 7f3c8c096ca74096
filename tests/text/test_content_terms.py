"""The terms by which sentences are compared."""

from hypothesis import given
from hypothesis import strategies as st

from bridge.text.content_terms import terms_of


def test_forms_of_a_word_are_one_term_in_every_script() -> None:
    assert terms_of("The starters started 2 starters", "english") == ["starter", "start", "starter"]
    assert terms_of("What she wrote and fed", "english") == terms_of("write, feed", "english")
    assert terms_of("an e-mail", "english") == terms_of("email, mail", "english")
    assert terms_of("酵母很好", None) == ["酵母", "母很", "很好"]
    assert terms_of("Закваска и хлеб", None) == terms_of("закваске, хлеба", None)
    assert terms_of("הדבורים", "hebrew") == terms_of("דבורה", "hebrew")


@given(
    st.text("eglmtu'’ 酵母хл0_הדבר"),
    st.sampled_from(["english", "dutch", "french", "russian", "hebrew", None]),
    st.text("eglmtu酵х0דב", max_size=3),
)
def test_no_term_with_a_wanted_initial_is_left_out(text: str, language: str | None, initials: str) -> None:
    every = terms_of(text, language)
    wanted = [term for term in every if term[0] in initials]
    assert [term for term in terms_of(text, language, frozenset(initials)) if term[0] in initials] == wanted


def test_a_stem_may_begin_otherwise_than_its_word() -> None:
    assert terms_of("buku boleh dipinjam", "indonesian", {"p"}) == terms_of("buku boleh dipinjam", "indonesian")
