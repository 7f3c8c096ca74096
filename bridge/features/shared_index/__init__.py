"""The index beyond one machine: vectors in a file, and folders that others search in a store."""

from bridge.api.feature import Feature
from bridge.features.shared_index import operations
from bridge.features.shared_index.stores import SharedIndexSettings

FEATURE = Feature(
    "shared_index",
    operations=(operations.export_index, operations.import_index, operations.publish, operations.retract),
    settings=SharedIndexSettings,
)
