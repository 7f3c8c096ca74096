"""Text views of what happened when."""

from collections.abc import Iterable

from bridge.api.markup import Answer, Column, Element, Line, Section, Table, notice, notices, path_of
from bridge.text.counts import count_of
from bridge.text.invisible import inline

NOTES = (Column("path", role="path"), Column("time", lambda time: f" · {time[:16]}"))
TASKS = (
    Column("path", role="path"),
    Column("line", ":{}"),
    Column("text", lambda text: f" {inline(text)}"),
    Column("day", " · {}"),
    Column("open", lambda is_open: " · open" if is_open else ""),
)
CHANGES = (
    Column("id"),
    Column("time", lambda time: f" · {time[:16]}"),
    Column("client", lambda client: f" · {inline(client)}"),
    Column("operation", " · {}"),
    Column("paths", " · {}", role="path", most=3),
    Column("reason", lambda reason: f" · {inline(reason)}", detail=True),
)
SESSIONS = (
    Column("id"),
    Column("started", lambda time: f" · {time[:16]}"),
    Column("client", lambda client: f" · {inline(client)}"),
    Column("note", " · {}", role="path"),
)
LISTS = (
    ("created", "Created", NOTES),
    ("modified", "Modified", NOTES),
    ("due", "Due", TASKS),
    ("done", "Done", TASKS),
    ("changes", "Changes", CHANGES),
    ("sessions", "Sessions", SESSIONS),
)


def around_date_view(answer: Answer) -> Iterable[Element]:
    """Show what happened around a day, a table for each list."""
    yield notice(f"{answer['first']} to {answer['last']}")
    for path in answer["daily"]:
        yield Line("daily note ", path_of(path))
    for name, title, columns in LISTS:
        if answer[name]:
            total = answer["totals"][name]
            shown = len(answer[name])
            yield Section(f"{title} ({shown} of {total})" if shown < total else title, Table(columns, answer[name]))


def entity_course_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer["notices"])
    if len(answer["periods"]) < answer["total"]:
        yield notice(f"{len(answer['periods'])} of {count_of(answer['total'], 'period')}")
    for period in answer["periods"]:
        yield Line(f"{period['period']} · {count_of(period['total'], 'note')}")
        for path in period["notes"]:
            yield Line("  ", path_of(path))
        for path in period["neighbours"]:
            yield Line("  new: ", path_of(path))
        for one in period["sentences"]:
            yield Line("  ", path_of(one["path"], f":{one['line']}"), f" · {inline(one['text'])}")
