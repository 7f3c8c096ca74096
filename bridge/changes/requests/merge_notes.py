"""Merging one note into another."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final, Literal

from bridge.changes.draft import Draft, plan_replacements
from bridge.changes.effect import Effect, PlanAndEffect, name_warnings
from bridge.changes.relink import Shift, edit_links, encode_place, find_new_place
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_own
from bridge.changes.requests.move_note import is_bookmarked, name_pattern, update_links
from bridge.changes.view import BOOKMARKS, VaultView
from bridge.errors import InvalidArguments, PathKept, ProtectedPath
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.headings import MAX_LEVEL, headings_in, highest_level, repeated_heading, shift_headings
from bridge.markdown.edit.properties import PropertyBlock, edit_properties, read_items
from bridge.markdown.edit.requests import Append
from bridge.markdown.kinds import kind_of, title_of
from bridge.markdown.link_spans import LinkSpan, read_link_spans
from bridge.markdown.note import Heading, Note, Value
from bridge.markdown.parse import parse
from bridge.markdown.sections import anchor, decode_place, resolve_headings
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.text.invisible import inline
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Plan, Step


@ChangeKind(
    example={
        "path": "Inbox/Overheard at the gate.md",
        "into": "Inbox/To sort.md",
        "digest": "d029232d735e09fb3dddc996b8c6d4bceb97ccbec204eea57f8d8b5a4833e30f",
    },
    tasks=(
        "merge two notes",
        "make one note of two",
        "these two notes are about the same thing, make them one",
    ),
    required=("digest",),
)
class MergeNotes(Request, tag="merge_notes"):
    """Merge a note into another: its text goes below a heading there, its links follow, and it goes to the trash.

    Lists such as tags get the items of both; of other properties the note that stays keeps its own values.

    Attributes:
        path: The note that goes.
        into: The note that stays.
        keep: `both` keeps the text of both, once if it is the same; `into` drops that of the note that goes.
        alias: Make the name of the note that goes an alias of the other.
        digest: Digest of the note that goes, as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        ProtectedPath: A read-only note would have to change.
        InvalidProperties: The properties of one of them cannot be parsed.
        SettingsUnreadable: Obsidian's `app.json`, which selects the trash, cannot be read.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    into: VaultPath
    keep: Literal["both", "into"] = "both"
    alias: bool = True
    digest: Digest | None = None

    @property
    def result_path(self) -> VaultPath:
        return self.into

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        draft.sources.append(self.path)
        if self.path in view.names:
            data = read_unchanged(self.path, self.digest, draft, context)
            if self.digest is None:
                require_own(draft, self.path, data, lambda _: b"", "merge a note")
        obsidian = context.obsidian()
        obsidian.require("app.json", hint="which says where deleted files go.")
        planned = merge(self.path, self.into, view, obsidian.property_types, keep=self.keep, alias=self.alias)
        return planned.add_to(draft)


Keep = Literal["both", "into"]
Files = dict[VaultPath, tuple[bytes, bytes]]
"""The bytes of files before and after."""

_SECTION_LEVEL: Final = 2
"""Level of the heading below which the text goes."""

_ALIASES: Final = ("aliases", "alias")
_LISTS: Final = frozenset({"tags", "cssclasses", *_ALIASES})
_FENCED_BLOCK: Final = re.compile(r"(?ms)^((?:```.*?^```|~~~.*?^~~~)[^\n]*$)")
_FOOTNOTE: Final = re.compile(r"^\[\^([^\]\s]+)\]:", re.MULTILINE)


class _MovedText(Record):
    """The text of a note as it stands below a heading of another."""

    text: str
    section: str
    """The heading."""
    ids: Mapping[str, str]
    """New names of blocks whose names the other note has, too."""
    has_title: bool
    """Whether the first heading repeated the title, and was left out."""


