"""Which notes mean the same: pairs that may be one, and other names of a note."""

from bridge.api.feature import Feature
from bridge.features.entities import aliases, merge_pairs

FEATURE = Feature(
    "entities",
    operations=(merge_pairs.merge_suggestions, aliases.suggest_aliases),
    views=(merge_pairs.merge_suggestions_view, aliases.alias_suggestions_view),
)
