"""Links of a note, unresolved and missing ones, and suggestions."""

from bridge.api.feature import Feature
from bridge.features.links import apply, operations, report, suggest, views

FEATURE = Feature(
    "links",
    operations=(
        operations.note_links,
        operations.resolve_link,
        suggest.suggest_links,
        suggest.judge_link,
        apply.apply_links,
        report.find_prospects,
        report.link_report,
    ),
    on_draft=(apply.link_new_names, apply.append_suggestions),
    on_indexed=suggest.follow_accepted_links,
    views=(
        views.note_links_view,
        views.resolved_link_view,
        views.suggestions_view,
        views.link_edit_view,
        views.prospects_view,
        views.link_report_view,
    ),
)
