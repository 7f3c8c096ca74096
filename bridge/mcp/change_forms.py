"""How the answers of tools that change notes are written."""

from collections.abc import Iterable, Mapping
from typing import Any

from bridge.mcp.excerpts import cut
from bridge.mcp.text import Answer, Form, inline, returnable

DIFF_LINES = 60
"""Lines of a diff that a model is shown: it knows what it asked for."""

WHOLE = 400
"""Lines of a change that a model asked to see whole."""

WIDTH = 240
"""What a line may cost: paragraphs are one line, and a folder's move writes a link in many."""

BROKEN = 20
"""Links that break, and are named."""

CHANGES = 50


def written(answer: Answer) -> Iterable[str]:
    """Write what became of a write: first how it stands, then what it changed."""
    yield f"{standing(answer)}: {returnable(answer['path'])}" + (
        f" · change {answer['change_id']}" if answer["change_id"] else ""
    )
    if answer["digest"]:
        yield f"digest {answer['digest']}"
    if rewritten := answer.get("links_rewritten"):
        yield f"{rewritten} links in other places rewritten"
    broken = answer.get("links_broken", ())
    for lost in broken[:BROKEN]:
        yield f"broken link: {returnable(lost['path'])}:{lost['line']} [[{inline(lost['text'])}]]"
    if len(broken) > BROKEN:
        yield f"… and {len(broken) - BROKEN} more broken links"
    for left in answer.get("refused", ()):
        yield f"not linked: {returnable(left['target'])} in line {left['line']}: {inline(left['why'])}"
    yield from (f"note: {inline(warning)}" for warning in answer["warnings"])
    yield from diff(answer["diff"])


def standing(answer: Answer) -> str:
    """Say how a change stands."""
    if not answer["change_id"]:
        return "Nothing was written"
    return "Written" if answer["state"] == "applied" else "Proposed; it waits until the user accepts it"


def diff(text: str, most: int = DIFF_LINES) -> Iterable[str]:
    """Write a diff, but not without end."""
    lines = text.rstrip("\n").split("\n") if text else []
    yield from (cut(line, WIDTH) for line in lines[:most])
    if len(lines) > most:
        yield f"… and {len(lines) - most} more lines"


def day(answer: Answer) -> Iterable[str]:
    """Write a daily note: where it is, what was added, and its text."""
    if answer["change_id"] or answer["diff"]:
        yield from written(answer)
        return
    yield f"{returnable(answer['path'])} · {answer['date']}" + (
        f" · digest {answer['digest']}" if answer["digest"] else " · there is none yet"
    )
    if answer["text"] is not None:
        yield "--- text of the note, up to the end of this answer ---"
        yield answer["text"]


def settled(answer: Answer) -> Iterable[str]:
    """Write what became of changes that were turned back, made again or decided on."""
    for change in answer["changes"]:
        yield f"{change['id']} is {change['state']}: {summary(change)}"
    if answer["change_id"]:
        yield f"{standing(answer)} as change {answer['change_id']}"
    yield from (f"note: {inline(warning)}" for warning in answer["warnings"])
    yield from diff(answer["diff"])


def listed(answer: Answer) -> Iterable[str]:
    """Write a list of changes, a line each."""
    for change in answer["changes"][:CHANGES]:
        session = f" · session {change['session']}" if change["session"] else ""
        yield f"{change['id']} · {change['time'][:16]} · {change['state']} · {summary(change)}{session}"
    if not answer["changes"]:
        yield "No change found."


def summary(change: Mapping[str, Any]) -> str:
    """Say in a line what a change was."""
    paths = change["paths"]
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    by = f" by {inline(change['client'])}" if change["client"] else ""
    why = f" ({inline(change['reason'])})" if change["reason"] else ""
    return f"{change['operation']} {returnable(paths[0]) if paths else ''}{more}{by}{why}"


def shown(answer: Answer) -> Iterable[str]:
    """Write a change whole."""
    yield f"{answer['id']} · {answer['time'][:16]} · {answer['state']} · {summary(answer)}"
    if answer["expires"]:
        yield f"expires {answer['expires']}"
    for hunk in answer["hunks"] if len(answer["hunks"]) > 1 else ():
        yield f"hunk {hunk['number']}: {returnable(hunk['path'])}:{hunk['after'][0]}" + " (undone)" * hunk["undone"]
    yield from diff(answer["diff"], WHOLE)


FORMS: Mapping[str, Form] = {
    "Written": written,
    "LinkEdit": written,
    "Settled": settled,
    "DailyNote": day,
    "ListedChanges": listed,
    "ShownChange": shown,
}
