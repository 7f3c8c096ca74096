"""The suite's tools as a server of the library's lower level, which ours is too."""

from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler
from mcp_types import (
    CallToolRequestParams,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    SetLevelRequestParams,
)

from tests.conformance.asking import BUS
from tests.conformance.content import RESOURCES, TEMPLATE, contents
from tests.conformance.pack import PACK, Context, PromptAnswer, ToolAnswer


async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
    """List the tools."""
    return ListToolsResult(tools=[tool for tool, _ in PACK.tools.values()])


async def call_tool(context: Context, params: CallToolRequestParams) -> ToolAnswer:
    """Call a tool."""
    return await PACK.tools[params.name][1](context, params)


async def list_prompts(_: Context, __: PaginatedRequestParams | None) -> ListPromptsResult:
    """List the prompts."""
    return ListPromptsResult(prompts=[prompt for prompt, _ in PACK.prompts.values()])


async def get_prompt(context: Context, params: GetPromptRequestParams) -> PromptAnswer:
    """Fill in a prompt."""
    return await PACK.prompts[params.name][1](context, params)


async def list_resources(_: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
    """List the resources."""
    return ListResourcesResult(resources=RESOURCES)


async def list_templates(_: Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    """List the templates."""
    return ListResourceTemplatesResult(resource_templates=[TEMPLATE])


async def read_resource(_: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    """Read a resource."""
    return ReadResourceResult(contents=[contents(params.uri)])


async def complete(_: Context, __: CompleteRequestParams) -> CompleteResult:
    """Complete nothing."""
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))


async def accept(_: Context, __: RequestParams) -> EmptyResult:
    """Accept a subscription or a log level, without effect."""
    return EmptyResult()


def build() -> Server:
    """Build the server."""
    schemas = {name: tool.input_schema for name, (tool, _) in PACK.tools.items()}
    server = Server(
        "conformance",
        version="1",
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_completion=complete,
        on_subscribe_resource=accept,
        on_unsubscribe_resource=accept,
        on_subscriptions_listen=ListenHandler(BUS),
    )
    server.add_request_handler("logging/setLevel", SetLevelRequestParams, accept)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name))
    return server
