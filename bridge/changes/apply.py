"""Applies requests to a draft: each request becomes the steps that do it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, assert_never

from bridge.changes.alias import rename_alias
from bridge.changes.delete import remove
from bridge.changes.draft import Draft, digest_of
from bridge.changes.effect import Effect
from bridge.changes.heading import rename_heading
from bridge.changes.move import move
from bridge.changes.rebase import preview_merge
from bridge.changes.requests import (
    AddTask,
    CreateNote,
    DeleteNote,
    EditNote,
    MoveNote,
    RenameAlias,
    RenameHeading,
    Renaming,
    Request,
    SetProperties,
    ToggleTask,
)
from bridge.changes.view import VaultView
from bridge.errors import BridgeError, InvalidArguments, NoteChanged, NoteExists, NoteNotFound
from bridge.markdown.edit.apply import apply_edits, is_replacement, uses_line_numbers
from bridge.markdown.edit.create import build_note
from bridge.markdown.edit.properties import edit_properties
from bridge.markdown.edit.requests import AddItem
from bridge.markdown.edit.tasks import task_text, toggle_task, uses_dataview_fields
from bridge.markdown.kinds import kind_of
from bridge.markdown.parse import parse
from bridge.markdown.sections import has_line_number
from bridge.markdown.template import fill_template
from bridge.text.diff import decode_text, diff_lines, split_lines
from bridge.types import Digest, VaultPath, is_same_digest
from bridge.vault.obsidian_settings import ObsidianSettings


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What a request may need of the vault besides the notes that it names."""

    known: Callable[[Draft], VaultView]
    """Returns the names and links of the vault as in the draft."""
    obsidian: Callable[[], ObsidianSettings]
    now: datetime
    """In local time."""
    read_before: Callable[[Digest], bytes | None] = field(default=lambda _digest: None)
    """Returns recently read content by its digest; None when it is no longer known."""


@dataclass(frozen=True, slots=True)
class AppliedRequest:
    """The outcome of a request in the draft."""

    path: VaultPath
    """The note that the request is about, by its path afterwards."""
    effect: Effect = field(default_factory=Effect)


def apply_request(request: Request, draft: Draft, around: RequestContext) -> AppliedRequest:
    """Add the steps of one request to the draft.

    Raises:
        BridgeError: The request cannot be applied; see the operation of its name.
    """
    match request:
        case MoveNote() | RenameHeading() | RenameAlias() | DeleteNote():
            return _rename(request, draft, around)
        case CreateNote():
            return _create(request, draft, around)
        case EditNote() | SetProperties():
            change = partial(_edit_bytes, request, around=around)
            data = _read_unchanged(request.path, request.digest, draft, around, change)
            if isinstance(request, EditNote):
                if any(map(uses_line_numbers, request.edits)):
                    _require_lines(draft, request.path, data, request.digest)
                if request.digest is None and any(map(is_replacement, request.edits)):
                    _require_own(draft, request.path, data, change, "replace text")
            draft.replace(request.path, change(data))
            return AppliedRequest(request.path)
        case ToggleTask():
            return _toggle(request, draft, around)
        case AddTask():
            return _add_task(request, draft, around)
        case _:
            assert_never(request)


def _rename(request: Renaming, draft: Draft, around: RequestContext) -> AppliedRequest:
    """Move, rename or delete, with the vault's links updated."""
    path, known = request.path, around.known(draft)
    if path in known.names:
        data = _read_unchanged(path, request.digest, draft, around)
        if isinstance(request, DeleteNote) and request.digest is None:
            _require_own(draft, path, data, lambda _: b"", "delete a note")
        if isinstance(request, RenameHeading) and has_line_number(request.heading):
            _require_lines(draft, path, data, request.digest)
    if isinstance(request, DeleteNote):
        around.obsidian().require("app.json", hint="which says where deleted files go.")
    match request:
        case MoveNote():
            planned = move(path, request.to, known)
            path = request.to
        case RenameHeading():
            planned = rename_heading(path, request.heading, request.to, known)
        case RenameAlias():
            types = around.obsidian().property_types
            planned = rename_alias(path, request.alias, request.to, known, types, links=request.links)
        case DeleteNote():
            planned = remove(path, known)
    draft.take(planned.plan)
    return AppliedRequest(path, planned.effect)


def _edit_bytes(request: EditNote | SetProperties, data: bytes, around: RequestContext) -> bytes:
    """Return a note's bytes after an edit."""
    path = request.path
    match request:
        case EditNote():
            return apply_edits(path, data, request.edits)
        case SetProperties():
            return edit_properties(path, data, request.properties, request.remove, around.obsidian().property_types)


def _require_lines(draft: Draft, path: VaultPath, data: bytes, digest: Digest | None = None) -> None:
    """Refuse line numbers when an earlier edit of the change may have shifted the lines that the client counted.

    Args:
        draft: The change so far.
        path: The note.
        data: Its current bytes in the draft.
        digest: The version whose lines the client counted, if given.

    Raises:
        InvalidArguments: The note is not as the client read it.
    """
    origin = draft.origin(path)
    if origin is None or data == draft.as_read(origin):
        return
    if digest is not None and is_same_digest(digest_of(data), digest):
        return
    raise InvalidArguments(
        f"An earlier edit of this set changed `{path}`, so line numbers no longer mean what you read.",
        hint="Put both edits into one `edit_note`, or use `replace_text`.",
        path=path,
    )


