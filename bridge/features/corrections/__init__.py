"""Corrections: what was found to be wrong, as tasks in a note of the agents' folder."""

from bridge.api.feature import Feature
from bridge.features.corrections import operations

FEATURE = Feature(
    "corrections",
    operations=(operations.record_correction,),
    views=(operations.recorded_view,),
)
