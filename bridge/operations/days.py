"""Daily notes."""

import asyncio
from dataclasses import dataclass, replace
from datetime import date as day_of_calendar
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from annotated_types import MaxLen

from bridge.edits import Append, InsertUnder
from bridge.errors import NoteExists, NoteNotFound
from bridge.operations.call import Call
from bridge.operations.registry import operation
from bridge.operations.writing import Reason
from bridge.operations.written import Written, carried_out
from bridge.requests import CreateNote, EditNote, Request
from bridge.types import Day, Digest, VaultPath

if TYPE_CHECKING:
    from bridge.engine import VaultEngine
    from bridge.vault import Filled


TODAY = Day("today")


@dataclass(frozen=True, slots=True)
class DailyNote:
    """The daily note of a day.

    Attributes:
        path: Where it lies, by the vault's own settings, whether or not there is one.
        date: The day.
        text: Its whole text, after what was appended; null when there is none.
        digest: SHA-256 of the whole file; null when there is none.
        change_id: The change that appended; null when nothing was written.
        diff: What changed, as a unified diff.
        state: `applied`; or `proposed`, when it waits until the user accepts it.
        warnings: What to know about it.
    """

    path: VaultPath
    date: str
    text: str | None
    digest: Digest | None
    change_id: str | None
    diff: str
    state: Literal["applied", "proposed"]
    warnings: tuple[str, ...]


class How(TypedDict):
    """How an addition is made."""

    dry_run: bool
    reason: str | None
    confirm: bool
    operation: str


@operation(example={"date": "2026-01-31"}, reads=False)
async def daily_note(
    call: Call,
    date: Annotated[Day, MaxLen(40)] = TODAY,
    append: str | None = None,
    heading: Annotated[str, MaxLen(2_000)] | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> DailyNote:
    """Read the daily note of a day, or add to it; one that is missing is then made from the vault's template.

    Args:
        date: The day.
        append: Markdown to add.
        heading: Add it under this heading instead of at the end.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although it is large.

    Raises:
        Forbidden: The caller may not write, and asks to append.
        HeadingNotFound: The note has no such heading; `headings` lists those it has.
        NoteNotFound: The vault's template of daily notes is not there.
        ConfirmationRequired: The change is large.
    """
    from bridge.vault import daily_path, read_obsidian_settings

    day = day_of_calendar.fromisoformat(date)
    path = daily_path(await asyncio.to_thread(read_obsidian_settings, call.engine.root), day)
    written = None
    if append is not None:
        call.principal.require("write")
        how: How = {"dry_run": dry_run, "reason": reason, "confirm": confirm, "operation": "daily_note"}
        written = await added(call, path, day, append, heading, how)
    text, digest = await asyncio.to_thread(present, call.engine, path)
    return DailyNote(
        path=path,
        date=day.isoformat(),
        text=text,
        digest=digest,
        change_id=written.change_id if written else None,
        diff=written.diff if written else "",
        state=written.state if written else "applied",
        warnings=written.warnings if written else (),
    )


async def added(call: Call, path: VaultPath, day: day_of_calendar, text: str, heading: str | None, how: How) -> Written:
    """Add to a daily note, or make it."""
    from bridge.changes import below

    edit = Append(text=text) if heading is None else InsertUnder(heading=heading, text=text)
    there = EditNote(path, (edit,))
    try:
        if call.engine.vault.has(path):
            return await carried_out(call, [there], **how)
        start = await asyncio.to_thread(begun, call.engine, path, day)
        requests: list[Request] = [CreateNote(path, start.text), there]
        if heading is None:
            requests = [CreateNote(path, below(start.text, text))]
        made = await carried_out(call, requests, **how)
        return replace(made, warnings=(*start.warnings, *made.warnings))
    except NoteExists:
        # Obsidian or another program made it meanwhile.
        return await carried_out(call, [there], **how)


def begun(engine: "VaultEngine", path: VaultPath, day: day_of_calendar) -> "Filled":
    """Return what a new daily note begins with.

    Raises:
        NoteNotFound: The template is not there.
    """
    from bridge.vault import Filled, filled, moment_of, read_obsidian_settings

    settings = read_obsidian_settings(engine.root)
    template = settings.daily_template
    if template is None:
        return Filled("")
    try:
        data, _ = engine.vault.read(template)
    except NoteNotFound:
        raise NoteNotFound(
            f"The vault's template of daily notes, `{template}`, is not there.",
            hint="Choose another one in Obsidian's settings of daily notes.",
            path=template,
        ) from None
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    title = path.rpartition("/")[2].removesuffix(".md")
    when = moment_of(day, datetime.now().astimezone())
    return filled(text, title, when, date_format=settings.date_format, time_format=settings.time_format)


def present(engine: "VaultEngine", path: VaultPath) -> tuple[str | None, Digest | None]:
    """Read a note, if there is one."""
    from bridge.changes import digest_of, shown, text_of

    try:
        data, _ = engine.vault.read(path)
    except NoteNotFound:
        return None, None
    return shown((text_of(data) or "").removeprefix("\ufeff")), digest_of(data)
