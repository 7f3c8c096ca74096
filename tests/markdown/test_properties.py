"""The property block at the top of a note."""

import pytest

from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.types import VaultPath


def note(text: str) -> Note:
    return parse(VaultPath("A.md"), text.encode())


def values(yaml: str) -> object:
    return note(f"---\n{yaml}\n---\nbody\n").properties


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("True", True),
        ("false", False),
        ("~", None),
        ("", None),
        ("null", None),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T10:30:00", "2026-01-01T10:30:00"),
        ("1:30", "1:30"),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("-7", -7),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1e999", "1e999"),
        ("9" * 40, float("9" * 40)),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!custom x", "x"),
        ("<<", "<<"),
        ("=", "="),
        ("[a, 1, [b]]", ["a", 1, ["b"]]),
        ("{b: {c: 1}}", {"b": {"c": 1}}),
        ("[[a]]", [["a"]]),
        ("|\n  two\n  lines\n", "two\nlines\n"),
        ("漢字 🥖", "漢字 🥖"),
    ],
)
def test_values_mean_what_yaml_1_2_says_and_dates_stay_text(yaml: str, value: object) -> None:
    assert values(f"a: {yaml}") == {"a": value}


def test_names_are_text_whatever_they_look_like() -> None:
    assert values("on: 1\n1: 2\n~: 3\n? [a, b]\n: 4\n{c: d}: 5") == {
        "on": 1,
        "1": 2,
        "~": 3,
        '["a", "b"]': 4,
        '{"c": "d"}': 5,
    }


def test_anchors_are_followed() -> None:
    assert values("a: &x [1, 2]\nb: *x\ntags: &t [c]\ntag: *t") == {
        "a": [1, 2],
        "b": [1, 2],
        "tags": ["c"],
        "tag": ["c"],
    }
    assert [tag.name for tag in note("---\nx: &t [c]\ntags: *t\n---\n").tags] == ["c"]


def test_json_is_yaml_too() -> None:
    assert values('{"tags": "journal", "publish": false}') == {"tags": "journal", "publish": False}


@pytest.mark.parametrize("opening", ["---\n", "---  \n", "---\r\n", "---\r"])
def test_the_body_starts_behind_the_block(opening: str) -> None:
    text = f"{opening}a: 1{opening[3:].strip(' ')}{opening}# B\n"
    read = note(text)
    assert (dict(read.properties), text[read.body :]) == ({"a": 1}, "# B\n")
    assert [heading.text for heading in read.headings] == ["B"]


@pytest.mark.parametrize(
    "text",
    [
        "\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "---\na: 1\n",
        "----\na: 1\n----\n",
        "---\na: 1\n...\n",
        "---\na: 1\n --- \n",
        "x",
    ],
)
def test_only_three_dashes_in_the_first_line_open_a_block(text: str) -> None:
    read = note(text)
    assert (read.properties, read.body, read.problems) == ({}, 0, ())


@pytest.mark.parametrize("text", ["---\n---\n", "---\n\n---", "---\n# only a comment\n---\n"])
def test_an_empty_block_is_no_problem(text: str) -> None:
    read = note(text)
    assert (read.properties, read.body, read.problems) == ({}, len(text), ())


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        ("a: b: c", "The properties cannot be read, line 2: mapping values are not allowed in this context."),
        ("ok: 1\na: @x", "The properties cannot be read, line 3: found character that cannot start any token."),
        ("漢: 🥖\n\ta: 1", "The properties cannot be read, line 3: found a tab character that violates indentation."),
        ("- a\n- b", "The properties cannot be read, line 2: it is not a list of names and values."),
        ("just text", "The properties cannot be read, line 2: it is not a list of names and values."),
        ("a: 1\n--- \nb: 2", None),
        ("a: *x", "The properties cannot be read, line 2: `*x` names nothing."),
        ("a: 1\nb: &x [*x]", "The properties cannot be read, line 3: `*x` names nothing."),
        ("a: \0", "The properties cannot be read, line 2: control characters are not allowed."),
        (
            "漢字: 🥖🥖🥖\nb: \0\nc: d\ne: f",
            "The properties cannot be read, line 3: control characters are not allowed.",
        ),
        ("a: " + "[" * 50, "The properties cannot be read, line 2: it is nested too deeply."),
        ("a: 1\na: 2", "Property `a` in line 3 stands twice."),
    ],
)
def test_a_block_that_cannot_be_read_is_a_problem_with_its_line(yaml: str, problem: str | None) -> None:
    read = note(f"---\n{yaml}\n---\n# Kept [[link]] #tag\n")
    assert read.problems == ((problem,) if problem else ())
    assert [heading.text for heading in read.headings][-1] == "Kept [[link]] #tag"
    assert (read.links[-1].target, read.tags[-1].name) == ("link", "tag")


def test_a_name_that_stands_twice_keeps_its_last_value() -> None:
    assert values("a: 1\na: 2") == {"a": 2}


@pytest.mark.parametrize(
    "yaml",
    [
        "\n".join(
            f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]"
            if before
            else f"{name}: &{name} [x, x, x, x, x, x, x, x, x]"
            for before, name in zip(["", *"abcdefg"], "abcdefgh", strict=True)
        ),
        "a: &a " + "x" * 100_000 + "\n" + "\n".join(f"b{index}: *a" for index in range(100)),
        "\n".join(f"k{index}: v" for index in range(30_000)),
    ],
    ids=["nested anchors", "one long text", "many names"],
)
def test_a_block_that_grows_is_refused(yaml: str) -> None:
    read = note(f"---\n{yaml}\n---\nbody\n")
    assert read.properties == {}
    assert read.problems[0].endswith((": it grows too large.", "KiB and were not read."))


def test_a_huge_block_is_not_even_tried() -> None:
    read = note("---\na: '" + "x" * 300_000 + "'\n---\nbody\n")
    assert (read.properties, read.problems) == ({}, ("The properties are larger than 256 KiB and were not read.",))


@pytest.mark.parametrize(
    ("yaml", "tags"),
    [
        ("tags: [a, '#b', c/d]", ["a", "b", "c/d"]),
        ("tags:\n  - a\n  - b", ["a", "b"]),
        ("tags: a, b #c", ["a", "b"]),
        ("tags: 'a, #b c'", ["a", "b", "c"]),
        ("Tags: a\ntag: b", ["a", "b"]),
        ("tags: [1984, y1984, true, null, [x], {y: z}]", ["y1984"]),
        ("tags: [日本語, 'a.b', '']", ["日本語"]),
        ("tags:", []),
        ("TAG: a\ntagged: b", []),
    ],
)
def test_tags_of_a_note(yaml: str, tags: list[str]) -> None:
    assert [tag.name for tag in note(f"---\n{yaml}\n---\n").tags] == tags


@pytest.mark.parametrize(
    ("yaml", "aliases"),
    [
        ("aliases: [Rye, ' Sour  loaf ', Rye, 7]", ("Rye", "Sour  loaf", "7")),
        ("aliases:\n  - One, two", ("One, two",)),
        ("alias: One, two", ("One", "two")),
        ("Aliases: One", ("One",)),
        ("aliases: ''", ()),
        ("aliases:", ()),
        ("ALIAS: a", ()),
    ],
)
def test_aliases_of_a_note(yaml: str, aliases: tuple[str, ...]) -> None:
    assert note(f"---\n{yaml}\n---\n").aliases == aliases
