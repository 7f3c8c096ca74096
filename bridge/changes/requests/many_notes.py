"""Renaming and replacing in many notes at once."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress, islice
from operator import not_
from typing import Annotated, Any, ClassVar, Final, Literal

from msgspec import Meta, field
from msgspec.structs import replace

from bridge.changes.draft import Draft, plan_replacements
from bridge.changes.effect import Effect, PlanAndEffect, SkippedFile, name_warnings
from bridge.changes.heading import follow_headings, rename_alias, rename_heading
from bridge.changes.relink import Shift
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_lines
from bridge.changes.view import BOOKMARKS, VaultView
from bridge.errors import (
    InvalidArguments,
    InvalidProperties,
    NoteNotFound,
    NoteUnreadable,
    PathKept,
    TextNotFound,
    TooLarge,
)
from bridge.index.note import IndexedNote
from bridge.markdown.decode import BOM, encode_like
from bridge.markdown.edit.apply import find_text
from bridge.markdown.edit.draft import TextEdit, normalise_newlines, open_draft, splice
from bridge.markdown.edit.properties import (
    PropertyBlock,
    edit_properties,
    read_items,
    rename_key,
    require_property_name,
)
from bridge.markdown.edit.tags import TagRename, edit_tags, rename_tag
from bridge.markdown.edit.yaml_write import is_same_value
from bridge.markdown.frontmatter import OBSIDIAN_PROPERTIES, cut_frontmatter
from bridge.markdown.note import Value
from bridge.markdown.sections import has_line_number
from bridge.text.counts import count_of, join_some
from bridge.text.fold import fold_case, nfc
from bridge.text.invisible import inline, is_line
from bridge.text.scripts import NAME_END, NAME_START
from bridge.text.word_boundary import is_whole_word, is_word_boundary
from bridge.types import EXACT_MARK, Digest, Span, VaultPath

NoteEdit = Callable[[VaultPath, bytes], tuple[bytes, int]]
"""Returns the new bytes of a file, and how many places in it changed."""


def edit_many(
    paths: Iterable[VaultPath], view: VaultView, edit: NoteEdit, *, edits_headings: bool = False
) -> PlanAndEffect:
    files: dict[VaultPath, tuple[bytes, bytes]] = {}
    skipped: list[SkippedFile] = []
    occurrences: dict[VaultPath, int] = {}
    for path in sorted(paths):
        try:
            before = view.read(path)
            after, count = edit(path, before)
            if after != before:
                view.require_changeable(path)
        except NoteNotFound:
            continue
        except (InvalidProperties, InvalidArguments, NoteUnreadable, PathKept, TooLarge) as error:
            skipped.append(SkippedFile(path, error.message))
            continue
        if after != before:
            files[path] = before, after
            occurrences[path] = count
    rewritten = tuple(follow_headings(view, Shift.of(view.names, {}), files)[0]) if edits_headings else ()
    effect = Effect(tuple(files), 0, len(rewritten), rewritten, occurrences=occurrences, skipped=tuple(skipped))
    return PlanAndEffect(plan_replacements(files), effect)


def files_with_queries(view: VaultView, pattern: str) -> tuple[str, ...]:
    """Return the notes with queries, the bases and the bookmarks that contain a name, in which nothing is changed."""
    names = re.compile(pattern, re.IGNORECASE)
    bookmarks = (BOOKMARKS,) if names.search(view.bookmarks.decode("utf-8", "replace")) else ()
    return (*view.links.find_queries_with(names), *bookmarks)


def unread_properties(view: VaultView) -> list[VaultPath]:
    """Return the Markdown notes of which the index does not know all properties."""
    return [path for path, note in view.notes.items() if note.problems and path.lower().endswith(".md")]


OnClash = Literal["refuse", "keep", "merge"]

_MAX_NAMED_NOTES: Final = 5


def rename_property_everywhere(
    name: str,
    to: str,
    view: VaultView,
    types: Mapping[str, str],
    *,
    paths: Collection[VaultPath] | None = None,
    on_clash: OnClash = "refuse",
) -> PlanAndEffect:
    """Plan to rename a property in every note; queries, bases and bookmarks that name it are only listed."""
    require_property_name(to)
    clashes: list[VaultPath] = []

    def edit(path: VaultPath, data: bytes) -> tuple[bytes, int]:
        block = _read_block(path, data, name)
        own = _own_names(block.values, name) if block else ()
        if block is None or not own or own == (to,):
            return data, 0
        if len(own) > 1:
            raise InvalidProperties(f"`{path}` has {' and '.join(f'`{each}`' for each in own)}.")
        others = [each for each in _own_names(block.values, to) if each not in own]
        if others and on_clash == "refuse":
            clashes.append(path)
            return data, 0
        return rename_key(path, data, block, own[0], to, merge=on_clash == "merge"), 1

    planned = edit_many(_notes_with(view, name, paths), view, edit)
    if clashes:
        some = join_some([f"`{path}`" for path in clashes], _MAX_NAMED_NOTES)
        raise InvalidArguments(
            f"Some notes have both `{name}` and `{to}`: {some}.",
            hint="Set `on_clash` to `merge` to join their values, or to `keep` to leave these notes as they are.",
            paths=clashes[:100],
        )
    named = files_with_queries(view, f"{NAME_START}{re.escape(name)}{NAME_END}")
    effect = replace(planned.effect, named_in=named)
    warnings = (*name_warnings(named), *_type_warnings(name, to, types))
    return replace(planned, effect=replace(effect, warnings=warnings))


def replace_values_everywhere(
    name: str, old: Value, new: Value, view: VaultView, *, paths: Collection[VaultPath] | None = None
) -> PlanAndEffect:
    """Plan to replace a value of a property in every note, also as an item of a list; `1` and `"1"` differ."""
    if fold_case(name) in OBSIDIAN_PROPERTIES and not is_line(str(new)):
        raise InvalidArguments(f"A value of `{name}` must be one line of text.", hint="`set_properties` takes one out.")

    def edit(path: VaultPath, data: bytes) -> tuple[bytes, int]:
        block = _read_block(path, data, name)
        changes: dict[str, Value] = {}
        count = 0
        for own in _own_names(block.values, name) if block else ():
            value = block.values[own] if block else None
            items, found = _replace_value(read_items(value), old, new)
            if found:
                changes[own] = items if isinstance(value, list | tuple) else items[0]
                count += found
        return (edit_properties(path, data, changes) if changes else data), count

    planned = edit_many(_notes_with(view, name, paths), view, edit)
    named = files_with_queries(view, f"{NAME_START}{re.escape(name)}{NAME_END}") if planned.effect.files else ()
    effect = replace(planned.effect, named_in=named, warnings=name_warnings(named))
    return replace(planned, effect=effect)


def _replace_value(items: Sequence[Value], old: Value, new: Value) -> tuple[list[Value], int]:
    """Return items with a value replaced, and how often; a value that a list then has twice is taken out."""
    count = 0 if is_same_value(old, new) else sum(is_same_value(item, old) for item in items)
    has_new = any(is_same_value(item, new) for item in items)
    done: list[Value] = []
    for item in items:
        if not is_same_value(item, old):
            done.append(item)
        elif not has_new:
            done.append(new)
            has_new = True
    return done, count


def _notes_with(view: VaultView, name: str, paths: Collection[VaultPath] | None) -> Collection[VaultPath]:
    def has(note: IndexedNote) -> bool:
        return bool(_own_names(note.properties, name))

    found = [path for path, note in view.notes.items() if path.lower().endswith(".md") and has(note)]
    found += unread_properties(view)
    return view.in_reach(found) if paths is None else set(found).intersection(paths)


def _own_names(values: Mapping[str, Value], name: str) -> tuple[str, ...]:
    folded = fold_case(name)
    return tuple(own for own in values if fold_case(own) == folded)


def _read_block(path: VaultPath, data: bytes, name: str) -> PropertyBlock | None:
    text = data.removeprefix(BOM).decode("utf-8", "surrogateescape")
    cut = cut_frontmatter(text)
    if cut is None:
        return None
    try:
        return PropertyBlock.read(path, text)
    except InvalidProperties:
        named = rf"(?:^|[{{,])[ \t]*(['\"]?){re.escape(name)}\1[ \t]*:"
        if re.search(named, text[slice(*cut[0])], re.IGNORECASE | re.MULTILINE):
            raise
        return None


def _type_warnings(name: str, to: str, types: Mapping[str, str]) -> tuple[str, ...]:
    warnings = []
    assigned = {fold_case(own): kind for own, kind in types.items()}
    old, new = assigned.get(fold_case(name)), assigned.get(fold_case(to))
    if old is not None and old != new and fold_case(name) != fold_case(to):
        now = f"`{new}`" if new else "none"
        warnings.append(f"Obsidian's types.json gives `{name}` the type `{old}`, and `{to}` {now}: set it in Obsidian.")
    meant = sorted({fold_case(name), fold_case(to)} & OBSIDIAN_PROPERTIES)
    if meant and fold_case(name) != fold_case(to):
        warnings.append(f"Obsidian itself reads {' and '.join(f'`{each}`' for each in meant)}.")
    return tuple(warnings)


MAX_LONGER_WORDS, MAX_LONGER_WORD_CHARS = 3, 40
"""Longer words of a note, and of all, that a replacement names, and characters of each on either side."""


def replace_text_everywhere(
    paths: Collection[VaultPath], old: str, new: str, view: VaultView, *, whole_words: bool
) -> PlanAndEffect:
    old, new = normalise_newlines(old), normalise_newlines(new)
    if old == new:
        raise InvalidArguments("The text to replace and the new text are the same.")
    # Reading a note's structure is slow, and a line break may have two bytes.
    longest_line = max(old.split("\n"), key=len)
    within, longer_words = Counter[VaultPath](), list[str]()

    def edit(path: VaultPath, data: bytes) -> tuple[bytes, int]:
        written = data.decode("utf-8", "replace")
        if longest_line not in written and nfc(longest_line) not in nfc(written):
            return data, 0
        text = open_draft(path, data).text
        spans = find_text(text, old)
        whole = [is_whole_word(text, *span, surely=whole_words) for span in spans]
        if not all(whole):
            within[path] = whole.count(False)
            inside = compress(spans, map(not_, whole))
            longer_words.extend(extend_to_words(text, span) for span in islice(inside, MAX_LONGER_WORDS))
        if whole_words:
            spans = [*compress(spans, whole)]
        places = [TextEdit(start, end, new, literal=True) for start, end in spans]
        return (encode_like(data, splice(text, places).text) if places else data), len(places)

    planned = edit_many(paths, view, edit)
    shown = ", ".join(f"\u201c{inline(word)}\u201d" for word in [*dict.fromkeys(longer_words)][:MAX_LONGER_WORDS])
    if not planned.effect.files and not planned.effect.skipped:
        message = f"None of {count_of(len(paths), 'note')} has this text"
        if shown:
            raise TextNotFound(f"{message} but within longer words: {shown}.", hint="`whole_words` leaves these.")
        hint = "Give the text exactly as it stands; `search` with the text in quotes finds where."
        raise TextNotFound(f"{message}.", hint=hint)
    if not shown:
        return planned
    left = "they are left." if whole_words else "`whole_words` leaves these."
    warning = f"{count_of(within.total(), 'occurrence')} within longer words: {shown}; {left}"
    return replace(planned, effect=replace(planned.effect, warnings=(warning,)))


def extend_to_words(text: str, span: Span) -> str:
    """Return the words that a span stands within, as far as they are shown."""
    start, end = span
    first, last = max(0, start - MAX_LONGER_WORD_CHARS), end + MAX_LONGER_WORD_CHARS
    while start > first and not is_word_boundary(text, start, surely=True):
        start -= 1
    while end < last and not is_word_boundary(text, end, surely=True):
        end += 1
    return text[start:end]


def rename_tag_everywhere(
    rename: TagRename, view: VaultView, *, paths: Collection[VaultPath] | None = None
) -> PlanAndEffect:
    """Plan to rename a tag in every note and canvas, or some, and in links to headings with it.

    Queries, bases and bookmarks that name it are only listed.
    """

    def edit(path: VaultPath, data: bytes) -> tuple[bytes, int]:
        if not path.lower().endswith((".md", ".canvas")):
            raise InvalidArguments(f"`{path}` is a drawing that shows the tag.")
        if path in unread and name not in fold_case(data.decode("utf-8", "replace")):
            return data, 0
        edited = rename_tag(path, data, rename)
        return edited.data, edited.count

    name = fold_case(rename.old)
    found = {path for path, note in view.notes.items() if any(map(rename.apply, note.tags))}
    unread = {*unread_properties(view)} - found
    found |= unread
    chosen = view.in_reach(found) if paths is None else found.intersection(paths)
    planned = edit_many(chosen, view, edit, edits_headings=True)
    below = "" if rename.children else r"(?!/)"
    named = files_with_queries(view, f"(?<!/){NAME_START}{re.escape(rename.old)}{NAME_END}{below}")
    effect = replace(planned.effect, named_in=named)
    return replace(planned, effect=replace(effect, warnings=name_warnings(named)))


class ManyNotesRequest(Request, kw_only=True):
    """Changes all notes, or some; `path` is one of them."""

    relinks: ClassVar[bool] = True
    keeps_structure: ClassVar[bool] = True

    among: tuple[VaultPath, ...] | None = None

    @property
    def paths(self) -> Collection[VaultPath] | None:
        return None if self.relinks else self.among


class RenameTag(ManyNotesRequest, kw_only=True, tag="rename_tag"):
    """Renames a tag in notes and canvases."""

    tag: str
    to: str
    children: bool = True

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        return ((f"#{self.tag.removeprefix('#')}", f"#{self.to.removeprefix('#')}"),)

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        rename = TagRename.of(self.tag, self.to, children=self.children)
        return rename_tag_everywhere(rename, context.view(draft), paths=self.among).add_to(draft)


class RenameProperty(ManyNotesRequest, kw_only=True, tag="rename_property"):
    """Renames a property in notes."""

    name: str
    to: str
    on_clash: OnClash = "refuse"

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        return ((self.name, self.to),)

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view, types = context.view(draft), context.obsidian().property_types
        return rename_property_everywhere(
            self.name, self.to, view, types, paths=self.among, on_clash=self.on_clash
        ).add_to(draft)


class ChangeValues(ManyNotesRequest, kw_only=True, tag="change_values"):
    """Replaces a value of a property in notes."""

    name: str
    old: Value
    to: Value

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        return ((f"{self.name}: {self.old}", f"{self.name}: {self.to}"),)

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        return replace_values_everywhere(self.name, self.old, self.to, context.view(draft), paths=self.among).add_to(
            draft
        )


class EditProperties(ManyNotesRequest, kw_only=True, tag="edit_properties"):
    """Sets and removes properties, and adds and removes tags, in some notes."""

    relinks: ClassVar[bool] = False

    among: tuple[VaultPath, ...]
    properties: Annotated[Mapping[str, Any], EXACT_MARK] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        values = (f"{name}: {value}" for name, value in self.properties.items())
        return (
            *(("", new) for new in (*values, *(f"#{tag.removeprefix('#')}" for tag in self.add_tags))),
            *((old, "") for old in (*self.remove, *(f"#{tag.removeprefix('#')}" for tag in self.remove_tags))),
        )

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        types = context.obsidian().property_types

        def edit(path: VaultPath, data: bytes) -> tuple[bytes, int]:
            if self.properties or self.remove:
                data = edit_properties(path, data, self.properties, self.remove, types)
            if self.add_tags or self.remove_tags:
                data = edit_tags(path, data, self.add_tags, self.remove_tags)
            return data, 1

        return edit_many(self.among, context.view(draft), edit).add_to(draft)


class ReplaceEverywhere(ManyNotesRequest, kw_only=True, tag="replace_everywhere"):
    """Replaces a text in some notes."""

    relinks: ClassVar[bool] = False
    keeps_structure: ClassVar[bool] = False

    among: tuple[VaultPath, ...]
    old: str
    new: str
    whole_words: bool = False

    @property
    def skips_overtaken(self) -> bool:
        return True

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        return ((self.old, self.new),)

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        planned = replace_text_everywhere(self.among, self.old, self.new, view, whole_words=self.whole_words)
        return planned.add_to(draft)


@ChangeKind(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "heading": "Feeding",
        "to": "Feeding it",
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
    },
    tasks=(
        "change the text of a heading, links stay whole",
        "rename a heading and the links to it",
        "reword a section's heading everywhere",
    ),
    bounds={"heading": Meta(max_length=2_000), "to": Meta(max_length=1_000)},
)
class RenameHeading(Request, tag="rename_heading"):
    """Rename a heading; every link to it is rewritten in its own style.

    Attributes:
        path: The note.
        heading: The heading, or its path `A > B`.
        to: Its new text.
        digest: Digest of the note as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
        ProtectedPath: A read-only note would have to change.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    heading: str
    to: str
    digest: Digest | None = None

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        return ((self.heading, self.to),)

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        """Rename the heading in the draft, with the links to it."""
        view = context.view(draft)
        if self.path in view.names:
            data = read_unchanged(self.path, self.digest, draft, context)
            if has_line_number(self.heading):
                require_lines(draft, self.path, data, self.digest)
        return rename_heading(self.path, self.heading, self.to, view).add_to(draft)


@ChangeKind(
    example={
        "path": "Bread/Starters/Levain.md",
        "alias": "leaven",
        "to": "the milk",
        "digest": "1ea4d7c0cb4e6a8ad3db01af7659a0e953b701e7607ba0f60110b6fe86ffb73f",
    },
    tasks=("rename an alias of a note", "change another name of a note in links"),
    bounds={"alias": Meta(max_length=1_000), "to": Meta(max_length=1_000)},
)
class RenameAlias(Request, tag="rename_alias"):
    """Rename an alias of a note and, if you want, the links that show it.

    Attributes:
        path: The note.
        alias: The exact alias.
        to: The new alias.
        digest: Digest of the note as read; a changed note is refused.
        links: Also update links that show the old alias.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        TextNotFound: The note has no such alias.
        InvalidProperties: Its properties cannot be parsed, so nothing is changed.
        ProtectedPath: A read-only note would have to change.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    alias: str
    to: str
    digest: Digest | None = None
    links: bool = False

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        return ((self.alias, self.to),)

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        if self.path in view.names:
            read_unchanged(self.path, self.digest, draft, context)
        types = context.obsidian().property_types
        return rename_alias(self.path, self.alias, self.to, view, types, links=self.links).add_to(draft)
