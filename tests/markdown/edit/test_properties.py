"""Properties are changed line by line; what was not asked for stays as it is."""

import math
from collections.abc import Collection, Mapping
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bridge.errors import InvalidArguments, InvalidProperties
from bridge.markdown.edit.properties import edit_properties
from bridge.markdown.note import Value
from bridge.markdown.parse import parse
from bridge.types import VaultPath
from tests.evaldata import EVAL, needs_eval

NOTE = VaultPath("Notes/A.md")
NOTHING: Mapping[str, str] = {}


def changed(
    yaml: str, values: Mapping[str, Value], remove: Collection[str] = (), types: Mapping[str, str] = NOTHING
) -> str:
    """Change the properties of a note and return its block."""
    after = edit_properties(NOTE, f"---\n{yaml}---\n# Body\n".encode(), values, remove, types).decode()
    assert after.startswith("---\n")
    assert after.endswith("---\n# Body\n")
    return after[4 : -len("---\n# Body\n")]


SET: list[tuple[str, dict[str, Value], str]] = [
    # A value of one line.
    ("a: 1\n", {"a": 2}, "a: 2\n"),
    ("a: 1\nb: 2\n", {"a": "x"}, "a: x\nb: 2\n"),
    ("a:   1\n", {"a": 2}, "a:   2\n"),
    ("a:\t1\n", {"a": 2}, "a:\t2\n"),
    ("a : 1\n", {"a": 2}, "a : 2\n"),
    ("a: 1  \n", {"a": 2}, "a: 2\n"),
    ("a: 1 # why\n", {"a": 2}, "a: 2 # why\n"),
    ("a: 1\t# why: b\n", {"a": "x"}, "a: x\t# why: b\n"),
    ("a: x#y\n", {"a": "z"}, "a: z\n"),
    ("a: 'x' # why\n", {"a": "it's"}, "a: 'it''s' # why\n"),
    ('a: "x"\n', {"a": 'say "y"'}, 'a: "say \\"y\\""\n'),
    ("a: 'x'\n", {"a": "two\nlines"}, 'a: "two\\nlines"\n'),
    ("a: 'x'\n", {"a": 5}, "a: 5\n"),
    ("a: 'x # no comment' # one\n", {"a": "y"}, "a: 'y' # one\n"),
    ("a: 2026-01-01\n", {"a": "2026-02-01"}, "a: 2026-02-01\n"),
    ("a: true\n", {"a": False}, "a: false\n"),
    ("a: 1\n", {"a": None}, "a:\n"),
    ("a: 1 # why\n", {"a": None}, "a: # why\n"),
    ("a: !!str 12\n", {"a": "13"}, 'a: "13"\n'),
    ("a: &x 1\nb: 2\n", {"a": 3}, "a: 3\nb: 2\n"),
    ("a: &x 1\nb: *x\n", {"b": 3}, "a: &x 1\nb: 3\n"),
    # A value that was empty.
    ("a:\n", {"a": "x"}, "a: x\n"),
    ("a: \nb: 1\n", {"a": "x"}, "a: x\nb: 1\n"),
    ("a: # why\n", {"a": "x"}, "a: x # why\n"),
    ("a:\n# comment\nb:\n", {"a": ["x"]}, "a:\n  - x\n# comment\nb:\n"),
    ("a: ~\n", {"a": 1}, "a: 1\n"),
    ("a: ''\n", {"a": "x"}, "a: 'x'\n"),
    # A value of several lines.
    ("a: one\n  two\nb: 1\n", {"a": "x"}, "a: x\nb: 1\n"),
    ("a:\n  one # why\nb: 1\n", {"a": "x"}, "a: x # why\nb: 1\n"),
    ('a: "one\n\n  two" # why\nb: 1\n', {"a": "x"}, 'a: "x" # why\nb: 1\n'),
    ("a: |\n  one\n  ---\n  two\n\n# next\nb: 1\n", {"a": "x"}, "a: x\n\n# next\nb: 1\n"),
    ("a: >- # why\n  one\n  two\nb: 1\n", {"a": "x\ny"}, "a: |- # why\n  x\n  y\nb: 1\n"),
    ("a: |+\n  one\n\n\nb: 1\n", {"b": 2}, "a: |+\n  one\n\n\nb: 2\n"),
    ("a: |\n  # no comment\n  k: v\nb: 1\n", {"b": 2}, "a: |\n  # no comment\n  k: v\nb: 2\n"),
    ("a: |2\n    deep\nb: 1\n", {"a": None, "b": 2}, "a:\nb: 2\n"),
    ("a: x\n", {"a": "one\n\ntwo\n"}, "a: |\n  one\n\n  two\n"),
    # Lists.
    ("a:\n  - x\n  - y\n", {"a": ["x", "y", "z"]}, "a:\n  - x\n  - y\n  - z\n"),
    ("a:\n- x\n- y\n", {"a": ["x", "z", "y"]}, "a:\n- x\n- z\n- y\n"),
    (
        "a:\n    - x # first\n    # between\n    - y # last\n",
        {"a": ["x"]},
        "a:\n    - x # first\n    # between\n    # last\n",
    ),
    ("a:\n  - x\n\n  # between\n  - y\n", {"a": ["w", "x", "y"]}, "a:\n  - w\n  - x\n\n  # between\n  - y\n"),
    ("a:\n  - 'x'\n  - 'y'\n", {"a": ["x", "z"]}, "a:\n  - 'x'\n  - 'z'\n"),
    ("a: # why\n  - x\n", {"a": []}, "a: [] # why\n"),
    ("a:\n  - x\nb: 1\n", {"a": "x"}, "a: x\nb: 1\n"),
    ("a:\n  -\n  - x\n", {"a": [None, "y"]}, "a:\n  -\n  - y\n"),
    ("a:\n  -\n  - x\n", {"a": ["w", None, "x"]}, "a:\n  - w\n  -\n  - x\n"),
    ("a:\n  - k: 1\n    l: 2\n  - x\n", {"a": [{"k": 1, "l": 2}, "y"]}, "a:\n  - k: 1\n    l: 2\n  - y\n"),
    ("a: [x, y]\n", {"a": ["x", "y", "z"]}, "a: [x, y, z]\n"),
    ("a: [x, y] # why\n", {"a": ["y"]}, "a: [y] # why\n"),
    ("a: [ 'x' ,  'y' ]\n", {"a": ["x", "z"]}, "a: [ 'x' ,  'z' ]\n"),
    ("a: [x]\n", {"a": ["#x", "a: b", "[[L]]", "c,d"]}, 'a: ["#x", "a: b", "[[L]]", "c,d"]\n'),
    ("a: [\n  x, # one\n  y\n]\nb: 1\n", {"a": ["x", "y", "z"]}, "a: [\n  x, # one\n  y, z\n]\nb: 1\n"),
    ("a: [x]\n", {"a": []}, "a: []\n"),
    ("a: [] # why\n", {"a": ["x"]}, "a: # why\n  - x\n"),
    ("a: [x]\n", {"a": "y"}, "a: y\n"),
    ("a: x\n", {"a": ["y", 1, True, None]}, "a:\n  - y\n  - 1\n  - true\n  -\n"),
    ("tags: a b\n", {"tags": ["a", "b"]}, "tags:\n  - a\n  - b\n"),
    ("tags: a b\n", {"b": 1}, "tags: a b\nb: 1\n"),
    # Mappings.
    ("a: {k: 1}\n", {"a": {"k": 2, "l": ["m"]}}, "a: {k: 2, l: [m]}\n"),
    ("a:\n  k: 1\n  # inner\n  l: 2\nb: 1\n", {"b": 2}, "a:\n  k: 1\n  # inner\n  l: 2\nb: 2\n"),
    ("a:\n  k: 1\n", {"a": {"k": {"l": [1, 2]}}}, "a:\n  k:\n    l:\n      - 1\n      - 2\n"),
    # Names.
    ('"a b": 1\n', {"a b": 2}, '"a b": 2\n'),
    ("'a' : 1\n", {"a": 2}, "'a' : 2\n"),
    ("漢字: 1\n🥖: 2\n", {"漢字": "発酵", "🥖": None}, "漢字: 発酵\n🥖:\n"),
    ("Tags: [a]\n", {"tags": ["a", "b"]}, "Tags: [a, b]\n"),
    ("a: 1\nA: 2\n", {"A": 3}, "a: 1\nA: 3\n"),
    ("on: 1\n1: 2\n~: 3\n", {"1": 4, "on": 5}, "on: 5\n1: 4\n~: 3\n"),
    ("http://x: 1\n", {"http://x": 2}, "http://x: 2\n"),
    # New properties.
    ("", {"a": 1}, "a: 1\n"),
    ("\n", {"a": 1}, "\na: 1\n"),
    ("# only a comment\n", {"a": 1}, "# only a comment\na: 1\n"),
    ("  a: 1\n  b: 2\n", {"c": ["x"]}, "  a: 1\n  b: 2\n  c:\n    - x\n"),
    ("a: |\n  x\n\n", {"b": 1}, "a: |\n  x\n\nb: 1\n"),
    ("a: 1\n...\n", {"b": 1}, "a: 1\nb: 1\n...\n"),
    ("? [x]\n: 1\n? y\n: 2\n", {"b": 1}, "? [x]\n: 1\n? y\n: 2\nb: 1\n"),
    ("a: 1\na: 2\n", {"b": 3}, "a: 1\na: 2\nb: 3\n"),
    ("a: 1\n", {"b": "x", "c: d": 2, "- e": 3, "#f": 4}, 'a: 1\nb: x\n"c: d": 2\n"- e": 3\n"#f": 4\n'),
    ("t:\n  - a\n", {"t": ["a", "b"], "n": ["x"]}, "t:\n  - a\n  - b\nn:\n  - x\n"),
    # What is so already.
    ("a:   '1'  \nb: [ 1.0 ]\n", {"a": "1", "b": [1]}, "a:   '1'  \nb: [ 1.0 ]\n"),
]


