"""The briefing that an agent gets at the beginning of a session."""

from bridge.api.feature import Feature
from bridge.features.brief import compose
from bridge.features.brief.compose import BriefSettings

FEATURE = Feature(
    "brief",
    operations=(compose.brief,),
    settings=BriefSettings,
    views=(compose.brief_view,),
)
