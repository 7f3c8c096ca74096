"""What others use of history."""

from bridge.features.history.operations import Hunks, Settled, build_settled, editor_session
from bridge.features.history.records import ListedChange, change_list_view, settled_view, summarize_change