@pytest.mark.parametrize(("yaml", "values", "after"), SET)
def test_only_the_property_that_is_set_changes(yaml: str, values: dict[str, Value], after: str) -> None:
    assert changed(yaml, values) == after
    windows = f"---\n{yaml}---\n# Body\n".replace("\n", "\r\n").encode()
    assert edit_properties(NOTE, windows, values) == f"---\n{after}---\n# Body\n".replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    ("yaml", "remove", "after"),
    [
        ("a: 1\nb: 2\n", ["a"], "b: 2\n"),
        ("# above\na: 1 # own\n# below\nb: 2\n", ["a"], "# above\n# below\nb: 2\n"),
        ("a:\n  - x\n  # inner\n  - y\n\nb: 2\n", ["a"], "\nb: 2\n"),
        ("a: |\n  x\n\n  y\n\n\nb: 2\n", ["A"], "\n\nb: 2\n"),
        ("a: >\n  x\nb: [\n1\n]\nc: 3\n", ["a", "b"], "c: 3\n"),
        ("a: 'x\n\n  y'\nb:\nc: 3\n", ["b"], "a: 'x\n\n  y'\nc: 3\n"),
        ("a:\n  b: 1\nb: 2\n", ["b"], "a:\n  b: 1\n"),
        ("a: 1\n", ["b"], "a: 1\n"),
        ("# kept\na: 1\n", ["a"], "# kept\n"),
    ],
)
def test_a_property_goes_with_its_own_lines_alone(yaml: str, remove: list[str], after: str) -> None:
    assert changed(yaml, {}, remove) == after


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("no", '"no"'),
        (".inf", '".inf"'),
        ("-.INF", '"-.INF"'),
        (".NaN", '".NaN"'),
        ("0o17", '"0o17"'),
        ("0b11", '"0b11"'),
        ("1_000", '"1_000"'),
        ("12:30:45", '"12:30:45"'),
        ("Off", '"Off"'),
        ("=", '"="'),
        ("<<", '"<<"'),
        ("12h .inf", "12h .inf"),
        ("नहीं", "नहीं"),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T10:30:00", "2026-01-01T10:30:00"),
        ("1:30", '"1:30"'),
        ("1e3", '"1e3"'),
        ("012", '"012"'),
        ("true", '"true"'),
        ("null", '"null"'),
        ("~", '"~"'),
        ("", '""'),
        ("a: b", '"a: b"'),
        ("a:", '"a:"'),
        ("a:b", "a:b"),
        ("#x", '"#x"'),
        ("x #y", '"x #y"'),
        ("x#y", "x#y"),
        ("[[Link]]", '"[[Link]]"'),
        ("[[Link|it's]]", '"[[Link|it\'s]]"'),
        ("{x}", '"{x}"'),
        ("- x", '"- x"'),
        ("-x", "-x"),
        ("---", '"---"'),
        ("*x", '"*x"'),
        ("&x", '"&x"'),
        ("!x", '"!x"'),
        ("%x", '"%x"'),
        ("@x", '"@x"'),
        ("`x`", '"`x`"'),
        (" x", '" x"'),
        ("x ", '"x "'),
        ('say "x"', 'say "x"'),
        ('"x"', "'\"x\"'"),
        ("it's", "it's"),
        ("🥖 発酵", "🥖 発酵"),
        ("x\ty", '"x\\ty"'),
        ("x\0y\x07\x85\u2028\ufeff", '"x\\0y\\x07\\x85\\u2028\\ufeff"'),
        ("x\r\ny", '"x\\r\\ny"'),
        (" x\ny", '" x\\ny"'),
        ("\x01x\ny\x02", '"\\x01x\\ny\\x02"'),
        ("x\n \ny", '"x\\n \\ny"'),
        ("x\ny\n\n", '"x\\ny\\n\\n"'),
        (0, "0"),
        (-1.5, "-1.5"),
        (5.0, "5"),
        (1e300, "1e+300"),
        ([], "[]"),
        ({}, "{}"),
    ],
)
def test_values_are_written_as_obsidian_writes_them(value: Value, written: str) -> None:
    assert changed("", {"a": value}) == f"a: {written}\n"


