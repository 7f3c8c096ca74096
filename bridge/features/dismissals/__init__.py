"""Dismissing what reports list again and again."""

from bridge.api.feature import Feature
from bridge.features.dismissals import operations

FEATURE = Feature("dismissals", operations=(operations.dismiss,))
