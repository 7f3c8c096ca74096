"""Changes: listed, shown, undone, redone, accepted and rejected."""

from pathlib import Path

from bridge.api.feature import App, Feature
from bridge.api.write import Written
from bridge.features.history import operations

CHANGE = App("change", "A change to notes", Path(__file__).with_name("change.js"))

FEATURE = Feature(
    "history",
    operations=(
        operations.list_changes,
        operations.show_change,
        operations.undo_change,
        operations.claim_change,
        operations.acknowledge_change,
    ),
    vault_checks=(operations.check_changes,),
    views=(operations.change_list_view, operations.change_view, operations.settled_view),
    apps=dict.fromkeys((operations.ShownChange, Written, operations.Settled), CHANGE),
)
