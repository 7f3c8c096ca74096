"""Which notes mean the same: pairs that may be one, and other names of a note."""

from bridge.api.feature import Feature
from bridge.features.entities import aliases, entities

FEATURE = Feature(
    "entities",
    operations=(entities.merge_suggestions, aliases.suggest_aliases),
    views=(entities.merge_suggestions_view, aliases.alias_suggestions_view),
)
