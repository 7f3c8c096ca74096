"""Text views of properties, their values, and changes of many notes."""

from collections.abc import Iterable

from bridge.api.change_view import forecast_lines, written_view
from bridge.api.markup import Column, Element, Line, Section, Table, notice, notices, path_of
from bridge.features.properties.change_many import ManyWritten
from bridge.features.properties.check import CheckedNotes
from bridge.features.properties.report import PropertyReport
from bridge.text.counts import count_of, count_shown
from bridge.text.invisible import inline

MAX_SKIPPED_NOTES = 20
"""Most skipped notes that a model reads."""

PROPERTIES = (
    Column("name", "{}"),
    Column("notes", " · {} notes"),
    Column("types", lambda types: " · " + ", ".join(f"{kind} {count}" for kind, count in types.items())),
    Column("obsidian_type", " · Obsidian: {}"),
    Column("values", " · {} values"),
    Column("examples", lambda examples: ": " + ", ".join(inline(one) for one in examples), detail=True),
    Column("problems", lambda problems: " · " + " ".join(inline(one) for one in problems), role="warning"),
)

VALUES = (
    Column("value", lambda value: inline(value if isinstance(value, str) else str(value).lower())),
    Column("type", " · {}"),
    Column("notes", " · {}"),
    Column("spellings", lambda spellings: " · written " + ", ".join(map(inline, spellings))),
    Column("paths", lambda paths: " · " + ", ".join(inline(path) for path in paths), detail=True),
)


def property_report_view(report: PropertyReport) -> Iterable[Element]:
    total, values = report.total, report.values
    if values is not None:
        yield notice(f"{count_shown(len(values), total, 'value')} in {count_of(report.notes, 'note')}")
        yield from notices(report.notices)
        yield Table(VALUES, values)
        return
    shown = f"{len(report.properties)} of " if len(report.properties) < total else ""
    yield notice(f"{shown}{total:,} properties in {count_of(report.notes, 'note')}")
    yield from notices(report.notices)
    yield Table(PROPERTIES, report.properties)
    for path in report.unreadable:
        yield Line("cannot be read: ", path_of(path))


CONVENTIONS = (
    Column("kind", "{}"),
    Column("name", " {}"),
    Column("expected", lambda expected: ": " + ", ".join(map(inline, expected))),
    Column("folder", lambda folder: f" · in {inline(folder)}/"),
    Column("note_type", " · of type {}"),
    Column("where", lambda where: f" · where {inline(where)}"),
    Column("share", " · {:.0%}"),
    Column("notes", " of {} notes"),
    Column("violators", lambda paths: " · not " + ", ".join(map(inline, paths)), detail=True),
    Column("schema_note", lambda path: f" · {inline(path)}", detail=True),
)

VIOLATIONS = (
    Column("path", role="path"),
    Column("line", ":{}"),
    Column("kind", " · {}"),
    Column("name", " {}"),
    Column("found", lambda found: f" · has {inline(found)}"),
    Column("expected", lambda expected: " · expected " + ", ".join(map(inline, expected))),
    Column("suggestion", lambda value: f" · perhaps {inline(value)}"),
    Column("share", " · kept by {:.0%}", detail=True),
    Column("schema_note", lambda path: f" · {inline(path)}", detail=True),
)


def checked_notes_view(checked: CheckedNotes) -> Iterable[Element]:
    shown = count_shown(len(checked.violations), checked.total, "violation")
    rules = count_of(checked.rules, "rule")
    dismissed = f", {checked.dismissed} more dismissed" if checked.dismissed else ""
    yield notice(f"{shown} of {rules} in {count_of(checked.notes, 'note')}{dismissed}")
    yield from notices(checked.notices)
    yield Table(VIOLATIONS, checked.violations)
    if checked.conventions:
        yield Section("Rules", Table(CONVENTIONS, checked.conventions))


def many_written_view(made: ManyWritten) -> Iterable[Element]:
    yield from written_view(made)
    yield from forecast_lines(made.forecast)
    for one in made.skipped[:MAX_SKIPPED_NOTES]:
        yield Line("skipped: ", path_of(one.path), f" · {inline(one.why)}")
    if len(made.skipped) > MAX_SKIPPED_NOTES:
        yield notice(f"… and {len(made.skipped) - MAX_SKIPPED_NOTES} more skipped")