@pytest.mark.parametrize(
    ("value", "kind", "written"),
    [
        ("x", "multitext", "a:\n  - x\n"),
        ("x", "tags", "a:\n  - x\n"),
        (["x"], "tags", "a:\n  - x\n"),
        ("true", "checkbox", "a: true\n"),
        ("yes", "checkbox", 'a: "yes"\n'),
        ("12", "number", "a: 12\n"),
        ("1.5", "number", "a: 1.5\n"),
        ("twelve", "number", "a: twelve\n"),
        ("12", "text", 'a: "12"\n'),
        ("2026-01-01", "date", "a: 2026-01-01\n"),
    ],
)
def test_a_text_gets_the_type_that_the_user_gave_the_property(value: Value, kind: str, written: str) -> None:
    assert changed("", {"a": value}, types={"A": kind}) == written


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "---\na: 1\n---\n"),
        ("# A\n", "---\na: 1\n---\n# A\n"),
        ("\ufeff# A\r\nb", "\ufeff---\r\na: 1\r\n---\r\n# A\r\nb"),
        ("\nx\r\n", "---\na: 1\n---\n\nx\r\n"),
        ("---\nno block\n", "---\na: 1\n---\n---\nno block\n"),
        ("\ufeff---\n---\nx", "\ufeff---\na: 1\n---\nx"),
        ("---\r\rb: 1\r---\rx", "---\r\rb: 1\ra: 1\r---\rx"),
        ("---  \nb: 1\n---  ", "---  \nb: 1\na: 1\n---  "),
    ],
)
def test_a_block_is_made_where_there_is_none(before: str, after: str) -> None:
    assert edit_properties(NOTE, before.encode(), {"a": 1}).decode() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\na: 1\n---\n# A\n", "# A\n"),
        ("\ufeff---\r\n\r\na: 1\r\n---\r\n\r\nA", "\ufeff\r\nA"),
        ("---\na: 1\n---", ""),
        # Else what follows would become the properties.
        ("---\na: 1\n---\n---\nb: 2\n---\n", "---\n---\n---\nb: 2\n---\n"),
    ],
)
def test_the_block_goes_with_its_last_property(before: str, after: str) -> None:
    assert edit_properties(NOTE, before.encode(), {}, ["a"]).decode() == after


