"""Text views of the results of tools that change notes."""

from collections.abc import Iterable, Mapping
from typing import Any

from bridge.mcp.text import Answer, View, inline, quote_path, short_digest
from bridge.text.budget import cut

DIFF_LINES = 60
"""Most diff lines shown after a dry run."""

ECHO, ECHO_LINES, ECHO_WIDTH = 12, 6, 120
"""Diff lines shown after a change: a short diff completely, else its start, since the model knows what it wrote."""

MAX_FILES = 30
"""Most files that are listed for a change."""

WHOLE_LINES = 400
"""Most diff lines when a model asked for a change itself."""

LINE_WIDTH = 240
"""Most characters of a line: paragraphs are one line, and moving a folder rewrites a link in many."""

MAX_BROKEN_LINKS = 20
"""Most broken links that are listed."""

MAX_CHANGES = 50


def write_result(answer: Answer) -> Iterable[str]:
    """Format the result of a write: first its state, then what it changed."""
    files = answer.get("changed", ())
    tried = answer.get("dry_run", False)
    if tried and answer.get("would"):
        yield f"Dry run, nothing is written. The call would {inline(answer['would'])}."
    else:
        made = f" · change {answer['change_id']}" if answer["change_id"] else ""
        if len(files) == 1 and made:
            done = change_state(answer) if answer["state"] == "proposed" else outcome(files[0])
            yield f"{done}: {moved_path(files[0])}{made}{line_counts(files[0])}"
        else:
            what = quote_path(answer["path"]) if len(files) <= 1 else f"{answer['files']} files"
            yield f"{change_state(answer)}: {what}{made}"
    if answer.get("confirmation"):
        yield f"The call itself must be confirmed: {inline(answer['confirmation'])}"
    digest = answer.get("before", answer["digest"]) if tried else answer["digest"]
    if digest and (tried or len(files) <= 1):
        yield f"digest {digest_subject(answer) * tried}{short_digest(digest)}"
    yield from consequences(answer)
    yield from (f"note: {inline(warning)}" for warning in answer["warnings"])
    yield from (diff if tried or not answer["change_id"] else echo)(answer["diff"])


def digest_subject(answer: Answer) -> str:
    """Say whose digest a dry run reports, where it could be that of several files."""
    files = answer.get("changed", ())
    if len(files) <= 1:
        return "as it is now: "
    path = next((file["moved_from"] for file in files if file["path"] == answer["path"]), None) or answer["path"]
    return f"of {quote_path(path)} as it is now: "


def consequences(answer: Answer) -> Iterable[str]:
    """Format the files and links that a change concerns."""
    files = answer.get("changed", ())
    if len(files) > 1:
        yield from map(changed_file, files[:MAX_FILES])
    if len(files) > MAX_FILES:
        yield f"… and {len(files) - MAX_FILES:,} more files"
    if rewritten := answer.get("links_rewritten"):
        yield f"links in other places rewritten: {rewritten:,}"
    broken = answer.get("links_broken", ())
    for lost in broken[:MAX_BROKEN_LINKS]:
        yield f"broken link: {quote_path(lost['path'])}:{lost['line']} [[{inline(lost['text'])}]]"
    if len(broken) > MAX_BROKEN_LINKS:
        yield f"… and {len(broken) - MAX_BROKEN_LINKS} more broken links"
    for left in answer.get("refused", ()):
        yield f"not linked: {quote_path(left['target'])} in line {left['line']}: {inline(left['why'])}"


def changed_file(file: Mapping[str, Any]) -> str:
    """Format a changed file on one line."""
    return f"- {moved_path(file)}{' · deleted' * file['deleted']}{line_counts(file)}" + (
        f" · digest {short_digest(file['digest'])}" if file["digest"] else ""
    )


def moved_path(file: Mapping[str, Any]) -> str:
    """Format the path of a changed file: before and after, as far as known."""
    before, after = (file["moved_from"], file["path"]) if file["moved_from"] else (file["path"], file["trash"])
    return f"{quote_path(before)} → {quote_path(after)}" if after else quote_path(before)


