"""Asks the user before a change that needs confirmation, by the mechanism of each era."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

import orjson
from mcp import types
from mcp.shared.exceptions import MCPError

from bridge.api.arguments import VAULT
from bridge.api.presets import get_tool
from bridge.api.registry import Operation
from bridge.errors import ConfirmationRequired, Declined
from bridge.mcp.caller import Caller, Context
from bridge.records import dataclass
from bridge.text.invisible import inline

CONFIRM: Final = "confirm"
"""The argument of operations, and the name of the question."""

IGNORED_ARGUMENTS: Final = frozenset({CONFIRM, "dry_run", "reason"})
"""Arguments that do not make it a different change."""

CONFIRM_FORM: Final[types.ElicitRequestedSchema] = {"type": "object", "properties": {}}
"""A form without fields: to accept it is to agree. A box to tick would make two answers of one."""

MAX_REASON: Final = 300
"""Most characters of an agent's reason that the user is shown."""

MAX_REMEMBERED: Final = 1_000


class ConfirmationPending(Exception):
    """The user must be asked first; the client repeats the call with the answer."""

    def __init__(self, question: types.InputRequiredResult) -> None:
        super().__init__("the user is to be asked")
        self.question = question


@dataclass(frozen=True, slots=True)
class Consent:
    """Asks users, and remembers what they declined, so that an agent cannot ask the same again."""

    _declined: OrderedDict[str, None] = field(default_factory=OrderedDict)

    async def obtain(
        self,
        context: Context,
        params: types.CallToolRequestParams,
        who: Caller,
        operation: Operation,
        given: Mapping[str, Any],
        error: ConfirmationRequired,
    ) -> None:
        if not can_ask(context):
            raise error
        change = fingerprint(who, operation, given, error.subject)
        if change in self._declined:
            raise Declined(f"The user declined this change earlier: {error.would}.")
        question = confirmation_question(who, operation, given, error)
        if context.session.can_send_request:
            try:
                answer = await context.session.elicit_form(
                    question, CONFIRM_FORM, related_request_id=context.request_id
                )
            except MCPError as failure:
                if failure.code == types.METHOD_NOT_FOUND and inner_call(operation, given)[1].get(CONFIRM) is True:
                    # The client declares forms but does not show them, so that nobody else can confirm.
                    return
                raise error from None
        else:
            answer = confirmation_answer(params, question, change)
        if answer.action != "accept" or (answer.content or {}).get(CONFIRM) is False:
            self._declined[change] = None
            if len(self._declined) > MAX_REMEMBERED:
                self._declined.popitem(last=False)
            raise Declined(f"The user declined this change: {error.would}.")


def confirmation_question(
    who: Caller, operation: Operation, given: Mapping[str, Any], error: ConfirmationRequired
) -> str:
    _, arguments = inner_call(operation, given)
    reason, vault = arguments.get("reason"), arguments.get(VAULT, given.get(VAULT, who.vault))
    several = isinstance(vault, str) and len(who.bridge.vaults) > 1
    where = f", in the vault “{inline(who.bridge.find(vault).name)}”" if several else ""
    why = f" Reason: {inline(reason)[:MAX_REASON]}" if isinstance(reason, str) and reason.strip() else ""
    return f"{inline(who.name)} wants to {inline(error.would)}{where}.{why}"


def confirmation_answer(params: types.CallToolRequestParams, question: str, change: str) -> types.ElicitResult:
    """Return the answer that came with a call; an answer to another question does not count."""
    state = hashlib.sha256(f"{change}\0{question}".encode()).hexdigest()[:16]
    answer = (params.input_responses or {}).get(CONFIRM)
    if isinstance(answer, types.ElicitResult) and params.request_state == state:
        return answer
    form = types.ElicitRequest(params=types.ElicitRequestFormParams(message=question, requested_schema=CONFIRM_FORM))
    raise ConfirmationPending(types.InputRequiredResult(input_requests={CONFIRM: form}, request_state=state))


def can_ask(context: Context) -> bool:
    """Say whether the client shows forms; one that names no kind of question does."""
    capabilities = context.session.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def fingerprint(who: Caller, operation: Operation, given: Mapping[str, Any], subject: str | None) -> str:
    """Return a digest that a change shares with its repetitions in a session, called directly or by `run_tool`.

    All calls that need consent for the same subject share one.
    """
    inner, arguments = inner_call(operation, given)
    own_arguments = {
        name: value for name, value in arguments.items() if name not in IGNORED_ARGUMENTS and name != VAULT
    }
    session = who.bridge.sessions.of(who.name, who.session)
    vault = arguments.get(VAULT, given.get(VAULT, who.vault))
    change = [inner.name, own_arguments] if subject is None else [subject]
    identity = orjson.dumps([session, vault, change], option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.sha256(identity).hexdigest()


def inner_call(operation: Operation, given: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
    match operation.name, given:
        case "run_tool", {"name": str(name)}:
            return get_tool(name), inner_arguments(given)
        case _:
            return operation, given


def inner_arguments(given: Mapping[str, Any]) -> Mapping[str, Any]:
    arguments = given.get("arguments") or {}
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            return {}
    return arguments if isinstance(arguments, Mapping) else {}
