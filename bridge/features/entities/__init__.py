"""What the notes are about: pairs that may be one, entities, and names that a note lacks."""

from bridge.api.feature import Feature
from bridge.features.entities import merges, views

FEATURE = Feature(
    "entities",
    operations=(merges.merge_suggestions,),
    views={merges.MergeSuggestions: views.merge_suggestions_view},
)
