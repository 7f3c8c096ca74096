"""Copying what a project taught into the global vault."""

from bridge.api.feature import Feature
from bridge.features.promotion import promote

FEATURE = Feature(
    "promotion",
    operations=(promote.promote_note,),
    views=(promote.promoted_view,),
)
