"""Operations are read off functions; what does not fit is refused in a sentence."""

import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import run
from typing import Annotated, Any, get_args

import pytest
from msgspec import Meta, field
from msgspec.structs import fields

from bridge.api import registry
from bridge.api.arguments import locate
from bridge.api.call import Call
from bridge.api.hints import is_record, json_name, record_hints, strip_hint, union_tag
from bridge.api.operation import Operation
from bridge.api.page import Page, PageArguments
from bridge.api.registry import RENAMED_OPERATIONS
from bridge.api.schemas import arguments_schema, result_schema
from bridge.api.signature import Spread, gather_records
from bridge.changes.requests.base import KINDS, Request, operation_of
from bridge.errors import InvalidArguments, NoSuchOperation, NoteChanged, NoteExists, NoteNotFound, OutsideVault
from bridge.features import get_operation, operations
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault


class Answer(Record):
    """An answer.

    Attributes:
        text: What it says.
    """

    text: str


class Undescribed(Record):
    """An answer."""

    text: str


class Grow(Record, kw_only=True, tag_field="op", tag="grow"):
    """Add to it.

    Attributes:
        by: How much.
    """

    by: int


class Drop(Record, kw_only=True, tag_field="op", tag="drop"):
    """Let it go."""


class Send(Record, kw_only=True, tag_field="op", tag="send"):
    """Send it away.

    Attributes:
        to: Where.
        after: What happens to it before.
    """

    to: VaultPath
    after: tuple[Grow | Drop, ...] = ()


class Wish(Record, tag_field="op", tag="wish"):
    """What is wished for.

    Attributes:
        name: How it is called.
        size: How large.
        facts: What else is known.

    Raises:
        NoteExists: It is there already.
        NoteChanged: It is another by now.
    """

    name: str
    size: int | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


Deed = Grow | Send | Drop


async def done(call: Call, deeds: tuple[Deed, ...], last: Deed | None = None) -> Answer:
    """Do it.

    Args:
        deeds: What to do.
        last: What to do at the end.
    """
    raise NotImplementedError


async def unexplained(call: Call, given: tuple[Undescribed, ...]) -> Answer:
    """Answer.

    Args:
        given: What is given.
    """
    raise NotImplementedError


async def whole(call: Call, path: VaultPath, limit: int = 3) -> Answer:
    """Answer.

    At length.

    Args:
        path: The note.
        limit: How much.

    Raises:
        NoteNotFound: It is gone.
    """
    raise NotImplementedError


async def lacking(call: Call, path: VaultPath) -> Answer:
    """Answer."""
    raise NotImplementedError


async def stale(call: Call) -> Answer:
    """Answer.

    Args:
        path: The note.
    """
    raise NotImplementedError


async def misnamed(call: Call) -> Answer:
    """Answer.

    Raises:
        KeyError: It is gone.
    """
    raise NotImplementedError


async def vague(call: Call) -> Undescribed:
    """Answer."""
    raise NotImplementedError


async def unspread(call: Call, given: Annotated[Undescribed, Spread()]) -> Answer:
    """Answer."""
    raise NotImplementedError


async def paged(call: Call, page: PageArguments = Page(7)) -> Answer:
    """Answer."""
    raise NotImplementedError


async def wishing(
    call: Call,
    path: VaultPath,
    wish: Annotated[Wish, Spread(("size",), {"name": Meta(max_length=3)})],
    last: bool = False,
) -> Answer:
    """Wish for it.

    Args:
        path: The note.
        last: Whether it is the last.

    Raises:
        NoteExists: It cannot be wished for.
    """
    raise NotImplementedError


def made(function: Any) -> Operation:
    return registry.DEFINITIONS[registry.operation(example={})(function)]()