def test_bytes_that_are_not_utf8_stay_outside_the_block() -> None:
    assert edit_properties(NOTE, b"---\na: 1\n---\n\xff\xfe", {"a": 2}) == b"---\na: 2\n---\n\xff\xfe"
    with pytest.raises(InvalidProperties, match=r"Line 3 .* not UTF-8"):
        edit_properties(NOTE, b"---\na: 1\nb: \xff\n---\n", {"a": 2})


@pytest.mark.parametrize("data", ["# A\nb\n".encode("utf-16"), bytes(range(256))], ids=["UTF-16", "binary"])
def test_a_file_that_is_not_text_in_utf8_gets_no_block(data: bytes) -> None:
    with pytest.raises(InvalidArguments, match=r"`Notes/A\.md` is not text in UTF-8\."):
        edit_properties(NOTE, data, {"a": 1})


@pytest.mark.parametrize(
    ("yaml", "values", "remove", "message"),
    [
        ("a: b: c\n", {"z": 1}, [], "line 2: mapping values are not allowed"),
        ("ok: 1\na: @x\n", {"ok": 2}, [], "line 3: found character that cannot start any token"),
        ("ok: 1\nkey:value\n", {"ok": 2}, [], "line 3: could not find expected ':'"),
        ("ok: 1\n\ta: 1\n", {"ok": 2}, [], "line 3: found a tab"),
        ("- a\n", {"ok": 2}, [], "line 2: it is not a list of names and values"),
        ("a: 1\n--- # next\nb: 2\n", {"a": 2}, [], "line 3: it holds more than one document"),
        ("{a: 1}\n", {"a": 2}, [], "are in braces"),
        ("a: 1\nb: 2\na: 3\n", {"a": 2}, [], "`a` occurs more than once, in lines 2 and 4"),
        ("a: 1\nA: 3\n", {}, ["ª", "Á", "a", "A"], None),
        ("Ab: 1\naB: 3\n", {"ab": 1}, [], "`ab` may be `Ab` or `aB`"),
        ("a: &x 1\nb: *x\n", {"a": 2}, [], r"refers to `a` as `\*x`"),
        ("a: &x 1\nb: [*x]\n", {}, ["a"], r"refers to `a` as `\*x`"),
        ("? a\n: 1\n", {"a": 2}, [], "`a` is written in a way"),
        ("? [a]\n: 1\n", {'["a"]': 2}, [], "is written in a way"),
        ("a: 1\n", {"b": "x" * 300_000}, [], "larger than 256 KiB"),
        ("a: 1\n", {"b": 10**30 + 1}, [], "`b` cannot be changed safely: it would not read back the same"),
    ],
)
def test_what_cannot_be_changed_safely_is_refused_with_the_reason(
    yaml: str, values: dict[str, Value], remove: list[str], message: str | None
) -> None:
    if message is None:
        assert edit_properties(NOTE, f"---\n{yaml}---\n".encode(), values, remove) == b""
        return
    with pytest.raises(InvalidProperties, match=message):
        changed(yaml, values, remove)


