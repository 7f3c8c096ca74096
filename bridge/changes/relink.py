"""Rewrites a file's links where a rename would break them or make them resolve to another file."""

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from urllib.parse import unquote

from bridge.changes.effect import Reference
from bridge.errors import InvalidArguments, ProtectedPath
from bridge.markdown.kinds import title_of
from bridge.markdown.link_spans import LinkPart, LinkSpan, LinkSpans, read_link_spans
from bridge.markdown.links import ResolvedLink, encode_destination, name_key, target_file, wiki_file_name
from bridge.markdown.names import Names
from bridge.markdown.note import Heading, LinkKind
from bridge.markdown.sections import anchor, decode_place, heading_chains, resolve_headings
from bridge.records import Record
from bridge.types import Span, VaultPath
from bridge.vault.plan import Step


class Fate(Record):
    """A link's target before a change, the path of that file after it, if any, and what the link resolves to then."""

    was: VaultPath | None
    new_target: VaultPath | None
    means: VaultPath | None
    exact: bool = False
    """Whether case matters, as in a canvas, where Obsidian looks files up by their exact paths."""

    @property
    def stays(self) -> bool:
        """Whether the link resolves to the same file without being rewritten."""
        return self.was is None or (self.new_target is not None and self.new_target == self.means and not self.exact)

    @property
    def is_mended(self) -> bool:
        """Whether the link was unresolved before and is resolved afterwards."""
        return self.was is None and self.means is not None


class Shift(Record):
    """The names of a vault before and after a change."""

    before: Names
    after: Names
    moved: Mapping[VaultPath, VaultPath]
    gone: frozenset[VaultPath] = frozenset()

    @classmethod
    def of(cls, names: Names, moved: Mapping[VaultPath, VaultPath], gone: Iterable[VaultPath] = ()) -> "Shift":
        lost = frozenset(gone)
        after = names.copy()
        for path in (*moved, *lost):
            after.discard(path)
        for path in moved.values():
            after.add(path)
        return cls(names, after, moved, lost)

    def now(self, path: VaultPath) -> VaultPath:
        """Return a file's path after the change."""
        return self.moved.get(path, path)

    def keys(self) -> frozenset[str]:
        """Return the names whose links can resolve differently after the change."""
        return frozenset(name_key(path) for path in (*self.moved, *self.moved.values(), *self.gone))

    def fate(self, target: str, kind: LinkKind, source: VaultPath) -> Fate:
        was = self.before.resolve(target, source, kind).path
        means = self.after.resolve(target, self.now(source), kind).path
        if was is None:
            return Fate(None, None, means)
        new_target = self.now(was) if was not in self.gone else None
        exact = kind == "canvas" and was in self.moved and target_file(target, kind) != new_target
        return Fate(was, new_target, means, exact)


def link_forms(
    link_name: str, was: VaultPath, now: VaultPath, source: tuple[VaultPath, VaultPath], *, relative: bool
) -> Iterator[str]:
    """Yield the ways in which a link can name a file: in its own style, with more folders, from the vault's root."""
    keeps_ending = link_name.lower().endswith(".md")
    for way in dict.fromkeys(
        chain(_same_style_forms(link_name, was, now, source, relative=relative), (now, f"/{now}"))
    ):
        # The ending is left out where it was before, if that resolves to the same file.
        if not keeps_ending and way.lower().endswith(".md"):
            yield way[:-3]
        yield way


def _same_style_forms(
    link_name: str, was: VaultPath, now: VaultPath, source: tuple[VaultPath, VaultPath], *, relative: bool
) -> Iterator[str]:
    near = posixpath.relpath(now, posixpath.dirname(source[1]) or ".")
    dotted = near if near.startswith("../") else f"./{near}"
    if link_name.startswith("/"):
        yield f"/{now}"
    elif link_name.startswith(("./", "../")):
        yield dotted
    elif "/" in link_name and _is_same_name(link_name, was):
        yield now
    elif relative and _is_same_name(posixpath.join(posixpath.dirname(source[0]), link_name), was):
        yield from (near, dotted)
    else:
        parts = now.split("/")
        yield from ("/".join(parts[-count:]) for count in range(1 + link_name.strip("/").count("/"), len(parts)))


