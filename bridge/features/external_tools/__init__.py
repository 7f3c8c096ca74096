"""MCP servers of the user: programs of others, whose tools can be called through the bridge."""

from bridge.api.feature import Feature
from bridge.features.external_tools import call_tool, change, checks, servers

FEATURE = Feature(
    "external_tools",
    operations=(
        servers.list_servers,
        change.change_server,
        call_tool.call_server_tool,
        call_tool.read_server_resource,
    ),
    waiting_checks=(checks.check_servers,),
    views={servers.ListedServers: servers.server_list_view, call_tool.ServerAnswer: call_tool.server_answer_view},
)
