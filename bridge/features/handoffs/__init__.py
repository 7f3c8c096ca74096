"""Handoffs: what one session leaves to the next, with claims that are checked on both ends."""

from bridge.api.change_view import written_view
from bridge.api.feature import Feature
from bridge.api.write import Written
from bridge.features.handoffs import hand_over, take_over

FEATURE = Feature(
    "handoffs",
    operations=(hand_over.hand_over, take_over.take_over),
    views={
        Written: written_view,
        take_over.TakenHandoff: take_over.handoff_view,
    },
)
