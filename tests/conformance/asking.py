"""Tools that exchange requests with the client before they answer.

In the handshake era they send it requests; since 2026-07-28 they return what they need and are called again.
"""

import asyncio
from typing import Any

from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    GetPromptRequestParams,
    InputRequest,
    InputRequiredResult,
    InputResponseRequestParams,
    ListRootsRequest,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SamplingMessage,
)

from tests.conformance.content import asks, text
from tests.conformance.pack import PACK, Context, PromptAnswer, ToolAnswer, taking

BUS = InMemorySubscriptionBus()
BREATH_S = 0.05
"""Seconds between two notifications, so that they arrive one by one, as the suite requires."""

DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
CHOICES = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


def says(words: str) -> CallToolResult:
    """Return a result with a text."""
    return CallToolResult(content=[text(words)])


def form(message: str, **properties: Any) -> ElicitRequest:
    """Return a request for the user to fill in a form."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def completion(prompt: str) -> CreateMessageRequest:
    """Return a request to the client's model."""
    message = SamplingMessage(role="user", content=text(prompt))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=100))


NAME = form("What is your name?", name={"type": "string"})
CONFIRM = form("Please confirm", ok={"type": "boolean"})
GREETING = completion("Generate a greeting")


async def fill_in(context: Context, asked: ElicitRequest) -> CallToolResult:
    """Send a form to a client of the handshake era and return its answer as a result."""
    metadata = ServerMessageMetadata(related_request_id=context.request_id)
    result = await context.session.send_request(asked, ElicitResult, metadata=metadata)
    return says(f"Elicitation completed: action={result.action}, content={result.content}")


def accepted(params: InputResponseRequestParams, key: str) -> dict[str, Any] | None:
    """Return the user's input, if the client has sent it."""
    match (params.input_responses or {}).get(key):
        case ElicitResult(action="accept", content=dict(content)):
            return dict(content)
    return None


@PACK.tool("test_tool_with_logging")
async def log(context: Context, _: CallToolRequestParams) -> CallToolResult:
    """Log while working."""
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        message = LoggingMessageNotification(params=LoggingMessageNotificationParams(level="info", data=words))
        await context.session.send_notification(message, context.request_id)
        await asyncio.sleep(BREATH_S)
    return says("Logged three times.")


@PACK.tool("test_logging_tool")
async def do_not_log(_: Context, __: CallToolRequestParams) -> CallToolResult:
    """Log nothing, as nobody may want to hear it."""
    return says("Worked silently.")


@PACK.tool("test_tool_with_progress")
async def progress(context: Context, _: CallToolRequestParams) -> CallToolResult:
    """Tell how far the work is."""
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(BREATH_S)
    return says("Reported three times.")


@PACK.tool("test_reconnection")
async def hang_up(context: Context, _: CallToolRequestParams) -> CallToolResult:
    """Close the stream before the answer, which the client then fetches."""
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(BREATH_S)
    return says("Reconnection test completed")


@PACK.tool("test_sampling", taking("prompt"))
async def ask_the_model(context: Context, params: CallToolRequestParams) -> CallToolResult:
    """Ask the client's model."""
    asked = completion((params.arguments or {})["prompt"])
    metadata = ServerMessageMetadata(related_request_id=context.request_id)
    result = await context.session.send_request(asked, CreateMessageResult, metadata=metadata)
    return says(f"LLM response: {result.content}")


@PACK.tool("test_elicitation", taking("message"))
async def ask_the_user(context: Context, params: CallToolRequestParams) -> CallToolResult:
    """Ask the user."""
    words = {"type": "string"}
    return await fill_in(context, form((params.arguments or {})["message"], username=words, email=words))


@PACK.tool("test_elicitation_sep1034_defaults")
async def offer_defaults(context: Context, _: CallToolRequestParams) -> CallToolResult:
    """Ask the user, with defaults."""
    return await fill_in(context, form("Check these.", **DEFAULTS))


@PACK.tool("test_elicitation_sep1330_enums")
async def offer_choices(context: Context, _: CallToolRequestParams) -> CallToolResult:
    """Let the user choose in every way there is."""
    return await fill_in(context, form("Choose.", **CHOICES))


