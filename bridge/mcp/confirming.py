"""Asks the user before a change is made that must be confirmed, in the way of each era."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from mcp import MCPError, types

from bridge.errors import ConfirmationRequired
from bridge.mcp.caller import Context
from bridge.operations import Operation, named

CONFIRM: Final = "confirm"
"""The argument, and what the question and its only field are called."""

FORM: Final[types.ElicitRequestedSchema] = {
    "type": "object",
    "properties": {CONFIRM: {"type": "boolean", "title": "Make this change", "default": False}},
    "required": [CONFIRM],
}


class Unanswered(Exception):
    """The user is to be asked first; the client repeats the call with the answer."""

    def __init__(self, question: types.InputRequiredResult) -> None:
        super().__init__("the user is to be asked")
        self.question = question


async def confirmed(
    context: Context,
    params: types.CallToolRequestParams,
    operation: Operation,
    given: Mapping[str, Any],
    error: ConfirmationRequired,
) -> Mapping[str, Any]:
    """Return the arguments of a call with the user's consent.

    Args:
        context: The call.
        params: What came with it.
        operation: What was called.
        given: Its arguments.
        error: Why there must be consent.

    Raises:
        ConfirmationRequired: The user declines, or cannot be asked.
        Unanswered: The client is to ask.
    """
    agreed = consenting(operation, given)
    if agreed is None or not can_ask(context):
        raise error
    if context.session.can_send_request:
        try:
            answer = await context.session.elicit_form(error.message, FORM, related_request_id=context.request_id)
        except MCPError:
            raise error from None
    else:
        answer = answered(params, error.message)
    if answer.action != "accept" or not (answer.content or {}).get(CONFIRM):
        raise error
    return agreed


def answered(params: types.CallToolRequestParams, message: str) -> types.ElicitResult:
    """Return the answer that came with a call; one to another question does not count.

    Raises:
        Unanswered: There is none.
    """
    asked = hashlib.sha256(message.encode()).hexdigest()[:16]
    answer = (params.input_responses or {}).get(CONFIRM)
    if isinstance(answer, types.ElicitResult) and params.request_state == asked:
        return answer
    question = types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=FORM))
    raise Unanswered(types.InputRequiredResult(input_requests={CONFIRM: question}, request_state=asked))


def can_ask(context: Context) -> bool:
    """Say whether the client shows forms; one that names no kind of question shows forms."""
    said = context.session.client_capabilities
    asks = said.elicitation if said is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def consenting(operation: Operation, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return arguments that confirm, those of the tool inside `run_tool` too; None where nothing can be confirmed."""
    match operation.name, given:
        case "run_tool", {"name": str(name)}:
            inner = consenting(named(name), given.get("arguments") or {})
            return None if inner is None else {**given, "arguments": inner}
        case _ if any(argument.name == CONFIRM for argument in operation.arguments):
            return {**given, CONFIRM: True}
        case _:
            return None
