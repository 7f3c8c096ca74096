"""What others use of entities."""

from bridge.features.entities.merge_pairs import MergeReason, MergeSuggestion, find_merge_pairs, may_be_one