def _require_own(draft: Draft, path: VaultPath, data: bytes, change: Callable[[bytes], bytes], what: str) -> None:
    """Let a client that gives no digest remove only lines that this change itself has written.

    Args:
        draft: The change so far.
        path: The file.
        data: Its current bytes in the draft.
        change: Returns its new bytes.
        what: What the client wants to do, for the message.

    Raises:
        InvalidArguments: Lines that were there before the change would be removed.
    """
    origin = draft.origin(path)
    if origin is None:
        return
    first = draft.as_read(origin)
    if data != first:
        then, now, later = (split_lines(decode_text(each) or "") for each in (first, data, change(data)))
        own = {line for piece in diff_lines(then, now) for line in piece.after}
        if own.issuperset(line for piece in diff_lines(now, later) for line in piece.before):
            return
    raise InvalidArguments(
        f"`digest` is needed to {what}: it says what you read.",
        hint="`read_note` and `find_notes` return it; its first 12 digits are enough.",
        path=path,
    )


def _create(request: CreateNote, draft: Draft, around: RequestContext) -> AppliedRequest:
    """Create a note.

    Raises:
        NoteExists: There is a file of this path.
        NoteNotFound: There is no such template.
        InvalidArguments: The path is not that of a note.
    """
    path = request.path
    if kind_of(path) != "note":
        raise InvalidArguments(f"`{path}` would be no note.", hint=f"Notes end with `.md`: `{path}.md`?")
    if draft.has(path):
        raise NoteExists(f"There is a note `{path}` already.", path=path)
    text, warnings = request.text, tuple[str, ...]()
    if request.template is not None:
        title = path.rpartition("/")[2].removesuffix(".md")
        start = fill_template(
            _read_template(request.template, draft, around),
            title,
            around.now,
            date_format=around.obsidian().date_format,
            time_format=around.obsidian().time_format,
        )
        text, warnings = append_to_template(start.text, text), start.warnings
    draft.create(path, build_note(path, text, request.properties, around.obsidian().property_types))
    return AppliedRequest(path, Effect(warnings=warnings))


def append_to_template(start: str, text: str) -> str:
    """Append text to a filled template."""
    if not text:
        return start
    return f"{start.rstrip()}\n\n{text}" if start.strip() else text


def _toggle(request: ToggleTask, draft: Draft, around: RequestContext) -> AppliedRequest:
    """Change the checkbox of a task."""
    done = toggle_task(
        request.path,
        draft.read(request.path),
        request.line,
        today=around.now.date(),
        text=request.text,
        status=request.status,
        settings=around.obsidian().tasks,
    )
    draft.replace(request.path, done.data)
    return AppliedRequest(request.path, Effect(warnings=done.warnings))


def _add_task(request: AddTask, draft: Draft, around: RequestContext) -> AppliedRequest:
    """Add a task in the notation of the note's other tasks."""
    path, settings = request.path, around.obsidian().tasks
    data = draft.read(path)
    if request.heading is not None and has_line_number(request.heading):
        _require_lines(draft, path, data)
    fields = uses_dataview_fields(parse(path, data).tasks, settings)
    text = task_text(request.text, due=request.due, priority=request.priority, dataview=fields, settings=settings)
    item = AddItem(heading=request.heading, text=text, task=True, create_heading=request.create_heading)
    draft.replace(path, apply_edits(path, data, [item]))
    return AppliedRequest(path)


def _read_template(path: VaultPath, draft: Draft, around: RequestContext) -> str:
    """Read a template, by its path or by its name in the templates folder.

    Raises:
        NoteNotFound: There is no such template.
    """
    settings = around.obsidian()
    settings.require("templates.json", hint="which says where templates are and how they write dates.")
    folder = settings.template_folder
    for place in (path, f"{path}.md", *((f"{folder}/{path}", f"{folder}/{path}.md") if folder else ())):
        if draft.is_file(VaultPath(place)):
            return draft.read(VaultPath(place)).decode("utf-8-sig", "replace").replace("\r\n", "\n")
    where = f"`find_notes` with the folder `{folder}` lists them." if folder else None
    raise NoteNotFound(f"There is no template `{path}`.", hint=where, path=path)


def _read_unchanged(
    path: VaultPath,
    digest: Digest | None,
    draft: Draft,
    around: RequestContext,
    change: Callable[[bytes], bytes] | None = None,
) -> bytes:
    """Return a file's bytes in the draft, if the digest matches a version that it has or had in this change.

    Raises:
        NoteNotFound: There is no such file.
        NoteChanged: It matches none.
    """
    data = draft.read(path)
    if digest is not None and not any(is_same_digest(state, digest) for state in draft.states(path)):
        facts = _describe_difference(path, around.read_before(digest), data, change)
        found = digest_of(data)
        raise NoteChanged(f"`{path}` changed since you read it.", path=path, expected=digest, found=found, **facts)
    return data


def _describe_difference(
    path: VaultPath, base: bytes | None, data: bytes, change: Callable[[bytes], bytes] | None
) -> dict[str, Any]:
    """Describe what changed since a file was read, and what the requested change would be on it now."""
    if base is None:
        return {}
    wanted = None
    if change is not None:
        with suppress(BridgeError):
            wanted = change(base)
    found = preview_merge(path, base, data, wanted)
    told = {"differs": found.differs, "merged_diff": found.merged_diff, "merged_text": found.merged_text}
    return {name: value for name, value in told.items() if value}


def merge_effects(effects: list[Effect]) -> Effect:
    """Merge the effects of several requests into one."""
    whole = Effect()
    for one in effects:
        whole = replace(
            whole,
            files=tuple(dict.fromkeys((*whole.files, *one.files))),
            moved=whole.moved + one.moved,
            links_rewritten=whole.links_rewritten + one.links_rewritten,
            rewritten=(*whole.rewritten, *one.rewritten),
            broken=(*whole.broken, *one.broken),
            mended=(*whole.mended, *one.mended),
            named_in=tuple(dict.fromkeys((*whole.named_in, *one.named_in))),
            warnings=(*whole.warnings, *one.warnings),
        )
    return whole
