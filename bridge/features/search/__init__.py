"""Search, and notes related to a note."""

from bridge.api.feature import Feature
from bridge.features.search import blocks, everywhere, measure, measurement, operations, views

FEATURE = Feature(
    "search",
    operations=(
        operations.search,
        blocks.search_blocks,
        everywhere.search_everywhere,
        operations.related_notes,
        operations.pick_link,
        measure.measure_deep_search,
    ),
    vault_checks=(measurement.check_deep_search,),
    tables=measurement.TABLES,
    views={
        operations.SearchResult: views.search_view,
        blocks.FoundBlocks: views.blocks_view,
        everywhere.FoundEverywhere: views.everywhere_view,
        measure.DeepSearchMeasured: measure.measured_view,
    },
)
