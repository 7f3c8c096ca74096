"""What the notes are about: pairs that may be one, and entities."""

from bridge.api.feature import Feature
from bridge.features.entities import entities, merges

FEATURE = Feature(
    "entities",
    operations=(merges.merge_suggestions, entities.list_entities),
    views={
        merges.MergeSuggestions: entities.merge_suggestions_view,
        entities.EntityList: entities.entity_list_view,
    },
)