def _is_same_name(one: str, other: str) -> bool:
    return name_key(one, whole=True) == name_key(other, whole=True)


_BOM = b"\xef\xbb\xbf"
NOT_IN_LABEL = frozenset("[]|\\\r\n")

Edit = tuple[Span, str]
SpanReader = Callable[[VaultPath, bytes], LinkSpans]


class RelinkedFile(Record):
    """A file with its links rewritten, and its links before."""

    data: bytes
    before: LinkSpans
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]


def relink_file(path: VaultPath, data: bytes, shift: Shift, read_spans: SpanReader) -> RelinkedFile:
    """Rewrite those links of a file that would no longer resolve to the same file."""
    spots = read_spans(path, data)
    edits: list[Edit] = []
    rewritten: list[Reference] = []
    mended: list[Reference] = []
    for spot in spots.links:
        fate = shift.fate(spot.target, spot.kind, path)
        if fate.is_mended and fate.means:
            mended.append(Reference(shift.now(path), spot.line, spot.target, fate.means))
        if not fate.stays:
            name, way = find_new_target(spot, fate, path, shift)
            edits += [name, *_relabel(spot, fate)]
            rewritten.append(Reference(shift.now(path), spot.line, spot.target, way))
    return RelinkedFile(edit_links(path, data, spots, edits), spots, tuple(rewritten), tuple(mended))


def edit_links(path: VaultPath, data: bytes, spots: LinkSpans, edits: Collection[Edit]) -> bytes:
    """Return a file with parts of its links replaced."""
    if edits and spots.lossy:
        raise ProtectedPath(
            f"`{path}` has a link to change and is not UTF-8.", hint="Save the note as UTF-8, then repeat the change."
        )
    return _replace_spans(data, spots.text, edits) if edits else data


def _replace_spans(data: bytes, text: str, edits: Iterable[Edit]) -> bytes:
    parts: list[str] = []
    end = 0
    for (first, last), words in sorted(edits):
        parts += [text[end:first], words]
        end = last
    bom = _BOM if data.startswith(_BOM) else b""
    return bom + "".join([*parts, text[end:]]).encode()


def find_new_target(spot: LinkSpan, fate: Fate, path: VaultPath, shift: Shift) -> tuple[Edit, str]:
    """Return the edit that makes a link name the same file after the change, and the new target."""
    slot = spot.file
    source = shift.now(path)
    for way in _candidates(spot, slot, fate, path, shift) if slot else ():
        target = way + (spot.place.text if spot.place else "")
        if slot and shift.after.resolve(_parsed_target(spot, target), source, spot.kind).path == fate.new_target:
            return (slot.span, slot.ink(way)), target
    raise InvalidArguments(
        f"The link to `{fate.was}` in line {spot.line} of `{path}` cannot be written so that it still leads there.",
        hint="Choose another path, or change that link first.",
        path=path,
        line=spot.line,
    )


def find_new_place(
    spot: LinkSpan, source: VaultPath, ways: Iterable[str], headings: Sequence[Heading], target: int, name: str
) -> str:
    """Return the first of some ways to write a link's subpath that leads to a heading."""
    for words in ways:
        if resolve_headings(headings, decode_place(words, markdown=spot.syntax == "markdown"))[-1:] == (target,):
            return words
    raise InvalidArguments(
        f"The link to `{name}` in line {spot.line} of `{source}` could not follow.",
        hint="Choose another text, or change that link first.",
        path=source,
        line=spot.line,
    )


def encode_place(place: str, spot: LinkSpan) -> str:
    """Write a subpath as a link's own is written."""
    if spot.syntax != "markdown" or spot.place is None:
        return place
    before, pointed = spot.place.text, (spot.file or spot.place).pointed
    return "#".join(encode_destination(part, before, pointed=pointed) for part in place.split("#"))


def heading_place(headings: Sequence[Heading], number: int, spot: LinkSpan) -> str:
    """Write the subpath that names a heading with all headings above it."""
    chain = list(heading_chains(headings))[number]
    return encode_place("".join(f"#{anchor(text)}" for text in chain), spot)


