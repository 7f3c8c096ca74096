"""Text views of properties, their values, and changes of many notes."""

from collections.abc import Iterable

from bridge.api.change_view import forecast_lines, written_view
from bridge.api.markup import Answer, Column, Element, Line, Section, Table, notice, notices, path_of
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


def property_report_view(answer: Answer) -> Iterable[Element]:
    total, values = answer["total"], answer.get("values")
    if values is not None:
        yield notice(f"{count_shown(len(values), total, 'value')} in {count_of(answer['notes'], 'note')}")
        yield from notices(answer["notices"])
        yield Table(VALUES, values)
        return
    shown = f"{len(answer['properties'])} of " if len(answer["properties"]) < total else ""
    yield notice(f"{shown}{total:,} properties in {count_of(answer['notes'], 'note')}")
    yield from notices(answer["notices"])
    yield Table(PROPERTIES, answer["properties"])
    for path in answer["unreadable"]:
        yield Line("cannot be read: ", path_of(path))


CONVENTIONS = (
    Column("folder", lambda folder: f"{inline(folder)}/ "),
    Column("note_type", "type {} "),
    Column("kind", "{}"),
    Column("name", " {}"),
    Column("expected", lambda expected: ": " + ", ".join(map(inline, expected))),
    Column("where", lambda where: f" · where {inline(where)}"),
    Column("share", lambda share: f" · {share:.0%}"),
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
    Column("share", lambda share: f" · kept by {share:.0%}", detail=True),
    Column("schema_note", lambda path: f" · {inline(path)}", detail=True),
)


def checked_notes_view(answer: Answer) -> Iterable[Element]:
    shown = count_shown(len(answer["violations"]), answer["total"], "violation")
    rules = count_of(answer["rules"], "rule")
    dismissed = f", {answer['dismissed']} more dismissed" if answer.get("dismissed") else ""
    yield notice(f"{shown} of {rules} in {count_of(answer['notes'], 'note')}{dismissed}")
    yield from notices(answer["notices"])
    yield Table(VIOLATIONS, answer["violations"])
    if answer.get("conventions"):
        yield Section("Rules", Table(CONVENTIONS, answer["conventions"]))


def many_written_view(answer: Answer) -> Iterable[Element]:
    yield from written_view(answer)
    yield from forecast_lines(answer.get("forecast", ()))
    for one in answer["skipped"][:MAX_SKIPPED_NOTES]:
        yield Line("skipped: ", path_of(one["path"]), f" · {inline(one['why'])}")
    if len(answer["skipped"]) > MAX_SKIPPED_NOTES:
        yield notice(f"… and {len(answer['skipped']) - MAX_SKIPPED_NOTES} more skipped")
