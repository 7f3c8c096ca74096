"""MCP servers of the user: programs of others, whose tools can be called through the bridge."""

from bridge.api.feature import Feature
from bridge.features.external_tools import call_tool, servers

FEATURE = Feature(
    "external_tools",
    operations=(servers.list_servers, call_tool.call_server),
    waiting_checks=(servers.check_servers,),
    views={servers.ListedServers: servers.server_list_view, call_tool.ServerAnswer: call_tool.server_answer_view},
)
