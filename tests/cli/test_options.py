"""What is typed becomes what JSON would carry."""

import argparse
import shlex
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.catalogue import operation_commands
from bridge.cli.main import main
from bridge.cli.options import collect
from bridge.cli.parser import (
    SHORT_NAMES,
    build_parser,
    command_first,
    command_names,
    grouped_commands,
    list_commands,
)
from bridge.cli.run_command import USAGE_STATUS
from bridge.errors import InvalidArguments
from bridge.features import operations
from tests.features.served import command


def typed(*words: str) -> dict[str, Any]:
    given = build_parser().parse_args(words)
    return collect(operation_commands()[given.command], given)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["search", "a b"], {"query": "a b"}),
        (["search", "a", "--limit", "5", "--explain"], {"query": "a", "limit": "5", "explain": True}),
        (["search", "a", "--no-explain"], {"query": "a", "explain": False}),
        (["search", "a", "--tags", "b", "--tags", "c/d"], {"query": "a", "tags": ["b", "c/d"]}),
        (["search", "a", "--limit", "many"], {"query": "a", "limit": "many"}),
        (["search", "a", "--modified-after", "2026-01-31"], {"query": "a", "modified_after": "2026-01-31"}),
        (["search", "a", "--properties", "b=c"], {"query": "a", "properties": {"b": "c"}}),
        (["search", "a", "--properties", "b=7"], {"query": "a", "properties": {"b": 7}}),
        (["find-notes", "--properties", "b=7", "--properties", "b=x=y"], {"properties": {"b": [7, "x=y"]}}),
        (["search"], {}),
        (["read-note", "a.md", "--lines", "3-9"], {"path": "a.md", "lines": "3-9"}),
        (["read-note", "a.md", "--lines", "3"], {"path": "a.md", "lines": "3"}),
        (["resolve-link", "B#c", "a.md", "--kind", "embed"], {"link": "B#c", "source": "a.md", "kind": "embed"}),
        (["wait-until-indexed", "a.md", "--timeout", "0.5"], {"path": "a.md", "timeout": "0.5"}),
        (["report-changes", "--changes", '{"path":"a"}'], {"changes": [{"path": "a"}]}),
        (["edit-note", "a.md", "--edits", '{"op":"append"}'], {"path": "a.md", "edits": [{"op": "append"}]}),
        (["edit-note", "a.md", "--edits", '[{"op":"append"},{"op":"prepend"}]'],
         {"path": "a.md", "edits": [{"op": "append"}, {"op": "prepend"}]}),
        (["list-changes", "--operation", "edit_note"], {"operation": "edit_note"}),
        (["list-changes"], {}),
        (["delete-note", "a.md", "--digest", "0"], {"path": "a.md", "digest": "0"}),
        (["delete-note", "--path", "a.md", "--digest", "0"], {"path": "a.md", "digest": "0"}),
        (["rename-heading", "a.md", "B", "C"], {"path": "a.md", "heading": "B", "to": "C"}),
        (["related-notes", "a.md"], {"path": "a.md"}),
        (["suggest-links", "--text", "a b"], {"text": "a b"}),
        (["daily-note", "2026-01-31", "--append", "a"], {"date": "2026-01-31", "append": "a"}),
        (["find-notes", "Bread", "--limit", "5"], {"folder": "Bread", "limit": "5"}),
        (["change-set", "--expect", '{"files": 1}'], {"expect": {"files": 1}}),
        (["undo-change", "1a2b", "--hunks", "1", "--hunks", "x"], {"change_id": "1a2b", "hunks": ["1", "x"]}),
        (["change-settings", "--changes", "watch=poll"], {"changes": {"watch": "poll"}}),
        (["search", "a", "--properties", '{"n": [1], "m": "b"}', "--properties", "o={}"],
         {"query": "a", "properties": {"n": [1], "m": "b", "o": {}}}),
        (["change-settings", "watch=poll"], {"changes": {"watch": "poll"}}),
        (["give-feedback", "usage", "false"], {"tool": "usage", "helped": False}),
        (["give-feedback", "usage", "perhaps"], {"tool": "usage", "helped": "perhaps"}),
        (["reindex", "--paths", "a.md", "--paths", "b.md"], {"paths": ["a.md", "b.md"]}),
        (["summarise", "a.md", "b.md"], {"paths": ["a.md", "b.md"]}),
        (["summarise", "a.md", "--paths", "b.md", "--length", "line"], {"paths": ["a.md", "b.md"], "length": "line"}),
        (["summarise", "--tags", "b"], {"tags": ["b"]}),
    ],
)  # fmt: skip
def test_what_is_typed_becomes_arguments(words: list[str], arguments: dict[str, Any]) -> None:
    assert typed(*words) == arguments


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["merge-notes"], "PATH (the note that goes) and INTO (the note that stays)"),
        (["undo-change"], "CHANGE_ID (its id, or a session's, from `vaultside list-changes`)"),
    ],
)
def test_a_call_that_lacks_an_argument_is_told_what_to_type(
    words: list[str], needed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == USAGE_STATUS
    said = capsys.readouterr().err
    assert said.startswith(f"vaultside: `vaultside {words[0]}` needs {needed}.\n")
    assert operation_commands()[words[0].replace("-", "_")]["example"] in said


def test_lines_are_numbers() -> None:
    for lines in ("3", "3-9", "[3, 9]"):
        assert typed("read-note", "a.md", "--lines", lines)["lines"] == lines
    with pytest.raises(InvalidArguments, match="“abc” are no lines"):
        typed("read-note", "a.md", "--lines", "abc")


def test_an_object_that_is_no_json_is_refused() -> None:
    for wrong in ("{bad", '[{"op": "append"}', " [ {'op': 1}]"):
        with pytest.raises(InvalidArguments, match="is not JSON"):
            typed("edit-note", "a.md", "--edits", wrong)
    assert typed("edit-note", "a.md", "--edits", "[[a]]") == {"path": "a.md", "edits": ["[[a]]"]}


def test_a_query_may_begin_with_a_word_to_exclude() -> None:
    assert typed("search", "--limit", "3", "--", "-a") == {"query": "-a", "limit": "3"}


def test_arguments_come_from_a_file_and_what_is_typed_wins(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"query": "from the file", "limit": 3}')
    assert typed("search", "typed", "--json-args", str(tmp_path / "a.json")) == {"query": "typed", "limit": 3}


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "[" * 100_000])
def test_what_is_no_json_object_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InvalidArguments):
        typed("search", "--json-args", str(tmp_path / "a.json"))


