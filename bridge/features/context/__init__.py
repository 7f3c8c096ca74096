"""Context for an agent: excerpts of relevant notes within a budget of tokens."""

from bridge.api.feature import Feature
from bridge.features.context import gather

FEATURE = Feature(
    "context",
    operations=(gather.gather_context,),
    views=(gather.context_view,),
)
