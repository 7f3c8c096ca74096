"""Tools that find and run other tools."""

from bridge.api.feature import Feature
from bridge.features.tools import operations

FEATURE = Feature(
    "tools",
    operations=(
        operations.find_tool,
        operations.run_tool,
        operations.give_feedback,
    ),
    views=(operations.found_tools_view, operations.ran_tool_view),
)