def test_a_pair_without_a_value_is_refused() -> None:
    with pytest.raises(InvalidArguments, match="NAME=VALUE"):
        typed("search", "a", "--properties", "b")


@pytest.mark.parametrize("words", [["serach"], ["search", "a", "b"], ["search", "a", "--lim", "3"], ["serve"], []])
def test_what_the_parser_does_not_know_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        build_parser().parse_args(words)
    assert (left.value.code, capsys.readouterr().out) == (2, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lsit_workflows"], "there is no `lsit_workflows`; did you mean `list-workflows`?"),
        (["accept-change", "a"], "there is no `accept-change`; did you mean `decide`?"),
        (["accept_change"], "there is no `accept_change`; did you mean `decide`?"),
        (["undo"], "there is no `undo`; did you mean `undo-change`?"),
        (["workflows"], "there is no `workflows`; did you mean `list-workflows`?"),
        (["policies"], "there is no `policies`; did you mean `list-workflows` or `run-workflow`?"),
        (["order"], "there is no `order`; did you mean `plan-tidy` or "),
        (["open"], "there is no `open`; did you mean `read-note` or `daily-note`?"),
        (["serach", "a"], "there is no `serach`; did you mean `search`?\n  `vaultside --help` tells"),
        (["search", "--", "-a", "--limit", "3"],
         "`--limit` stands after `--`, where no options are read; put it before."),
        (["search", "-a", "b"],
         'there is no option `-a`; to exclude a word, end with the query in quotes: `vaultside search -- "b -a"`.'),
        (["search", "a", "--limmit", "3"], "there is no option `--limmit`; did you mean `--limit`?"),
        (["search", "a", "b", "c"], "nothing is known to do with `b c`; put quotes around words that belong together."),
        (["split-note", "A", "B", "C.md"], "nothing is known to do with `C.md`; did you mean `--to C.md`?"),
        (["search", "a", "./"], "nothing is known to do with `./`; did you mean `--vault ./`?"),
        (["search", "a", "b=c"], "nothing is known to do with `b=c`; did you mean `--properties b=c`?"),
        (["mcp", "--print-config"], "`--print-config` needs a value: claude-code, "),
        (["search", "a", "--limit"], "`--limit` needs a value.\n"),
        (["read-note", "a.md", "--lines", "1", "3"], "lines are given as a range: `--lines 1-3`.\n"),
        (["mcp", "--preset", "x"], "there is no `x`; there are default, notebook, writing, read-only, full.\n"),
        (["models", "instal"], "there is no `instal`; did you mean `install`?\n  `vaultside models --help` tells"),
    ],
)  # fmt: skip
def test_what_is_mistyped_is_told_in_a_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        build_parser(words).parse_args(words)
    assert capsys.readouterr().err.startswith(f"vaultside: {said}")


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (["--data-dir", "X", "status", "--disk"], ["status", "--data-dir", "X", "--disk"]),
        (
            ["--json", "--vault=N", "--models-dir", "M", "status"],
            ["status", "--json", "--vault=N", "--models-dir", "M"],
        ),
        (["search", "--data-dir", "X", "a"], ["search", "--data-dir", "X", "a"]),
        (["--version"], ["--version"]),
        (["--data-dir", "X"], []),
        ([], []),
    ],
)
def test_options_of_every_command_may_stand_before_it(words: list[str], read: list[str]) -> None:
    assert command_first(words) == read