def merge(
    path: VaultPath,
    into: VaultPath,
    view: VaultView,
    types: Mapping[str, str],
    *,
    keep: Keep = "both",
    alias: bool = True,
) -> PlanAndEffect:
    """Plan to merge a note into another; every link to it, to its headings and blocks then leads to the other."""
    _check(path, into, view)
    found = update_links(view, Shift.of(view.names, {path: into}), name_pattern({path: into}))
    files = {source: (found.read[source], after) for source, after in found.changed.items()}
    files = {path: (found.read[path],) * 2, into: (view.read(into),) * 2, **files}
    properties = _unite(path, into, files[path][1], files[into][1], alias=alias)
    if _text_of(path, files[path][1]) == _text_of(into, files[into][1]) and not properties.lost:
        # A copy has nothing to add.
        keep = "into"
    if keep == "both":
        files = _follow_places(path, into, files, view)
    (before, own), (old, base) = files.pop(path), files.pop(into)
    merged = edit_properties(into, base, properties.values, (), types) if properties.values else base
    if keep == "both":
        merged = _append(into, merged, _move_text(parse(path, own), parse(into, merged), properties.lost))
    files[into] = old, merged
    files = {source: pair for source, pair in files.items() if pair[0] != pair[1]}
    for source in files:
        view.require_changeable(source)
    named = [*found.naming, *([BOOKMARKS] if is_bookmarked(view.bookmarks, [path]) else [])]
    kept = tuple(f"`{into}` keeps its own value where `{path}` said {lost}." for lost in properties.lost)
    written = plan_replacements(files)
    return PlanAndEffect(
        Plan(
            (*written.steps, Step("remove", path, before=digest_of(before))),
            {**written.blobs, digest_of(before): before},
        ),
        Effect(
            files=tuple(files),
            links_rewritten=len(found.rewritten),
            rewritten=found.rewritten,
            mended=found.mended,
            named_in=tuple(named),
            warnings=(*found.warnings, *name_warnings(named, found.mended), *kept),
        ),
    )


def _text_of(path: VaultPath, data: bytes) -> str:
    note = parse(path, data)
    return note.text[note.body :].strip()


def _check(path: VaultPath, into: VaultPath, view: VaultView) -> None:
    if path == into:
        raise InvalidArguments(f"`{path}` cannot be merged into itself.", hint="Give another note in `into`.")
    for one in (path, into):
        if one not in view.names:
            raise view.names.missing_error(one, "note")
        if kind_of(one) != "note":
            raise InvalidArguments(f"`{one}` is no Markdown note.", hint="Only notes can be merged.", path=one)
    if view.rules.keeps(path):
        raise PathKept(f"`{path}` must stay as it is: the user's settings say so.", path=path)
    view.require_changeable(into)
    for one, other in ((path, into), (into, path)):
        data = view.read(one)
        if read_link_spans(one, data).lossy:
            raise ProtectedPath(
                f"`{one}` is not UTF-8.", hint="Save the note as UTF-8, then repeat the change.", path=one
            )
        note = parse(one, data)
        for link in note.links:
            if link.embed and view.names.resolve(link.target, one, link.kind).path == other:
                raise InvalidArguments(
                    f"`{one}` embeds `{other}` in line {link.line}, and a note cannot embed itself.",
                    hint="Remove that embed first.",
                    path=one,
                    line=link.line,
                )


class _UnitedProperties(Record):
    """The properties to set in the note that stays, and those of the other that it has with another value."""

    values: Mapping[str, Value]
    lost: tuple[str, ...]


def _unite(path: VaultPath, into: VaultPath, own: bytes, base: bytes, *, alias: bool) -> _UnitedProperties:
    """Unite the properties of two notes: lists have the items of both, other values stay as they are."""
    theirs = PropertyBlock.read(path, parse(path, own).text).values
    ours = PropertyBlock.read(into, parse(into, base).text).values
    names = {fold_case(name): name for name in ours}
    values: dict[str, Value] = {}
    lost: list[str] = []
    for name, value in theirs.items():
        known = names.get(fold_case(name))
        if known is None:
            values[name] = value
        elif isinstance(ours[known], list) or isinstance(value, list) or name.casefold() in _LISTS:
            items = _join(name, ours[known], value)
            if items != _join(name, ours[known]):
                values[known] = items
        elif ours[known] != value and value is not None:
            lost.append(f"`{name}: {inline(value)}`")
    if alias and title_of(path).casefold() != title_of(into).casefold():
        name = next((one for one in (*values, *ours) if one.casefold() in _ALIASES), _ALIASES[0])
        values[name] = _join(name, values.get(name, ours.get(name)), [title_of(path)])
    return _UnitedProperties(values, tuple(lost))


def _join(name: str, *values: Value) -> list[Value]:
    """Return the items of a property's values, each once; tags and aliases may be one text with commas."""
    found: list[Value] = []
    for value in values:
        parts = value.split(",") if isinstance(value, str) and name.casefold() in _LISTS else read_items(value)
        for part in parts:
            item = part.strip() if isinstance(part, str) else part
            if item not in (None, "", *found):
                found.append(item)
    return found


