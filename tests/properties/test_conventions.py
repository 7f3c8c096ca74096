"""Rules that are inferred from notes, and those that a schema note states."""

import pytest

from bridge.errors import InvalidArguments
from bridge.features.properties.census import count_properties, count_values, kind_of_value
from bridge.features.properties.rules import RuleScope, find_violation, find_violations, infer_rules
from bridge.features.properties.schema_note import read_schema
from bridge.index.note import IndexedNote
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from scripts.lib.torture.moves import read_vault
from tests.changes.vaults import Paper
from tests.evaldata import EVAL, needs_eval
from tests.properties.violations import find_again


def notes_of(files: dict[str, str]) -> list[IndexedNote]:
    return [note for _, note in sorted(Paper.of(files).notes.items())]


def book(number: int, status: str = "open", more: str = "") -> str:
    front = f"type: book\nstatus: {status}\nyear: {1990 + number}\ntags: [reading/now]\n{more}"
    return f"---\n{front}---\n## Notes\n[[Books]]\n"


BOOKS = {f"Books/2026-01-{day:02}.md": book(day, "done" if day % 2 else "Open") for day in range(1, 13)}


def rules_of(files: dict[str, str], least: float = 0.8) -> set[tuple[str, str, str, tuple[str, ...]]]:
    return {
        (rule.scope.folder or rule.scope.note_type, rule.kind, rule.name, rule.expected)
        for rule in infer_rules(notes_of(files), least)
    }


def test_rules_are_what_most_notes_of_a_folder_keep() -> None:
    plain = {f"Loose {number}.md": "Text." for number in range(12)}
    found = rules_of(BOOKS | plain)
    assert {rule for rule in found if rule[0] == "Books"} == {
        ("Books", "required", "type", ()),
        ("Books", "required", "status", ()),
        ("Books", "required", "year", ()),
        ("Books", "required", "tags", ()),
        ("Books", "tag", "reading", ()),
        ("Books", "tag", "reading/now", ()),
        ("Books", "heading", "Notes", ()),
        ("Books", "link", "Books", ()),
        ("Books", "name", "YYYY-MM-DD", ()),
    }
    assert ("", "values", "status", ("done", "Open")) in found
    assert ("", "type", "year", ("number",)) in found


def test_a_rule_needs_eight_notes_and_the_share() -> None:
    seven = dict(list(BOOKS.items())[:7])
    assert rules_of(seven) == set()
    ten = dict(list(BOOKS.items())[:8]) | {"Books/a.md": "", "Books/b.md": ""}
    assert ("", "required", "status", ()) in rules_of(ten)
    assert ("", "required", "status", ()) not in rules_of(ten, 0.9)


def test_values_of_which_nearly_every_note_has_its_own_are_no_set() -> None:
    assert not {rule for rule in rules_of(BOOKS) if rule[1] == "values" and rule[2] == "year"}


def test_a_note_need_not_link_to_itself() -> None:
    page = "---\ntype: book\nstatus: open\nyear: 1990\ntags: [reading/now]\n{}---\n## Notes\n"
    files = BOOKS | {"Books/books.md": page.format(""), "Books/Shelf.md": page.format("aliases: [Books]\n")}
    assert not {one for one in violators(files) if one[1:] == ("link", "Books")}
    assert ("Books/Alone.md", "link", "Books") in violators(files | {"Books/Alone.md": page.format("")})


def violators(files: dict[str, str]) -> set[tuple[str, str, str]]:
    notes = notes_of(files)
    return {
        (note.path, rule.kind, rule.name) for rule, note, _ in find_violations(notes, [], infer_rules(notes), notes)
    }


def test_what_is_usual_in_a_notes_own_folder_counts_before_what_is_around_it() -> None:
    songs = {f"Music/Songs/{number}.md": "---\nicon: note\n---\n" for number in range(60)}
    people = {f"Music/People/{number}.md": "---\nicon: face\n---\n" for number in range(4)}
    odd = {"Music/Songs/Odd.md": "---\nicon: face\n---\n", "Music/Songs/Bare.md": "Text.", "README.md": "Text."}
    assert violators(songs | people | odd) == {
        ("Music/Songs/Odd.md", "values", "icon"),
        ("Music/Songs/Bare.md", "required", "icon"),
    }


def test_the_index_of_a_folder_need_not_be_like_its_notes() -> None:
    assert violators(BOOKS | {"Books/Books.md": "- [[2026-01-01]]\n"}) == set()
    assert ("Books/Other.md", "required", "status") in violators(BOOKS | {"Books/Other.md": "Text."})


def test_a_tag_or_alias_that_other_notes_lack_is_not_wrong() -> None:
    notes = {f"{number}.md": f"---\ntags: [{'bread' if number % 2 else 'cake'}]\n---\n" for number in range(40)}
    assert violators(notes | {"Odd.md": "---\ntags: [soup]\naliases: [Broth]\n---\n"}) == set()


def test_a_violation_is_what_the_note_has_instead() -> None:
    rules = {(rule.kind, rule.name): rule for rule in infer_rules(notes_of(BOOKS))}
    (wrong,) = notes_of({"Books/Dune.md": "---\nstatus: opne\nyear: soon\n---\n"})
    found = {key: find_violation(rule, wrong) for key, rule in rules.items()}
    assert found["values", "status"] == "opne"
    assert found["type", "year"] == "soon"
    assert found["required", "type"] == ""
    assert found["name", "YYYY-MM-DD"] == "Dune"
    assert found["tag", "reading"] == ""
    assert found["required", "status"] is None


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("x", "text"),
        ("", "empty"),
        (None, "empty"),
        (1, "number"),
        (True, "checkbox"),
        ("2026-01-31", "date"),
        ("2026-01-31T10:00", "datetime"),
        ("[[A|b]]", "link"),
        ("[[A]] and", "text"),
        (["x"], "list"),
        ({"a": 1}, "object"),
    ],
)
def test_values_have_the_types_that_obsidian_shows(value: object, kind: str) -> None:
    assert kind_of_value(value) == kind  # type: ignore[arg-type]


