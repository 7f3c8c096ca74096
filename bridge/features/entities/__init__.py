"""What the notes are about: pairs that may be one, and entities."""

from bridge.api.feature import Feature
from bridge.features.entities import entities, merges, views

FEATURE = Feature(
    "entities",
    operations=(merges.merge_suggestions, entities.list_entities),
    views={
        merges.MergeSuggestions: views.merge_suggestions_view,
        entities.EntityList: views.entity_list_view,
    },
)
