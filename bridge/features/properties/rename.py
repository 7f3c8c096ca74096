"""Renames tags and properties, and replaces values, in all notes as one change."""

from collections.abc import Callable, Collection
from typing import Annotated, Literal

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Folder, Scalar
from bridge.api.note_names import folder_of
from bridge.api.registry import operation
from bridge.api.write import (
    MAX_FILES,
    Expectation,
    WriteArguments,
    WriteOptions,
    Written,
    author,
    build_written,
    expected_counts,
    outcome_notices,
)
from bridge.changes.effect import SkippedFile
from bridge.changes.requests.base import Request
from bridge.changes.requests.many_notes import ChangeValues, RenameProperty, RenameTag
from bridge.errors import InvalidArguments, TextNotFound
from bridge.index.note import IndexedNote
from bridge.markdown.edit.properties import read_items
from bridge.markdown.edit.tags import TagRename
from bridge.markdown.edit.yaml_write import is_same_value
from bridge.search.filters import no_such_property, no_such_tag
from bridge.text.counts import count_of
from bridge.text.fold import fold_case
from bridge.types import Exact, VaultPath

Name = Annotated[str, Meta(max_length=200)]


class ManyWritten(Written, kw_only=True):
    """A change of many notes.

    Attributes:
        occurrences: How often the name or value stood in the files that change.
        skipped: Notes that have it and cannot be changed on their own, at most 1,000.
        named_in: Queries, bases and bookmarks with the name, in which nothing is changed.
    """

    occurrences: int = 0
    skipped: tuple[SkippedFile, ...] = ()
    named_in: tuple[Exact, ...] = ()


@operation(
    example={"tag": "maths", "to": "science/maths", "dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "rename a tag everywhere",
        "rename the tag #todo to #task in all notes",
        "merge two tags",
        "move a tag below another",
        "change the case of a tag",
    ),
)
async def rename_tag(
    call: Call,
    tag: Name,
    to: Name,
    children: bool = True,
    expect: Expectation | None = None,
    *,
    options: WriteArguments,
) -> ManyWritten:
    """Rename a tag in the properties and the text of all notes and canvases, or merge it into another.

    The agents' folder stays as it is.

    Args:
        tag: The tag, in any case.
        to: The new tag.
        children: Rename nested tags, too: `tag/a` to `to/a`.
        expect: The expected effect; any other is refused.

    Raises:
        TextNotFound: No note has the tag; the message names the closest.
        ProtectedPath: A read-only note would have to change.
        ExpectationFailed: The effect differs from `expect`; the error says how.
    """
    rename = TagRename.of(tag, to, children=children)
    if rename.old == rename.to:
        raise InvalidArguments(f"`{tag}` and `{to}` are the same tag.")
    path = first_note(
        call,
        "",
        lambda note: any(map(rename.apply, note.tags)),
        "`list_tags` lists the tags.",
        lambda: no_such_tag(call.vault.index.notes, tag) or f"No note has another spelling of `{tag}`.",
    )
    return await change_many(call, RenameTag(path=path, tag=tag, to=to, children=children), expect, options)


@operation(
    example={"name": "rating", "to": "score", "dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "rename a property everywhere",
        "rename a frontmatter field in all notes",
        "change the case of a property's name",
        "merge two properties into one",
    ),
)
async def rename_property(
    call: Call,
    name: Name,
    to: Name,
    folder: Folder | None = None,
    on_clash: Literal["refuse", "keep", "merge"] = "refuse",
    expect: Expectation | None = None,
    *,
    options: WriteArguments,
) -> ManyWritten:
    """Rename a property in all notes; its values, comments and quotes stay.

    Args:
        name: The property, in any case.
        to: The new name.
        folder: Only in notes under this folder; the agents' folder stays as it is unless it is named.
        on_clash: For notes that have a property `to` already: `merge` joins the values, `keep` leaves such notes alone.
        expect: The expected effect; any other is refused.

    Raises:
        TextNotFound: No note has the property; the message names the closest.
        FolderNotFound: There is no such folder.
        ProtectedPath: A read-only note would have to change.
        ExpectationFailed: The effect differs from `expect`; the error says how.
    """
    name, to = name.strip(), to.strip()
    if name == to:
        raise InvalidArguments(f"`{name}` has that name already.")
    inside = own_folder(call, folder)
    path = first_note(
        call,
        inside,
        property_test(name, inside),
        "`property_report` lists the properties.",
        missing_property(call, name),
    )
    request = RenameProperty(path=path, name=name, to=to, folder=inside, on_clash=on_clash)
    return await change_many(call, request, expect, options)


