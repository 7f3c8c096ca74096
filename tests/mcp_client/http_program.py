"""A server that listens on loopback: says its address, and answers until it is killed."""

import socket
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
    # The test holds the port too, so that nobody else takes it.
    here = socket.socket()
    here.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    here.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    here.bind(("127.0.0.1", int(sys.argv[1])))
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[here])
