"""Changes: listed, shown, undone, redone, accepted and rejected."""

from bridge.api.feature import Feature
from bridge.features.history import editor, operations, records

FEATURE = Feature(
    "history",
    operations=(
        operations.list_changes,
        operations.show_change,
        operations.undo_change,
        editor.claim_change,
        editor.acknowledge_change,
    ),
    vault_checks=(operations.check_changes,),
    views={
        operations.ListedChanges: records.change_list_view,
        records.ShownChange: records.change_view,
        operations.Settled: records.settled_view,
    },
)
