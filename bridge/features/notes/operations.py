"""Lists notes by what they are and what they are linked with."""

import asyncio
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.moments import iso
from bridge.api.note_names import no_such_note, snapshot, sources_of, unknown_names
from bridge.api.note_text import read_text
from bridge.api.note_times import NoteTimes
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.api.where import FilterArguments, NoteFilter, Where, choose_among, notes_where
from bridge.api.write import (
    Expectation,
    Objections,
    WriteArguments,
    Written,
    execute_requests,
    expected_counts,
    make_previewed,
)
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.engine.open_vault import OpenVault
from bridge.errors import ConfirmationRequired, InvalidArguments
from bridge.features.entities.public import may_be_one
from bridge.index.hits import PassageHit
from bridge.index.note import IndexedNote, Notes
from bridge.markdown.kinds import title_of
from bridge.records import Record
from bridge.search.filters import NOTE_KEYS, filter_notes, sort_notes
from bridge.search.hits import read_shown
from bridge.search.related import find_related
from bridge.search.snippet import clean_text, cut_snippet, drop_headings, keep_values
from bridge.text.fold import fold_case, listing_key
from bridge.text.overlap import find_overlaps
from bridge.types import Among, Digest, VaultPath

Sort = Literal["path", "-path", "title", "-title", "modified", "-modified", "created", "-created", "-linked"]


class ListedNote(Record):
    """A note in a list.

    Attributes:
        path: The note.
        title: Its title.
        tags: Its tags, without `#`.
        modified: When the file was last modified.
        digest: SHA-256 of the file as indexed.
        note_type: The type that its property `type` names, if any.
        excerpt: How its text begins, if requested.
        created: When it was created: by its property `created` or `date created`, else as the system tells, if it does.
        aliases: Its other names.
        linked: Notes that link to it, if sorted by that.
    """

    path: VaultPath
    title: str
    tags: tuple[str, ...]
    modified: str
    digest: Digest
    note_type: str = ""
    excerpt: str = ""
    created: str | None = None
    aliases: tuple[str, ...] = ()
    linked: int | None = None


class FoundNotes(ListPage):
    """A page of a list of notes.

    Attributes:
        notes: The notes on this page.
        notices: Remarks, such as on a missing folder or tag.
    """

    notes: tuple[ListedNote, ...]
    notices: tuple[str, ...] = ()


@operation(
    example={"folder": "Bread", "sort": "title", "limit": 5},
    tasks=(
        "all that is tagged with a word, in a folder",
        "list notes in a folder",
        "notes with a tag",
        "notes where a property has a value",
        "notes for which a condition on properties, tags and dates is true",
        "notes changed lately",
        "notes that link to a note",
        "filter notes by date",
        "people, places and things in the vault",
        "most linked notes of a kind",
    ),
)
async def find_notes(
    call: Call,
    criteria: FilterArguments = NoteFilter(),
    links_to: VaultPath | None = None,
    linked_from: VaultPath | None = None,
    sort: Sort = "path",
    page: PageArguments = Page(50),
    excerpts: bool = False,
    where: Where = "",
) -> FoundNotes:
    """List notes by folder, tags, properties, links and dates, or by any condition.

    Args:
        links_to: Only notes linking to this name.
        linked_from: Only notes that this note links to.
        sort: `-` reverses: `-modified` is newest first, `-linked` most linked.
        excerpts: Add how each text begins.
        where: Only notes for which this expression of Obsidian's Bases is true, such as
            `rating > 3 && !file.hasTag("done") && file.mtime > now() - "7d"`.

    Raises:
        NoteNotFound: No such note `linked_from`, nor a link to `links_to`; the message names the closest.
        InvalidArguments: `where` cannot be read; the message says at which character.
    """
    vault = call.vault
    vault.require_keyword()
    resolved_links = await vault.resolved_links() if links_to is not None or sort == "-linked" else None
    notes = snapshot(vault, choose_among(vault, criteria.among, (criteria.folder, links_to, linked_from)))
    only, unknown = await notes_where(vault, notes, where)
    request = criteria.request(only=only)

    def find() -> FoundNotes:
        passing = filter_notes(notes, request)
        paths: AbstractSet[VaultPath] = notes.keys() if passing is None else passing
        if links_to is not None and resolved_links is not None:
            paths &= sources_of(vault, resolved_links, notes, links_to)
        if linked_from is not None:
            paths &= targets_of(vault, notes, linked_from)
        times = NoteTimes.of(notes.values(), vault.root)
        linked: dict[VaultPath, int] = {}
        if resolved_links is not None and sort == "-linked":
            linked = {path: len((resolved_links.sources(path) & notes.keys()) - {path}) for path in paths}
        keys = {**NOTE_KEYS, "created": times.creation_time, "linked": lambda note: linked[note.path]}
        found = sort_notes(map(notes.__getitem__, paths), keys[sort.removeprefix("-")], reverse=sort.startswith("-"))
        notices = (*unknown_names(notes, criteria.folder, criteria.tags, criteria.properties), *unknown)
        shown = tuple(summarize_note(note, times, linked.get(note.path)) for note in page.cut(found))
        return FoundNotes(shown, notices, **page.place(len(found)))

    found = await asyncio.to_thread(find)
    return replace(found, notes=await add_excerpts(vault, found.notes)) if excerpts else found