async def test_a_command_is_run_with_options_before_it(tmp_path: Path) -> None:
    ran = await command("--json", "models", "list", data=tmp_path / "data", models=tmp_path / "models")
    assert ran.out.startswith('{"models":'), ran.err


async def test_without_a_command_the_first_ones_are_listed(tmp_path: Path) -> None:
    ran = await command(data=tmp_path, models=tmp_path)
    assert (ran.status, ran.err) == (0, "")
    names = {name for names in grouped_commands(every=False).values() for name in names}
    assert names <= {*command_names()}
    assert {line.split()[0] for line in ran.out.splitlines() if line.startswith("  ")} == names


def test_an_operation_may_be_called_by_its_own_name() -> None:
    assert typed("find_notes", "Bread") == {"folder": "Bread"}


def test_each_operation_shows_an_example_that_means_what_it_declares() -> None:
    for operation in operations():
        words = shlex.split(operation_commands()[operation.name]["example"])
        # The command looks a digest up.
        read = {"digest": operation.example["digest"]} if "digest" in operation.example else {}
        assert operation.bind({**typed(*words[1:]), **read}) == operation.bind(operation.example), operation.name


def test_each_command_stands_in_one_group() -> None:
    listed = [name for names in grouped_commands(every=True).values() for name in names]
    assert sorted(listed) == sorted(command_names())


def test_the_usage_tells_what_may_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    for words, usage in (
        (["edit-note"], "usage: vaultside edit-note PATH --edits JSON [OPTION …]\n"),
        (["related-notes"], "usage: vaultside related-notes [PATH] [OPTION …]\n"),
        (["summarise"], "usage: vaultside summarise [PATH …] [OPTION …]\n"),
    ):
        with pytest.raises(SystemExit):
            main(["help", *words])
        assert capsys.readouterr().out.startswith(usage)


@pytest.mark.parametrize("width", [40, 60, 110])
def test_lists_of_commands_are_as_wide_as_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for every in (False, True):
        assert max(map(len, list_commands(every=every).splitlines())) < width


def test_the_folders_may_be_named_before_and_after_a_model_action() -> None:
    for words in (["models", "--models-dir", "m", "list"], ["models", "list", "--models-dir", "m"]):
        given = build_parser().parse_args(words)
        assert (given.models_dir, given.data_dir, given.json) == (Path("m"), None, False)


@pytest.mark.parametrize("words", [["doctor", "Notes"], ["doctor", "--vault", "Notes"], ["status", "--vault", "Notes"]])
def test_the_vault_is_named_with_an_option_or_after_doctor(words: list[str]) -> None:
    assert build_parser().parse_args(words).vault == "Notes"
    assert build_parser().parse_args(words[:1]).vault is None


def test_help_tells_what_json_holds(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["edit-note", "--help"])
    assert "insert_under (heading, text, create_heading), " in " ".join(capsys.readouterr().out.split())


def test_help_names_the_words_that_an_option_takes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["search", "--help"])
    assert "--types note|canvas|excalidraw|pdf" in capsys.readouterr().out


def test_every_command_has_help() -> None:
    commands = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    for entry in commands.choices.values():
        assert entry.format_help()


def test_a_command_line_without_a_command_greets_and_help_is_where_people_look(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in ([], ["help"], ["--help"], ["-h"]):
        assert main(words) == 0
        said = capsys.readouterr().out
        assert "Find notes by words and meaning." in said
        assert len(said.splitlines()) < 45
    for words in (["help", "--all"], ["--help", "--all"]):
        assert (main(words), "claim-change" in capsys.readouterr().out) == (0, True)
    with pytest.raises(SystemExit):
        main(["help", "search"])
    assert capsys.readouterr().out.startswith("usage: vaultside search")


def test_short_names_are_those_of_commands() -> None:
    assert set(SHORT_NAMES.values()) <= set(command_names())
    assert set(SHORT_NAMES).isdisjoint(command_names())
    assert command_first(["--json", "undo", "1a"]) == ["undo-change", "--json", "1a"]
