"""Tasks in notes: listed, added and toggled."""

from bridge.api.change_view import written_view
from bridge.api.feature import Feature
from bridge.api.write import change_operation
from bridge.changes.requests.tasks import AddTask, ToggleTask
from bridge.features.tasks import operations

FEATURE = Feature(
    "tasks",
    operations=(
        operations.list_tasks,
        change_operation(ToggleTask),
        change_operation(AddTask),
    ),
    views=(operations.task_list_view, written_view),
)
