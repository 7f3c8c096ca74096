"""The user is asked before a change is made that must be confirmed, in both eras, where the client can."""

from typing import Any, Literal

import orjson
import pytest
from mcp import types
from mcp.client import ClientRequestContext

from bridge.api.call import OWNER, Call
from bridge.features import get_operation
from tests.features.served import PATIENCE_S, Served
from tests.mcp.client import ERAS, Era, connected, text_of

BOTH = pytest.mark.parametrize("era", ERAS)

STORY = (
    "The oven was built in the spring by four neighbours with clay from the river bank, straw from the mill and a "
    "great deal of patience, and it has baked every second Saturday since then without a single crack in its dome."
)
WISH = {"path": "Copy.md", "text": STORY}
REFUSAL = "`Oven.md` already contains 100% of this text."
WOULD = "create `Copy.md`, though `Oven.md` already contains 100% of its text"
QUESTION = f"mcp wants to {WOULD}."


class Person:
    """Answers what it is asked, and remembers it."""

    def __init__(self, action: Literal["accept", "decline", "cancel"], **content: Any) -> None:
        self.asked: list[str] = []
        self._answer = types.ElicitResult(action=action, content=content or None)

    async def __call__(self, _: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return self._answer


async def tell(served: Served) -> None:
    assert (await served.call("create_note", path="Oven.md", text=STORY)).status == 200


@BOTH
@pytest.mark.parametrize("inside", [False, True])
async def test_what_the_user_confirms_is_made(served: Served, era: Era, inside: bool) -> None:
    await tell(served)
    person = Person("accept")
    async with connected(served, era, elicitation_callback=person) as client:
        if inside:
            answer = await client.call_tool("run_tool", {"name": "create_note", "arguments": WISH})
        else:
            answer = await client.call_tool("create_note", WISH)
    assert not answer.is_error, text_of(answer)
    assert person.asked == [QUESTION]
    assert (served.bridge.find(None).root / "Copy.md").read_text() == f"{STORY}\n"


@BOTH
@pytest.mark.parametrize("person", [Person("decline"), Person("cancel"), Person("accept", confirm=False)])
async def test_a_no_is_a_no(served: Served, era: Era, person: Person) -> None:
    await tell(served)
    person.asked.clear()
    async with connected(served, era, elicitation_callback=person) as client:
        for again in (WISH, {**WISH, "confirm": True}, {**WISH, "confirm": True, "reason": "It is urgent."}):
            answer = await client.call_tool("create_note", again)
            assert answer.is_error
            assert text_of(answer).startswith("declined: The user declined this change")
            assert WOULD in text_of(answer)
            assert "confirm" not in text_of(answer)
            inside = await client.call_tool("run_tool", {"name": "create_note", "arguments": again})
            assert text_of(inside).startswith("declined: The user declined this change earlier")
    assert person.asked == [QUESTION]
    assert not (served.bridge.find(None).root / "Copy.md").exists()


@BOTH
@pytest.mark.parametrize("text", [False, True])
async def test_a_model_cannot_confirm_for_a_user_who_can_be_asked(served: Served, era: Era, text: bool) -> None:
    await tell(served)
    person = Person("decline")
    wish = {**WISH, "confirm": True}
    async with connected(served, era, elicitation_callback=person) as client:
        arguments: Any = orjson.dumps(wish).decode() if text else wish
        answer = await client.call_tool("run_tool", {"name": "create_note", "arguments": arguments})
    assert text_of(answer).startswith("declined")
    assert not (served.bridge.find(None).root / "Copy.md").exists()
    assert person.asked == [QUESTION]


@BOTH
async def test_the_question_says_what_where_how_many_and_why(served: Served, era: Era) -> None:
    root = served.bridge.find(None).root
    (root / "Projects").mkdir()
    for number in range(1, 26):
        (root / f"Projects/n{number:02}.md").write_text("Old words.\n")
    for number in range(1, 26):
        await served.call("wait_until_indexed", path=f"Projects/n{number:02}.md", timeout=PATIENCE_S)
    edits = [
        {"op": "edit_note", "path": f"Projects/n{number:02}.md", "edits": [{"op": "append", "text": "More."}]}
        for number in range(1, 26)
    ]
    person = Person("accept", confirm=True)
    async with connected(served, era, elicitation_callback=person) as client:
        wish = {"edits": edits, "reason": "The\nend of the year."}
        answer = await client.call_tool("run_tool", {"name": "change_set", "arguments": wish})
    what = "change 25 notes in `Projects/` (append): n01.md, n02.md, n03.md and 22 more"
    assert person.asked == [f"mcp wants to {what}. Reason: The end of the year."]
    assert not answer.is_error, text_of(answer)
    assert (root / "Projects/n25.md").read_text() == "Old words.\n\nMore.\n"


@BOTH
async def test_many_moves_are_confirmed_as_many_edits_are(served: Served, era: Era) -> None:
    root = served.bridge.find(None).root
    (root / "Many").mkdir()
    for number in range(30):
        (root / f"Many/n{number:02}.md").write_text("Words.\n")
    for number in range(30):
        await served.call("wait_until_indexed", path=f"Many/n{number:02}.md", timeout=PATIENCE_S)
    moves = [{"op": "move_note", "path": f"Many/n{n:02}.md", "to": f"Old/n{n:02}.md"} for n in range(30)]
    person = Person("decline")
    async with connected(served, era, elicitation_callback=person) as client:
        answer = await client.call_tool("run_tool", {"name": "change_set", "arguments": {"edits": moves}})
        assert text_of(answer).startswith("declined")
        assert person.asked == ["mcp wants to move 30 notes in `Many/`: n00.md, n01.md, n02.md and 27 more."]
        # A folder has one name, and no link needs to be written anew.
        folder = {"name": "move_note", "arguments": {"path": "Many", "to": "Old"}}
        assert not (await client.call_tool("run_tool", folder)).is_error
    assert len([*(root / "Old").iterdir()]) == 30


@BOTH
async def test_a_client_that_cannot_ask_gets_the_error_and_can_confirm(served: Served, era: Era) -> None:
    await tell(served)
    async with connected(served, era) as client:
        answer = await client.call_tool("create_note", WISH)
        assert text_of(answer).startswith(f"confirmation_required: {REFUSAL}")
        assert not (await client.call_tool("create_note", {**WISH, "confirm": True})).is_error


@BOTH
async def test_what_only_the_user_decides_waits_where_nobody_can_be_asked(served: Served, era: Era) -> None:
    host = served.bridge.find(None)
    for number in range(30):
        assert (await served.call("create_note", path=f"Many/{number}.md", text=f"#kiln {number}")).status == 200
    large = {"rename_tags": {"kiln": "oven"}, "confirm": True}
    memory = {"title": "Kilns", "text": "Bob fires at cone 6.", "confirm": True}
    async with connected(served, era) as client:
        for tool, given in (("change_notes", large), ("remember", memory)):
            refused = await client.call_tool("run_tool", {"name": tool, "arguments": {**given, "confirm": False}})
            assert text_of(refused).startswith("confirmation_required: ")
            assert ("waits until the user accepts it" in text_of(refused)) == (tool == "change_notes")
            answer = await client.call_tool("run_tool", {"name": tool, "arguments": given})
            assert not answer.is_error, text_of(answer)
        small = {"path": "Oven.md", "text": "Small."}
        assert not (await client.call_tool("run_tool", {"name": "create_note", "arguments": small})).is_error
    waiting = (await served.call("list_changes", state="proposed")).json["changes"]
    assert [one["operation"] for one in waiting] == ["remember", "change_notes"]
    assert "lets agents write" in waiting[0]["reason"]
    assert not host.vault.is_set_up
    assert (host.root / "Oven.md").is_file()
    for one in waiting:
        assert (await served.call("decide", id=one["id"], verdict="accept")).status == 200
    assert served.bridge.find(None).vault.is_set_up
    assert (host.root / "Agents/Memory/Kilns.md").is_file()
    assert "#oven" in (host.root / "Many/9.md").read_text()


@BOTH
async def test_a_setting_lets_agents_decide_where_nobody_can_be_asked(served: Served, era: Era) -> None:
    changes = {"agents_confirm": True, "confirm_files": 1}
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": changes})
    for name in ("One", "Two"):
        assert (await served.call("create_note", path=f"{name}.md", text="#kiln")).status == 200
    large = {"rename_tags": {"kiln": "oven"}, "confirm": True}
    async with connected(served, era) as client:
        assert not (await client.call_tool("run_tool", {"name": "change_notes", "arguments": large})).is_error
    assert (served.bridge.find(None).root / "Two.md").read_text().strip() == "#oven"


async def test_an_answer_to_another_question_does_not_count(served: Served) -> None:
    await tell(served)
    person = Person("accept", confirm=True)
    yes: types.InputResponses = {"confirm": types.ElicitResult(action="accept", content={"confirm": True})}
    async with connected(served, elicitation_callback=person) as client:
        answer = await client.session.call_tool(
            "create_note", WISH, input_responses=yes, request_state="another", allow_input_required=True
        )
    assert isinstance(answer, types.InputRequiredResult)
    assert not (served.bridge.find(None).root / "Copy.md").exists()
