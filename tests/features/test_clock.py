"""The clock was set back while memories were written: order, ages and validity go on, and nothing is lost.

What an earlier clock wrote into notes and records is put there as it would have been.
"""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest_asyncio

from tests.features.served import Served, serving, write_vault

AHEAD = timedelta(days=40)
"""By how much the clock was ahead."""


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", {"Oven.md": "# Oven\n"})
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        await served.call("set_up_memory", templates=False)
        yield served


def root(served: Served) -> Path:
    return served.bridge.find(None).root


async def remember(served: Served, title: str, text: str, **arguments: Any) -> str:
    path: str = (await served.result("remember", title=title, text=text, **arguments))["path"]
    return path


def time_of(served: Served, path: str, name: str) -> datetime:
    [found] = re.findall(rf"^{name}: (.*)$", (root(served) / path).read_text(), re.MULTILINE)
    return datetime.fromisoformat(found)


async def set_back(served: Served, path: str) -> None:
    """Have a note written by the clock that was ahead."""
    file = root(served) / path
    ahead = (time_of(served, path, "created") + AHEAD).isoformat()
    file.write_text(re.sub(r"^created: .*$", f"created: {ahead}", file.read_text(), flags=re.MULTILINE))
    await served.call("wait_until_indexed", path=path)


async def recall(served: Served, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await served.call("recall", query=query)).json["memories"]
    return found


async def test_of_two_that_contradict_each_other_the_later_one_is_recalled(served: Served) -> None:
    old = await remember(served, "Oven heat", "The oven is fired at 450 degrees.", kind="fact")
    await set_back(served, old)
    new = await remember(served, "oven_heat", "The oven is fired at 420 degrees.", kind="fact")
    [memory] = await recall(served, "at how many degrees is the oven fired?")
    assert (memory["path"], memory["conflicts"]) == (new, ["Oven heat"])
    assert time_of(served, new, "created") >= time_of(served, old, "created")
    # Only where the order would be lost.
    other = await remember(served, "Chimney", "The chimney is built of brick.", kind="fact")
    assert time_of(served, other, "created") <= datetime.now(UTC)


async def test_a_memory_of_a_later_time_is_recalled_told_without_an_age_and_revised(served: Served) -> None:
    path = await remember(served, "Oven heat", "The oven is fired at 450 degrees.", kind="fact", expires="60d")
    await set_back(served, path)
    [memory] = await recall(served, "at how many degrees is the oven fired?")
    assert (memory["path"], memory["tier"]) == (path, "hot")
    text = (await served.call("brief", task="fire the oven")).json["text"]
    assert "--- Fact: Oven heat (just now" in text
    assert (await served.call("revise_memory", path=path, append="In winter at 460.")).status == 200
    assert time_of(served, path, "updated") >= time_of(served, path, "created")
    assert [one["path"] for one in await recall(served, "at how many degrees is the oven fired?")] == [path]
    assert (await remember(served, "Again", "The oven is fired at 450 degrees. In winter at 460.")) == path


async def test_the_last_of_two_handoffs_is_taken_where_the_hour_is_set_back(served: Served) -> None:
    for goal, created in (("Knead", "2026-10-25T02:50:00+02:00"), ("Bake", "2026-10-25T02:10:00+01:00")):
        facts = {"goal": goal, "state": "Begun.", "next_action": "Go on."}
        made = await served.call("hand_over", **facts)
        file = root(served) / made.json["path"]
        file.write_text(re.sub(r"^created: .*$", f"created: {created}", file.read_text(), flags=re.MULTILINE))
        await served.call("wait_until_indexed", path=made.json["path"])
    assert (await served.call("take_over", peek=True)).json["goal"] == "Bake"
