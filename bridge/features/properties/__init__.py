"""Properties and tags: what the notes have, which rules they keep, and renaming it everywhere."""

from bridge.api.feature import Feature
from bridge.features.properties import change_many, check, report, views

FEATURE = Feature(
    "properties",
    operations=(
        report.property_report,
        check.check_notes,
        change_many.change_notes,
    ),
    views=(views.property_report_view, views.checked_notes_view, views.many_written_view),
)
