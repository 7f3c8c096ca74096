"""Workflows that the user has read and approved."""

from bridge.api.feature import Feature
from bridge.features.workflows import author, examine, perform

FEATURE = Feature(
    "workflows",
    operations=(
        examine.list_workflows,
        perform.run_workflow,
        author.author_workflow,
    ),
    views=(examine.workflow_page_view, perform.outcome_view, author.written_workflow_view),
)
