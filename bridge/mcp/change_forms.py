"""How the answers of tools that change notes are written."""

from collections.abc import Iterable, Mapping
from typing import Any

from bridge.mcp.text import Answer, Form, inline, returnable, short
from bridge.text.budget import cut

DIFF_LINES = 60
"""Lines of a diff that a model is shown which only tried a change."""

ECHO, ECHO_LINES, ECHO_WIDTH = 12, 6, 120
"""Lines of the diff of a change that was made: a short one whole, else its start, since a model knows what it wrote."""

FILES = 30
"""Files that a change names."""

WHOLE = 400
"""Lines of a change that a model asked to see whole."""

WIDTH = 240
"""What a line may cost: paragraphs are one line, and a folder's move writes a link in many."""

BROKEN = 20
"""Links that break, and are named."""

CHANGES = 50


def written(answer: Answer) -> Iterable[str]:
    """Write what became of a write: first how it stands, then what it changed."""
    files = answer.get("changed", ())
    tried = answer.get("dry_run", False)
    if tried and answer.get("would"):
        yield f"Dry run, nothing is written. The call would {inline(answer['would'])}."
    else:
        made = f" · change {answer['change_id']}" if answer["change_id"] else ""
        if len(files) == 1 and made:
            done = standing(answer) if answer["state"] == "proposed" else outcome(files[0])
            yield f"{done}: {concerned(files[0])}{made}{counted(files[0])}"
        else:
            what = returnable(answer["path"]) if len(files) <= 1 else f"{answer['files']} files"
            yield f"{standing(answer)}: {what}{made}"
    if answer.get("confirmation"):
        yield f"The call itself must be confirmed: {inline(answer['confirmation'])}"
    digest = answer.get("before", answer["digest"]) if tried else answer["digest"]
    if digest and (tried or len(files) <= 1):
        yield f"digest {as_now(answer) * tried}{short(digest)}"
    yield from consequences(answer)
    yield from (f"note: {inline(warning)}" for warning in answer["warnings"])
    yield from (diff if tried or not answer["change_id"] else echo)(answer["diff"])


def as_now(answer: Answer) -> str:
    """Say whose digest a dry run tells, where it could be several files'."""
    files = answer.get("changed", ())
    if len(files) <= 1:
        return "as it is now: "
    path = next((file["moved_from"] for file in files if file["path"] == answer["path"]), None) or answer["path"]
    return f"of {returnable(path)} as it is now: "


def consequences(answer: Answer) -> Iterable[str]:
    """Write which files and links a change concerns."""
    files = answer.get("changed", ())
    if len(files) > 1:
        yield from map(changed, files[:FILES])
    if len(files) > FILES:
        yield f"… and {len(files) - FILES:,} more files"
    if rewritten := answer.get("links_rewritten"):
        yield f"links in other places rewritten: {rewritten:,}"
    broken = answer.get("links_broken", ())
    for lost in broken[:BROKEN]:
        yield f"broken link: {returnable(lost['path'])}:{lost['line']} [[{inline(lost['text'])}]]"
    if len(broken) > BROKEN:
        yield f"… and {len(broken) - BROKEN} more broken links"
    for left in answer.get("refused", ()):
        yield f"not linked: {returnable(left['target'])} in line {left['line']}: {inline(left['why'])}"


def changed(file: Mapping[str, Any]) -> str:
    """Write a file that was changed, on a line."""
    return f"- {concerned(file)}{' · deleted' * file['deleted']}{counted(file)}" + (
        f" · digest {short(file['digest'])}" if file["digest"] else ""
    )


def concerned(file: Mapping[str, Any]) -> str:
    """Name a file that was changed: where it was and where it is, as far as that is known."""
    before, after = (file["moved_from"], file["path"]) if file["moved_from"] else (file["path"], file["trash"])
    return f"{returnable(before)} → {returnable(after)}" if after else returnable(before)


def outcome(file: Mapping[str, Any]) -> str:
    """Say in a word what became of a file."""
    return "Deleted" if file["deleted"] else "Moved" if file["moved_from"] else "Written"


def counted(file: Mapping[str, Any]) -> str:
    """Say how many lines a file gains and loses; nothing for one that only moved, or is gone."""
    some = (file["added"] or file["removed"]) and not file["deleted"]
    return f" · +{file['added']} -{file['removed']}" if some else ""


def standing(answer: Answer) -> str:
    """Say how a change stands."""
    if answer.get("dry_run"):
        return "Dry run, nothing is written"
    if not answer["change_id"]:
        return "Nothing was written"
    return "Written" if answer["state"] == "applied" else "Proposed; it waits until the user accepts it"


def echo(text: str) -> Iterable[str]:
    """Write a diff that its reader asked for: a short one whole, else its start."""
    lines = text.rstrip("\n").split("\n") if text else []
    most = len(lines) if len(lines) <= ECHO else ECHO_LINES
    yield from (cut(line, ECHO_WIDTH) for line in lines[:most])
    if len(lines) > most:
        yield f"… and {len(lines) - most} more lines of the diff"


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
    yield from (f"note: {inline(warning)}" for warning in answer["warnings"])
    yield f"{returnable(answer['path'])} · {answer['date']}" + (
        f" · digest {short(answer['digest'])}" if answer["digest"] else " · there is none yet"
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
    elif answer.get("dry_run"):
        yield f"{standing(answer)}."
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
