"""MCP servers of the user: programs of others, whose tools can be called through the bridge."""

from bridge.api.feature import Feature
from bridge.features.external_tools import operations

FEATURE = Feature(
    "external_tools",
    operations=(operations.list_servers, operations.call_server),
    waiting_checks=(operations.check_servers,),
    views=(operations.server_list_view, operations.server_answer_view),
)