def outcome(file: Mapping[str, Any]) -> str:
    """Say in a word what happened to a file."""
    return "Deleted" if file["deleted"] else "Moved" if file["moved_from"] else "Written"


def line_counts(file: Mapping[str, Any]) -> str:
    """Say how many lines a file gains and loses; nothing for one that was only moved, or deleted."""
    some = (file["added"] or file["removed"]) and not file["deleted"]
    return f" · +{file['added']} -{file['removed']}" if some else ""


def change_state(answer: Answer) -> str:
    """Describe the state of a change."""
    if answer.get("dry_run"):
        return "Dry run, nothing is written"
    if not answer["change_id"]:
        return "Nothing was written"
    return "Written" if answer["state"] == "applied" else "Proposed; it waits until the user accepts it"


def echo(text: str) -> Iterable[str]:
    """Format the diff of a change that its reader asked for: a short one completely, else its start."""
    lines = text.rstrip("\n").split("\n") if text else []
    most = len(lines) if len(lines) <= ECHO else ECHO_LINES
    yield from (cut(line, ECHO_WIDTH) for line in lines[:most])
    if len(lines) > most:
        yield f"… and {len(lines) - most} more lines of the diff"


def diff(text: str, most: int = DIFF_LINES) -> Iterable[str]:
    """Format a diff up to a number of lines."""
    lines = text.rstrip("\n").split("\n") if text else []
    yield from (cut(line, LINE_WIDTH) for line in lines[:most])
    if len(lines) > most:
        yield f"… and {len(lines) - most} more lines"


def daily_note(answer: Answer) -> Iterable[str]:
    """Format a daily note: its path, what was added, and its text."""
    if answer["change_id"] or answer["diff"]:
        yield from write_result(answer)
        return
    yield from (f"note: {inline(warning)}" for warning in answer["warnings"])
    yield f"{quote_path(answer['path'])} · {answer['date']}" + (
        f" · digest {short_digest(answer['digest'])}" if answer["digest"] else " · there is none yet"
    )
    if answer["text"] is not None:
        yield "--- text of the note, up to the end of this answer ---"
        yield answer["text"]


def settled_changes(answer: Answer) -> Iterable[str]:
    """Format the outcome for changes that were undone, redone, accepted or rejected."""
    for change in answer["changes"]:
        yield f"{change['id']} is {change['state']}: {summary(change)}"
    if answer["change_id"]:
        yield f"{change_state(answer)} as change {answer['change_id']}"
    elif answer.get("dry_run"):
        yield f"{change_state(answer)}."
    yield from (f"note: {inline(warning)}" for warning in answer["warnings"])
    yield from diff(answer["diff"])


def change_list(answer: Answer) -> Iterable[str]:
    """Format a list of changes, one per line."""
    for change in answer["changes"][:MAX_CHANGES]:
        session = f" · session {change['session']}" if change["session"] else ""
        yield f"{change['id']} · {change['time'][:16]} · {change['state']} · {summary(change)}{session}"
    if not answer["changes"]:
        yield "No change found."


def summary(change: Mapping[str, Any]) -> str:
    """Summarize a change in a line."""
    paths = change["paths"]
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    by = f" by {inline(change['client'])}" if change["client"] else ""
    why = f" ({inline(change['reason'])})" if change["reason"] else ""
    return f"{change['operation']} {quote_path(paths[0]) if paths else ''}{more}{by}{why}"


def change_details(answer: Answer) -> Iterable[str]:
    """Format a change completely."""
    yield f"{answer['id']} · {answer['time'][:16]} · {answer['state']} · {summary(answer)}"
    if answer["expires"]:
        yield f"expires {answer['expires']}"
    for hunk in answer["hunks"] if len(answer["hunks"]) > 1 else ():
        yield f"hunk {hunk['number']}: {quote_path(hunk['path'])}:{hunk['after'][0]}" + " (undone)" * hunk["undone"]
    yield from diff(answer["diff"], WHOLE_LINES)


CHANGE_VIEWS: Mapping[str, View] = {
    "Written": write_result,
    "LinkEdit": write_result,
    "Settled": settled_changes,
    "DailyNote": daily_note,
    "ListedChanges": change_list,
    "ShownChange": change_details,
}