def test_an_operation_is_read_off_its_function() -> None:
    operation = made(whole)
    assert (operation.name, operation.title, operation.summary, operation.details) == (
        "whole",
        "Whole",
        "Answer.",
        "At length.",
    )
    assert [(a.name, a.is_required, a.meaning) for a in operation.arguments] == [
        ("path", True, "The note."),
        ("limit", False, "How much."),
    ]
    assert operation.errors[NoteNotFound] == "It is gone."
    assert {error.code for error in operation.errors} >= {"invalid_arguments", "outside_vault", "no_such_vault"}


def test_a_page_has_the_default_and_the_maximum_of_its_operation() -> None:
    operation = made(paged)
    assert [(a.name, a.default, a.meaning) for a in operation.arguments] == [
        ("limit", 7, "Maximum entries of each list."),
        ("offset", 0, "Entries of each list to skip."),
    ]
    page = gather_records(operation.records, operation.bind({"offset": 2}))["page"]
    assert (page, page.cut("abcdefghijkl")) == (Page(7, 2), tuple("cdefghi"))
    assert [page.place(total)["next_offset"] for total in (9, 10)] == [None, 9]
    for wrong in ({"limit": 501}, {"limit": 0}, {"offset": -1}):
        with pytest.raises(InvalidArguments):
            operation.bind(wrong)


def test_the_fields_of_a_record_are_arguments() -> None:
    operation = made(wishing)
    assert [(a.name, a.is_required, a.meaning) for a in operation.arguments] == [
        ("path", True, "The note."),
        ("name", True, "How it is called."),
        ("size", True, "How large."),
        ("facts", False, "What else is known."),
        ("last", False, "Whether it is the last."),
    ]
    assert (operation.errors[NoteExists], operation.errors[NoteChanged]) == (
        "It cannot be wished for.",
        "It is another by now.",
    )
    bound = operation.bind({"path": "a.md", "name": "abc", "size": 2})
    assert bound == {"path": "a.md", "name": "abc", "size": 2, "facts": {}, "last": False}
    assert operation.bind({"path": "a.md", "name": "abc", "size": 2, "facts": None}) == bound
    assert gather_records(operation.records, bound) == {"path": "a.md", "wish": Wish("abc", 2), "last": False}
    for wrong in ({"name": "abcd"}, {"size": None}, {"op": "wish"}):
        with pytest.raises(InvalidArguments):
            operation.bind({"path": "a.md", "name": "abc", "size": 2, **wrong})


@pytest.mark.parametrize("function", [lacking, stale, misnamed, vague, unexplained, unspread])
def test_an_incomplete_description_fails_at_import(function: Any) -> None:
    with pytest.raises(TypeError):
        made(function)


def test_an_unknown_operation_names_the_nearest() -> None:
    with pytest.raises(NoSuchOperation, match="Did you mean `search`"):
        get_operation("serach")


@pytest.mark.parametrize(("old", "new"), RENAMED_OPERATIONS.items())
def test_an_operation_of_an_earlier_version_names_its_successor(old: str, new: str) -> None:
    with pytest.raises(NoSuchOperation, match=f"Use `{new}` instead") as refused:
        get_operation(old)
    assert refused.value.facts["closest"] == [get_operation(new).name]


def test_the_contract_s_operations_are_there() -> None:
    assert {operation.name for operation in operations()} >= {
        "search", "related_notes", "find_notes", "read_note", "list_folders", "list_tags", "note_links", "resolve_link",
        "status", "index_status", "wait_until_indexed", "report_changes", "reindex", "job_status", "pause_indexing",
        "resume_indexing", "read_settings", "change_settings", "doctor",
    }  # fmt: skip


def test_the_registry_adds_the_vault_to_every_operation() -> None:
    for operation in operations():
        assert "vault" not in {argument.name for argument in operation.arguments}
        assert arguments_schema(operation)["properties"]["vault"]["anyOf"] == [{"type": "string"}, {"type": "null"}]


