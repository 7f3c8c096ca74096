"""Policies: workflows that the user has read and approved."""

from bridge.api.feature import Feature
from bridge.features.policies import author, examine, perform, views

FEATURE = Feature(
    "policies",
    operations=(
        examine.list_policies,
        perform.run_policy,
        author.author_policy,
    ),
    views={
        examine.PolicyPage: views.policy_page_view,
        perform.PolicyOutcome: views.outcome_view,
        author.WrittenPolicy: views.written_policy_view,
    },
)
