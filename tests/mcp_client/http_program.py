"""A server that listens on loopback: says its address, and answers until it is killed."""

import sys

import uvicorn
from mcp import types
from mcp.server.lowlevel import Server


async def list_tools(*_: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="say", input_schema={"type": "object"})])


async def call_tool(_: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    given = params.arguments or {}
    text = given.get("text", "") * given.get("times", 1)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


if __name__ == "__main__":
    app = Server("listens", on_list_tools=list_tools, on_call_tool=call_tool).streamable_http_app()
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", timeout_graceful_shutdown=1)
