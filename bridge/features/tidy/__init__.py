"""Tidying: looks for what is out of order, proposes changes in a note, and makes those that a person ticked."""

from bridge.api.feature import Feature
from bridge.features.tidy import apply_plan, check_scope, ledger, make_plan, records

FEATURE = Feature(
    "tidy",
    operations=(
        make_plan.plan_tidy,
        apply_plan.show_plan,
        apply_plan.apply_plan,
        apply_plan.judge_finding,
        apply_plan.tidy_rules,
    ),
    settings=check_scope.TidySettings,
    tables=ledger.TABLES,
    tasks=(make_plan.plan_when_idle,),
    views=(records.tidy_plan_view, records.shown_plan_view, records.applied_plan_view, records.tidy_rules_view),
)