def test_every_word_of_a_schema_comes_from_a_docstring() -> None:
    for operation in operations():
        for schema in (arguments_schema(operation), result_schema(operation.result)):
            for record in (schema, *schema.get("$defs", {}).values()):
                assert all(held.get("description") for held in record.get("properties", {}).values()), operation.name


@pytest.mark.process(brief=True)
def test_listing_operations_opens_no_heavy_library() -> None:
    code = (
        "import sys, bridge.features as o; assert o.operations();"
        "heavy = {'pydantic', 'lancedb', 'pyarrow', 'igraph', 'llama_cpp', 'mcp'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    answer = run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (answer.returncode, answer.stderr) == (0, "")


def nested(times: int) -> Any:
    value: Any = 1
    for _ in range(times):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("operation", "arguments", "sentence"),
    [
        ("search", {}, "`search` needs `query`: what to look for."),
        ("search", {"query": 1}, "`query` must be a string of at most 10,000 characters, not 1."),
        ("search", {"query": None}, "`query` must be a string of at most 10,000 characters, not null."),
        ("search", {"query": "a" * 100_000}, "of at most 10,000 characters, not 100,000 characters."),
        ("search", {"query": "a", "limit": 0}, "`limit` must be an integer from 1 to 100, not 0."),
        ("search", {"query": "a", "limit": 101}, "`limit` must be an integer from 1 to 100, not 101."),
        ("search", {"query": "a", "limit": True}, "`limit` must be an integer from 1 to 100, not true."),
        ("search", {"query": "a", "limit": 1.5}, "`limit` must be an integer from 1 to 100, not 1.5."),
        ("search", {"query": "a", "limit": "five"}, '`limit` must be an integer from 1 to 100, not "five".'),
        ("search", {"query": "a", "limit": "500"}, "`limit` must be an integer from 1 to 100, not 500."),
        ("search", {"query": "a", "explain": 1}, "`explain` must be true or false, not 1."),
        ("search", {"query": "a", "mode": "x"}, '`mode` must be one of hybrid, keyword, semantic, deep, not "x".'),
        ("search", {"query": "a", "tags": {"b": 1}}, "`tags` must be a list of strings, not an object."),
        ("search", {"query": "a", "tags": ["b", 3]}, "`tags[1]` must be a string, not 3."),
        ("search", {"query": "a", "types": ["x"]}, '`types[0]` must be one of note, canvas, excalidraw, pdf, not "x".'),
        ("search", {"query": "a", "properties": []}, "`properties` must be an object, not a list of 0."),
        ("search", {"query": "a", "properties": {"b": {}}}, "`properties.b` must be a string, number, true or"),
        ("search", {"query": "a", "properties": {"b": [{}]}}, "`properties.b` must be a string, number, true or"),
        ("search", {"query": "a", "lmit": 3}, "`search` has no argument `lmit`; did you mean `limit`?"),
        ("doctor", {"zzz": 3}, "`doctor` has no argument `zzz`; it takes none."),
        ("read_note", {"path": "a.md", "lines": [1]}, "`lines[1]` must be an integer; it is missing."),
        ("read_note", {"path": "a.md", "lines": [1, 2, 3]}, "`lines` must be a list of 2 integers, not a list of 3."),
        ("edit_note", {"path": "a.md", "edits": []}, "`edits` is empty."),
        ("read_notes", {"paths": ["a.md"] * 21}, "`paths` may have at most 20 items, not 21."),
        ("report_changes", {"changes": [{"kind": "upsert"}]}, "`changes[0].path` must be a string; it is missing."),
        (
            "report_changes",
            {"changes": [{"kind": "rename", "path": "a.md", "form": "b.md"}]},
            "`changes[0]` has no field `form`; did you mean `from`?",
        ),
        ("search", {"query": "\ud800"}, "`query` contains a value that JSON cannot express"),
        ("find_notes", {"properties": {"a": nested(900)}}, "`properties` has more values inside each other than JSON"),
        ("search", {"query": "a", "limit": 2**80}, "`limit` is too large: it is at most 9,007,199,254,740,991."),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(operation: str, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        get_operation(operation).bind(arguments)
    assert sentence in refused.value.message
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    ("operation", "sent", "meant"),
    [
        ("search", {"query": "5", "limit": "5", "explain": "true"}, {"query": "5", "limit": 5, "explain": True}),
        ("search", {"query": '["a"]', "limit": 5.0}, {"query": '["a"]', "limit": 5}),
        ("search", {"query": "a", "tags": "2024"}, {"tags": ("2024",)}),
        ("search", {"query": "a", "tags": '["b", "c"]', "types": "note"}, {"tags": ("b", "c"), "types": ("note",)}),
        ("search", {"query": "a", "properties": '{"year": "2024"}'}, {"properties": {"year": "2024"}}),
        ("read_note", {"path": "a.md", "lines": "3-9"}, {"lines": (3, 9)}),
        ("read_note", {"path": "a.md", "lines": "3"}, {"lines": (3, 3)}),
        ("undo_change", {"change_id": "12", "hunks": ["3", "5"]}, {"hunks": (3, 5)}),
        ("wait_until_indexed", {"path": "a.md", "timeout": "0.5"}, {"timeout": 0.5}),
        ("read_note", {"path": "a.md", "lines": "[3, 9]", "section": "[3, 9]"}, {"lines": (3, 9), "section": "[3, 9]"}),
        ("undo_change", {"change_id": "12", "hunks": "3", "dry_run": "False"}, {"hunks": (3,), "dry_run": False}),
        (
            "run_tool",
            {"name": "list_tags", "arguments": '{"prefix": "1"}'},
            {"name": "list_tags", "arguments": {"prefix": "1"}},
        ),
        ("set_properties", {"path": "a.md", "digest": "0", "properties": {"a": "[1]"}, "remove": "b"},
            {"properties": {"a": "[1]"}, "remove": ("b",)}),
    ],
)  # fmt: skip
def test_what_can_mean_one_thing_only_is_taken_for_it(
    operation: str, sent: dict[str, Any], meant: dict[str, Any]
) -> None:
    bound = get_operation(operation).bind(sent)
    assert {name: bound[name] for name in meant} == meant


@pytest.mark.parametrize(
    "deeds",
    [
        '[{"op": "grow", "by": 2}]',
        '{"op": "grow", "by": "2"}',
        {"op": "grow", "by": 2},
        ['{"op": "grow", "by": 2}'],
        [{"op": "grow", "by": "2"}],
    ],
)
def test_records_are_read_from_text_and_alone(deeds: Any) -> None:
    assert made(done).bind({"deeds": deeds})["deeds"] == (Grow(by=2),)


@pytest.mark.parametrize(
    ("operation", "arguments", "message"),
    [
        (
            "rename_alias",
            {"value": "x"},
            "`rename_alias` has no argument `value`; it takes `path`, `alias`, `to`, `digest`, ",
        ),
        (
            "read_note",
            {"pth": "A", "sektion": "B"},
            "`read_note` has no argument `pth`, `sektion`; did you mean `path`, `section`?",
        ),
        ("read_note", {"path": "A", "vaults": "B"}, "`read_note` has no argument `vaults`; did you mean `vault`?"),
        (
            "rename_alias",
            {"path": "A", "alias": 1, "links": "some"},
            'not 1. `rename_alias` needs `to`: the new alias. `links` must be true or false, not "some".',
        ),
        ("search", {"query": [], "limit": [], "explain": [], "folder": []}, " And 1 more."),
    ],
)
def test_several_faults_are_told_at_once(operation: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        get_operation(operation).bind(arguments)
    assert message in refused.value.message, refused.value.message


def test_what_is_refused_is_shown_without_control_characters() -> None:
    with pytest.raises(InvalidArguments) as refused:
        get_operation("search").bind({"query": "a", "mode": "\x1b[31m" + "x" * 100})
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 200


def test_defaults_are_filled_in() -> None:
    assert get_operation("read_note").bind({"path": "a.md", "lines": [3, 9]}) == {
        "path": "a.md",
        "section": None,
        "lines": (3, 9),
        "offset": 0,
        "max_chars": None,
        "outline": False,
    }


def test_a_python_keyword_keeps_its_name_in_json() -> None:
    bound = get_operation("report_changes").bind({"changes": [{"kind": "rename", "path": "b.md", "from": "a.md"}]})
    assert [(change.path, change.from_) for change in bound["changes"]] == [("b.md", "a.md")]


def test_records_that_a_field_tells_apart_are_bound() -> None:
    bound = made(done).bind(
        {"deeds": [{"op": "send", "to": "a.md", "after": [{"op": "grow", "by": 2}]}, {"op": "drop"}], "last": None}
    )
    assert bound == {"deeds": (Send(to=VaultPath("a.md"), after=(Grow(by=2),)), Drop()), "last": None}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"deeds": [{"op": "grow"}]}, "`deeds[0].by` must be an integer; it is missing."),
        ({"deeds": [{"op": "grow", "by": "two"}]}, '`deeds[0].by` must be an integer, not "two".'),
        ({"deeds": '[{"op": "grow", "by": []}]'}, "`deeds[0].by` must be an integer, not a list of 0."),
        ({"deeds": [{"op": "grow", "buy": 2}]}, "`deeds[0]` has no field `buy`; did you mean `by`?"),
        ({"deeds": [{"op": "shrink", "by": 2}]}, '`deeds[0].op` must be one of grow, send, drop, not "shrink".'),
        ({"deeds": [{"by": 2}]}, "`deeds[0].op` must be one of grow, send, drop; it is missing."),
        (
            {"deeds": [{"op": "drop"}, 1]},
            "`deeds[1]` must be an object with op grow (by), send (to, after) or drop, not 1.",
        ),
        (
            {"deeds": {}},
            "`deeds` must be a list of objects with op grow (by), send (to, after) or drop, not an object.",
        ),
        (
            {"deeds": [{"op": "send", "to": "a.md", "after": [{"op": "grow", "by": None}]}]},
            "`deeds[0].after[0].by` must be an integer, not null.",
        ),
        ({"deeds": [], "last": {"op": "keep"}}, '`last.op` must be one of grow, send, drop, not "keep".'),
    ],
)
def test_of_records_that_a_field_tells_apart_only_the_chosen_one_is_spoken_of(
    arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArguments) as refused:
        made(done).bind(arguments)
    assert refused.value.message == sentence


