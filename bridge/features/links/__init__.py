"""Links of a note, unresolved and missing ones, and suggestions."""

from bridge.api.feature import Feature
from bridge.features.links import apply, operations, prospects, report, suggest

FEATURE = Feature(
    "links",
    operations=(
        operations.note_links,
        operations.resolve_link,
        suggest.suggest_links,
        suggest.judge_link,
        apply.apply_links,
        prospects.find_prospects,
        report.link_report,
    ),
)
