"""What waits for the user, and what agents may do without asking."""

from bridge.api.feature import Feature
from bridge.features.decisions import operations

FEATURE = Feature(
    "decisions",
    operations=(operations.list_decisions, operations.decide),
    views=(operations.decision_list_view, operations.decision_outcome_view),
)
