"""What was brought into the sessions of agents, and what the user keeps from them."""

from bridge.api.change_view import written_view
from bridge.api.feature import Feature
from bridge.api.write import Written
from bridge.features.injections import operations

FEATURE = Feature(
    "injections",
    operations=(operations.list_injections, operations.withhold_note, operations.deny_agent, operations.give_note),
    views={
        Written: written_view,
        operations.ListedInjections: operations.injections_view,
        operations.GivenNote: operations.given_view,
        operations.WithheldNote: operations.withheld_view,
    },
)
