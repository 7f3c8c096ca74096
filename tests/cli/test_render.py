"""What a person sees, in a pipe and in a terminal."""

import io
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from msgspec import field
from rich.console import Console

from bridge.cli import console, render
from bridge.cli.render import translate_hint
from bridge.records import Record
from tests.features.results import drawn, result_of
from tests.features.served import PATIENCE_S

HIT = {
    "path": "Bread/Rye.md", "title": "Rye", "heading": "Rye > Baking", "lines": [3, 9], "score": 0.9,
    "snippet": "In a ==falling== oven.", "why": ["title matches", "says 'falling'"], "tags": ["grain"],
    "modified": "2026-01-31T09:30:00+00:00", "digest": "0123456789ab", "passages": [],
}  # fmt: skip
FOUND = {
    "hits": [HIT], "mode_used": "hybrid", "took_ms": 3.0, "notices": ["Take note."],
    "freshness": {"pending_keyword": 2, "pending_vectors": 7},
}  # fmt: skip
STATUS: dict[str, Any] = {
    "vaults": [{
        "id": "0" * 16, "name": "Notes", "path": "/notes", "notes": 1234, "passages": 5678,
        "pending": {"keyword": 0, "vectors": 78}, "ready": {"keyword": True, "semantic": True},
        "embedding": {"per_second": 12.5, "seconds_left": 7}, "disk": {"index": 5_200_000, "history": 0, "state": 900},
        "paused": True, "trouble": "It is full.",
        "skipped": {"count": 1, "first": [{"path": "big.md", "reason": "over 32"}]},
        "failed": {"count": 0, "first": []}, "model": {"id": "all-minilm-l6-v2"}, "embedded_total": 1,
    }],
    "bridge": {"url": "http://127.0.0.1:9", "pid": 7, "since": "2026-01-31T09:30:00+00:00"},
    "disk": {"models": 83_000_000, "free": 1_000_000_000},
}  # fmt: skip


LINKS = ("links", "backlinks", "unresolved")

WRITTEN = {
    "change_id": "1a", "path": "A.md", "digest": "0", "state": "applied", "files": 2, "by": "disk",
    "diff": "--- a/A.md\n+++ b/A.md\n@@ -1 +1,2 @@\n # A\n+\x1b[31mtext\n", "warnings": ["Take note."],
    "links_rewritten": 3, "links_broken": [{"path": "B.md", "line": 7, "text": "A#Gone"}],
}  # fmt: skip
UNDO = "`vaultside undo-change 1a` undoes it."
GONE = {
    "path": "A.md",
    "moved_from": None,
    "deleted": True,
    "trash": ".trash/A.md",
    "digest": None,
    "added": 0,
    "removed": 0,
}
MOVED = {
    "path": "A.md",
    "moved_from": "B.md",
    "deleted": False,
    "trash": None,
    "digest": "0f",
    "added": 0,
    "removed": 0,
}


PRINT = """
from bridge.cli import render
from bridge.cli.render import translate_hint
render.show({operation!r}, {view!r})
"""


