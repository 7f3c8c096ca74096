"""Properties and tags: what the notes have, which rules they keep, and renaming it everywhere."""

from bridge.api.feature import Feature
from bridge.features.properties import check, rename, report, views

FEATURE = Feature(
    "properties",
    operations=(
        report.property_report,
        check.check_notes,
        rename.rename_tag,
        rename.rename_property,
        rename.change_values,
    ),
    views={
        report.PropertyReport: views.property_report_view,
        check.CheckedNotes: views.checked_notes_view,
        rename.ManyWritten: views.many_written_view,
    },
)