@pytest.mark.parametrize(
    ("values", "remove"),
    [
        ({"": 1}, []),
        ({" a": 1}, []),
        ({"a\nb": 1}, []),
        ({"x" * 201: 1}, []),
        ({"a": math.nan}, []),
        ({"a": [math.inf]}, []),
        ({"a": {"b": "\ud800"}}, []),
        ({"a": 1, "A": 2}, []),
        ({"a": 1}, ["A"]),
    ],
)
def test_names_and_values_that_no_property_can_have_are_refused(values: dict[str, Value], remove: list[str]) -> None:
    with pytest.raises(InvalidArguments):
        changed("a: 1\n", values, remove)
    with pytest.raises(InvalidArguments, match="not a Markdown"):
        edit_properties(VaultPath("A.canvas"), b"{}", {"a": 1})


TEXT = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(
    st.sampled_from("a:#-\"'[]{},|> \n\t\r0é\\?&*!%@`~")
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
BLOCKS = st.lists(st.sampled_from([yaml for yaml, _, _ in SET if "A: 2" not in yaml]), max_size=3).map("".join)


@given(VALUES)
@settings(max_examples=300, deadline=None)
def test_any_value_reads_back_the_same(value: Value) -> None:
    assert parse(NOTE, edit_properties(NOTE, b"x", {"a": value})).properties == {"a": value}
    for style in ("a: 'x'", 'a: "x"', "a: [x, 1]", "a:\n  - x\n  - y", "a: |\n  x", "a: {b: 1}", "a: # why"):
        after = parse(NOTE, edit_properties(NOTE, f"---\n{style}\nz: 0\n---\n".encode(), {"a": value}))
        assert after.properties == {"a": value, "z": 0}


@given(VALUES, VALUES, st.lists(TEXT, max_size=6), st.lists(TEXT, max_size=6), st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_list_becomes_any_other(first: Value, second: Value, one: list[str], two: list[str], flow: bool) -> None:
    style = "a: [x]" if flow else "a: 1"
    data = edit_properties(NOTE, f"---\n{style}\n---\n".encode(), {"a": [first, *one, second]})
    after = edit_properties(NOTE, data, {"a": [*two, first]})
    assert parse(NOTE, after).properties == {"a": [*two, first]}


@given(BLOCKS, TEXT.filter(str.strip), VALUES)
@settings(max_examples=300, deadline=None)
def test_any_block_keeps_all_other_values_or_is_refused(yaml: str, name: str, value: Value) -> None:
    data = f"---\n{yaml}---\nx".encode()
    before = parse(NOTE, data).properties
    try:
        after = edit_properties(NOTE, data, {name: value})
    except (InvalidProperties, InvalidArguments):
        assume(False)
    own = next((own for own in before if own.casefold() == name.casefold()), name)
    assert parse(NOTE, after).properties == {**before, own: value}


def lines_beside(data: bytes, name: str) -> list[bytes]:
    """Return the lines of a note that are not empty, without those of a property."""
    kept: list[bytes] = []
    inside = False
    for line in data.split(b"\n"):
        begins = line[:1] not in (b" ", b"\t", b"-", b"#", b"", b"\r", b"]", b"}") or line.startswith(b"---")
        inside = (line.lstrip(b"\"'").startswith(name.encode()) if begins else inside) and not line.startswith(b"---")
        if not inside and line.strip():
            kept.append(line)
    return kept


@pytest.mark.eval
@needs_eval
def test_properties_of_real_notes_change_alone() -> None:
    random = Random(7)
    files = sorted(EVAL.glob("[lv]*/*/**/*.md"))
    tried = refused = 0
    for file in random.sample(files, min(len(files), 1_500)):
        data = file.read_bytes()
        path = VaultPath(Path(file).name)
        note = parse(path, data)
        if not note.properties or any("cannot be read" in problem for problem in note.problems):
            continue
        name = random.choice(list(note.properties))
        held = note.properties[name]
        more: Value = [*held, "added"] if isinstance(held, list) else ["one", "two"]
        for values, remove in (({name: "changed: by # us"}, []), ({name: more}, []), ({"new": more}, []), ({}, [name])):
            tried += 1
            try:
                after = edit_properties(path, data, values, remove)
            except InvalidProperties:
                refused += 1
                continue
            wanted = {key: value for key, value in note.properties.items() if key not in remove} | values
            read = parse(path, after)
            assert dict(read.properties) == wanted, file
            assert read.text[read.body :] == note.text[note.body :], file
            if "new" not in values and len(note.properties) > 1:
                assert lines_beside(after, name) == lines_beside(data, name), file
            if not remove and name in values:
                back = edit_properties(path, after, {name: held})
                assert parse(path, back).properties == note.properties, file
    assert tried > 1_000
    assert refused < tried / 100
