import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.search.query import MAX_TERMS, MAX_WORD_CHARS, parse_query
from bridge.search.terms import All, Either, HasName, HasPrefix, HasProperty, HasTag, HasText, Not, Term
from bridge.text.words import trim_word


def test_plain_words_only_rank() -> None:
    query = parse_query("How do I water a fern?")
    assert query.words == ("How", "do", "I", "water", "a", "fern")
    assert query.text == "How do I water a fern?"
    assert query.condition is None


def test_a_phrase_must_occur_and_a_word_behind_minus_must_not() -> None:
    query = parse_query('"slow rise" bread -yeast')
    assert query.phrases == ("slow rise",)
    assert query.words == ("bread",)
    assert query.condition == All((HasText("slow rise", quoted=True), Not(HasText("yeast"))))


def test_a_phrase_in_a_sentence_is_preferred_not_required() -> None:
    query = parse_query('Who wrote the song "Slow Rise" and in which of the years?')
    assert query.phrases == ("Slow Rise",)
    assert query.condition is None
    assert query.notices == ("This reads like a sentence, so what is in quotation marks is preferred, not required.",)


@pytest.mark.parametrize(
    ("typed", "condition", "words"),
    [
        ("#Algorithmus", HasTag("Algorithmus"), ()),
        ("graph #area/home/", HasTag("area/home"), ("graph",)),
        ("bread, #baking.", HasTag("baking"), ("bread",)),
        ("-#old bread", Not(HasTag("old")), ("bread",)),
        ("issue #42", None, ("issue", "42")),
        ("C# or F#", None, ("C#", "or", "F#")),
    ],
)
def test_a_tag_is_a_condition_as_in_obsidian(typed: str, condition: Term | None, words: tuple[str, ...]) -> None:
    query = parse_query(typed)
    assert (query.condition, query.words) == (condition, words)
    assert any("is read as a tag" in notice for notice in query.notices) == (condition is not None)


@pytest.mark.parametrize(
    ("typed", "same", "notice"),
    [
        ("NOT sync", "-sync", "`NOT sync` is read as `-sync`."),
        ("mobile NOT sync", "mobile -sync", "`NOT sync` is read as `-sync`."),
        ('bread NOT "slow rise"', 'bread -"slow rise"', '`NOT "slow rise"` is read as `-"slow rise"`.'),
        ("bread NOT (a b)", "bread -(a b)", "`NOT (…` is read as `-(…`."),
        ("bread NOT tag:old", "bread -tag:old", "`NOT tag:…` is read as `-tag:…`."),
    ],
)
def test_not_in_capitals_excludes(typed: str, same: str, notice: str) -> None:
    assert parse_query(typed).condition == parse_query(same).condition
    assert parse_query(typed).words == parse_query(same).words
    assert notice in parse_query(typed).notices


@pytest.mark.parametrize("typed", ["NOT", "do not sync", "sync NOT", "NOT NOT"])
def test_not_alone_or_in_small_letters_is_a_word(typed: str) -> None:
    assert parse_query(typed).condition == parse_query(typed.replace("NOT", "nought")).condition


def test_and_in_capitals_requires_what_stands_beside_it() -> None:
    query = parse_query("old bread AND rye flour")
    assert query.words == ("old", "bread", "rye", "flour")
    assert query.condition == All((HasText("bread"), HasText("rye")))
    assert query.notices == ("`AND` is read as: what stands beside it must occur.",)
    assert parse_query("bread AND NOT rye").condition == All((HasText("bread"), Not(HasText("rye"))))
    assert parse_query("a1 OR b1 AND c1").condition == Either((HasText("a1"), All((HasText("b1"), HasText("c1")))))
    assert parse_query("(a1 b1) AND tag:x").condition == All((HasText("a1"), HasText("b1"), HasTag("x")))


@pytest.mark.parametrize("typed", ["AND rye", "rye AND", "rye AND OR salt", "rye AND AND"])
def test_and_between_nothing_is_a_word(typed: str) -> None:
    assert "must occur" not in " ".join(parse_query(typed).notices)
    assert "AND" in parse_query(typed).words


