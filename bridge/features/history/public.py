"""What others use of history."""

from bridge.features.history.operations import (
    OWN_SESSION,
    Hunks,
    ListedChange,
    ListedChanges,
    Settled,
    build_settled,
    change_list_view,
    editor_session,
    settled_view,
    summarize_change,
)
