"""What doctor looks at of the user's servers."""

import asyncio

from bridge.api.agreement import is_user
from bridge.api.call import Call
from bridge.api.feature import Finding, make_finding
from bridge.errors import BridgeError
from bridge.features.external_tools.pool import ServerPool
from bridge.features.external_tools.server_file import ExternalServer
from bridge.text.counts import count_of

NAMED = 5
"""Tools of a server that are named."""


async def check_servers(call: Call) -> tuple[Finding, ...]:
    """Look whether each enabled server starts and answers; only for the user is one started for it."""
    try:
        servers = await call.bridge.part(ServerPool).servers()
    except BridgeError as error:
        return (make_finding("servers", "fail", error.message, error.hint),)
    return tuple(await asyncio.gather(*(check_server(call, server) for server in servers.values() if server.enabled)))


async def check_server(call: Call, server: ExternalServer) -> Finding:
    check, pool = f"server {server.name}", call.bridge.part(ServerPool)
    health = pool.health(server)
    if health.state == "waiting" or (health.last_error and not is_user(call)):
        message = f"It failed {count_of(health.failures, 'time')}: {health.last_error}"
        return make_finding(check, "warn", message, "Correct it in servers.toml, or disable it.")
    if health.state == "idle" and not is_user(call):
        return make_finding(check, "ok", "It is not started yet.")
    try:
        async with pool.connect(server) as connection:
            await connection.list_tools()
            names = [tool.name for tool in connection.summaries]
    except BridgeError as error:
        return make_finding(check, "warn", error.message, error.hint)
    named = f": {', '.join(names[:NAMED])}{' …' if len(names) > NAMED else ''}" if names else ""
    return make_finding(check, "ok", f"It answers, with {count_of(len(names), 'tool')}{named}.")
