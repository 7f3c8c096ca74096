"""Search, and notes related to a note."""

from bridge.api.feature import Feature
from bridge.features.search import blocks, everywhere, operations, pick, views

FEATURE = Feature(
    "search",
    operations=(
        operations.search,
        blocks.search_blocks,
        everywhere.search_everywhere,
        operations.related_notes,
        pick.pick_link,
    ),
    views={
        operations.SearchResult: views.search_view,
        blocks.FoundBlocks: views.blocks_view,
        everywhere.FoundEverywhere: views.everywhere_view,
    },
)
