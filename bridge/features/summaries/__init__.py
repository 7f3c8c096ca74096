"""Summaries of notes."""

from bridge.api.feature import Feature
from bridge.features.summaries import summarise
from bridge.features.summaries.records import SummarySettings

FEATURE = Feature(
    "summaries",
    operations=(summarise.summarise,),
    settings=SummarySettings,
    views=(summarise.summary_view,),
)
"""Summarising notes by their own sentences, or by a chat model."""
