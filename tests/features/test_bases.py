"""Bases are run as Obsidian runs them, and notes found by any condition."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import pytest

from bridge.api.where import evaluate_apart
from bridge.bases.evaluate import MAX_CPU_S, Budget
from bridge.errors import InvalidArguments
from bridge.priority import CALLER
from bridge.settings.file import save_settings
from tests.features.served import PATIENCE_S, Served
from tests.mcp.client import connected, text_of

BASE = """\
filters:
  and:
    - file.inFolder("Books")
    - '!file.name.contains("Template")'
formulas:
  double: price * 2
  bad: price.toFixed("x").slice(0)
properties:
  note.price:
    displayName: Price
summaries:
  rounded: values.mean().round(1)
views:
  - type: table
    name: All
    order: [file.name, price, formula.double, author, read]
    sort:
      - property: price
        direction: DESC
    summaries:
      price: Sum
      formula.double: rounded
      read: Latest
      author: Filled
  - type: cards
    name: By status
    filters: price > 3
    groupBy: {property: status, direction: DESC}
    limit: 2
  - type: table
    name: Here
    filters: author == this || list(author).contains(this)
"""
NOTES = {
    "Books/Emma.md": (
        '---\nprice: 7\nstatus: open\nauthor: "[[Jane Austen]]"\nread: 2025-12-24\ntags: [novel]\n---\nText\n'
    ),
    "Books/Ulysses.md": "---\nprice: 9.5\nstatus: done\nauthor: Joyce\n---\n#novel/irish\n",
    "Books/Notes.md": "Without properties. [[Emma]]\n",
    "Books/Template book.md": "---\nprice: 1\n---\n",
    "Jane Austen.md": "An author.\n",
    "Books.base": BASE,
    "Secret/Plan.md": "---\nprice: 100\nstatus: open\n---\n#novel\n",
}


async def run(served: Served, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = await served.result("query_base", **arguments)
    return found


async def found(served: Served, where: str, **arguments: Any) -> list[str]:
    answer = await served.result("find_notes", where=where, **arguments)
    return [one["path"] for one in answer["notes"]]


async def test_a_view_has_its_rows_columns_and_summaries(served: Served) -> None:
    view = await run(served, path="Books.base")
    assert (view["view"], view["views"], view["total"]) == ("All", ["All", "By status", "Here"], 3)
    assert [row["path"] for row in view["rows"]] == ["Books/Ulysses.md", "Books/Emma.md", "Books/Notes.md"]
    assert view["rows"][1]["values"] == {
        "file.name": "Emma.md", "price": 7, "formula.double": 14, "author": "[[Jane Austen]]", "read": "2025-12-24"
    }  # fmt: skip
    assert view["rows"][2]["values"]["formula.double"] is None
    assert view["summaries"] == {"price": 16.5, "formula.double": 16.5, "read": "2025-12-24", "author": 2}


async def test_a_view_groups_and_limits(served: Served) -> None:
    view = await run(served, path="Books.base", view="by status")
    assert [(row["path"], row["group"]) for row in view["rows"]] == [
        ("Books/Emma.md", "open"),
        ("Books/Ulysses.md", "done"),
    ]


async def test_this_is_the_note_that_embeds_the_base(served: Served) -> None:
    view = await run(served, path="Books.base", view="Here", this="Jane Austen.md")
    assert [row["path"] for row in view["rows"]] == ["Books/Emma.md"]
    assert (await run(served, path="Books.base", view="Here"))["rows"] == []


async def test_a_base_without_views_lists_every_file(served: Served) -> None:
    view = await run(served, text="filters: file.ext == 'base'", limit=1)
    assert [row["values"] for row in view["rows"]] == [{"file.name": "Books.base"}]


async def test_rows_come_in_pages(served: Served) -> None:
    second = await run(served, path="Books.base", limit=1, offset=1)
    assert ([row["path"] for row in second["rows"]], second["total"]) == (["Books/Emma.md"], 3)


async def test_what_cannot_be_run_is_said(served: Served) -> None:
    for arguments, code, said in (
        ({"path": "Nothing.base"}, "note_not_found", "Nothing.base"),
        ({"path": "Books/Emma.md"}, "invalid_arguments", "is no base"),
        ({"path": "Books.base", "view": "None"}, "invalid_arguments", "no view"),
        ({"path": "Books.base", "this": "Nobody.md"}, "note_not_found", "Nobody.md"),
        ({}, "invalid_arguments", "either"),
        ({"text": "a: ["}, "invalid_arguments", "no valid YAML"),
        ({"text": "filters: 'price >'"}, "invalid_arguments", "at character"),
        ({"text": "filters: {and: [], or: []}"}, "invalid_arguments", "one of"),
        ({"text": "formulas: {a: '1', b: 1 === 1}"}, "invalid_arguments", "Formula `b`: The expression cannot be read"),
        ({"text": "summaries: {c: nope()}"}, "invalid_arguments", "Summary `c`: There is no function `nope`"),
        ({"text": "views: [{name: d, filters: 'price >'}]"}, "invalid_arguments", "View `d`: The expression cannot"),
    ):
        answer = await served.call("query_base", **arguments)
        assert (answer.code, said in answer.json["error"]["message"]) == (code, True), answer.body


async def test_a_column_that_cannot_be_evaluated_is_empty_and_said(served: Served) -> None:
    view = await run(served, text="formulas: {a: formula.a}\nviews: [{order: [formula.a], filters: price > 8}]")
    assert view["rows"][0]["values"] == {"formula.a": None}
    assert view["notices"] == ["The formula `a` refers to itself."]


BOMB = """\
a: &a {and: ["true", "true", "true", "true", "true", "true", "true", "true", "true", "true"]}
b: &b {and: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]}
c: &c {and: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]}
d: &d {and: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]}
e: &e {and: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]}
filters: {and: [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]}
"""


async def test_a_duration_is_shown_in_milliseconds_and_an_unknown_field_said_once(served: Served) -> None:
    formulas = "{d: read - date('2025-12-20'), w: file.name.weeks}"
    shown = "{filters: price > 0, order: [formula.d, formula.w], summaries: {formula.d: Sum}}"
    view = await run(served, text=f"formulas: {formulas}\nviews: [{shown}]")
    emma = next(row for row in view["rows"] if row["path"] == "Books/Emma.md")
    assert emma["values"] == {"formula.d": 4 * 86_400_000, "formula.w": None}
    assert view["summaries"] == {"formula.d": 4 * 86_400_000}
    assert view["notices"] == ["A string has no field `weeks`; it has length."]


async def test_what_would_take_all_time_or_memory_is_refused(served: Served) -> None:
    long = "formulas: {a: file.path.repeat(70000)}\nviews: [{order: [formula.a]}]"
    for text, said in ((BOMB, "no valid YAML"), (long, "more than 2,000,000 characters")):
        answer = await served.call("query_base", text=text)
        assert (answer.code, said in answer.json["error"]["message"]) == ("invalid_arguments", True), answer.body


async def test_a_number_that_json_cannot_hold_is_rounded(served: Served) -> None:
    (served.bridge.find(None).root / "Big.md").write_text("---\nn: 999999999999999999\n---\n", "utf-8")
    await served.call("wait_until_indexed", path="Big.md")
    sums = "[n,n,n,n,n,n,n,n,n,n,n,n,n,n,n,n,n,n,n,n].sum()"
    view = await run(served, text=f"formulas: {{a: '{sums}'}}\nviews: [{{filters: n > 1, order: [formula.a, n]}}]")
    assert view["rows"][0]["values"] == {"formula.a": 2e19, "n": 999999999999999999}


async def test_expressions_end_when_nobody_waits_and_others_do_not_wait_for_them() -> None:
    begun, left = threading.Semaphore(0), SimpleQueue[float]()

    def work(budget: Budget) -> None:
        began = time.thread_time()
        begun.release()
        with suppress(InvalidArguments):
            while True:
                budget.look()
        left.put(MAX_CPU_S - (time.thread_time() - began))

    many = [asyncio.create_task(evaluate_apart(work)) for _ in range(40)]
    await asyncio.to_thread(begun.acquire)
    for task in many:
        task.cancel()
    await asyncio.gather(*many, return_exceptions=True)
    assert await evaluate_apart(lambda budget: budget.is_spent) is False
    # The one that began may still be on its way to look whether anybody waits.
    assert await asyncio.to_thread(left.get, timeout=PATIENCE_S) > 0


async def test_one_caller_leaves_places_to_others() -> None:
    done, at_work = threading.Event(), threading.Semaphore(0)

    async def compute(caller: str, work: Callable[[Budget], bool]) -> bool:
        CALLER.set(caller)
        return await evaluate_apart(work)

    def hold(_: Budget) -> bool:
        at_work.release()
        return done.wait(PATIENCE_S)

    many = [asyncio.create_task(compute("one", hold)) for _ in range(20)]
    try:
        assert await asyncio.to_thread(at_work.acquire, timeout=PATIENCE_S)
        many[0].cancel()
        async with asyncio.timeout(PATIENCE_S):
            assert await asyncio.create_task(compute("other", lambda budget: not budget.is_spent))
        assert not at_work.acquire(blocking=False)
    finally:
        done.set()
    assert all(await asyncio.gather(*many[1:]))


@pytest.mark.parametrize(
    ("where", "paths"),
    [
        ('status == "open" && file.hasTag("novel")', ["Books/Emma.md", "Secret/Plan.md"]),
        ("price > 8 && price < 50", ["Books/Ulysses.md"]),
        ('author == link("Jane Austen")', ["Books/Emma.md"]),
        ('file.hasLink("Books/Emma")', ["Books/Notes.md"]),
        ('file.mtime > now() - "1 hour" && file.inFolder("Books") && price.isEmpty()', ["Books/Notes.md"]),
        ("read < today()", ["Books/Emma.md"]),
        ("/^E/.matches(file.name)", ["Books/Emma.md"]),
    ],
)
async def test_notes_are_found_by_a_condition(served: Served, where: str, paths: list[str]) -> None:
    assert await found(served, where) == paths


async def test_a_condition_goes_with_the_other_filters(served: Served) -> None:
    assert await found(served, "price > 0", folder="Books", tags=["novel"]) == ["Books/Emma.md", "Books/Ulysses.md"]
    answer = await served.call("find_notes", where="price >")
    assert (answer.code, "at character" in answer.json["error"]["message"]) == ("invalid_arguments", True)


async def test_searches_and_tasks_take_a_condition(served: Served) -> None:
    (served.bridge.find(None).root / "Books" / "Tasks.md").write_text(
        "---\nstatus: open\n---\n- [ ] read Emma\n", "utf-8"
    )
    await served.call("wait_until_indexed", path="Books/Tasks.md")
    for where, count in (("status == 'open'", 1), ("status == 'done'", 0)):
        assert (await served.call("list_tasks", where=where)).json["total"] == count
    hits = (await served.call("search", query="Emma", where="price.isEmpty()")).json["hits"]
    assert {hit["path"] for hit in hits} == {"Books/Notes.md", "Books/Tasks.md"}
    assert (await served.call("search", query="Emma", where="price > 1000")).json["hits"] == []
    assert (await served.call("search", query="Emma", where="price >")).code == "invalid_arguments"


async def test_a_property_that_no_note_has_is_said(served: Served) -> None:
    said = ["There is no property `stauts`; the closest is `status`."]
    where = 'stauts == "open" || note["stauts"] == 1 || file.name == "x"'
    for operation, more in (("find_notes", {}), ("list_tasks", {}), ("search", {"query": "Emma"})):
        answer = await served.call(operation, where=where, **more)
        assert [one for one in answer.json["notices"] if "property" in one] == said, answer.body
    blocks = await served.call("search_blocks", query="Emma", where=where)
    assert said[0] in blocks.json["notices"]
    base = "formulas: {f: 'note.stauts'}\nviews: [{order: [stauts, Status, formula.f], filters: price > 0}]"
    assert (await run(served, text=base))["notices"] == said
    schema = '---\ntype: schema\nfor: Books\n---\n| name | must |\n| --- | --- |\n| price | stauts == "open" |\n'
    await served.call("create_note", path="Schema.md", text=schema)
    assert (await served.call("check_notes", rules="schema")).json["notices"] == [f"`Schema.md`: {said[0]}"]
    answer = await served.call("find_notes", where="PRICE > 3 && list(author).map(value + index).isEmpty()")
    assert answer.json["notices"] == []


async def test_denied_notes_are_in_no_view(served: Served) -> None:
    save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]})
    await served.bridge.reload()
    assert await found(served, "price > 50") == []
    assert (await run(served, text="filters: price > 50"))["rows"] == []
    assert (await run(served, text="filters: file.path.contains('Secret')"))["rows"] == []


async def test_agents_read_rows(served: Served) -> None:
    async with connected(served) as client:
        called = {"name": "query_base", "arguments": {"path": "Books.base", "view": "By status"}}
        text = text_of(await client.call_tool("run_tool", called))
    assert "open:\nBooks/Emma.md" in text
