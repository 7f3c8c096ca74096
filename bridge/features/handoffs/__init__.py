"""Handoffs: what one session leaves to the next, with claims that are checked on both ends."""

from bridge.api.change_view import written_view
from bridge.api.feature import Feature
from bridge.features.handoffs import operations

FEATURE = Feature(
    "handoffs",
    operations=(operations.hand_over, operations.take_over),
    views=(written_view, operations.handoff_view),
)
