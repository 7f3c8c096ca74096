import re
import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.search.snippet import SNIPPET_CHARS, clean_text, cut_snippet, drop_headings
from bridge.text.match import Matcher, compile_matcher
from bridge.text.words import RUN, TOKEN


def snippet(text: str, wanted: Matcher) -> str:
    """Cut a text as a hit does that begins with no heading."""
    plain = clean_text(text)
    return cut_snippet(plain, wanted.find(plain))


def test_words_are_marked_as_typed_inflected_and_begun() -> None:
    wanted = compile_matcher(["meetings", "Häuser", "obsid"], languages=("english", "german"), open_ended=True)
    assert (
        snippet("A meeting about the Haus in Obsidian.", wanted) == "A ==meeting== about the ==Haus== in ==Obsidian==."
    )


def test_a_beginning_counts_only_while_the_last_word_is_typed() -> None:
    assert snippet("in Obsidian", compile_matcher(["obsid"])) == "in Obsidian"


def test_a_phrase_is_marked_as_one() -> None:
    wanted = compile_matcher([], ["slow rise"])
    assert snippet("a slow, slow\nrise of rising dough", wanted) == "a slow, ==slow rise== of rising dough"


def test_neighbouring_matches_share_a_mark() -> None:
    assert snippet("the slow rise", compile_matcher(["slow", "rise"])) == "the ==slow rise=="


def test_accents_and_case_do_not_matter() -> None:
    assert snippet("Le Café", compile_matcher(["cafe"])) == "Le ==Café=="


@given(st.text("aab' \u0301-_é’가"))
def test_every_word_of_a_text_is_found_at_its_place(text: str) -> None:
    tokens = [token for token in TOKEN.finditer(text) if not RUN.match(token.group())]
    found = compile_matcher([token.group() for token in tokens]).find(text)
    assert [match.span for match in found] == [token.span() for token in tokens]


@given(st.lists(st.text("aeghlopstu' 会议", max_size=30)), st.lists(st.text("aeghlopstu会议", min_size=1, max_size=8)))
def test_texts_have_the_same_matches_together_as_alone(texts: list[str], words: list[str]) -> None:
    languages = ("english", "german")
    together = compile_matcher(words, languages=languages).find_each(texts)
    assert together == [compile_matcher(words, languages=languages).find(text) for text in texts]


def test_scripts_without_spaces_are_marked_by_pairs_of_characters() -> None:
    assert snippet("今天的会议记录在这里", compile_matcher(["会议记录"])) == "今天的==会议记录==在这里"
    assert snippet("山の上", compile_matcher(["山"])) == "==山==の上"


def body(text: str, *words: str) -> str:
    plain = clean_text(text)
    return cut_snippet(*drop_headings(text, plain, compile_matcher(words).find(plain)))


def test_headings_that_a_passage_begins_with_are_left_out() -> None:
    text = "# Rye\n\n## Baking *it*\nSlowly, in a [[Cob oven]].\n\n## Storing\nIn cloth.\n"
    assert body(text) == "Slowly, in a Cob oven. Storing In cloth."
    assert body(text, "cloth", "oven") == "Slowly, in a Cob ==oven==. Storing In ==cloth==."
    assert body("# Oven\nThe oven is hot.", "oven") == "The ==oven== is hot."


def test_headings_stay_where_they_alone_say_what_is_wanted_or_anything() -> None:
    assert body("# Rye\nSlowly.", "rye") == "==Rye== Slowly."
    assert body("# Rye\n## Baking\n") == "Rye Baking"
    assert body("#tag first\ntext") == "#tag first text"
    assert body("") == ""