def test_the_schema_of_such_records_asks_for_what_tells_them_apart() -> None:
    schema = arguments_schema(made(done))
    assert schema["properties"]["deeds"]["items"] == {
        "oneOf": [{"$ref": "#/$defs/Grow"}, {"$ref": "#/$defs/Send"}, {"$ref": "#/$defs/Drop"}]
    }
    assert schema["$defs"]["Grow"] == {
        "type": "object",
        "description": "Add to it.",
        "properties": {
            "op": {"const": "grow", "type": "string", "description": "The operation."},
            "by": {"type": "integer", "description": "How much."},
        },
        "required": ["op", "by"],
        "additionalProperties": False,
    }


def test_paths_inside_records_are_checked(tmp_path: Path) -> None:
    vault = Vault(tmp_path, Rules())
    operation = made(done)
    bound = operation.bind({"deeds": [{"op": "send", "to": "./e\u0301/a.md"}]})
    assert locate(operation, bound, vault)["deeds"] == (Send(to=VaultPath("\u00e9/a.md")),)
    with pytest.raises(OutsideVault):
        locate(operation, operation.bind({"deeds": [], "last": {"op": "send", "to": "../a.md"}}), vault)
    assert {error.code for error in operation.errors} >= {"outside_vault", "protected_path"}


