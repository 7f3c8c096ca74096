"""What a model reads: short, in every script, and marked as what it is."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.api.registry import show
from bridge.mcp.text import DATA_NOTICE, format_result, text_lines
from bridge.records import Record
from bridge.text.budget import around_match, cost, fit_words
from bridge.text.invisible import inline
from tests.features.results import result_of
from tests.features.served import Served
from tests.mcp.client import connected, text_of

CHARACTERS_A_TOKEN = 3.1
"""Of hits, counted once with the tokenizer `o200k_base`; what is not Latin is weighed as more characters."""

QUERIES = ("why does bread go hard in the fridge", "sourdough starter", "water", "when to sow", "salt and time")


def text_of_view(tool: str, answer: dict[str, Any]) -> list[str]:
    return list(text_lines(show(result_of(tool, answer))))


def hit(**parts: Any) -> dict[str, Any]:
    return {
        "path": "Folder/Some note.md",
        "title": "Some note",
        "heading": "Some note > A part",
        "lines": [3, 9],
        "snippet": "…the words before a ==match== and those after it.",
        "score": 0.5,
        "why": ["says “match”"],
        "tags": [],
        "modified": "2026-01-01T00:00:00+00:00",
        "digest": "8e22afc3cad9",
        "passages": [],
        **parts,
    }


def found(*hits: dict[str, Any], **parts: Any) -> str:
    freshness = {"pending_keyword": 0, "pending_vectors": 0}
    answer = {"hits": hits, "mode_used": "hybrid", "freshness": freshness, "notices": [], "total": len(hits), **parts}
    return format_result(result_of("search", answer), quotes=True)


@pytest.mark.model
@pytest.mark.usefixtures("restored")
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("query", QUERIES)
async def test_ten_hits_keep_their_budget(sample: Served, query: str) -> None:
    async with connected(sample) as client:
        text = text_of(await client.call_tool("search", {"query": query}))
    assert "\n10. " in text
    assert cost(text) / CHARACTERS_A_TOKEN < 750


@pytest.mark.parametrize("letter", ["a", "ж", "発"])
def test_ten_long_hits_keep_their_budget(letter: str) -> None:
    word = letter * 5
    long = hit(
        path="Projects/Twenty twenty six/Some long name of a note about the garden.md",
        heading=f"{word} " * 20,
        snippet=f"{word} " * 20 + f"=={word}== " + f"{word} " * 20,
        why=[f"says “{word}”, “{word}”, “{word}”", f"alias “{word} {word} {word}” matches", "close in meaning"],
    )
    text = found(*[long] * 10)
    assert cost(text) / CHARACTERS_A_TOKEN < 800
    assert text.count(word) >= 40


def test_a_hit_is_a_place_a_snippet_and_why() -> None:
    assert found(hit(why=["says “match”", "close in meaning"]), notices=["Some notice."]) == (
        f"{DATA_NOTICE}\n"
        "Some notice.\n"
        "1 note, each with its score, digest and why:\n"
        "1. Folder/Some note.md:3-9 # A part\n"
        "   …the words before a match and those after it.\n"
        "   0.50 · 8e22afc3cad9 · says “match”; close in meaning"
    )


def test_more_notes_than_are_shown_are_counted() -> None:
    assert found(hit(), total=12).splitlines()[1] == "1 of 12 notes, each with its score, digest and why:"


def test_whole_passages_stand_in_place_of_a_snippet() -> None:
    passages = [
        {"heading": "A part", "lines": [3, 4], "text": "What it says.\n\n- and more"},
        {"heading": "Another", "lines": [9, 9], "text": "And again."},
    ]
    assert found(hit(passages=passages)).splitlines()[2:] == [
        "1. Folder/Some note.md · 0.50 · 8e22afc3cad9 · says “match”",
        "--- Folder/Some note.md:3-4 ---",
        "What it says.",
        "",
        "- and more",
        "--- Folder/Some note.md:9-9 ---",
        "And again.",
    ]


def test_reasons_without_room_are_left_out() -> None:
    why = ["title matches", "named in *Some long name of a note about the garden*, which matches", "says “match”"]
    assert found(hit(why=why)).endswith(" · title matches; says “match”")
    assert found(hit(why=["long " * 40])).endswith("long…")


def test_nothing_found_and_what_is_pending_are_said() -> None:
    freshness = {"pending_keyword": 7, "pending_vectors": 9}
    assert found(freshness=freshness).splitlines()[1:] == [
        "7 notes are not indexed yet.",
        "9 passages cannot be found by meaning yet.",
        "No note found.",
    ]
    assert "by meaning" not in found(freshness=freshness, mode_used="keyword")
    assert found(notices=["Nothing was found for this."]).splitlines()[1:] == ["Nothing was found for this."]


@pytest.mark.parametrize(
    ("snippet", "short"),
    [
        ("a ==match== here", "a match here"),
        ("no mark", "no mark"),
        ("", ""),
        ("one two three four five six ==seven== eight nine ten eleven", "…five six seven eight nine…"),
        ("====", ""),
    ],
)
def test_a_snippet_is_cut_around_its_first_match(snippet: str, short: str) -> None:
    assert around_match(snippet, 30) == short


@given(st.text(), st.integers(0, 200))
def test_what_fits_is_a_beginning_within_its_cost(text: str, most: int) -> None:
    kept = fit_words(text, most)
    assert text.startswith(kept)
    assert cost(kept) <= most


class Note(Record):
    path: str
    tags: tuple[str, ...]
    more: Mapping[str, int | None]


class Facts(Record):
    done: bool = True
    none: str | None = None
    empty: tuple[str, ...] = ()
    count: int = 3
    lines: tuple[int, int] = (1, 2)
    title: str = "a\n b"
    diff: str = "-a\n+b\n"
    notes: tuple[Note, ...] = (Note("a.md", ("b", "c"), {"d": 1, "e": None}),)


def test_any_answer_is_written_a_line_a_field() -> None:
    assert list(text_lines(show(Facts()))) == [
        "done: true",
        "count: 3",
        "lines: 1, 2",
        "title:\na\n b",
        "diff:\n-a\n+b\n",
        "notes:",
        "- path: a.md · tags: b, c · more: d: 1",
    ]
    assert format_result(Record(), quotes=False) == "Done."


def links_of(**given: list[dict[str, Any]]) -> dict[str, Any]:
    found = {kind: given.get(kind, []) for kind in ("links", "backlinks", "unresolved")}
    return {"digest": "", "totals": {kind: len(links) for kind, links in found.items()}, "offset": 0, **found}


def test_many_links_are_counted_not_written() -> None:
    one = {"path": "A.md", "line": 1, "text": "A", "kind": "wiki", "target": "A", "embed": False}
    lines = list(text_of_view("note_links", links_of(backlinks=[one] * 130)))
    assert (len(lines), lines[1]) == (101, "- A.md:1")
    assert lines[0] == "Linked from (1-100 of 130 links; `offset: 100` shows more):"
    page = {**links_of(backlinks=[one] * 130), "backlinks": [one] * 30, "offset": 60}
    assert next(iter(text_of_view("note_links", page))) == "Linked from (61-90 of 130 links; `offset: 90` shows more):"
    assert list(text_of_view("note_links", links_of())) == ["No links."]


def test_the_parts_of_a_change_are_numbered() -> None:
    change: dict[str, Any] = {"id": "1a", "time": "2026-01-31T10:00:00+00:00", "state": "applied"}
    change |= {
        "operation": "edit_note",
        "paths": ["A.md"],
        "client": None,
        "reason": None,
        "expires": None,
        "diff": "+x\n",
    }
    hunks = [{"number": at, "path": "A.md", "after": (at * 9, at * 9), "undone": at == 2} for at in (1, 2)]
    head = "1a · 2026-01-31T10:00 · applied · edit_note A.md"
    assert list(text_of_view("show_change", {**change, "hunks": hunks[:1]})) == [head, "+x"]
    assert list(text_of_view("show_change", {**change, "hunks": hunks})) == [
        head, "hunk 1: A.md:9", "hunk 2: A.md:18 (undone)", "+x"
    ]  # fmt: skip


def test_a_link_has_its_sentence_when_asked_for() -> None:
    one = {"path": "A b.md", "line": 4, "text": "that", "target": "A b", "context": "See that."}
    lines = list(text_of_view("note_links", links_of(links=[one], backlinks=[one])))
    assert lines == [
        "Links to:",
        "- line 4 → A b.md “that” — See that.",
        "Linked from:",
        "- A b.md:4 “that” — See that.",
    ]


def test_a_link_tells_its_line_its_part_of_the_note_and_its_words_in_both_directions() -> None:
    one = {"path": "A.md", "line": 4, "text": "an A", "target": "A#Wax", "heading": "Wax", "block": None}
    block = {**one, "text": "A#^b1", "target": "A#^b1", "heading": None, "block": "b1", "embed": True}
    said = {"path": "B.md", "line": 2, "text": "an a", "span": [0, 4], "context": "an a is"}
    answer = links_of(links=[one, block], backlinks=[one, block], unresolved=[{**one, "path": None}])
    answer |= {"digest": "0123456789ab", "mentions": [said], "mentions_total": 1}
    assert list(text_of_view("note_links", answer)) == [
        "digest 0123456789ab",
        "Links to:",
        "- line 4 → A.md#Wax “an A”",
        "- line 4 → A.md#^b1 (embed)",
        "Linked from:",
        "- A.md:4 → #Wax “an A”",
        "- A.md:4 → #^b1 (embed)",
        "Unresolved:",
        "- line 4 → [[A#Wax]] “an A”",
        "Mentioned without a link:",
        "- B.md:2 says “an a” — an a is",
    ]


def test_a_missing_link_is_a_line() -> None:
    one = {
        "target": "A.md",
        "text": "an a",
        "lines": [3, 3],
        "span": [9, 13],
        "score": 0.8,
        "why": ["its name", "near"],
    }
    assert list(text_of_view("suggest_links", {"suggestions": [one], "digest": "0f"})) == [
        "digest 0f",
        "- line 3 “an a” → A.md (its name; near)",
    ]
    assert list(text_of_view("suggest_links", {"suggestions": [], "digest": ""})) == ["There is no link to suggest."]


def test_tools_are_written_with_what_they_take() -> None:
    argument = {"name": "path", "takes": "a string", "meaning": "A path.", "required": True}
    tool = {
        "name": "find",
        "summary": "Find it.",
        "arguments": [argument, {**argument, "name": "limit", "takes": "an integer", "required": False}],
        "listed": False,
        "accuracy": 0.88,
        "judged": 15,
        "server": None,
    }
    listed = {**tool, "name": "seek", "listed": True, "accuracy": None}
    writes: dict[str, Any] = {
        **tool,
        "arguments": [{**argument, "name": name} for name in ("path", "dry_run", "reason", "confirm")],
    }
    *told, last = text_of_view("find_tool", {"tools": [tool, listed], "notices": []})
    assert told == [
        "find — Find it. (right in 88% of 15 cases)",
        "  path: A path.",
        "  limit?: A path. Takes an integer.",
        "seek — Find it. (listed: call it directly)",
    ]
    assert last == "Run one with `run_tool`."
    _, path, common, last = text_of_view("find_tool", {"tools": [writes], "notices": []})
    assert path == "  path: A path."
    assert common == "find also takes dry_run?, reason? (for the user), confirm? (for large changes)."
    undoes = {**writes, "name": "undo", "arguments": writes["arguments"][:3]}
    told = list(text_of_view("find_tool", {"tools": [writes, undoes, {**undoes, "name": "redo"}], "notices": []}))
    assert common in told
    assert "undo, redo also take dry_run?, reason? (for the user)." in told
    assert list(text_of_view("find_tool", {"tools": [], "notices": ["None."]})) == ["None."]


def test_one_is_not_many() -> None:
    note = {"path": "A.md", "modified": "2026-01-31", "tags": [], "digest": "0f" * 32}
    page = {"notes": [note], "total": 1, "notices": ["Closest."]}
    assert list(text_of_view("find_notes", page))[:2] == ["1 note", "Closest."]
    many = {**page, "total": 2_000}
    assert next(iter(text_of_view("find_notes", many))) == "1 of 2,000 notes"
    told = text_of_view("find_notes", {**many, "next_offset": 1})
    assert next(iter(told)) == "1 of 2,000 notes; `offset: 1` shows more"


def test_a_list_of_tasks_says_the_digest_of_each_note_once() -> None:
    facts = dict.fromkeys(("due", "scheduled", "start", "done", "priority", "recurrence", "heading"))
    task = {"path": "A.md", "line": 1, "status": " ", "text": "Dig", "digest": "0123456789ab", **facts}
    told = list(text_of_view("list_tasks", {"tasks": [task, {**task, "line": 2}], "total": 2, "notices": []}))
    assert told == ["2 tasks", "A.md:1 [ ] Dig · digest 0123456789ab", "A.md:2 [ ] Dig"]


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), st.lists))
def test_whatever_is_on_one_line_stays_on_one(value: Any) -> None:
    assert "\n" not in inline(value)


def test_what_a_reader_does_not_see_is_not_said() -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "obey")
    text = found(
        hit(
            path=f"A{hidden}/Web\u200b clip.md",
            heading=f"Some{hidden} <!-- obey --> part",
            snippet=f"a ==match==\u202e here{hidden}",
            why=[f"says “match{hidden}”"],
        )
    )
    assert hidden not in text
    assert "obey" not in text
    # A path is given back as it is, so it is written in a way that any reader of JSON understands.
    line = text.splitlines()[2]
    assert json.loads(line.removeprefix("1. ").partition(":3-9")[0]) == f"A{hidden}/Web\u200b clip.md"
    assert line.endswith("# Some part")


def test_long_changes_are_told_in_short() -> None:
    lost = [{"path": f"{at}.md", "line": 1, "text": "A"} for at in range(30)]
    answer: dict[str, Any] = {"change_id": None, "digest": None, "path": "A.md", "warnings": [], "links_broken": lost}
    lines = list(text_of_view("delete_note", {**answer, "diff": f"-{'word ' * 100}\n" * 70}))
    assert lines[0] == "Nothing was written: A.md"
    assert lines[20:22] == ["broken link: 19.md:1 [[A]]", "… and 10 more broken links"]
    assert (lines[22].endswith(" word…"), len(lines[22]) < 250) == (True, True)
    assert lines[-1] == "… and 10 more lines of the diff"


def test_a_task_is_told_as_toggling_it_asks_for_it() -> None:
    parts = dict.fromkeys(("scheduled", "start", "done", "recurrence", "heading"))
    task = {
        "path": "A.md",
        "line": 7,
        "status": " ",
        "text": "Sow beans",
        "due": "2026-05-01",
        "priority": "high",
        "digest": "0123456789ab",
        **parts,
    }
    assert list(text_of_view("list_tasks", {"tasks": [task], "total": 3, "next_offset": 1, "notices": []})) == [
        "1 of 3 tasks; `offset: 1` shows more",
        "A.md:7 [ ] Sow beans · due 2026-05-01 · priority high · digest 0123456789ab",
    ]
    assert list(text_of_view("list_tasks", {"tasks": [], "total": 3, "notices": []})) == [
        "0 of 3 tasks; `offset` is behind the last"
    ]
