"""A memory is revised, replaced, forgotten and judged; each is a change that is undone byte for byte."""

from pathlib import Path
from typing import Any

import pytest

from bridge.api.call import OWNER, Call
from bridge.api.registry import get_operation
from tests.features.served import Served

CLAY = "Agents/Memory/Clay.md"
STRAW = "Agents/Memory/Straw.md"

NOTES = {
    "Agents/About this folder.md": "# About\n",
    CLAY: "---\ntype: memory\nkind: fact  # mine\nmood: 1\nvalid_until: 2999-01-01\n---\n\n# Clay\n\nFrom the river.\n",
    STRAW: "---\ntype: memory\nkind: fact\n---\nFrom the mill, in bales.\n",
    "Agents/Memory/Lime.md": "---\ntype: memory\nsupersedes: '[[Chalk]]'\n---\nFrom the quarry.\n",
    "Oven.md": "Not a memory.\n",
}


def text(served: Served, path: str) -> str:
    return (served.bridge.find(None).root / path).read_text()


def root(served: Served) -> Path:
    return served.bridge.find(None).root


async def recalled(served: Served, query: str) -> list[str]:
    return [memory["path"] for memory in (await served.call("recall", query=query)).json["memories"]]


async def test_a_revision_leaves_all_else_byte_for_byte(served: Served) -> None:
    before = text(served, CLAY)
    made = await served.result(
        "revise_memory",
        path=CLAY,
        kind="decision",
        aliases=["loam"],
        metadata={"mood": None},
        append="And sand.",
    )
    head, _, body = text(served, CLAY).partition("\n---\n")
    assert head.splitlines()[:4] == ["---", "type: memory", "kind: decision  # mine", "valid_until: 2999-01-01"]
    assert head.splitlines()[4:6] == ["aliases:", "  - loam"]
    assert body == "\n# Clay\n\nFrom the river.\n\nAnd sand.\n"
    assert await recalled(served, "loam") == [CLAY]
    await served.result("undo_change", change_id=made["change_id"])
    assert text(served, CLAY) == before


async def test_a_text_is_replaced_only_as_it_was_read(served: Served) -> None:
    digest = (await served.call("read_note", path=CLAY)).json["digest"]
    unread = await served.call("revise_memory", path=CLAY, text="From the shop.")
    assert unread.code == "invalid_arguments"
    assert "needs `digest`" in unread.json["error"]["message"]
    await served.result("revise_memory", path=CLAY, text="From the shop.", digest=digest)
    assert text(served, CLAY).partition("\n---\n")[2] == "From the shop.\n"
    stale = await served.call("revise_memory", path=CLAY, text="From the river.", digest=digest)
    assert stale.code == "note_changed"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"expires": "2020-01-01"}, "`expires` is 2020-01-01, so that the memory would not hold any more"),
        ({"expires": "0d"}, "so that the memory would not hold any more"),
        ({"scope": [" "]}, "`scope` has an empty entry"),
        ({"tags": ["oven", ""]}, "`tags` has an empty entry"),
        ({"text": "From the shop."}, "`text` replaces the memory's text, and needs `digest`"),
    ],
)
async def test_a_refused_revision_says_what_is_wrong(served: Served, arguments: dict[str, Any], says: str) -> None:
    before = text(served, CLAY)
    refused = await served.call("revise_memory", path=CLAY, **arguments)
    assert (refused.code, says in refused.json["error"]["message"]) == ("invalid_arguments", True), refused.body
    assert refused.json["error"]["hint"]
    assert text(served, CLAY) == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "invalid_arguments"),
        ({"text": " "}, "invalid_arguments"),
        ({"append": "password" + ": tr0ub4dor&3x"}, "invalid_arguments"),
        ({"metadata": {"superseded_by": "[[Straw]]"}}, "invalid_arguments"),
        ({"path": "Oven.md", "pinned": True}, "note_not_found"),
    ],
)
async def test_a_revision_that_cannot_be_is_refused(served: Served, arguments: dict[str, Any], code: str) -> None:
    assert (await served.call("revise_memory", **{"path": CLAY, **arguments})).code == code


async def test_an_answered_question_is_settled(served: Served) -> None:
    await served.result("revise_memory", path=STRAW, resolved=True)
    assert await recalled(served, "straw") == []
    await served.result("revise_memory", path=STRAW, resolved=False)
    assert await recalled(served, "straw") == [STRAW]