async def add_excerpts(vault: OpenVault, notes: Sequence[ListedNote]) -> tuple[ListedNote, ...]:
    shown = await read_shown(vault.index, [PassageHit(note.path, 0, 0.0) for note in notes])
    leads = {one.path: one.lead or one for one in shown}
    texts = {
        path: keep_values(one.text, one.labels, lambda _: False).strip() or one.text for path, one in leads.items()
    }
    begin = {path: cut_snippet(*drop_headings(text, clean_text(text), ())) for path, text in texts.items()}
    return tuple(replace(note, excerpt=begin.get(note.path, "")) for note in notes)


def targets_of(vault: OpenVault, notes: Notes, path: VaultPath) -> set[VaultPath]:
    if path not in notes:
        raise no_such_note(vault, path)
    resolved = (vault.names.resolve(link.target, path, link.kind).path for link in notes[path].links)
    return {target for target in resolved if target is not None and target != path}


def summarize_note(note: IndexedNote, times: NoteTimes, linked: int | None) -> ListedNote:
    created = times.creation_text(note)
    return ListedNote(
        note.path,
        note.title,
        tuple(note.tags),
        iso(note.mtime),
        note.digest,
        note.note_type,
        created=created,
        aliases=note.aliases,
        linked=linked,
    )


class ListedFolder(Record):
    """A folder in a list.

    Attributes:
        path: The folder.
        notes: Notes in it and its subfolders.
        direct: Notes directly in it.
    """

    path: Folder
    notes: int
    direct: int


class FolderList(Record):
    """Folders that contain notes.

    Attributes:
        folders: Sorted by path.
    """

    folders: tuple[ListedFolder, ...]


@operation(
    example={},
    tasks=(
        "how many notes each folder has",
        "show the folder structure",
        "which folders are there",
        "how are the notes organized",
    ),
)
async def list_folders(call: Call, among: Among | None = None) -> FolderList:
    """List the folders of the vault and how many notes each holds.

    Args:
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    call.vault.require_keyword()
    return await asyncio.to_thread(count_folders, snapshot(call.vault, choose_among(call.vault, among)))


def count_folders(paths: Iterable[VaultPath]) -> FolderList:
    direct = Counter(path.rpartition("/")[0] for path in paths)
    below: Counter[str] = Counter()
    for folder, count in direct.items():
        for parent in itertools.accumulate(folder.split("/"), lambda outer, inner: f"{outer}/{inner}"):
            below[parent] += count
    named = sorted(filter(None, below), key=listing_key)
    return FolderList(tuple(ListedFolder(Folder(folder), below[folder], direct[folder]) for folder in named))


class ListedTag(Record):
    """A tag in a list.

    Attributes:
        tag: The tag, without `#`, in its most common spelling.
        count: Notes with it.
    """

    tag: str
    count: int


class TagList(Record):
    """The tags in use.

    Attributes:
        tags: Most used first.
        notices: Remarks, such as on an unused `prefix`.
    """

    tags: tuple[ListedTag, ...]
    notices: tuple[str, ...] = ()


@operation(
    example={"prefix": "ferment"},
    tasks=("all tags with their counts", "which tags exist", "how often is a tag used"),
)
async def list_tags(call: Call, prefix: str = "", among: Among | None = None) -> TagList:
    """List the tags of the vault and how many notes carry each.

    Args:
        prefix: Only tags with this prefix, ignoring case.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    call.vault.require_keyword()
    notes = snapshot(call.vault, choose_among(call.vault, among))
    return await asyncio.to_thread(count_tags, notes, fold_case(prefix.strip().removeprefix("#")))


