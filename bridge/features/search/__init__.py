"""Search, and notes related to a note."""

from bridge.api.feature import Feature
from bridge.features.search import operations, pick, views

FEATURE = Feature(
    "search",
    operations=(
        operations.search,
        operations.related_notes,
        pick.pick_link,
    ),
    views={
        operations.SearchResult: views.search_view,
    },
)
