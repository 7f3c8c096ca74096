"""The user is asked before a change is made that must be confirmed, in both eras, where the client can."""

from typing import Any, Literal

import pytest
from mcp import types
from mcp.client import ClientRequestContext

from tests.mcp.client import ERAS, Era, connected, text_of
from tests.operations.served import Served

BOTH = pytest.mark.parametrize("era", ERAS)

STORY = (
    "The oven was built in the spring by four neighbours with clay from the river bank, straw from the mill and a "
    "great deal of patience, and it has baked every second Saturday since then without a single crack in its dome."
)
WISH = {"path": "Copy.md", "text": STORY}
QUESTION = "There is `Oven.md`, which says 100% of this already."


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
    person = Person("accept", confirm=True)
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
async def test_what_the_user_declines_is_an_error(served: Served, era: Era, person: Person) -> None:
    await tell(served)
    person.asked.clear()
    async with connected(served, era, elicitation_callback=person) as client:
        answer = await client.call_tool("create_note", WISH)
    assert answer.is_error
    assert text_of(answer).startswith(f"confirmation_required: {QUESTION}")
    assert person.asked == [QUESTION]
    assert not (served.bridge.find(None).root / "Copy.md").exists()


@BOTH
async def test_a_client_that_cannot_ask_gets_the_error_and_can_confirm(served: Served, era: Era) -> None:
    await tell(served)
    async with connected(served, era) as client:
        answer = await client.call_tool("create_note", WISH)
        assert text_of(answer).startswith(f"confirmation_required: {QUESTION}")
        assert not (await client.call_tool("create_note", {**WISH, "confirm": True})).is_error


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
