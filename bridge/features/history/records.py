"""What is told of a change: what it did, and what became of it."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec.structs import asdict

from bridge.api.change_view import change_state, way_back
from bridge.api.markup import Answer, Column, Diff, Element, Table, notice, notices, path_of
from bridge.api.moments import iso
from bridge.api.write import diff_of, snapshot_fetcher, unified_diff
from bridge.changes.hunks import differences
from bridge.engine.open_vault import OpenVault
from bridge.records import Record
from bridge.state.change_records import Change
from bridge.state.file_history import without_grave
from bridge.text.diff import display_text
from bridge.text.invisible import inline, quote_path
from bridge.text.word_diff import diff_runs
from bridge.types import Exact, Lines, VaultPath
from bridge.vault.paths import is_hidden
from bridge.vault.plan import Step

State = Literal["applied", "proposed", "rejected", "expired", "undone", "conflict"]

DIFF_SHOWN = 4_000
"""Characters of a diff in a list."""


class ListedChange(Record):
    """A change to notes.

    Attributes:
        id: Its id.
        time: When it was made or proposed.
        client: The requesting program.
        session: The program's session.
        operation: The operation.
        reason: Its stated reason; before it, what accepting it means for what agents may do.
        paths: The files it touched, by their names then.
        diff: Unified diff; truncated in a list if long.
        state: Its state; `expired`: it waited too long, or the same was done otherwise; `conflict`: a crash cut it
            off, and these files, edited since, may still have it.
        expires: When a proposal expires.
        undoes: The changes it undid.
        by: The writer: the bridge to `disk`, or `obsidian`; null until written.
    """

    id: str
    time: str
    client: str | None
    session: str | None
    operation: str
    reason: str | None
    paths: tuple[VaultPath, ...]
    diff: Exact
    state: State
    expires: str | None
    undoes: tuple[str, ...]
    by: Literal["disk", "obsidian"] | None


class Words(Record):
    """Equal, removed or added text.

    Attributes:
        kind: `same`, `removed` or `added`.
        text: The text.
    """

    kind: Literal["same", "removed", "added"]
    text: Exact


class ShownHunk(Record):
    """Changed lines of a note, with context.

    Attributes:
        number: Its number, to accept or undo it.
        path: The note.
        before: Its lines before; without any, the last is one less than the first.
        after: Its lines afterwards, likewise.
        words: The lines, word by word.
        undone: Whether it was undone.
    """

    number: int
    path: VaultPath
    before: Lines
    after: Lines
    words: tuple[Words, ...]
    undone: bool


class ShownChange(ListedChange, kw_only=True):
    """A change to notes, in full.

    Attributes:
        now: Those files' names today.
        hunks: The hunks, each of which can be accepted or undone.
    """

    now: tuple[VaultPath, ...]
    hunks: tuple[ShownHunk, ...]


def summarize_change(vault: OpenVault, change: Change, *, cut: bool) -> ListedChange:
    diff = beginning_of_diff(vault, change) if cut else diff_of(change.steps, snapshot_fetcher(vault))
    return ListedChange(
        id=change.id,
        time=iso(change.time),
        client=change.client,
        session=change.session,
        operation=change.operation,
        reason=change.reason,
        paths=tuple(dict.fromkeys(file_of(step) for step in change.steps if not step.kind.endswith("_folder"))),
        diff=diff,
        # One that is being written is not told of.
        state="applied" if change.state == "prepared" else change.state,
        expires=iso(change.expires) if change.expires is not None and change.state == "proposed" else None,
        undoes=change.facts.undoes,
        by=change.facts.by,
    )


def beginning_of_diff(vault: OpenVault, change: Change) -> str:
    """Return the diff of a change as far as it is shown in a list; what follows is not read."""
    diff, steps = "", len(change.steps)
    for number, found in enumerate(differences(change.steps, snapshot_fetcher(vault)), 1):
        diff += unified_diff([found])
        if len(diff) > DIFF_SHOWN:
            end = diff.rfind("\n", 0, DIFF_SHOWN) + 1
            more = f"{len(diff) - end:,} more characters" + (
                f" and {steps - number:,} more files" if number < steps else ""
            )
            return f"{diff[:end]}… {more}; `show_change` shows them.\n"
    return diff


def describe_change(vault: OpenVault, change: Change) -> ShownChange:
    summary = summarize_change(vault, change, cut=False)
    found = differences(change.steps, snapshot_fetcher(vault))
    return ShownChange(
        **asdict(summary),
        now=tuple(dict.fromkeys(VaultPath(without_grave(path)) for path in change.now)),
        hunks=tuple(
            ShownHunk(
                hunk.number,
                one.step.path,
                hunk.before,
                hunk.after,
                tuple(Words(run.kind, display_text(run.text)) for run in diff_runs(hunk)),
                undone=hunk.number in change.facts.undone,
            )
            for one in found
            for hunk in one.hunks
        ),
    )


def file_of(step: Step) -> VaultPath:
    """Return the file that a step is about, as it was called then, or is since it came out of the trash."""
    return step.to if step.to is not None and is_hidden(step.path) else step.path


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
