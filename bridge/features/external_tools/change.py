"""Changing the user's list of servers."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import MaxLen

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.errors import BridgeError, InvalidArguments, ServerNotFound
from bridge.features.external_tools.consent import forget_agreement
from bridge.features.external_tools.servers import ListedServers, describe_server
from bridge.mcp_client.server_edit import remove_server, save_server


@operation(
    example={"server": "calendar", "url": "http://127.0.0.1:8000/mcp", "enabled": False},
    reads=False,
    idempotent=True,
    destructive=True,
    scope="admin",
    vault=False,
    tool=False,
    tasks=("add an external MCP server", "enable or disable an external server", "remove an external server"),
)
async def change_server(
    call: Call,
    server: Annotated[str, MaxLen(40)],
    program: str | None = None,
    args: tuple[str, ...] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    url: str | None = None,
    tools: tuple[str, ...] | None = None,
    ask: Literal["always", "first", "never"] | None = None,
    enabled: bool | None = None,
    remove: bool = False,
) -> ListedServers:
    """Add, change or remove one of the user's own MCP servers; other lines and comments of the file are kept.

    What is left out stays as it is; an empty value removes the entry. A changed server ends at once.

    Args:
        server: The server.
        program: The program to start, `command` in the file; not with `url`.
        args: Its arguments, which other programs of this machine can see.
        env: Environment variables to set, or to remove by an empty value; `{secret:NAME}` stands for a secret of
            `secrets.toml`.
        cwd: The folder in which it runs.
        url: The address of a server that runs already, on 127.0.0.1, ::1 or localhost.
        tools: The tools that agents may call; all if empty. `resource:GLOB` allows resources.
        ask: When the user is asked: `always`, before the `first` call of this program, or `never`.
        enabled: Whether it may be used.
        remove: Remove it.

    Raises:
        Forbidden: The caller is a client: what is listed is started.
        InvalidArguments: The server would have a mistake.
        ServerNotFound: No such server to remove.
        SettingsUnreadable: The file has a mistake; it is never overwritten.
    """
    call.principal.require_local("change-server")
    given: Mapping[str, Any] = {
        "command": program,
        "args": None if args is None else list(args),
        "env": env,
        "cwd": cwd,
        "url": url,
        "tools": None if tools is None else list(tools),
        "confirm": ask,
        "enabled": enabled,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    folders = call.bridge.folders
    if remove:
        if changes:
            raise InvalidArguments("`remove` goes with no other change.")
        if server not in await call.bridge.servers.servers():
            raise ServerNotFound(f"There is no server `{server}`.")
        listed = await asyncio.to_thread(remove_server, folders.servers, server)
        await asyncio.to_thread(forget_agreement, folders.agreed_servers, server)
    elif changes:
        listed = await asyncio.to_thread(save_server, folders.servers, server, changes)
    else:
        raise InvalidArguments("Nothing is given to change.", hint="Give `program` or `url`, `enabled` or `remove`.")
    with contextlib.suppress(BridgeError):
        await call.bridge.servers.apply_changes()
    return ListedServers(tuple(describe_server(call, one) for one in listed.values()))
