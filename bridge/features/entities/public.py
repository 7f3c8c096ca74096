"""What others use of entities."""

from bridge.features.entities.merge_pairs import MergePair, MergeReason, find_merge_pairs, may_be_one
