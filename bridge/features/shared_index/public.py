"""What others use of shared indexes."""

from bridge.features.shared_index.stores import SharedAnswer, search_stores
