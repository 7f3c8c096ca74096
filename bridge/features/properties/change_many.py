"""Changes many notes as one: their properties, tags, text and folder."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import asdict

from bridge.api.call import Call
from bridge.api.change_view import describe_forecast
from bridge.api.hints import Folder, Scalar
from bridge.api.note_names import folder_of, unknown_names
from bridge.api.registry import operation
from bridge.api.where import Where, notes_among, notes_where
from bridge.api.write import (
    MAX_FILES,
    Expectation,
    WriteArguments,
    WriteOptions,
    Written,
    build_written,
    execute_for_outcome,
    expected_counts,
    keep_preview,
    offer_preview,
    outcome_notices,
)
from bridge.changes.effect import SkippedFile
from bridge.changes.forecast import CountForecast
from bridge.changes.requests.base import Request
from bridge.changes.requests.many_notes import (
    ChangeValues,
    EditProperties,
    RenameProperty,
    RenameTag,
    ReplaceEverywhere,
)
from bridge.changes.requests.move_note import MoveNote
from bridge.errors import InvalidArguments, NoteNotFound, TextNotFound
from bridge.index.note import IndexedNote
from bridge.markdown.edit.properties import read_items, require_property_name
from bridge.markdown.edit.tags import TagRename
from bridge.markdown.edit.yaml_write import is_same_value
from bridge.search.filters import filter_notes, folder_spelling, no_such_property, no_such_tag
from bridge.search.model import SearchRequest
from bridge.text.counts import count_of
from bridge.text.fold import fold_case
from bridge.types import EXACT_MARK, Exact, VaultPath

Name = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=10_000)]

MAX_NOTES = 10_000
"""Most notes that a call can name."""


class ManyWritten(Written, kw_only=True):
    """A change of many notes.

    Attributes:
        occurrences: How often the name or value stood in the files that change.
        skipped: Notes that have it and cannot be changed on their own, at most 1,000.
        named_in: Queries, bases and bookmarks with the name, in which nothing is changed.
        forecast: The counts of the vault that would differ afterwards; only of a dry run.
    """

    occurrences: int = 0
    skipped: tuple[SkippedFile, ...] = ()
    named_in: tuple[Exact, ...] = ()
    forecast: tuple[CountForecast, ...] = ()


@operation(
    example={"folder": "Bread/Starters", "properties": {"status": "done"}, "dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "set a property on many notes",
        "add a property to every note",
        "set a property on every note in a folder",
        "rename a property everywhere",
        "rename a frontmatter field in all notes",
        "change the case of a property's name",
        "merge two properties into one",
        "remove a property from many notes",
        "change a value of a property in all notes",
        "normalise the values of a property",
        "replace the status todo by open everywhere",
        "unify spellings of a property's value",
        "replace a word in all notes",
        "find and replace text in many notes",
        "add a tag to many notes",
        "remove a tag from many notes",
        "rename a tag everywhere",
        "rename the tag #todo to #task in all notes",
        "merge two tags",
        "move a tag below another",
        "change the case of a tag",
        "move many notes to another folder",
        "move all notes",
        "move the projects that are done",
        "change a word everywhere",
    ),
)
async def change_notes(
    call: Call,
    folder: Folder | None = None,
    tag: str | None = None,
    where: Where = "",
    paths: Annotated[tuple[VaultPath, ...], Meta(max_length=MAX_NOTES)] = (),
    properties: Annotated[Mapping[str, Any], EXACT_MARK] = {},
    old: Annotated[Mapping[str, Scalar], EXACT_MARK] = {},
    remove: tuple[Name, ...] = (),
    rename: Mapping[str, Name] = {},
    on_clash: Literal["refuse", "keep", "merge"] = "refuse",
    add_tags: tuple[Name, ...] = (),
    remove_tags: tuple[Name, ...] = (),
    rename_tags: Mapping[str, Name] = {},
    children: bool = True,
    find: Text = "",
    replace: Text = "",
    whole_words: bool = False,
    to: Folder | None = None,
    expect: Expectation | None = None,
    *,
    options: WriteArguments,
) -> ManyWritten:
    """Change all notes, or those that fit all of `folder`, `tag`, `where` and `paths`, as one.

    Args:
        folder: Only notes under this folder; those of agents only if it names their folder.
        tag: Only notes with this tag.
        where: Only notes for which this expression of Obsidian's Bases is true, as in `find_notes`.
        paths: Only these notes.
        properties: Properties to set.
        old: Only replace these values of `properties`, also as items of a list: `1` is not `"1"`, and case counts.
        remove: Properties to remove.
        rename: New names of properties; their values stay.
        on_clash: Where a note has the new name already: `merge` joins the values, `keep` leaves the note alone.
        add_tags: Tags to add to the properties.
        remove_tags: Tags to remove from the properties.
        rename_tags: New names of tags in properties and text, and in canvases; links to headings with them follow.
        children: Rename nested tags as well: `tag/a` to `to/a`.
        find: Text to replace, exactly as it stands.
        replace: The new text.
        whole_words: Leave `find` alone within longer words and names such as 東京都, and where a script without spaces
            does not show whether it is a word.
        to: Folder to move them to, as they lie in `folder`; links follow.
        expect: The expected effect; any other is refused.

    Raises:
        NoteNotFound: No note fits, or no such note; the message names the closest.
        FolderNotFound: There is no such folder.
        TextNotFound: No such note has the property, the value, the tag or the text; the message names the closest.
        NoteExists: There is a file of that name where a note would be moved to.
        InvalidArguments: `where` cannot be read, or nothing is to be changed.
        ProtectedPath: A note would move, and a link to it, or to a heading, stands in a read-only one.
        ExpectationFailed: The effect differs from `expect`; the error says how.
    """
    notes = await choose_notes(call, folder, tag, where, paths)
    among = tuple(path for path in notes if path.lower().endswith(".md"))
    first, requests = next(iter(notes)), list[Request]()
    for name in (*properties, *remove, *rename.values()):
        require_property_name(name.strip())
    for name, new in rename.items():
        require_property(call, notes, name)
        requests.append(RenameProperty(path=first, name=name.strip(), to=new.strip(), among=among, on_clash=on_clash))
    for name, value in old.items():
        if name not in properties or is_same_value(value, properties[name]):
            raise InvalidArguments(f"`properties` has no value of `{name}`, or the same one as `old`.")
        require_property(call, notes, name, value)
        requests.append(ChangeValues(path=first, name=name.strip(), old=value, to=properties[name], among=among))
    new_values = {name: value for name, value in properties.items() if name not in old}
    tags = [tuple(TagRename.of(name, name).old for name in names) for names in (add_tags, remove_tags)]
    if new_values or remove or any(tags):
        requests.append(
            EditProperties(
                first, among=among, properties=new_values, remove=remove, add_tags=tags[0], remove_tags=tags[1]
            )
        )
    for name, new in rename_tags.items():
        path = require_tag(call, notes, TagRename.of(name, new, children=children))
        only = tuple(notes) if folder or tag or where or paths else None
        requests.append(RenameTag(path=path, tag=name, to=new, children=children, among=only))
    if find:
        requests.append(ReplaceEverywhere(path=first, among=among, old=find, new=replace, whole_words=whole_words))
    if to is not None:
        every = call.vault.index.notes
        requests += list_moves(notes, folder_of(every, folder), folder_spelling(every, to) or to)
    if not requests:
        raise InvalidArguments(
            "Nothing is to be changed." if to is None else f"All of these notes are in `{to}` already.",
            hint="Give `properties`, `remove`, `rename`, `add_tags`, `remove_tags`, `rename_tags`, `find` or `to`.",
        )
    return await change_many(call, requests, "change_notes", expect, options)


def list_moves(notes: Iterable[VaultPath], origin: str, to: str) -> Iterator[MoveNote]:
    """Yield the moves of notes to a folder, as they lie in the one they are from; what lies there already stays."""
    place = f"{to.strip('/')}/".lstrip("/")
    for path in notes:
        new = VaultPath(place + (path.removeprefix(f"{origin}/") if origin else path.rpartition("/")[2]))
        if new != path and (not place or not path.startswith(place) or origin.startswith(place)):
            yield MoveNote(path, new)


async def choose_notes(
    call: Call, folder: str | None, tag: str | None, where: str, paths: Sequence[VaultPath]
) -> Mapping[VaultPath, IndexedNote]:
    vault = call.vault
    vault.require_keyword()
    every = notes_among(vault, None, folder, paths)
    inside = folder_of(every, folder)
    only, unknown = await notes_where(vault, every, where)
    passing = filter_notes(every, SearchRequest("", folder=inside, tags=(tag,) if tag else (), only=only))
    named = set(paths or every)
    found = {path: every[path] for path in sorted(every if passing is None else passing) if path in named}
    if not found:
        names = (*unknown_names(every, None, (tag,) if tag else ()), *unknown)
        raise NoteNotFound(" ".join(("No note fits.", *names)))
    return found


def require_property(call: Call, notes: Mapping[VaultPath, IndexedNote], name: str, *values: Scalar) -> None:
    """Require that one of some notes has a property, with the value if one is given."""
    folded = fold_case(name.strip())
    for note in notes.values():
        for own, value in note.properties.items():
            if fold_case(own) == folded and all(
                any(is_same_value(item, one) for item in read_items(value)) for one in values
            ):
                return
    shown = f"`{name}` with the value `{values[0]}`" if values else f"`{name}`"
    said = no_such_property(call.vault.index.notes, name, *values) or f"No note there has {shown} written so."
    raise TextNotFound(said, hint="`property_report` lists the properties and their values.")


def require_tag(call: Call, notes: Mapping[VaultPath, IndexedNote], rename: TagRename) -> VaultPath:
    """Return the first of some notes in which a tag would be renamed."""
    if rename.old == rename.to:
        raise InvalidArguments(f"`{rename.old}` and `{rename.to}` are the same tag.")
    path = next((path for path, note in notes.items() if any(map(rename.apply, note.tags))), None)
    if path is None:
        said = no_such_tag(call.vault.index.notes, rename.old) or f"No such note has a spelling of `{rename.old}`."
        raise TextNotFound(said, hint="`list_tags` lists the tags.")
    return path


async def change_many(
    call: Call, requests: Sequence[Request], operation: str, expect: Expectation | None, options: WriteOptions
) -> ManyWritten:
    with offer_preview(call, requests, operation, options.reason):
        outcome = await execute_for_outcome(
            call, requests, options, operation=operation, expect=expected_counts(expect), forecast=options.dry_run
        )
    made, effect = await build_written(outcome, dry_run=options.dry_run), outcome.planned.effect
    waiting = await outcome_notices(call.vault, outcome)
    written = asdict(made)
    if made.changed and made.path not in (one.path for one in made.changed):
        written |= {"path": made.changed[0].path, "digest": made.changed[0].digest}
    written["warnings"] = (*made.warnings, *skip_warnings([one.path for one in effect.skipped]), *waiting)
    if options.dry_run:
        written["preview"] = keep_preview(call, outcome.plan.steps, requests, operation, options.reason)
    return ManyWritten(
        **written,
        occurrences=sum(effect.occurrences.values()),
        skipped=effect.skipped[:MAX_FILES],
        named_in=effect.named_in[:MAX_FILES],
        forecast=describe_forecast(outcome.planned.forecast),
    )


def skip_warnings(paths: Collection[VaultPath]) -> tuple[str, ...]:
    return (f"{count_of(len(paths), 'note')} cannot be changed and stay as they are: see `skipped`.",) if paths else ()
