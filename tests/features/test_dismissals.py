"""What was dismissed is not listed again, in any report; what the user dismissed, only the user lists again."""

import orjson
import pytest

from bridge.access.tokens import Tokens
from tests.features.served import Served, readable

PROSE = "Feed the starter twice a day when the kitchen is warm, once when it is cold, and keep the rest of it in a jar."
NOTES = {
    "Rye.md": f"{PROSE} Talk to Alice Munro and Alice Munro.",
    "Roggen.md": f"{PROSE} Then bake. Alice Munro said so.",
    "Alone.md": "Nobody links here, as Alice Munro wrote.",
    **{
        f"Books/Book {number}.md": f"---\nstatus: open\n---\nText {number}, [[Rye]], [[Alice Munro]]."
        for number in range(9)
    },
    "Books/Wrong.md": "A book without it, [[Rye]].",
}


def agent(served: Served) -> dict[str, str]:
    return {"Authorization": f"Bearer {Tokens(served.bridge.folders.tokens).create('agent', ['read', 'write'])[1]}"}


async def test_a_dismissed_pair_is_left_out_and_counted(served: Served) -> None:
    found = (await served.call("merge_suggestions")).json
    assert [(one["path"], one["into"], one["why"]) for one in found["pairs"]] == [("Roggen.md", "Rye.md", ["text"])]
    assert "dismissed" not in found
    assert (await served.call("dismiss", kind="merge", paths=["Rye.md", "Roggen.md"])).json == {
        "kind": "merge",
        "count": 1,
    }
    found = (await served.call("merge_suggestions")).json
    assert (found["pairs"], found["total"], found["dismissed"]) == ([], 0, 1)
    await served.call("dismiss", kind="merge", paths=["Roggen.md", "Rye.md"], undo=True)
    assert (await served.call("merge_suggestions")).json["total"] == 1


async def test_a_dismissal_follows_a_renamed_note(served: Served) -> None:
    await served.call("dismiss", kind="merge", paths=["Rye.md", "Roggen.md"])
    assert (await served.call("move_note", path="Roggen.md", to="A/Zea.md")).status == 200
    await readable(served)
    found = (await served.call("merge_suggestions")).json
    assert (found["total"], found["dismissed"]) == (0, 1)


async def test_a_dismissal_of_a_note_that_is_moved_and_deleted_at_once_comes_back_with_it(served: Served) -> None:
    (served.bridge.find(None).root / "New.md").write_text("Nobody links to this either.\n", encoding="utf-8")
    await served.call("wait_until_indexed", path="New.md")
    await served.call("dismiss", kind="orphan", paths=["New.md"])
    assert (await served.call("move_note", path="New.md", to="A/New.md")).status == 200
    digest = (await served.call("read_note", path="A/New.md")).json["digest"]
    deleted = (await served.call("delete_note", path="A/New.md", digest=digest)).json
    await served.call("undo_change", change_id=deleted["change_id"])
    await readable(served)
    assert "A/New.md" not in (await served.call("graph_insights", parts=["orphans"])).json["orphans"]["notes"]


async def test_orphans_names_and_violations_are_left_out(served: Served) -> None:
    assert (await served.call("graph_insights", parts=["orphans"])).json["orphans"]["notes"] == [
        "Alone.md",
        "Roggen.md",
    ]
    await served.call("dismiss", kind="orphan", paths=["Alone.md"])
    insights = (await served.call("graph_insights", parts=["orphans"])).json
    assert (insights["orphans"], insights["dismissed"]) == ({"total": 1, "notes": ["Roggen.md"]}, 1)

    assert [one["name"] for one in (await served.call("find_prospects")).json["prospects"]] == ["Alice Munro"]
    await served.call("dismiss", kind="prospect", name="alice  MUNRO")
    prospects = (await served.call("find_prospects")).json
    assert (prospects["total"], prospects["dismissed"]) == (0, 1)

    before = (await served.call("check_notes", folder="Books")).json
    assert {(one["path"], one["name"]) for one in before["violations"]} >= {("Books/Wrong.md", "status")}
    await served.call("dismiss", kind="violation", paths=["Books/Wrong.md"], name="status")
    after = (await served.call("check_notes", folder="Books")).json
    assert after["dismissed"] == before["total"] - after["total"] >= 1
    assert ("Books/Wrong.md", "status") not in {(one["path"], one["name"]) for one in after["violations"]}


async def test_an_agent_cannot_list_again_what_the_user_dismissed(served: Served) -> None:
    headers, pair = agent(served), {"kind": "merge", "paths": ["Rye.md", "Roggen.md"]}

    async def by_agent(*, undo: bool = False) -> int:
        body = orjson.dumps({**pair, "undo": undo})
        return (await served.request("POST", "/api/dismiss", headers=headers, data=body)).status

    async def listed_for_agent() -> int:
        answer = await served.request("POST", "/api/merge_suggestions", headers=headers, data=b"{}")
        total: int = answer.json["total"]
        return total

    assert await by_agent() == 200
    assert (await served.call("merge_suggestions")).json["total"] == 1, "an agent's word does not count for the user"
    assert await listed_for_agent() == 0
    assert await by_agent(undo=True) == 200
    assert await listed_for_agent() == 1
    assert (await served.call("merge_suggestions")).json["total"] == 1
    assert (await served.call("dismiss", **pair)).status == 200
    assert await by_agent() == 200
    assert await by_agent(undo=True) == 403
    assert await listed_for_agent() == 0
    assert (await served.call("merge_suggestions")).json["total"] == 0
    assert (await served.call("dismiss", **pair, undo=True)).status == 200
    assert (await served.call("merge_suggestions")).json["total"] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"kind": "merge", "paths": ["Rye.md"]},
        {"kind": "merge", "paths": ["Rye.md", "Rye.md"]},
        {"kind": "orphan", "paths": ["Rye.md"], "name": "x"},
        {"kind": "prospect"},
        {"kind": "violation", "paths": ["Rye.md"]},
    ],
)
async def test_a_dismissal_needs_what_its_kind_names(served: Served, arguments: dict[str, object]) -> None:
    assert (await served.call("dismiss", **arguments)).code == "invalid_arguments"


async def test_the_state_keeps_no_name_of_a_note_that_may_be_denied_later(served: Served) -> None:
    await served.call("dismiss", kind="prospect", name="Alice Munro")
    rows = served.bridge.find(None).vault.store.dismissals.of("prospect")
    assert len(rows) == 1
    assert all("alice" not in one.name.casefold() for one in rows)