def test_and_in_small_letters_is_a_word() -> None:
    query = parse_query("salt and rye")
    assert (query.words, query.condition, query.notices) == (("salt", "and", "rye"), None, ())


def test_plus_requires_a_word() -> None:
    assert parse_query("bread +rye").condition == HasText("rye")
    assert parse_query("bread +rye").words == ("bread", "rye")
    assert parse_query("call +49 170").condition is None
    assert parse_query("C++ code").words == ("C++", "code")


@pytest.mark.parametrize(
    ("typed", "condition"),
    [
        ("ferm*", HasPrefix("ferm")),
        ("-ferm*", Not(HasPrefix("ferm"))),
        ("ferm* OR rye", Either((HasPrefix("ferm"), HasText("rye")))),
        ("发酵*", HasPrefix("发酵")),
        ("title:rye", HasName("title", "rye")),
        ('title:"rye bread"', HasName("title", "rye bread")),
        ("-alias:rye", Not(HasName("alias", "rye"))),
        ("heading:(a1 OR b1)", Either((HasName("heading", "a1"), HasName("heading", "b1")))),
        ("title:ferm*", HasName("title", "ferm*")),
    ],
)
def test_beginnings_and_names_are_conditions(typed: str, condition: Term) -> None:
    query = parse_query(typed)
    assert query.condition == condition
    assert query.notices == ()


@pytest.mark.parametrize("typed", ["*bold*", "a*", "**", "5 * 3", "2*3*"])
def test_a_star_elsewhere_is_no_prefix(typed: str) -> None:
    assert parse_query(typed).condition is None


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("author:smith", "`author:` is no operator, so it was searched as a word; `[author:…]` is about a property."),
        ("fer*ment", "`fer*ment` was searched as words: `*` is read only at the end of a word."),
        ("*ment", "`*ment` was searched as words: `*` is read only at the end of a word."),
    ],
)
def test_what_is_not_understood_is_said(typed: str, said: str) -> None:
    assert parse_query(typed).notices == (said,)
    assert parse_query(typed).condition is None


def test_or_binds_looser_than_standing_side_by_side() -> None:
    assert parse_query("work meeting OR home").condition == Either(
        (All((HasText("work"), HasText("meeting"))), HasText("home"))
    )


def test_brackets_group() -> None:
    assert parse_query("meeting (work OR home)").condition == Either((HasText("work"), HasText("home")))
    assert parse_query("-(a b)").condition == Not(All((HasText("a"), HasText("b"))))


def test_a_bracket_that_is_not_closed_is_told() -> None:
    query = parse_query("(trip AND")
    assert (query.words, query.notices[:1]) == (
        ("trip", "AND"),
        ("A bracket is not closed; it was read as if it were closed at the end.",),
    )
    assert not any("bracket" in one for typed in ("so :(", "1) trip", "(trip)") for one in parse_query(typed).notices)


@pytest.mark.parametrize(
    ("typed", "condition"),
    [
        ("path:Daily", HasName("path", "Daily")),
        ('path:"My notes"', HasName("path", "My notes")),
        ("file:plan", HasName("file", "plan")),
        ("tag:#area/home", HasTag("area/home")),
        ("-tag:old", Not(HasTag("old"))),
        ("[status]", HasProperty("status")),
        ("[status:draft]", HasProperty("status", "draft")),
        ('[status:"in work"]', HasProperty("status", "in work", exact=True)),
        ("[up:[[Home page]]]", HasProperty("up", "[[Home page]]")),
        ('[up:"[[Home|it]]"]', HasProperty("up", "[[Home|it]]", exact=True)),
        ("[up:[[A]] OR [[B]]]", Either((HasProperty("up", "[[A]]"), HasProperty("up", "[[B]]")))),
        ("[status:a OR b]", Either((HasProperty("status", "a"), HasProperty("status", "b")))),
        ("path:(a OR b)", Either((HasName("path", "a"), HasName("path", "b")))),
    ],
)
def test_operators_are_conditions_and_no_words(typed: str, condition: Term) -> None:
    query = parse_query(typed)
    assert query.condition == condition
    assert query.is_empty


