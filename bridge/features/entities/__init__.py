"""What the notes are about: pairs that may be one, entities, and names that a note lacks."""

from bridge.api.feature import Feature
from bridge.features.entities import aliases, entities, merges, views

FEATURE = Feature(
    "entities",
    operations=(merges.merge_suggestions, entities.list_entities, aliases.suggest_aliases),
    views={
        merges.MergeSuggestions: views.merge_suggestions_view,
        entities.EntityList: views.entity_list_view,
        aliases.AliasSuggestions: views.alias_suggestions_view,
    },
)