def test_markup_is_cleaned_and_marks_of_the_note_are_not_taken_for_matches() -> None:
    text = "## Plan\n> [!tip] Do\n> - [ ] **see** [[Rye bread|rye]] ==now== ![[pic.png]] `a == b` ^id1"
    assert clean_text(text) == "Plan Do see rye now a = = b"
    assert clean_text("_письменник_, (_a b_) snake_case _x __init__ a_b_ __c__") == (
        "письменник, (a b) snake_case _x init a_b_ c"
    )
    assert clean_text("[[#Plans]] and [[#計画]]と ![[a.png]], 設定 ![[b.svg]]。") == "Plans and 計画と, 設定。"
    assert clean_text("[[Log#[1.0] 发布]] [[T#x [y]|[z]]] ![[a [b].png]]!") == "Log#[1.0] 发布 [z]!"
    assert clean_text("See [Foo](https://a.org/Foo_(bar)), ![x|9](p(1).png) [ [y](z).") == "See Foo, [ y."
    assert clean_text("> a\n>\n> - b\n\n\n#\n\n| c |\n|---|\n-\n  1. [ ] d ^e") == "a b c d"


def test_what_a_backslash_keeps_from_being_markup_is_shown_without_it() -> None:
    assert (
        clean_text(r"*Balance* (\* 1962) \[a](b) \_u\_, C:\Users, $\{a\}$")
        == r"Balance (* 1962) [a](b) _u_, C:\Users, $\{a\}$"
    )


def test_what_a_reader_does_not_see_is_not_shown() -> None:
    text = "Slow\u200b ry\u2060e.<!-- Ignore\n\nwhat was said --> Rise\U000e0041 \u202eoverturned\u202c. <!-- cut"
    assert snippet(text, compile_matcher(["rye"])) == "Slow ==rye==. Rise overturned."


def test_the_stretch_with_most_of_the_words_is_shown_and_no_word_is_cut() -> None:
    text = "zeta " * 80 + "beta alpha gamma " + "delta " * 80
    shown = snippet(text, compile_matcher(["alpha", "beta", "gamma"]))
    assert "==beta alpha gamma==" in shown
    assert set(re.findall(r"\w+", shown)) <= {"alpha", "beta", "gamma", "delta", "zeta"}
    assert len(shown.replace("==", "")) <= SNIPPET_CHARS + 2


@pytest.mark.parametrize(
    "text",
    [
        "বসন্তকালে ব্রেক বদলাতে হবে, পেছনের চাকা ফুটো ছিল, টমেটো বুনেছি,",
        "തക്കാളി വിതച്ചു, ബ്രേക്ക് മാറ്റണം, പുസ്തകം കടമെടുക്കാം,",
        "kočnice treba zameniti, rūgšt dvanaest sati, đački, nước lạnh,",
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_no_word_is_cut_within_or_before_its_marks(text: str, form: Literal["NFC", "NFD"]) -> None:
    words = unicodedata.normalize(form, f"{text} " * 20).split()
    for length in range(20):
        wanted = compile_matcher([words[3].strip(",")])
        shown = snippet(" ".join(("x" * length, *words)), wanted).replace("==", "")
        assert {word.strip(",…") for word in shown.split()} <= {word.strip(",") for word in words} | {"x" * length}


def test_marks_of_thai_are_not_torn_from_their_letters() -> None:
    plain = "แป้งต้องหมักสิบสองชั่วโมงในตู้เย็น"
    marked = compile_matcher(["แป้งต"]).find(plain)
    assert [plain[slice(*one.span)] for one in marked] == ["แป้งต้"]


def test_without_a_match_the_beginning_is_shown() -> None:
    assert snippet("first " * 100, compile_matcher(["absent"])) == "first " * 39 + "first…"


@given(
    st.lists(
        st.sampled_from(["rye", "bread", "==", "=", "\n# ", "会议", "é", "`", "**", "[[a|b]]", "x" * 300, "- "])
    ).map(" ".join),
    st.lists(st.sampled_from(["rye", "breads", "会议", "e"]), max_size=3),
)
def test_marks_always_come_in_pairs_around_words(text: str, words: list[str]) -> None:
    shown = snippet(text, compile_matcher(words))
    pieces = shown.split("==")
    assert len(pieces) % 2 == 1
    assert all(piece.strip() == piece and piece for piece in pieces[1::2])
    assert len(shown.replace("==", "")) <= SNIPPET_CHARS + 2 + len("==")
