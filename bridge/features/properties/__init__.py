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
    views={
        report.PropertyReport: views.property_report_view,
        check.CheckedNotes: views.checked_notes_view,
        change_many.ManyWritten: views.many_written_view,
    },
)
