"""Corrections: what was found to be wrong, as tasks in a note of the agents' folder."""

from bridge.api.feature import Feature
from bridge.features.corrections import operations, views

FEATURE = Feature(
    "corrections",
    operations=(operations.record_correction,),
    views={
        operations.RecordedCorrection: views.recorded_view,
    },
)