async def test_a_replaced_memory_is_gone_and_comes_back(served: Served) -> None:
    before = text(served, CLAY), text(served, STRAW)
    await served.result("supersede_memory", path=[STRAW], by=CLAY)
    assert 'superseded_by: "[[Clay]]"\nvalid_until: 20' in text(served, STRAW)
    assert 'supersedes:\n  - "[[Straw]]"' in text(served, CLAY)
    # The question still names it, and so finds what replaced it.
    assert await recalled(served, "straw bales from the mill") == [CLAY]
    again = await served.result("supersede_memory", path=[STRAW], by=CLAY)
    assert again["change_id"] is None
    assert "No change was needed for 1 of the memories." in again["warnings"]
    circle = await served.call("supersede_memory", path=[CLAY], by=STRAW)
    assert circle.code == "invalid_arguments"
    itself = await served.call("supersede_memory", path=[CLAY], by=CLAY)
    assert itself.json["error"]["message"] == f"`{CLAY}` cannot replace itself."
    await served.result("supersede_memory", path=[STRAW], by=CLAY, reverse=True)
    assert (text(served, CLAY), text(served, STRAW)) == before
    assert await recalled(served, "straw bales from the mill") == [STRAW]


async def test_what_a_memory_replaced_before_stays_so(served: Served) -> None:
    await served.result("supersede_memory", path=[CLAY], by="Agents/Memory/Lime.md")
    assert 'supersedes:\n  - "[[Chalk]]"\n  - "[[Clay]]"\n' in text(served, "Agents/Memory/Lime.md")
    assert "valid_until: 2999-01-01\n" in text(served, CLAY)
    await served.result("supersede_memory", path=[CLAY], by="Agents/Memory/Lime.md", reverse=True)
    assert "valid_until: 2999-01-01\n" in text(served, CLAY)


async def test_a_forgotten_memory_is_asked_for_once_more(served: Served) -> None:
    before = text(served, STRAW)
    made = await served.result("forget_memory", path=STRAW)
    assert made["verified"]["recall"] is False
    assert made["verified"]["brief"] is False
    assert "tier: archived" in text(served, STRAW)
    await served.result("undo_change", change_id=made["change_id"])
    assert text(served, STRAW) == before
    assert await recalled(served, "straw") == [STRAW]


async def test_only_the_owner_erases(served: Served) -> None:
    assert (await served.call("forget_memory", path=STRAW, erase=True)).code == "forbidden"
    made = await get_operation("forget_memory").run(Call(served.bridge, OWNER), {"path": STRAW, "erase": True})
    assert not (root(served) / STRAW).exists()
    assert (made.verified.recall, made.verified.search) == (False, False)


async def test_a_doubted_memory_is_believed_again_once_revised(served: Served) -> None:
    first = await served.result("judge_memory", path=CLAY, verdict="wrong")
    assert (first["wrong"], first["doubted"]) == (1, False)
    assert (await served.result("judge_memory", path=CLAY, verdict="wrong"))["doubted"]
    await served.result("revise_memory", path=CLAY, confidence=0.9)
    assert not (await served.result("judge_memory", path=CLAY, verdict="useful"))["doubted"]


async def test_the_use_of_a_memory_follows_its_note(served: Served) -> None:
    await served.result("judge_memory", path=CLAY, verdict="useful")
    await served.result("move_note", path=CLAY, to="Agents/Memory/Loam.md")
    judged = await served.result("judge_memory", path="Agents/Memory/Loam.md", verdict="useful")
    assert judged["useful"] == 2


async def test_a_person_reads_what_was_forgotten_and_what_is_similar(served: Served) -> None:
    forgotten = await served.command("forget-memory", STRAW, "--vault", "Notes")
    assert forgotten.status == 0, forgotten.err
    assert "still found by: nothing" in f"{forgotten.out}\n{forgotten.err}"
    text = "From the mill, but never in bales."
    similar = await served.command("remember", "Oats", text, "--vault", "Notes")
    assert similar.status == 0, similar.err
    listed = await served.command("list-memories", "--vault", "Notes")
    assert listed.status == 0, listed.err
    assert "3 memories: " in f"{listed.out}\n{listed.err}"