def test_very_many_mistakes_are_not_listed() -> None:
    find = get_operation("find_notes")
    mistakes: dict[str, Any] = {f"k{number}": {} for number in range(5_000)}
    for good in ({}, {f"good{number}": "x" for number in range(20)}):
        with pytest.raises(InvalidArguments, match=r"^`properties\.k0` must be a string, [^`]*$"):
            find.bind({"properties": good | mistakes})


def test_a_list_that_is_too_long_is_refused_before_its_items() -> None:
    with pytest.raises(InvalidArguments, match="`edits` may have at most 1000 items, not 40,000"):
        get_operation("change_set").bind({"edits": [{}] * 40_000})


@pytest.mark.parametrize("kind", KINDS, ids=operation_of)
def test_a_change_set_takes_every_kind_of_change(kind: type[Request]) -> None:
    (edit,) = get_operation("change_set").bind({"edits": [{"op": operation_of(kind), **KINDS[kind].example}]})["edits"]
    assert type(edit) is kind


def add_nulls(value: Any, hint: Any) -> Any:
    """Return a value in which every optional field of a record is null that was left out."""
    bare, options = strip_hint(hint), union_tag(hint)
    if isinstance(value, list):
        return [add_nulls(item, get_args(bare)[0]) for item in value]
    if not isinstance(value, dict):
        return value
    record = options[1][value[options[0]]] if options else bare
    if not is_record(record):
        return value
    hints = record_hints(record)
    given = {name: add_nulls(item, hints.get(name, hints.get(f"{name}_"))) for name, item in value.items()}
    return {**{json_name(one.name): None for one in fields(record) if not one.required}, **given}