def count_tags(notes: Notes, prefix: str) -> TagList:
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for note in notes.values():
        for folded, written in {fold_case(tag): tag for tag in note.tags}.items():
            spellings[folded][written] += 1
    found = [
        ListedTag(max(written, key=lambda tag: (written[tag], tag)), written.total())
        for folded, written in spellings.items()
        if folded.startswith(prefix)
    ]
    notices = unknown_names(notes, tags=[prefix]) if prefix and not found else ()
    return TagList(tuple(sorted(found, key=lambda tag: (-tag.count, listing_key(tag.tag)))), notices)


MIN_COMPARED_WORDS = 12

MAX_COMPARED_NOTES = 8

MIN_CONTAINED_SHARE = 0.8
"""The share of a text that another note must contain to be the better place for it."""

MAX_TEXT_CHARS = 20_000
"""Characters of a text that are compared."""


async def check_duplicates(call: Call, request: CreateNote) -> Objections:
    """Warn of notes that contain much of a new note's text, and object if one contains nearly all of it."""
    call.vault.require_keyword()
    vault, path, text = call.vault, request.path, request.text
    if vault.files.has(path):
        return (), None
    if len(text.split()) < MIN_COMPARED_WORDS and len(text) < 10 * MIN_COMPARED_WORDS:
        return (), None
    near = await find_related(vault.sources(), path=None, text=text[:MAX_TEXT_CHARS], limit=MAX_COMPARED_NOTES)
    title = title_of(path)

    def compare() -> list[tuple[VaultPath, float]]:
        texts = {
            hit.path: read_text(vault, hit.path) for hit in near.hits if may_be_one(title, hit.title, is_copy=True)
        }
        common = read_text(vault, request.template) if request.template is not None else ""
        return find_overlaps(text[:MAX_TEXT_CHARS], texts, common=common)

    # In a thread: the notes may be long.
    found = await asyncio.to_thread(compare)
    refusal = None
    if found and found[0][1] >= MIN_CONTAINED_SHARE:
        other, share = found[0]
        refusal = ConfirmationRequired(
            f"`{other}` already contains {share:.0%} of this text.",
            would=f"create `{path}`, though `{other}` already contains {share:.0%} of its text",
            hint=f"Append to `{other}` with `edit_note` instead, or repeat the call with `confirm`.",
            path=other,
            share=round(share, 2),
        )
    return tuple(f"`{other}` already contains {share:.0%} of this text." for other, share in found), refusal


@operation(
    example={
        "edits": [
            {"op": "create_note", "path": "Bread/Leaven.md", "text": "What makes it rise."},
            {
                "op": "edit_note",
                "path": "Bread/Starters/Sourdough starter.md",
                "edits": [{"op": "append", "text": "See [[Leaven]]."}],
            },
        ],
        "expect": {"files": 2, "links_broken": 0},
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "several changes as one, all or nothing",
        "edit many notes at once",
        "delete several notes",
        "convert an inline field to a property",
        "merge notes and delete the rest",
        "swap two notes",
    ),
)
async def change_set(
    call: Call,
    edits: Annotated[tuple[Request, ...], Meta(max_length=1_000)] = (),
    preview: Annotated[str, Meta(max_length=20)] | None = None,
    *,
    expect: Expectation | None = None,
    options: WriteArguments,
) -> Written:
    """Make several changes as one: all or nothing, one after the other, undone together.

    Args:
        edits: The changes; each takes the arguments of the operation that `op` names.
        preview: In place of changes, the id that a dry run of any change has returned: what it showed is made, or
            refused if something that it touches has changed.
        expect: Their expected combined effect; any other is refused.

    Raises:
        ExpectationFailed: The effect differs from `expect` or from the preview; the error says how.
        ChangeNotFound: No such preview of this client; the latest 20 are kept until the bridge stops.
        NoteNotFound: No such note; the message names the closest.
        NoteExists: A file to be created exists.
        NoteChanged: A note's content does not match its `digest`.
        SettingsUnreadable: An Obsidian settings file that decides where a file belongs cannot be read.
    """
    if preview is not None:
        if edits or expect is not None:
            raise InvalidArguments("`preview` stands in place of `edits` and `expect`.")
        return await make_previewed(call, preview, options)
    if not edits:
        raise InvalidArguments("`edits` is empty.", hint="Give the changes, or the `preview` of a dry run.")
    return await execute_requests(
        call,
        edits,
        options,
        operation="change_set",
        expect=expected_counts(expect),
    )