def shown(operation: str, result: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    render.show(operation, drawn(result_of(operation, result)))
    out, err = capsys.readouterr()
    assert "\x1b" not in out
    return out, err


def test_a_hit_says_where_what_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = shown("search", FOUND, capsys)
    assert out.splitlines() == [
        (
            "Bread/Rye.md\t3-9\t0.9\tRye\tRye > Baking\tIn a ==falling== oven.\t0123456789ab\tgrain"
            "\ttitle matches; says 'falling'"
        )
    ]
    assert err.splitlines() == [
        "Columns: path, lines, score, title, heading, snippet, digest, tags, why",
        "2 notes are not indexed yet.",
        "7 passages cannot be found by meaning yet.",
        "Take note.",
        "1 note:",
    ]


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
def test_a_hit_in_a_terminal_is_read_in_lines() -> None:
    lines = at_terminal("search", FOUND, 120)
    assert lines[:4] == [
        "1 note:",
        "1. Rye  Bread/Rye.md:3-9 # Rye > Baking",
        "   In a falling oven.",
        "   title matches; says 'falling' #grain",
    ]


@pytest.mark.parametrize(
    ("mode", "indexer", "said"),
    [
        ("hybrid", "running", ""),
        ("hybrid", "none", "`vaultside index` embeds them now, `vaultside serve` in the background.\n"),
        ("semantic", "paused", "Embedding is paused; `vaultside resume-indexing` resumes it.\n"),
        ("keyword", "none", ""),
    ],
)
def test_what_a_search_cannot_find_yet_is_said_with_what_becomes_of_it(
    mode: str, indexer: console.Indexer, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    render.explain_backlog({**FOUND, "mode_used": mode}, indexer)
    assert capsys.readouterr().err == said
    _, err = shown("search", {**FOUND, "mode_used": mode}, capsys)
    assert ("7 passages cannot be found by meaning yet." in err) == (mode != "keyword")


def test_nothing_found_is_said_beside_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = {**FOUND, "hits": [], "notices": [], "freshness": {"pending_keyword": 0, "pending_vectors": 0}}
    assert shown("search", nothing, capsys) == ("", "No note found.\n")


def test_status_says_what_is_ready_and_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = shown("status", STATUS, capsys)
    assert out.splitlines() == [
        "Notes  /notes",
        "  bridge   process 7 at http://127.0.0.1:9, since 2026-01-31 09:30",
        "  indexed  1,234 notes, 5,678 passages",
        "  words    ready",
        "  meaning  ready, all-minilm-l6-v2, 78 passages to go, 12.5 a second, 0:00:07 left",
        "  Embedding is paused; `vaultside resume-indexing` resumes it.",
        "  It is full.",
        "  skipped  big.md: over 32",
        "  disk     index 5.2 MB, history 0 bytes, state 900 bytes",
        "models 83.0 MB, free 1.0 GB",
    ]


@pytest.mark.parametrize(
    ("ready", "model", "bridge", "line"),
    [
        (False, {"id": "a"}, None, "not ready, a, 1 passage without a vector; `vaultside index` embeds them"),
        (False, {"id": "a"}, STATUS["bridge"], "not ready, a, 1 passage to go"),
        (False, None, STATUS["bridge"], "not ready, no model is installed"),
        (True, None, STATUS["bridge"], "ready"),
    ],
)
def test_status_says_why_meaning_is_not_ready_and_what_becomes_of_it(
    *, ready: bool, model: object, bridge: object, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"model": model, "embedding": None, "ready": {"keyword": True, "semantic": ready}}
    (vault,) = STATUS["vaults"]
    vault = {**vault, **told, "pending": {"keyword": 0, "vectors": 1}}
    out, _ = shown("status", {"vaults": [vault], "bridge": bridge}, capsys)
    assert f"  meaning  {line}" in out.splitlines()
    assert ("  bridge   none runs; this command opened the vault by itself" in out) == (bridge is None)


def test_status_says_that_a_model_is_looked_for_until_it_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    (vault,) = STATUS["vaults"]
    told = {"model": None, "model_known": False, "ready": {"keyword": True, "semantic": False}}
    out, _ = shown("status", {"vaults": [{**vault, **told}], "bridge": None}, capsys)
    assert "  meaning  not ready, looking for a model" in out.splitlines()


def test_lists_are_tabbed_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    note = {"path": "A.md", "title": "A\tB", "tags": ["x", "y"], "modified": "now", "digest": "0"}
    out, err = shown("find_notes", {"notes": [note], "total": 3, "next_offset": 1}, capsys)
    assert out == "A.md\tA B\tx y\tnow\t0\t\t\n"
    columns, told = err.splitlines()
    assert columns == "Columns: path, title, tags, modified, digest, linked, aliases"
    assert told == "1 of 3 notes; `--offset 1` shows more"


def test_the_doctor_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    findings = [
        {"check": "disk", "verdict": "ok", "message": "Fine.", "do": "", "vault": None, "fix": None},
        {
            "check": "index", "verdict": "fail", "message": "Broken.", "do": "Mend it.", "vault": "Notes",
            "fix": {"label": "Mend", "command": "chmod 700 '/a  b'", "operation": None},
        },
    ]  # fmt: skip
    out, _ = shown("doctor", {"verdict": "fail", "findings": findings}, capsys)
    assert out.splitlines() == [
        "ok    disk: Fine.",
        "FAIL  index (Notes): Broken.",
        "      → Mend it.",
        "        chmod 700 '/a  b'",
    ]


def test_links_are_shown_in_both_directions(capsys: pytest.CaptureFixture[str]) -> None:
    link = {"path": "B.md", "line": 3, "text": "bee", "kind": "wiki", "target": "B#Wax", "embed": False}
    link |= {"heading": "Wax", "block": None}
    nowhere = {**link, "path": None, "text": "B#Wax"}
    totals = {"links": 1, "backlinks": 2_001, "unresolved": 1}
    answer = {
        "digest": "0f",
        "totals": totals,
        "offset": 0,
        "links": [link],
        "backlinks": [link],
        "unresolved": [nowhere],
    }
    out, err = shown("note_links", answer, capsys)
    assert out.splitlines() == [
        "B.md\tLinks to\t3\tB#Wax\tbee\t",
        "B.md\tLinked from\t3\tB#Wax\tbee\t",
        "\tUnresolved\t3\tB#Wax\tB#Wax\t",
    ]
    assert err.splitlines() == ["Columns: path, section, line, target, text, context", "digest 0f"]
    if os.name == "posix":
        assert [line for line in at_terminal("note_links", answer, 120) if line] == [
            "digest 0f", "Links to:", "- line 3 → B.md#Wax “bee”",
            "Linked from (1-1 of 2,001 links; `--offset 1` shows more):", "- B.md:3 → #Wax “bee”",
            "Unresolved:", "- line 3 → [[B#Wax]]",
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ({"path": "Bread/Rye.md", "heading": None, "block": None}, "Bread/Rye.md\n"),
        ({"path": "Bread/Rye.md", "heading": "Baking", "block": None}, "Bread/Rye.md#Baking\n"),
        ({"path": "Bread/Rye.md", "heading": None, "block": "crust"}, "Bread/Rye.md#^crust\n"),
    ],
)
def test_a_resolved_link_is_one_line(found: dict[str, Any], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown("resolve_link", found, capsys) == (line, "")


@pytest.mark.parametrize(
    ("operation", "result", "said"),
    [
        ("resolve_link", {"path": None, "heading": "Baking", "block": None}, "It points to no note.\n"),
        (
            "note_links",
            {"digest": "", "totals": dict.fromkeys(LINKS, 0), "offset": 0, **{kind: [] for kind in LINKS}},
            "No links.\n",
        ),
        ("find_notes", {"notes": [], "total": 0}, "0 notes\n"),
        ("list_tags", {"tags": []}, "No tags.\n"),
    ],
)
def test_an_answer_that_holds_nothing_says_so(
    operation: str, result: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(operation, result, capsys) == ("", said)


class Entry(Record):
    a: int = 1
    b: str = "two"


class Facts(Record):
    path: str = "A.md"
    heading: str | None = None
    ready: bool = True
    first: tuple[Entry, ...] = (Entry(),)
    empty: tuple[str, ...] = ()
    more: Mapping[str, int] = field(default_factory=lambda: {"c": 1})


def test_any_other_record_is_shown_by_its_fields(capsys: pytest.CaptureFixture[str]) -> None:
    render.show("index_status", drawn(Facts()))
    assert capsys.readouterr().out.splitlines() == [
        "path: A.md",
        "ready: yes",
        "first:",
        "- a: 1 · b: two",
        "more: c: 1",
    ]


@pytest.mark.parametrize(
    ("outcome", "says", "way_back"),
    [
        ({}, ["Written: A.md · change 1a"], [UNDO]),
        ({"changed": [GONE]}, ["Deleted: A.md → .trash/A.md · change 1a"], [UNDO]),
        ({"changed": [MOVED]}, ["Moved: B.md → A.md · change 1a"], [UNDO]),
        (
            {"changed": [GONE, MOVED]},
            ["Written: 2 files · change 1a", "- A.md → .trash/A.md · deleted", "- B.md → A.md · digest 0f"],
            [UNDO],
        ),
        (
            {"state": "proposed"},
            ["Proposed; it waits until the user accepts it: A.md · change 1a"],
            ["`vaultside decide 1a accept` makes it."],
        ),
        ({"change_id": None}, ["Nothing was written: A.md"], []),
    ],
)
def test_a_change_is_a_diff_and_beside_it_what_was_done(
    outcome: dict[str, Any], says: list[str], way_back: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = shown("edit_note", {**WRITTEN, **outcome}, capsys)
    assert out == "--- a/A.md\n+++ b/A.md\n@@ -1 +1,2 @@\n # A\n+[31mtext\n"
    first, *files = says
    assert err.splitlines() == [
        first,
        *(["digest 0"] if len(files) == 0 else []),
        *files,
        "links in other places rewritten: 3",
        "broken link: B.md:7 [[A#Gone]]",
        "note: Take note.",
        *way_back,
    ]


def test_what_became_of_changes_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    change = {"id": "1a", "time": "2026", "operation": "edit_note", "client": None, "reason": "tidy", "diff": "d"}
    settled = {"changes": [{**change, "state": "rejected"}], "change_id": None, "diff": "", "state": "applied"}
    assert shown("decide", {**settled, "warnings": []}, capsys) == (
        "",
        "1a is rejected: edit_note (tidy)\nNothing was written.\n",
    )
    assert shown("show_change", {**change, "state": "undone", "hunks": []}, capsys) == (
        "d",
        "1a · 2026 · undone · edit_note (tidy)\n",
    )
    hunks = [{"number": at, "path": "A.md", "after": (at, at), "undone": at == 2} for at in (1, 2)]
    assert shown("show_change", {**change, "state": "applied", "hunks": hunks}, capsys) == (
        "d",
        "1a · 2026 · applied · edit_note (tidy)\nhunk 1: A.md:1\nhunk 2: A.md:2 (undone)\n",
    )


def test_a_daily_note_is_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    day = {"path": "2026.md", "date": "2026-01-31", "digest": "0f", "warnings": [], "diff": "", "text": "# Day\n"}
    assert shown("daily_note", day, capsys) == ("# Day\n", "2026.md · 2026-01-31 · digest 0f\n")
    assert shown("daily_note", {**day, "text": None}, capsys) == (
        "",
        "2026.md · 2026-01-31 · there is none yet\n`--append` creates it.\n",
    )


def test_what_would_steer_a_terminal_is_taken_out() -> None:
    assert console.strip_control("a\x1b]0;title\x07b\x9bc\td\ne") == "a]0;titlebc\td\ne"


def test_what_is_no_text_is_still_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    console.json_line({"a": "é"})
    assert out.buffer.getvalue() == '{"a":"é"}\n'.encode()


CASES = {
    "search": FOUND,
    "edit_note": WRITTEN,
    "status": STATUS,
    "list_tags": {"tags": [{"tag": "bread", "count": 12}]},
    "read_note": {
        "path": "A.md", "title": "A", "text": "# Head\n\x1b[31mtext\n", "lines": [1, 2], "tags": ["x"],
        "digest": "0f", "total_lines": 9, "headings": [], "problems": [],
        "next": {"lines": [3, 9], "offset": 4},
    },
}  # fmt: skip


def test_operations_that_answer_alike_are_shown_alike(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown("pick_link", FOUND, capsys) == shown("search", FOUND, capsys)


def shown_at(terminal: int) -> str:
    """Read all that a program wrote to a terminal, after its end, and close it."""
    said = b""
    # The end is an error on Linux; what was written may come in pieces.
    with suppress(OSError):
        while piece := os.read(terminal, 1 << 16):
            said += piece
    os.close(terminal)
    return said.decode()


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
@pytest.mark.parametrize("operation", CASES)
def test_a_terminal_gets_colours_but_nothing_from_notes_steers_it(operation: str) -> None:
    code = PRINT.format(operation=operation, view=drawn(result_of(operation, CASES[operation])))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm-256color"}
    )
    process.wait(PATIENCE_S)
    os.close(theirs)
    text = shown_at(ours)
    assert process.returncode == 0, text
    assert "\x1b[1m" in text or operation == "list_tags"
    assert "\x1b[31mtext" not in text
    assert "==" not in text


@pytest.mark.skipif(os.name != "posix", reason="elsewhere rich prints lines")
@pytest.mark.parametrize(
    "env", [{"TERM": "xterm-256color"}, {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "linux"}]
)
def test_a_line_has_the_colours_that_rich_would_give_it(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("TERM", "NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    parts = [("a [b] ü", style) for style in (*render.STYLES.values(), *render.DIFF_STYLES.values(), "bold yellow", "")]
    no_color = bool(os.environ.get("NO_COLOR")) or None
    rich = Console(force_terminal=True, highlight=False, markup=False, soft_wrap=True, no_color=no_color)
    rich.print(console.styled_text(*parts))
    expected = capsys.readouterr().out
    console.print_styled(*parts)
    assert capsys.readouterr().out == expected


PATH = "Collected papers/On the origin of long names/Chapter the first of many.md"
SETTING = {"name": "a", "value": 1, "default": 1, "meaning": "b"}
CHANGE = {
    "id": "1a", "time": "now", "client": None, "operation": "edit_note", "state": "applied", "paths": [PATH, "A.md"],
}  # fmt: skip
NOTE = {"path": PATH, "title": "Chapter", "tags": ["x"], "modified": "2026-01-31T09:30:00", "digest": "0"}


def at_terminal(operation: str, result: dict[str, Any], columns: int) -> list[str]:
    """Show a result in a terminal of some width, and return its lines."""
    code = PRINT.format(operation=operation, view=drawn(result_of(operation, result)))
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "NO_COLOR": "1"}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=theirs, stderr=theirs, env=env)
    process.wait(PATIENCE_S)
    os.close(theirs)
    text = shown_at(ours)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text.replace("\r", ""))
    return [line.rstrip() for line in plain.splitlines()]


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
def test_a_path_is_never_broken_in_a_terminal() -> None:
    named = {**NOTE, "aliases": ["Another name"]}
    headings, line, count = at_terminal("find_notes", {"notes": [named], "total": 1}, 200)
    # What only programs need, as the digest, is for pipes.
    assert (headings.split(), count) == (["path", "title", "tags", "modified", "aliases"], "1 note")
    assert line.startswith(PATH)
    narrow = at_terminal("find_notes", {"notes": [NOTE], "total": 1}, 60)
    assert narrow == [PATH, "    title Chapter · tags x · modified 2026-01-31T09:30:00", "1 note"]
    details = at_terminal("find_notes", {"notes": [named], "total": 1}, 115)
    assert details[0].split() == ["path", "title", "tags", "modified"]
    changes = at_terminal("list_changes", {"changes": [CHANGE]}, 40)
    assert (changes[0], changes[-2:]) == ("1a", [f"    {PATH}", "    A.md"])
    assert all(len(line) <= 40 for line in changes[:-2])


def test_a_change_of_many_notes_says_its_session_and_how_many_more_there_are() -> None:
    large = {**CHANGE, "session": "garden-1a", "paths": [f"{number}.md" for number in range(752)]}
    shown = at_terminal("list_changes", {"changes": [large]}, 200)
    assert "session garden-1a" in shown[1]
    assert shown[2:] == [*(f"    {number}.md" for number in range(10)), "    and 742 more"]


@pytest.mark.parametrize(
    ("operation", "result", "first"),
    [
        ("read_settings", {"settings": [SETTING]}, "a\t1\t1\tb"),
        ("list_changes", {"changes": [CHANGE]}, f"1a\tnow\t\tedit_note\tapplied\t{PATH} | A.md\t\t\t"),
        ("find_notes", {"notes": [NOTE], "total": 1}, f"{PATH}\tChapter\tx\t2026-01-31T09:30:00\t0\t\t"),
    ],
)
def test_a_record_is_a_line_without_a_heading_in_a_pipe(
    operation: str, result: dict[str, Any], first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(operation, result, capsys)[0].splitlines()[0] == first


def test_no_client_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown("revoke_client", {"clients": []}, capsys) == ("", "Its token is revoked.\nNo client has a token.\n")


@pytest.mark.parametrize(
    ("hint", "typed"),
    [
        ("Use `find_notes`.", "Use `vaultside find-notes`."),
        ("`undo_change 1a` undoes it.", "`vaultside undo-change 1a` undoes it."),
        ("Undo it by `undo_change garden-1a`.", "Undo it by `vaultside undo-change garden-1a`."),
        ("Read on with `lines: [3, 9]` and `offset: 4`.", "Read on with `--lines 3-9` and `--offset 4`."),
        (
            "`status` lists the vaults; `Rye.md` is a note.",
            "`vaultside status` lists the vaults; `Rye.md` is a note.",
        ),
        ("Repeat this with `max_chars`.", "Repeat this with `--max-chars`."),
    ],
)
def test_a_hint_names_what_is_typed(hint: str, typed: str) -> None:
    assert translate_hint(hint, "read_note") == typed
    assert "`vaultside status`" in translate_hint("`status` lists the vaults.", "list_tasks")


class Moments(Record):
    started: str
    said: str


def test_times_are_those_of_the_clock_on_the_wall(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        console.table([{"path": "A.md", "at": "2026-11-28T13:24:48+00:00"}], ["path", "at"])
        render.show("index_status", drawn(Moments("2026-11-28T13:24:48Z", "at 2026-11-28T13:24:48Z")))
        assert capsys.readouterr().out.splitlines() == [
            "A.md\t2026-11-28 22:24",
            "started: 2026-11-28 22:24",
            "said: at 2026-11-28T13:24:48Z",
        ]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_record_in_a_cell_is_words(capsys: pytest.CaptureFixture[str]) -> None:
    console.table([{"name": "color", "types": {"text": 748, "empty": 6}}], ["name", "types"])
    assert capsys.readouterr().out == "color\ttext 748, empty 6\n"
