"""Expressions of Bases give what Obsidian's documentation says; every example of it is here."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bridge.bases.evaluate import Evaluation, check_functions
from bridge.bases.note_files import NoteFiles
from bridge.bases.syntax import parse_expression
from bridge.bases.values import Date, FileValue, LinkValue, text_of
from bridge.errors import InvalidArguments
from bridge.markdown.names import Names
from bridge.types import VaultPath
from tests.changes.vaults import Paper

NOW = datetime(2026, 1, 31, 12, 30, 15).astimezone()
BOOK = VaultPath("Books/Emma.md")
FILES = {
    BOOK: (
        "---\ntags: [book, Novel/english]\nprice: 7.5\nage: 3\nstatus: open\nread: 2025-12-24\nrated: true\n"
        'author: "[[Jane Austen]]"\ntypes: ["[[Book]]", paper]\nempty: []\nnothing:\nmade: {by: [a, b], in: 1815}\n'
        "Odd name: x\n"
        "col·lecció: a\nм'ята: b\nпам’ять: c\nצה״ל: d\nש\"ח: e\nЇ: I\u0308\n"
        "पेशा: शिक्षक\nอาชีพ: ครู\nnghe\u0302\u0300: y\nنام\u200cها: z\n---\n[[Textbook]] ![[Cover.png]] #inline\n"
    ),
    "Jane Austen.md": "An author.\n",
    "Textbook.md": "[[Books/Emma]]\n",
    "Cover.png": "",
    "Plan.canvas": "{}",
}


def evaluation(**formulas: str) -> Evaluation:
    paper = Paper.of(FILES)
    files = NoteFiles(paper.notes, Names(paper.files), Path("/nowhere"), {}, NOW)
    parsed = {name: parse_expression(text) for name, text in formulas.items()}
    return Evaluation(files, parsed, FileValue("Textbook.md"))


def value(text: str, path: str = BOOK, **formulas: str) -> Any:
    node = parse_expression(text)
    check_functions([node])
    return evaluation(**formulas).value(node, path)


@pytest.mark.parametrize("written", ["2024-05-06T23:30:00Z", "2024-05-07T01:30+02:00", "2024-05-06 18:00:00.000-0530"])
def test_a_time_with_an_offset_is_that_moment(written: str) -> None:
    local = datetime(2024, 5, 6, 23, 30, tzinfo=UTC).astimezone()
    assert value(f'date("{written}")').moment == local
    assert value(f'date("{written}").format("YYYY-MM-DD HH:mm")') == f"{local:%Y-%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        # The examples of the documentation.
        ("radius * (2 * 3.14)", None),
        ("2 * (2 * 3.14)", 12.56),
        ('number("3.4")', 3.4),
        ('list("value")', ["value"]),
        ('if(rated, "Modified", "Unmodified")', "Modified"),
        ("1.isTruthy()", True),
        ('पेशा == "शिक्षक" && note.อาชีพ == "ครู"', True),
        ("nghề + nghe\u0302\u0300 + نام\u200cها", "yyz"),
        ('col·lecció + м\'ята + note.пам’ять + צה״ל + ש"ח', "abcde"),
        ('file.properties["col·lecció"] + (Ї == "Ï") + (Ї + "x" == "I\u0308x")', "atruetrue"),
        ('"example".isType("string") && true.isType("boolean")', True),
        ("123.toString()", "123"),
        ("(1 / 0).toString()", "Infinity"),
        ("(-1 / 0).toString()", "-Infinity"),
        ("(0 / 0).toString()", "NaN"),
        ('now().date().format("YYYY-MM-DD HH:mm:ss")', "2026-01-31 00:00:00"),
        ('date("2025-05-27").format("YYYY-MM-DD")', "2025-05-27"),
        ("now().time()", "12:30:15"),
        ('(now() - "3 days").relative()', "3 days ago"),
        ('"hello".contains("ell")', True),
        ('"hello".containsAll("h", "e")', True),
        ('"hello".containsAny("x", "y", "e")', True),
        ('"hello".endsWith("lo")', True),
        ('"Hello world".isEmpty()', False),
        ('"".isEmpty()', True),
        ('"a:b:c:d".replace(/:/, "-")', "a-b:c:d"),
        ('"a:b:c:d".replace(/:/g, "-")', "a-b-c-d"),
        ('"a:b:c:d".replace(":", "-")', "a-b-c-d"),
        ('"John Smith".replace(/(\\w+) (\\w+)/, "$2, $1")', "Smith, John"),
        ('"123".repeat(2)', "123123"),
        ('"hello".reverse()', "olleh"),
        ('"hello".slice(1, 4)', "ell"),
        ('"a,b,c,d".split(",", 3)', ["a", "b", "c"]),
        ('"a,b,c,d".split(/,/, 3)', ["a", "b", "c"]),
        ('"hello".startsWith("he")', True),
        ('"hello world".title()', "Hello World"),
        ('"  hi  ".trim()', "hi"),
        ("(-5).abs()", 5),
        ("(2.1).ceil()", 3),
        ("(2.9).floor()", 2),
        ("5.isEmpty()", False),
        ("(2.5).round()", 3),
        ("(2.3333).round(2)", 2.33),
        ("(3.14159).toFixed(2)", "3.14"),
        ("[1,2,3].contains(2)", True),
        ("[1,2,3].containsAll(2,3)", True),
        ("[1,2,3].containsAny(3,4)", True),
        ("[1,2,3,4].filter(value > 2)", [3, 4]),
        ("[1,[2,3]].flat()", [1, 2, 3]),
        ("[1,2,3].isEmpty()", False),
        ('[1,2,3].join(",")', "1,2,3"),
        ("[1,2,3,4].map(value + 1)", [2, 3, 4, 5]),
        ("[1,2,3].reduce(acc + value, 0)", 6),
        ('[4,9,2].filter(value.isType("number")).reduce(if(acc == null || value > acc, value, acc), null)', 9),
        ("[1,2,3].reverse()", [3, 2, 1]),
        ("[1,2,3,4].slice(1,3)", [2, 3]),
        ("[3, 1, 2].sort()", [1, 2, 3]),
        ('["c", "a", "b"].sort()', ["a", "b", "c"]),
        ("[1,2,2,3].unique()", [1, 2, 3]),
        ("{}.isEmpty()", True),
        ('{"a": 1, "b": 2}.keys()', ["a", "b"]),
        ('{"a": 1, "b": 2}.values()', [1, 2]),
        ('/abc/.matches("abcde")', True),
        ('((now() + "1d") - now()) == 86400000', True),
        ('text.isEmpty() && (date("2024-12-01") + "1M" + "4h" + "3m").format("YYYY-MM-DD HH:mm") == "2025-01-01 04:03"',
         True),
        ("now() + (duration('1d') * 2) == now() + '2d'", True),
        ("(price / age).toFixed(2)", "2.50"),
        ('if(price, price.toFixed(2) + " dollars")', "7.50 dollars"),
        # Properties and files.
        ("price", 7.5),
        ('note["price"]', 7.5),
        ("Price > 2.1", True),
        ('status != "done" && price > 2.1', True),
        ('note["Odd name"]', "x"),
        ("made.in", 1815),
        ('made["by"][1]', "b"),
        ("nothing", None),
        ("missing.isEmpty() && nothing.isEmpty() && empty.isEmpty()", True),
        ('missing.contains("x")', False),
        ("missing > 3 || missing < 3", False),
        ('file.hasTag("book")', True),
        ('file.hasTag("novel", "x")', True),
        ('file.hasTag("boo")', False),
        ('file.tags.contains("inline") && file.tags.contains("#book")', True),
        ('file.inFolder("Books")', True),
        ('file.inFolder("Book")', False),
        ('file.hasLink("Textbook")', True),
        ("file.hasLink(this.file)", True),
        ("file.hasLink(this)", True),
        ('link("Textbook").linksTo(file)', True),
        ('file.hasProperty("PRICE")', True),
        ("file.name", "Emma.md"),
        ("file.basename", "Emma"),
        ("file.folder", "Books"),
        ('file.ext == "md"', True),
        ('!file.name.contains("Template")', True),
        ('author == link("Jane Austen")', True),
        ('types.contains(link("Book"))', True),
        ('types.contains("paper")', True),
        ("list(author).contains(this)", False),
        ('file.embeds[0].containsAny("jpg", "png")', True),
        ("file.links.length", 3),
        ("file.backlinks.length", 1),
        ("this.file.name", "Textbook.md"),
        ('read > date("2025-12-01") && read < "2026-01-01"', True),
        ('read == "2025-12-24"', True),
        ("read.month", 12),
        ("rated", True),
        ("!rated", False),
        # JavaScript.
        ('"a" + 1', "a1"),
        ("1 + 2 * 3 - 4 / 2", 5),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("1 / 0 > 1000000", True),
        ("1 / 0 % 2 == 0", False),
        ("[1,2,3,4,5,6,7,8,9,10,11,12].reduce(acc * acc, 3)", float("inf")),
        ("9" * 5_000 + " > 1 && 1.5 + 9007199254740993 > 1", True),
        ('"x".matches(1)', None),
        ("2 - -3", 5),
        ("null || 5", 5),
        ('"" && 5', ""),
        ("true == 1", False),
        ('1 == "1"', False),
        ("10 / 2 / 5", 1),
        ("8 / 2", 4),
        ('"a\\"b"', 'a"b'),
        ("max(1, 5, 3) - min(4, 2)", 3),
        ("formula.double + 1", 16),
    ],
)  # fmt: skip
def test_an_expression_gives_what_it_should(text: str, result: Any) -> None:
    assert value(text, double="price * 2") == (pytest.approx(result) if isinstance(result, float) else result)


def test_links_and_dates_are_shown_as_in_a_note() -> None:
    assert value("author") == LinkValue("Jane Austen", None, "Jane Austen.md")
    assert text_of(value("[author, read, 1.0, true, null]")) == "[[Jane Austen]], 2025-12-24, 1, true, "
    assert isinstance(value("read"), Date)
    assert value('link("a", "b")') == LinkValue("a", "b", None)


def test_other_files_have_no_properties() -> None:
    assert value("price", "Cover.png") is None
    assert value('file.ext == "png"', "Cover.png") is True
    assert value("file.size", "Cover.png") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("price >", "ends too early"),
        ("price ) 3", "`)` is not expected here"),
        ("(price", "`)` is missing"),
        ("price ~ 3", "cannot be read"),
        ('"open', "cannot be read"),
        ("/open", "regular expression does not end"),
        ("a.", "a name must follow the dot"),
        ("price.tofixed(2)", "There is no function `tofixed`"),
        ("foo(2)", "There is no function `foo`"),
        ('"x".repeat(10000000)', "too long"),
        ("'it''s'.length", "is not expected here"),
        ("if(1)", "cannot be used like this"),
        ("date(1, 2, 3)", "cannot be used like this"),
        ("/(a)\\1/.matches('aa')", "cannot be used: `\\1` stands for what a group matched"),
        ("/(?<n>a)\\k<n>/.matches('aa')", "cannot be used: `\\k` stands for what a group matched"),
        ("/(?<=a)b/.matches('ab')", "cannot be used: `(?<=` looks ahead or behind"),
        ("'ab'.replace(/a(?!b)/, '')", "cannot be used: `(?!` looks ahead or behind"),
        ("/(a/.matches('ab')", "cannot be used: missing )"),
        ("(" * 80 + "1" + ")" * 80, "nested too deeply"),
        ("!" * 80 + "1", "nested too deeply"),
        ("1" + "+1" * 6_000, "longer than"),
        ("1" + "+1" * 4_000, "nested too deeply"),
        ("file" + ".a" * 4_000, "nested too deeply"),
        ('[1,2].map(value.toString() + "x".repeat(1000000)).map(value + value)' + ".map(value + value)" * 12, "too"),
        ("formula.loop", "refers to itself"),
    ],
)
def test_what_cannot_be_evaluated_is_said(text: str, said: str) -> None:
    with pytest.raises(InvalidArguments) as error:
        value(text, loop="formula.loop + 1")
    assert said in error.value.message


def test_the_way_around_a_look_behind_works() -> None:
    with pytest.raises(InvalidArguments) as error:
        value("/(?<=a)b/.matches('ab')")
    assert '`title.replace(/(a)b/, "$1")`' in error.value.hint
    assert value('"cab".replace(/(a)b/, "$1")') == "ca"


def test_a_query_without_end_is_stopped() -> None:
    nested = "[1,2,3,4,5,6,7,8,9,10]"
    text = f"{nested}.map({nested}.map({nested}.map({nested}.map({nested}.map({nested}.map({nested}.map(value)))))))"
    query = evaluation()
    query.budget.steps //= 100
    with pytest.raises(InvalidArguments, match="takes too long"):
        query.value(parse_expression(text), BOOK)


def test_a_hostile_regular_expression_takes_no_time() -> None:
    assert value('/^(a+)+$/.matches("' + "a" * 5_000 + '!")') is False


TEN = "[acc,acc,acc,acc,acc,acc,acc,acc,acc,acc]"
MANY = '"a,".repeat(99999).split(",")'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'[1,1,1,1,1,1,1,1,1,1,1,1].reduce({TEN}, "x").toString().length > 3', "too"),
        (f"[1,1,1,1,1,1,1,1,1,1,1,1].reduce({TEN}, 'x') == 1", "too"),
        (f"[1,1,1,1,1,1,1,1,1,1,1,1].reduce({{a: {TEN}, b: acc}}, 'x').values()", "too"),
        (f"{MANY}.map(0).reduce([acc], 'x').toString()", "nested too deeply"),
        (f'"1,".repeat(800).split(",").reduce(if(acc.contains("zz"), 1, acc), {MANY})', "takes too long"),
        (f'"1,".repeat(900).split(",").reduce(acc.sort(), {MANY})', "takes too long"),
        ('"1,".repeat(900).split(",").map("x".repeat(90000 + index).split("").length)', "takes too long"),
        (f'[{"1," * 40}].reduce(acc + acc, [1]).length', "too long"),
        (f'[{"1," * 40}].reduce(acc + acc, "💥").length', "too long"),
        ('[1,1].reduce([acc,acc,acc,acc,acc], "💥".repeat(1000000)).join("")', "too"),
        ('"a".repeat(99999).replace("a", "b".repeat(99999))', "too long"),
        ('"a".repeat(9000).replace(/a/g, "b".repeat(99999))', "too long"),
        ('"a".repeat(9000).replace(/(a)/g, "$1$1$1$1$1$1$1$1$1$1".repeat(99))', "too long"),
        ('"ß".repeat(999999).upper()', "too long"),
        ('"x".repeat(999999).split("")', "too long"),
        ('"x".repeat(999999).split(/x/)', "too long"),
        ("/" + "(?:[xa].?){500}" * 50 + 'y/.matches("x".repeat(100000))', "too long"),
        ('"a".repeat(20000).replace(/(?:[ab].{400})c|a/g, "")', "too long"),
        ('now().format("LLLL".repeat(9999))', "too long"),
    ],
)  # fmt: skip
def test_a_value_is_too_large_before_it_is_made(text: str, said: str) -> None:
    query = evaluation()
    query.budget.steps //= 10
    with pytest.raises(InvalidArguments, match=said):
        query.value(parse_expression(text), BOOK)


def test_what_is_sorted_costs_by_its_length() -> None:
    def steps(text: str) -> int:
        query = evaluation()
        before = query.budget.steps
        query.value(parse_expression(text), BOOK)
        return before - query.budget.steps

    texts = '"1,".repeat(200).split(",").map({} + index)'
    links = '"1,".repeat(200).split(",").map(link("a", {} + index))'
    for items in (texts, links):
        short, long = items.format('"x"'), items.format('"x".repeat(5000)')
        # 8 comparisons of 201 texts of 100 steps.
        assert steps(f"{long}.sort()") - steps(long) > 200 * 8 * 100
        assert steps(f"{short}.sort()") - steps(short) < 200 * 20


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('"abc".split(/x*/)', ["a", "b", "c"]),
        ('"a1b22c".split(/\\d+/)', ["a", "b", "c"]),
        ('"a1b".split(/(\\d)/, 1)', ["a"]),
        ('"一。二。三".split(/。/)', ["一", "二", "三"]),
        ('"".split(/,/)', [""]),
        ('",a,".split(/,/)', ["", "a", ""]),
        ('"नमस्ते दुनिया".replace(/\\s+/g, "_")', "नमस्ते_दुनिया"),
    ],
)
def test_a_regular_expression_may_match_nothing(text: str, result: Any) -> None:
    assert value(text) == result


def test_a_query_that_nobody_waits_for_ends() -> None:
    query = evaluation()
    query.value(parse_expression("1 + 1"), BOOK)
    query.budget.cancel()
    with pytest.raises(InvalidArguments, match="takes too long"):
        query.value(parse_expression("[1,2,3,4,5,6,7,8,9].map([1,2,3,4,5,6,7,8,9].map(value + 1 + 1 + 1))"), BOOK)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        # As the app has it: a duration with fields.
        ('(date("2026-12-08") - date("2026-12-01")).days', 7),
        ('(date("2026-12-02") - date("2026-12-01")).hours', 24),
        ('(date("2026-12-02 00:01") - date("2026-12-02")).seconds', 60),
        ('(date("2026-12-01") - date("2026-12-08")).days', -7),
        ('duration("2d").days + duration("90m").hours', 3.5),
        ('duration("1s").milliseconds', 1000),
        ('(read - date("2025-12-20")).days.round(0)', 4),
        ('(date("2026-12-08") - date("2026-12-01")) > duration("1d")', True),
        ('(date("2026-12-08") - date("2026-12-01")) < "1w"', False),
        ('(date("2026-12-08") - date("2026-12-01")) == duration("1w")', True),
        ('(date("2026-12-08") - date("2026-12-01")).isType("duration")', True),
        ('date("2026-12-01") + (date("2026-12-08") - date("2026-12-01")) == date("2026-12-08")', True),
        ("-duration('1d') == -86400000", True),
        # As the help has it: milliseconds.
        ('(date("2026-12-08") - date("2026-12-01")) / 86400000 == 7', True),
        ('((date("2026-12-08") - date("2026-12-01")) / 86400000).round()', 7),
        ('(date("2026-12-08") - date("2026-12-01")) / duration("1d")', 7),
        ('((date("2026-12-08") - date("2026-12-01")) / 86400000).toFixed(1) + " days"', "7.0 days"),
        ('1000 + (date("2026-12-02") - date("2026-12-01"))', 86_401_000),
        ('(date("2026-12-02") - date("2026-12-01")) % 1000', 0),
        ('"" + (date("2026-12-02") - date("2026-12-01"))', "86400000"),
        ('[date("2026-12-02") - date("2026-12-01"), 0].sum()', 86_400_000),
        ('max(5, date("2026-12-02") - date("2026-12-01")) == 86400000', True),
        ('number(duration("1m"))', 60_000),
        ('if(date("2026-12-01") - date("2026-12-01"), "some", "none")', "none"),
        ('(date("2026-12-02") - date("2026-12-01")) > 5 && 5 < duration("1d")', True),
    ],
)  # fmt: skip
def test_a_duration_has_fields_and_counts_as_milliseconds(text: str, result: Any) -> None:
    assert value(text) == (pytest.approx(result) if isinstance(result, float) else result)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("read.dayz", "A date has no field `dayz`; it has day, hour, millisecond, minute, month, second, year."),
        ("(read - read).weeks", "A duration has no field `weeks`; it has days, hours, milliseconds, minutes, seconds."),
        ("status.size", "A string has no field `size`; it has length."),
        ("price.length", "A number has no field `length`."),
        ("file.author", "A file has no field `author`; it has backlinks, basename"),
        ("missing.length", ""),
        ("made.nothing", ""),
        ("this.author", ""),
    ],
)
def test_an_unknown_field_is_said_once(text: str, said: str) -> None:
    query = evaluation()
    node = parse_expression(text)
    assert [query.value(node, path) for path in (BOOK, BOOK)] == [None, None]
    assert len(query.notices) == bool(said)
    assert all(one.startswith(said) for one in query.notices)
