"""What was brought into the sessions of agents, and what the user keeps from them."""

from bridge.api.feature import Feature
from bridge.features.injections import give, operations

FEATURE = Feature(
    "injections",
    operations=(operations.list_injections, give.give_note),
    views={
        operations.ListedInjections: operations.injections_view,
        give.GivenNote: give.given_view,
    },
)
