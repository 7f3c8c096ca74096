"""Gaps: what was asked and not answered by the notes."""

from bridge.api.feature import Feature
from bridge.features.gaps import report

FEATURE = Feature(
    "gaps",
    operations=(report.gap_report,),
    views={report.GapReport: report.gap_report_view},
    tasks=(report.keep_questions,),
    on_stop=report.write_waiting,
)
"""Keeping questions that the notes do not answer, if the user wants that."""
