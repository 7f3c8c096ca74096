"""Notes are found by any condition that Obsidian's Bases know."""

import asyncio
import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from bridge.api.where import evaluate_apart
from bridge.bases.evaluate import SECONDS, Budget
from bridge.errors import InvalidArguments
from bridge.settings.file import save_settings
from tests.features.served import Served

NOTES = {
    "Books/Emma.md": (
        '---\nprice: 7\nstatus: open\nauthor: "[[Jane Austen]]"\nread: 2025-12-24\ntags: [novel]\n---\nText\n'
    ),
    "Books/Ulysses.md": "---\nprice: 9.5\nstatus: done\nauthor: Joyce\n---\n#novel/irish\n",
    "Books/Notes.md": "Without properties. [[Emma]]\n",
    "Books/Template book.md": "---\nprice: 1\n---\n",
    "Jane Austen.md": "An author.\n",
    "Secret/Plan.md": "---\nprice: 100\nstatus: open\n---\n#novel\n",
}


async def found(served: Served, where: str, **arguments: Any) -> list[str]:
    answer = await served.call("find_notes", where=where, **arguments)
    assert answer.status == 200, answer.body
    return [one["path"] for one in answer.json["notes"]]


async def test_expressions_end_when_nobody_waits_and_others_do_not_wait_for_them() -> None:
    begun, left = threading.Semaphore(0), []

    def work(budget: Budget) -> None:
        began = time.thread_time()
        begun.release()
        with suppress(InvalidArguments):
            while True:
                budget.look()
        left.append(SECONDS - (time.thread_time() - began))

    many = [asyncio.create_task(evaluate_apart(work)) for _ in range(40)]
    await asyncio.to_thread(begun.acquire)
    for task in many:
        task.cancel()
    await asyncio.gather(*many, return_exceptions=True)
    assert await evaluate_apart(lambda budget: budget.steps) > 0
    assert left
    assert min(left) > 0


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
    said = ["There is no property `stauts`; the closest are `status`, `tags`."]
    where = 'stauts == "open" || note["stauts"] == 1 || file.name == "x"'
    for operation, more in (("find_notes", {}), ("list_tasks", {}), ("search", {"query": "Emma"})):
        answer = await served.call(operation, where=where, **more)
        assert [one for one in answer.json["notices"] if "property" in one] == said, answer.body
    blocks = await served.call("search_blocks", query="Emma", where=where)
    assert said[0] in blocks.json["notices"]
    schema = '---\ntype: schema\nfor: Books\n---\n| name | must |\n| --- | --- |\n| price | stauts == "open" |\n'
    await served.call("create_note", path="Schema.md", text=schema)
    assert (await served.call("check_notes", rules="schema")).json["notices"] == [f"`Schema.md`: {said[0]}"]
    answer = await served.call("find_notes", where="PRICE > 3 && list(author).map(value + index).isEmpty()")
    assert answer.json["notices"] == []


async def test_denied_notes_are_not_found(served: Served) -> None:
    save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]})
    await served.bridge.reload()
    assert await found(served, "price > 50") == []
    assert await found(served, "file.path.contains('Secret')") == []
