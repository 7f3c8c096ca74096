"""What others use of entities."""

from bridge.features.entities.merge_pairs import (
    INSTRUCTIONS_TYPES,
    RULE_TYPES,
    MergeReason,
    MergeSuggestion,
    find_merge_pairs,
    may_be_one,
)
