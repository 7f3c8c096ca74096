"""Workflows that the user has read and approved."""

from bridge.api.feature import Feature
from bridge.features.workflows import author, examine, perform, views

FEATURE = Feature(
    "workflows",
    operations=(
        examine.list_workflows,
        perform.run_workflow,
        author.author_workflow,
    ),
    views={
        examine.WorkflowPage: views.workflow_page_view,
        perform.WorkflowOutcome: views.outcome_view,
        author.WrittenWorkflow: views.written_workflow_view,
    },
)