@operation(
    example={"name": "rating", "old": 4, "to": 5, "dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "change a value of a property in all notes",
        "normalise the values of a property",
        "replace the status todo by open everywhere",
        "unify spellings of a property's value",
    ),
)
async def change_values(
    call: Call,
    name: Name,
    old: Scalar,
    to: Scalar,
    folder: Folder | None = None,
    expect: Expectation | None = None,
    *,
    options: WriteArguments,
) -> ManyWritten:
    """Replace a value of a property in all notes, also as an item of a list.

    Args:
        name: The property, in any case.
        old: The value as `property_report` lists it: `1` is not `"1"`, and case counts.
        to: The new value.
        folder: Only in notes under this folder; the agents' folder stays as it is unless it is named.
        expect: The expected effect; any other is refused.

    Raises:
        TextNotFound: No note has the property with that value; the message names the closest.
        FolderNotFound: There is no such folder.
        ProtectedPath: A read-only note would have to change.
        ExpectationFailed: The effect differs from `expect`; the error says how.
    """
    name = name.strip()
    if is_same_value(old, to):
        raise InvalidArguments("The old value and the new one are the same.")
    inside = own_folder(call, folder)
    has = property_test(name, inside)

    def has_value(note: IndexedNote) -> bool:
        return has(note) and any(
            is_same_value(item, old)
            for own, value in note.properties.items()
            if fold_case(own) == fold_case(name)
            for item in read_items(value)
        )

    path = first_note(call, inside, has_value, "`property_report` lists the values.", missing_property(call, name, old))
    return await change_many(call, ChangeValues(path=path, name=name, old=old, to=to, folder=inside), expect, options)


def own_folder(call: Call, folder: str | None) -> str:
    call.vault.require_keyword()
    return folder_of(call.vault.index.notes.keys(), folder).strip("/")


def property_test(name: str, folder: str) -> Callable[[IndexedNote], bool]:
    folded, inside = fold_case(name), f"{folder}/" if folder else ""

    def has(note: IndexedNote) -> bool:
        return note.path.startswith(inside) and any(fold_case(own) == folded for own in note.properties)

    return has


def missing_property(call: Call, name: str, *values: Scalar) -> Callable[[], str]:
    def say() -> str:
        shown = f"`{name}` with the value `{values[0]}`" if values else f"`{name}`"
        return no_such_property(call.vault.index.notes, name, *values) or f"No note there has {shown} written so."

    return say


def first_note(
    call: Call, folder: str, has: Callable[[IndexedNote], bool], hint: str, explain: Callable[[], str]
) -> VaultPath:
    call.vault.require_keyword()
    index = call.vault.index
    names_agents = f"{folder}/".startswith(f"{index.kept_apart.path}/")
    notes = index.view("all" if names_agents else "notes").notes
    found = min((path for path, note in notes.items() if has(note)), default=None)
    if found is None:
        raise TextNotFound(explain(), hint=hint)
    return found


async def change_many(call: Call, request: Request, expect: Expectation | None, options: WriteOptions) -> ManyWritten:
    outcome = await call.vault.executor.carry(
        [request],
        author(call, request.op, options.reason, confirm=options.confirm),
        dry_run=options.dry_run,
        expect=expected_counts(expect),
    )
    made, effect = await build_written(outcome, dry_run=options.dry_run), outcome.planned.effect
    waiting = await outcome_notices(call.vault, outcome)
    written = {name: getattr(made, name) for name in Written.__struct_fields__}
    written["warnings"] = (*made.warnings, *skip_warnings([one.path for one in effect.skipped]), *waiting)
    return ManyWritten(
        **written,
        occurrences=sum(effect.occurrences.values()),
        skipped=effect.skipped[:MAX_FILES],
        named_in=effect.named_in[:MAX_FILES],
    )


def skip_warnings(paths: Collection[VaultPath]) -> tuple[str, ...]:
    return (
        (f"{count_of(len(paths), 'note')} cannot be changed safely and stay as they are: see `skipped`.",)
        if paths
        else ()
    )
