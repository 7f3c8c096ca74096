"""The gardener: looks for what is out of order, proposes changes in a note, and makes those that a person ticked."""

from bridge.api.feature import Feature
from bridge.features.gardener import apply_plan, garden, judge, ledger, make_plan, records, schedule, views

FEATURE = Feature(
    "gardener",
    operations=(
        make_plan.plan_garden,
        apply_plan.show_plan,
        apply_plan.apply_plan,
        judge.judge_finding,
        judge.garden_rules,
    ),
    settings=garden.GardenerSettings,
    tables=ledger.TABLES,
    tasks=(schedule.plan_when_idle,),
    views={
        records.GardenPlan: views.garden_plan_view,
        records.ShownPlan: views.shown_plan_view,
        records.AppliedPlan: views.applied_plan_view,
        records.GardenRules: views.garden_rules_view,
    },
)
