"""The index beyond one machine: its vectors in a file."""

from bridge.api.feature import Feature
from bridge.features.shared_index import portable

FEATURE = Feature("shared_index", operations=(portable.export_index, portable.import_index))
