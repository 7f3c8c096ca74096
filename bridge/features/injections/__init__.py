"""What was brought into the sessions of agents, and what the user keeps from them."""

from bridge.api.feature import Feature
from bridge.features.injections import operations

FEATURE = Feature(
    "injections",
    operations=(operations.list_injections, operations.give_note),
    views=(operations.injections_view,),
)
