"""Tasks in notes: listed, added and toggled."""

from bridge.api.feature import Feature
from bridge.features.tasks import operations

FEATURE = Feature(
    "tasks",
    operations=(
        operations.list_tasks,
        operations.toggle_task,
        operations.add_task,
    ),
)
