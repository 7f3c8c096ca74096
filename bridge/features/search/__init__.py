"""Search, and notes related to a note."""

from bridge.api.feature import Feature
from bridge.features.search import operations, results

FEATURE = Feature(
    "search",
    operations=(
        operations.search,
        operations.search_blocks,
        operations.related_notes,
        operations.pick_link,
    ),
    views=(results.search_view, results.blocks_view),
)
