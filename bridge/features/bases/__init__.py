"""Obsidian's bases."""

from bridge.api.feature import Feature
from bridge.features.bases import query

FEATURE = Feature(
    "bases",
    operations=(query.query_base,),
    views=(query.base_rows_view,),
)
"""Running the views of Obsidian's bases."""