@PACK.tool("test_missing_capability")
async def need_a_model(context: Context, _: CallToolRequestParams) -> CallToolResult:
    """Work only for a client with a model."""
    declared = context.session.client_capabilities
    if declared is None or declared.sampling is None:
        missing: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "This needs sampling.", missing)
    return says("The client has a model.")


@PACK.tool("test_trigger_tool_change")
async def change_tools(_: Context, __: CallToolRequestParams) -> CallToolResult:
    """Say that the tools have changed."""
    await BUS.publish(ToolsListChanged())
    return says("Told.")


@PACK.tool("test_trigger_prompt_change")
async def change_prompts(_: Context, __: CallToolRequestParams) -> CallToolResult:
    """Say that the prompts have changed."""
    await BUS.publish(PromptsListChanged())
    return says("Told.")


@PACK.tool("test_streaming_elicitation")
@PACK.tool("test_input_required_result_elicitation")
async def greet(_: Context, params: CallToolRequestParams) -> ToolAnswer:
    """Ask for a name and greet it."""
    if (filled := accepted(params, "user_name")) is None:
        return InputRequiredResult(input_requests={"user_name": NAME})
    return says(f"Hello, {filled['name']}!")


@PACK.tool("test_input_required_result_sampling")
async def need_the_model(_: Context, params: CallToolRequestParams) -> ToolAnswer:
    """Ask the client's model."""
    if answered := (params.input_responses or {}).get("capital_question"):
        return says(str(answered))
    return InputRequiredResult(input_requests={"capital_question": completion("What is the capital of France?")})


@PACK.tool("test_input_required_result_list_roots")
async def need_the_roots(_: Context, params: CallToolRequestParams) -> ToolAnswer:
    """Ask for the client's folders."""
    if answered := (params.input_responses or {}).get("client_roots"):
        return says(str(answered))
    return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})


@PACK.tool("test_input_required_result_request_state")
@PACK.tool("test_input_required_result_tampered_state")
async def remember(_: Context, params: CallToolRequestParams) -> ToolAnswer:
    """Remember something between the question and the answer."""
    if params.request_state == "asked" and accepted(params, "confirm") is not None:
        return says("state-ok")
    return InputRequiredResult(input_requests={"confirm": CONFIRM}, request_state="asked")


@PACK.tool("test_input_required_result_multiple_inputs")
async def ask_everybody(_: Context, params: CallToolRequestParams) -> ToolAnswer:
    """Ask everybody at once."""
    asked: dict[str, InputRequest] = {"user_name": NAME, "greeting": GREETING, "client_roots": ListRootsRequest()}
    if set(asked) <= set(params.input_responses or {}):
        return says("Everybody has answered.")
    return InputRequiredResult(input_requests=asked, request_state="asked")


@PACK.tool("test_input_required_result_multi_round")
async def ask_twice(_: Context, params: CallToolRequestParams) -> ToolAnswer:
    """Ask twice."""
    name, colour = accepted(params, "step1"), accepted(params, "step2")
    if params.request_state == "named" and colour is not None:
        return says(f"You like {colour['color']}.")
    if params.request_state == "asked" and name is not None:
        asked = form("Step 2: What is your favorite color?", color={"type": "string"})
        return InputRequiredResult(input_requests={"step2": asked}, request_state="named")
    return InputRequiredResult(input_requests={"step1": NAME}, request_state="asked")


@PACK.tool("test_input_required_result_capabilities")
async def ask_the_able(context: Context, _: CallToolRequestParams) -> ToolAnswer:
    """Ask only what the client can answer."""
    declared = context.session.client_capabilities
    asked: dict[str, InputRequest] = {}
    if declared is not None and declared.elicitation is not None:
        asked["user_name"] = NAME
    if declared is not None and declared.sampling is not None:
        asked["greeting"] = GREETING
    return InputRequiredResult(input_requests=asked)


@PACK.prompt("test_input_required_result_prompt")
async def fill_prompt(_: Context, params: GetPromptRequestParams) -> PromptAnswer:
    """Ask for something before the prompt is filled in."""
    if (filled := accepted(params, "user_context")) is None:
        asked = form("What context should the prompt use?", context={"type": "string"})
        return InputRequiredResult(input_requests={"user_context": asked})
    return asks(text(f"Use this: {filled['context']}"))