def _candidates(spot: LinkSpan, slot: LinkPart, fate: Fate, path: VaultPath, shift: Shift) -> Iterator[str]:
    if fate.was is None or fate.new_target is None:
        return
    if spot.syntax == "path":
        yield fate.new_target
        return
    plain = spot.syntax == "markdown"
    link_name = target_file(spot.target, spot.kind)
    for way in link_forms(link_name, fate.was, fate.new_target, (path, shift.now(path)), relative=plain):
        words = encode_destination(way, slot.text, pointed=slot.pointed) if plain else wiki_file_name(way)
        if words:
            yield words


def _parsed_target(spot: LinkSpan, target: str) -> str:
    """Return a target as the parser reads it; in a property it decodes Markdown links itself."""
    if spot.syntax == "markdown" and spot.kind == "property":
        return unquote(target)
    return target


def _relabel(spot: LinkSpan, fate: Fate) -> Iterator[Edit]:
    """Yield the new label of a link that shows the file's old name, as Obsidian changes it."""
    if spot.shown is None or fate.was is None or fate.new_target is None:
        return
    old, new = title_of(fate.was), title_of(fate.new_target)
    if spot.shown.text == old != new and NOT_IN_LABEL.isdisjoint(new):
        yield spot.shown.span, spot.shown.ink(new)


def verify_links(path: VaultPath, before: LinkSpans, after: bytes, shift: Shift, read_spans: SpanReader) -> None:
    """Require that each link of a changed file has the same meaning as before."""
    now = shift.now(path)
    again = read_spans(now, after).links
    for old, new in zip(before.links, again, strict=False):
        was, means = _resolve_spot(old, path, shift.before), _resolve_spot(new, now, shift.after)
        if _link_shape(old) != _link_shape(new) or not _is_same_target(was, means, shift):
            raise _link_changed_error(path, old)
    if len(again) != len(before.links):
        raise _link_changed_error(path, (*again, *before.links)[min(len(again), len(before.links))])


def _resolve_spot(spot: LinkSpan, path: VaultPath, names: Names) -> ResolvedLink:
    return names.resolve(spot.target, path, spot.kind)


def _link_shape(spot: LinkSpan) -> tuple[object, ...]:
    return spot.kind, spot.syntax, spot.counted, spot.shown is None


def _is_same_target(was: ResolvedLink, means: ResolvedLink, shift: Shift) -> bool:
    """Return whether two resolved links are the same; an unresolved one may have become resolved."""
    same = (was.heading, was.block) == (means.heading, means.block)
    return same and (was.path is None or shift.now(was.path) == means.path)


def _link_changed_error(path: VaultPath, spot: LinkSpan) -> InvalidArguments:
    return InvalidArguments(
        f"The link to `{spot.target}` in line {spot.line} of `{path}` would lead elsewhere.",
        hint="Choose another path, or change that link first.",
        path=path,
        line=spot.line,
    )


def has_only_followed(path: VaultPath, before: bytes, after: bytes, moves: Iterable[Step]) -> bool:
    """Return whether two versions of a file differ only in links that were rewritten for moves."""
    old, new = read_link_spans(path, before), read_link_spans(path, after)
    if len(old.links) != len(new.links) or _text_around(old) != _text_around(new):
        return False
    files = [(step.path, step.to) for step in moves if step.to is not None]
    names = {(name_key(was), name_key(now)) for was, now in files}
    titles = {(title_of(was), title_of(now)) for was, now in files}
    for was, now in zip(old.links, new.links, strict=True):
        name = _linked_name(was), _linked_name(now)
        label = was.shown.text if was.shown else "", now.shown.text if now.shown else ""
        if (name[0] != name[1] and name not in names) or (label[0] != label[1] and label not in titles):
            return False
    return True


def _linked_name(spot: LinkSpan) -> str:
    return name_key(target_file(spot.target, spot.kind))


def _text_around(spans: LinkSpans) -> bytes:
    parts = (part for spot in spans.links for part in (spot.file, spot.shown) if part)
    return _replace_spans(b"", spans.text, [(part.span, "") for part in parts])