def test_operators_may_be_full_width() -> None:
    for typed, same in (
        ("work ＯＲ home －（a b）", "work OR home -(a b)"),
        ("＂slow rise＂ tag：＃food ferm＊", '"slow rise" tag:#food ferm*'),
        ("［status：done］", "[status:done]"),
    ):
        assert parse_query(typed) == parse_query(same)


def test_the_name_of_a_property_may_be_quoted() -> None:
    assert parse_query('["status":"done"]').condition == parse_query('[status:"done"]').condition
    assert parse_query('["as: of" : 2024]').condition == HasProperty("as: of", "2024")
    assert parse_query('["as: of"]').condition == HasProperty("as: of")


def test_a_value_in_quotes_may_hold_an_operator() -> None:
    this, that = HasProperty("status", "now OR never", exact=True), HasProperty("status", "a: b", exact=True)
    assert parse_query('[status:"now OR never" OR "a: b"]').condition == Either((this, that))


def test_what_is_not_supported_is_said_and_its_words_are_searched() -> None:
    query = parse_query("line:(milk eggs) /bu[yt]/")
    assert query.words == ("milk", "eggs", "bu", "yt")
    assert [notice.split(" ")[0] for notice in query.notices] == ["`line:`", "Regular"]


def test_a_quotation_mark_that_is_not_closed_is_left_out() -> None:
    query = parse_query('"half a phrase')
    assert query.words == ("half", "a", "phrase")
    assert query.phrases == ()
    assert query.notices == ("A quotation mark is not closed; what follows it was searched as words.",)


@pytest.mark.parametrize("typed", ["", "   ", "???", '"', '""', "(((", ")", "-", "- -", "OR", "…", "[]", "\x00"])
def test_nothing_to_look_for_is_an_empty_query(typed: str) -> None:
    query = parse_query(typed)
    assert query.is_empty
    assert query.condition is None


def test_links_addresses_and_smileys_stay_words() -> None:
    assert parse_query("[[Plan]] https://a.b/c(d) :)").words == ("Plan", "https://a.b/c", "d")


def test_words_of_any_script_are_kept() -> None:
    assert parse_query("会议记录？ встреча").words == ("会议记录", "встреча")


def test_the_last_word_may_still_be_typed() -> None:
    assert parse_query("meet").open_ended
    assert not parse_query("meet ").open_ended


def test_a_very_long_query_is_cut_and_says_so() -> None:
    query = parse_query("word " * 20_000)
    assert len(query.text) <= 5 * MAX_TERMS
    assert len(query.notices) == 2


@pytest.mark.parametrize("letter", ["a", "ß", "ﬃ", "ﷺ", "a\u00ad"])
def test_a_word_longer_than_any_name_is_left_out(letter: str) -> None:
    query = parse_query(f"garden {letter * 1_900} plan")
    assert query.words == ("garden", "plan")
    assert query.notices == (f"A word of over {MAX_WORD_CHARS} characters was left out.",)
    assert parse_query("园" * 300).words == ("园" * 300,)


@pytest.mark.parametrize("piece", ["(", ")", '"', "-(", "[", "a OR ", "/a", "path:", "x:", "\\", "中", "%", "a-", "<"])
def test_a_hundred_kilobytes_of_anything_are_read_at_once(piece: str) -> None:
    started = time.process_time()
    parse_query(piece * (100_000 // len(piece)))
    # Generous: a quadratic reading takes minutes.
    assert time.process_time() - started < 5


@given(st.text(alphabet='ab "()-[]:/#OR\\*中é\ud800 ', max_size=60) | st.text())
def test_no_text_is_an_error(typed: str) -> None:
    query = parse_query(typed)
    assert all(trim_word(word) == word for word in query.words)


def test_characters_that_nobody_sees_are_not_asked_for() -> None:
    assert parse_query("sour\u200bdough fer\u00admen\u00adted").words == ("sourdough", "fermented")
