"""Daily notes."""

import asyncio
from datetime import date as day_of_calendar
from datetime import datetime
from typing import Annotated

from msgspec import Meta
from msgspec.structs import asdict, replace

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, WriteOptions, Written, execute_requests, nothing_written
from bridge.changes.requests.create_note import CreateNote, append_to_template
from bridge.changes.requests.edit_note import EditNote
from bridge.engine.host import Host
from bridge.errors import InvalidArguments, NoteExists, NoteNotFound
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.properties import build_note
from bridge.markdown.edit.requests import Append, Edit, InsertUnder
from bridge.markdown.moment_format import FilledTemplate, fill_template
from bridge.markdown.names import note_name
from bridge.text.diff import decode_text, display_text
from bridge.types import Day, Digest, Exact, VaultPath
from bridge.vault.obsidian_settings import DAILY_SETTINGS, daily_path, read_obsidian_settings

TODAY = Day("today")


class DailyNote(Written, kw_only=True):
    """The daily note of a day, with what was added to it.

    Attributes:
        date: The day.
        text: Its whole text after the append; null if missing.
    """

    date: str
    text: Exact | None


@operation(
    example={"date": "2026-01-31"},
    reads=False,
    tasks=(
        "read today's daily note",
        "add to the daily note",
        "add a line to today's note",
        "write into the journal of a day",
        "today's note",
        "log something for yesterday",
    ),
)
async def daily_note(
    call: Call,
    date: Annotated[Day, Meta(max_length=40)] = TODAY,
    append: str | None = None,
    heading: Annotated[str, Meta(max_length=2_000)] | None = None,
    create_heading: bool = False,
    *,
    options: WriteArguments,
) -> DailyNote:
    """Read the daily note of a day, or add to it, which makes a missing one from the vault's template.

    Args:
        date: The day.
        append: Markdown to append.
        heading: Append under this heading instead of at the end.
        create_heading: Add the heading if missing.

    Raises:
        Forbidden: `append` is given and the caller may not write.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        NoteNotFound: The daily note template is missing.
        SettingsUnreadable: Obsidian's daily note settings cannot be read.
    """
    day = day_of_calendar.fromisoformat(date)
    settings = await asyncio.to_thread(read_obsidian_settings, call.host.root)
    path = daily_path(settings, day)
    problem = settings.problem_of(*DAILY_SETTINGS)
    written = replace(nothing_written(path, ""), warnings=(f"{problem} The path is a guess.",) if problem else ())
    if append is not None:
        call.principal.require("write")
        settings.require(*DAILY_SETTINGS, hint="or name the note yourself, with `create_note` or `edit_note`.")
        if not append.strip():
            raise InvalidArguments("`append` must not be blank.", hint="Omit it to read the note.")
        edit: Edit = Append(text=append)
        if heading is not None:
            edit = InsertUnder(heading=heading, text=append, create_heading=create_heading)
        written = await add_to_daily_note(call, path, day, edit, options)
    text, digest = await asyncio.to_thread(read_if_present, call.host, path)
    facts = {**asdict(written), "digest": digest, "dry_run": options.dry_run and append is not None}
    return DailyNote(**facts, date=day.isoformat(), text=text)


async def add_to_daily_note(
    call: Call, path: VaultPath, day: day_of_calendar, edit: Edit, options: WriteOptions
) -> Written:
    """Add to a daily note; a missing one is created."""
    there = EditNote(path, (edit,))
    try:
        if call.host.files.has(path):
            return await execute_requests(call, [there], options, operation="daily_note")
        start = await asyncio.to_thread(fill_daily_template, call.host, path, day)
        new = CreateNote(path, edit_new_text(path, start.text, edit))
        made = await execute_requests(call, [new], options, operation="daily_note")
        return replace(made, warnings=(*start.warnings, *made.warnings))
    except NoteExists:
        # Obsidian or another program created it in the meantime.
        return await execute_requests(call, [there], options, operation="daily_note")


def edit_new_text(path: VaultPath, start: str, edit: Edit) -> str:
    if isinstance(edit, Append):
        return append_to_template(start, edit.text)
    return apply_edits(path, build_note(path, start), [edit]).decode()


def fill_daily_template(host: Host, path: VaultPath, day: day_of_calendar) -> FilledTemplate:
    settings = read_obsidian_settings(host.root)
    template = settings.daily_template
    if template is None:
        return FilledTemplate("")
    try:
        data, _ = host.files.read(template)
    except NoteNotFound:
        raise NoteNotFound(
            f"There is no daily note template `{template}`.",
            hint="Choose another one in Obsidian's daily note settings.",
            path=template,
        ) from None
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    when = time_on_day(day, datetime.now().astimezone())
    return fill_template(
        text, note_name(path), when, date_format=settings.date_format, time_format=settings.time_format
    )


def read_if_present(host: Host, path: VaultPath) -> tuple[str | None, Digest | None]:
    try:
        data, _ = host.files.read(path)
    except NoteNotFound:
        return None, None
    return display_text((decode_text(data) or "").removeprefix("\ufeff")), digest_of(data)


def time_on_day(day: day_of_calendar, now: datetime) -> datetime:
    there = datetime.combine(day, now.astimezone().time())
    local = there.astimezone()
    # A time that the clock skips is moved forward; otherwise it might fall on the day before.
    return local if local.replace(tzinfo=None) == there else there.replace(fold=1).astimezone()
