"""A server by the makers of the protocol: listens on loopback at a port, or speaks over its streams in an era."""

import asyncio
import socket
import sys

import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server


async def list_tools(*_: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="say", input_schema={"type": "object"})])


async def call_tool(_: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    given = params.arguments or {}
    text = given.get("text", "") * given.get("times", 1)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


def listen(server: Server, port: int) -> None:
    # The test holds the port too, so that nobody else takes it.
    here = socket.socket()
    here.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    here.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    here.bind(("127.0.0.1", port))
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[here])


async def speak(server: Server, era: str) -> None:
    async with stdio_server() as (read, write):
        if era == "legacy":
            await serve_loop(server, read, write, lifespan_state={})
        else:
            await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    made = Server("library", on_list_tools=list_tools, on_call_tool=call_tool)
    if sys.argv[1].isdigit():
        listen(made, int(sys.argv[1]))
    else:
        asyncio.run(speak(made, sys.argv[1]))