def test_an_empty_text_that_is_no_value_leaves_an_optional_argument_out() -> None:
    search, edit_note = get_operation("search"), get_operation("edit_note")
    blank = {"limit": "", "mode": "", "explain": "", "properties": "", "types": "", "modified_after": None}
    assert search.bind({"query": "rye", **blank}) == search.bind({"query": "rye"})
    edit = {"op": "append", "text": ""}
    every = {**edit, "heading": "", "lines": "", "all": ""}
    assert edit_note.bind({"path": "A.md", "edits": [every]}) == edit_note.bind({"path": "A.md", "edits": [edit]})
    with pytest.raises(InvalidArguments, match="`edits` must be"):
        edit_note.bind({"path": "A.md", "edits": ""})
    with pytest.raises(InvalidArguments, match="`paths` must be"):
        get_operation("change_notes").bind({"paths": "", "properties": {"status": "done"}})


def test_null_for_a_field_of_another_record_is_as_if_it_were_left_out() -> None:
    edit_note = get_operation("edit_note")
    edit = {"op": "append", "text": "More."}
    every = {**edit, "heading": None, "old": None, "lines": None, "all": None}
    assert edit_note.bind({"path": "A.md", "edits": [every]}) == edit_note.bind({"path": "A.md", "edits": [edit]})
    for wrong in ({"old": "x"}, {"nothing": None}):
        with pytest.raises(InvalidArguments, match=r"^`edits\[0\]` has no field `\w+`; it takes op, text\.$"):
            edit_note.bind({"path": "A.md", "edits": [{**edit, **wrong}]})


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.name)
def test_null_for_what_is_optional_is_as_if_it_were_left_out(operation: Operation) -> None:
    given = {one.name: operation.example[one.name] for one in operation.arguments if one.is_required}
    hints = {one.name: one.hint for one in operation.arguments}
    for arguments in (given, operation.example):
        filled = {name: add_nulls(value, hints[name]) for name, value in arguments.items()}
        nulls = {one.name: None for one in operation.arguments if not one.is_required}
        assert operation.bind({**nulls, **filled}) == operation.bind(arguments)
