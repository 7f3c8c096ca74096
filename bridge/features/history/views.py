"""Text views of changes that are listed, shown, undone, redone, accepted or rejected."""

from collections.abc import Iterable, Mapping
from typing import Any

from bridge.api.change_view import change_state, way_back
from bridge.api.markup import Answer, Column, Diff, Element, Table, notice, notices, path_of
from bridge.text.invisible import inline, quote_path

SHOWN_LINES = 400
"""Most diff lines of a change that a model asked for."""

MAX_CHANGES = 50
"""Most changes of a list that a model reads."""

CHANGES = (
    Column("id"),
    Column("time", most=16),
    Column("client", " · by {}"),
    Column("operation"),
    Column("state"),
    Column("paths", " · {}", role="path", most=1),
    Column("reason", " ({})", detail=True),
    Column("session", " · session {}"),
)


def change_list_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer.get("notices", ()))
    yield Table(CHANGES, answer["changes"], most=MAX_CHANGES)
    if not answer["changes"]:
        yield notice("No change found.")


def change_view(answer: Answer) -> Iterable[Element]:
    yield notice(f"{answer['id']} · {answer['time'][:16]} · {answer['state']} · {_summary(answer)}")
    if answer.get("expires"):
        yield notice(f"expires {answer['expires'][:16]}")
    for hunk in answer["hunks"] if len(answer["hunks"]) > 1 else ():
        place = path_of(hunk["path"], f":{hunk['after'][0]}")
        yield notice(f"hunk {hunk['number']}: ", place, " (undone)" * hunk["undone"])
    yield Diff(answer["diff"], SHOWN_LINES)


def settled_view(answer: Answer) -> Iterable[Element]:
    """Show the outcome for changes that were undone, redone, accepted or rejected."""
    for change in answer["changes"] if not answer.get("dry_run") else ():
        yield notice(f"{change['id']} is {change['state']}: {_summary(change)}")
    would = inline(answer.get("would", ""))
    if answer.get("dry_run"):
        yield notice(f"{change_state(answer)}. The call would {would or 'change no note'}.")
    elif answer["change_id"]:
        done = "Done" if answer["state"] == "applied" else change_state(answer)
        yield notice(f"{done}, as change {answer['change_id']}{f': {would}' if would else ''}")
    else:
        yield notice(f"{change_state(answer)}.")
    yield from notices(answer["warnings"], "note: ")
    yield Diff(answer["diff"])
    yield from way_back(answer)


def _summary(change: Mapping[str, Any]) -> str:
    paths = change.get("paths", ())
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    by = f" by {inline(change['client'])}" if change["client"] else ""
    why = f" ({inline(change['reason'])})" if change["reason"] else ""
    return " ".join([change["operation"], *map(quote_path, paths[:1])]) + more + by + why
