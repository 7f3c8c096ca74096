"""What the notes are about: pairs that may be one, and entities."""

from bridge.api.feature import Feature
from bridge.features.entities import entities

FEATURE = Feature(
    "entities",
    operations=(entities.merge_suggestions, entities.list_entities),
    views=(entities.merge_suggestions_view, entities.entity_list_view),
)