def _follow_places(path: VaultPath, into: VaultPath, files: Files, view: VaultView) -> Files:
    """Let links to headings and blocks of a note lead to where these are in the other."""
    note = parse(path, files[path][1])
    base = files[into][1]
    moved = _move_text(note, parse(into, base))
    if not moved.text:
        return files
    places = _Places(note.headings, parse(into, _append(into, base, moved)).headings, moved)
    return {source: (old, places.follow(source, old, new, path, view)) for source, (old, new) in files.items()}


def _append(into: VaultPath, base: bytes, moved: _MovedText) -> bytes:
    if not moved.text:
        return base
    return apply_edits(into, base, (Append(text=f"{'#' * _SECTION_LEVEL} {moved.section}\n\n{moved.text}"),))


def _move_text(note: Note, into: Note, lost: Sequence[str] = ()) -> _MovedText:
    """Return a note's text as it can stand in another: its headings deeper, its blocks and footnotes with new names."""
    text = note.text[note.body :].strip()
    title = repeated_heading(text, Heading(title_of(note.path), 1, 1, (0, 0)))
    if title is not None:
        text = text[title.span[1] :].strip()
    if headings := headings_in(text):
        deepest = max(heading.level for heading in headings)
        text = shift_headings(text, max(0, min(_SECTION_LEVEL + 1 - highest_level(headings), MAX_LEVEL - deepest)))
    taken = {block.id for block in (*note.blocks, *into.blocks)}
    ids: dict[str, str] = {}
    for block in note.blocks:
        if any(block.id == other.id for other in into.blocks):
            ids[block.id] = _free_name(block.id, taken)
            text = re.sub(rf"(?m)(^|[ \t])\^{re.escape(block.id)}([ \t]*)$", rf"\g<1>^{ids[block.id]}\g<2>", text)
    notes_of_both = {*_FOOTNOTE.findall(note.text), *_FOOTNOTE.findall(into.text)}
    for label in {*_FOOTNOTE.findall(note.text)} & {*_FOOTNOTE.findall(into.text)}:
        text = _outside_code(text, f"[^{label}]", f"[^{_free_name(label, notes_of_both)}]")
    if lost:
        text = "\n".join([*(f"%% {one.strip('`')} %%" for one in lost), "", text]).strip()
    section = _free_section(f"From {anchor(title_of(note.path))}", into.headings)
    return _MovedText(text, section, ids, title is not None)


def _outside_code(text: str, old: str, new: str) -> str:
    parts = _FENCED_BLOCK.split(text)
    return "".join(part if at % 2 else part.replace(old, new) for at, part in enumerate(parts))


def _free_name(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    taken.add(f"{name}-{number}")
    return f"{name}-{number}"


def _free_section(name: str, headings: tuple[Heading, ...]) -> str:
    section, number = name, 2
    while resolve_headings(headings, f"#{section}"):
        section, number = f"{name} {number}", number + 1
    return section


class _Places(Record):
    """Where the headings and blocks of a merged note are."""

    before: tuple[Heading, ...]
    after: tuple[Heading, ...]
    moved: _MovedText

    def follow(self, source: VaultPath, old: bytes, new: bytes, path: VaultPath, view: VaultView) -> bytes:
        """Let those links of a file that led to a heading or block of the merged note lead there again."""
        spots = read_link_spans(source, new)
        edits = [
            (now.place.span, now.place.ink(place))
            for was, now in zip(read_link_spans(source, old).links, spots.links, strict=True)
            if now.place and view.names.resolve(was.target, source, was.kind).path == path
            for place in self._new_place(source, now)
        ]
        return edit_links(source, new, spots, edits)

    def _new_place(self, source: VaultPath, spot: LinkSpan) -> Iterator[str]:
        text = spot.place.text if spot.place else ""
        wanted = decode_place(text, markdown=spot.syntax == "markdown")
        block = wanted.rpartition("^")[2] if "^" in wanted else ""
        if block in self.moved.ids:
            yield text.replace(f"^{block}", f"^{self.moved.ids[block]}")
        was = resolve_headings(self.before, wanted)
        if not was:
            return
        # The heading of the section stands in place of a repeated title.
        target, name = len(self.after) - len(self.before) + was[-1], self.before[was[-1]].text
        below = "" if self.moved.has_title and was[-1] == 0 else wanted
        ways = (encode_place(f"#{self.moved.section}{place}", spot) for place in (below, f"#{name}"))
        yield find_new_place(spot, source, (text, *ways), self.after, target, name)
