"""The index beyond one machine: vectors in a file, and folders that others search in a store."""

from bridge.api.feature import Feature
from bridge.features.shared_index import portable, publish
from bridge.features.shared_index.stores import SharedIndexSettings

FEATURE = Feature(
    "shared_index",
    operations=(portable.export_index, portable.import_index, publish.publish, publish.retract),
    settings=SharedIndexSettings,
)