def test_values_are_counted_without_case_and_links_by_target() -> None:
    notes = notes_of(
        {
            "A.md": "---\nup: '[[X]]'\nk: [a, B]\n---\n",
            "B.md": "---\nUp: '[[x|y]]'\nk: b\n---\n",
            "C.md": "---\nk: [[b]]\n---\n",
        }
    )
    (up,) = count_values(notes, "UP")
    assert (up.paths, up.kind) == (["A.md", "B.md"], "link")
    assert [(one.value, len(one.paths)) for one in count_values(notes, "k")] == [("b", 3), ("a", 1)]
    assert [(one.name, dict(one.kinds)) for one in count_properties(notes)] == [
        ("k", {"list": 2, "text": 1}),
        ("up", {"link": 2}),
    ]


TABLE = """Some words.

| Type | Name | Required | Values |
|------|:----:|----------|--------|
| text | status | yes | open, `done` |
| number, text | year | | |
| list | topic | x | a\\|b, [[C]] |
| nmber | odd | | |

| name | type |
|---|---|
| later | text |
"""


def no_conditions(scope: RuleScope, text: str) -> frozenset[VaultPath]:
    raise AssertionError((scope, text))


def test_a_schema_note_is_read_from_its_table() -> None:
    schema = read_schema(VaultPath("S.md"), TABLE, {"for": "Books/"}, no_conditions)
    assert [(rule.kind, rule.name, rule.expected) for rule in schema.rules] == [
        ("required", "status", ()),
        ("type", "status", ("text",)),
        ("values", "status", ("open", "done")),
        ("type", "year", ("number", "text")),
        ("required", "topic", ()),
        ("type", "topic", ("list",)),
        ("values", "topic", ("a|b", "C")),
    ]
    assert {rule.scope for rule in schema.rules} == {RuleScope("Books")}
    assert len(schema.problems) == 1
    assert "`nmber`" in schema.problems[0]
    typed = read_schema(VaultPath("S.md"), TABLE, {"for_type": "Book"}, no_conditions)
    assert typed.rules[0].scope == RuleScope(note_type="book")


@pytest.mark.parametrize(
    ("text", "properties", "said"),
    [
        (TABLE, {}, "does not say what it is for"),
        ("No table.", {"for": "Books"}, "no table"),
        ("| a | b |\n|---|---|\n| c | d |", {"for": "Books"}, "no table"),
        ("| name | type |\n", {"for": "Books"}, "no table"),
    ],
)
def test_a_schema_note_that_says_nothing_is_named(text: str, properties: dict[str, str], said: str) -> None:
    schema = read_schema(VaultPath("S.md"), text, properties, no_conditions)
    assert schema.rules == ()
    assert said in schema.problems[0]


CONDITIONS = """---
type: schema
for_where: rating
---
| name | required | where | must |
|---|---|---|---|
| done | yes | `a \\|\\| b` | |
| rating | | | rating < 6 |
| | | | wrong |
| odd | yes | wrong | |
"""


def test_conditions_narrow_the_scope_and_wrong_ones_are_told_with_their_line() -> None:
    asked: list[tuple[RuleScope, str]] = []

    def find(scope: RuleScope, text: str) -> frozenset[VaultPath]:
        asked.append((scope, text))
        if text == "wrong":
            raise InvalidArguments("No.", hint="Correct it.")
        return frozenset({VaultPath("A.md")})

    schema = read_schema(VaultPath("S.md"), CONDITIONS, {"for": "Books", "for_where": "rating"}, find)
    assert [(rule.kind, rule.name, rule.expected) for rule in schema.rules] == [
        ("required", "done", ()),
        ("condition", "rating", ("rating < 6",)),
    ]
    assert [rule.scope.where and rule.scope.where.text for rule in schema.rules] == ["(rating) && (a || b)", "rating"]
    assert asked[0] == (RuleScope("Books"), "rating")
    assert schema.problems == ("`S.md`, line 9: No. Correct it.", "`S.md`, line 10: No. Correct it.")
    nothing = read_schema(VaultPath("S.md"), CONDITIONS, {"for_where": 3}, find)
    assert nothing.rules == ()
    assert "line 3" in nothing.problems[0]


@needs_eval
@pytest.mark.eval
@pytest.mark.parametrize(
    "vault", ["vaults/kepano", "links/DawnVespero__TheBlackSunLodge", "links/clickear__knowledge-garden"]
)
def test_conventions_are_found_again_when_a_tenth_of_the_notes_violates_them(vault: str) -> None:
    paper = read_vault(Vault(EVAL / vault, Rules(max_file_bytes=2**31)))
    tries = [find_again(paper, seed) for seed in range(5)]
    firm, recovered, found, false = (sum(one) for one in zip(*tries, strict=True))
    assert firm >= 50
    assert recovered / firm >= 0.9
    assert false / found <= 0.05


def test_common_values_are_shown_as_most_notes_write_them() -> None:
    notes = notes_of(
        {f"{n}.md": f"---\nurl: {url}\n---\n" for n, url in enumerate(["a.org/x", "A.org/X", "A.org/X", "b"])}
    )
    (url,) = count_properties(notes)
    assert url.common_values(2) == ["A.org/X", "b"]
