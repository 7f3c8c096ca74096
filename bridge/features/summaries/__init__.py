"""Summaries of notes."""

from bridge.api.feature import Feature
from bridge.features.summaries import summarise

FEATURE = Feature(
    "summaries",
    operations=(summarise.summarise,),
    views={summarise.Summary: summarise.summary_view},
)
"""Summarising notes by their own sentences."""
