"""Plans to rename a heading or an alias, in its note and in every link to it."""

from collections.abc import Iterator, Mapping
from typing import Final

from bridge.changes.draft import plan_replacements
from bridge.changes.effect import Effect, PlanAndEffect, Reference
from bridge.changes.link_check import HEADING_LINES
from bridge.changes.relink import (
    NOT_IN_LABEL,
    Edit,
    Shift,
    edit_links,
    encode_place,
    find_new_place,
    heading_place,
)
from bridge.changes.view import VaultView
from bridge.errors import (
    BridgeError,
    InvalidArguments,
    NoteNotFound,
    NoteUnreadable,
    ProtectedPath,
    TextNotFound,
    TooLarge,
)
from bridge.markdown.edit.headings import replace_heading
from bridge.markdown.edit.properties import edit_properties
from bridge.markdown.kinds import kind_of
from bridge.markdown.link_spans import LinkSpan, read_link_spans
from bridge.markdown.links import name_key
from bridge.markdown.names import Names
from bridge.markdown.note import Heading, LinkKind, Value
from bridge.markdown.parse import parse
from bridge.markdown.sections import anchor, decode_place, resolve_headings
from bridge.records import Record
from bridge.text.fold import nfc
from bridge.text.invisible import is_line
from bridge.types import VaultPath
from bridge.vault.plan import Plan


class HeadingRename(Record):
    """Renamed headings, among the headings of their note."""

    path: VaultPath
    before: tuple[Heading, ...]
    after: tuple[Heading, ...]
    numbers: frozenset[int]
    names: Names

    def resolve_link(self, spot: LinkSpan, source: VaultPath, headings: tuple[Heading, ...]) -> tuple[int, ...]:
        """Return the headings that a link names; empty when it does not link to a heading of the note."""
        if spot.place is None or self.names.resolve(spot.target, source, spot.kind).path != self.path:
            return ()
        return resolve_headings(headings, decode_place(spot.place.text, markdown=spot.syntax == "markdown"))

    def keeps(self, spot: LinkSpan, source: VaultPath, was: tuple[int, ...]) -> bool:
        """Return whether a link that named headings still resolves to the last of them."""
        return not was or self.resolve_link(spot, source, self.after)[-1:] == was[-1:]


def rename_heading(path: VaultPath, heading: str, to: str, view: VaultView) -> PlanAndEffect:
    """Plan to rename a heading; links to it and to headings below it are rewritten in their own style."""
    data = view.read(path)
    line = replace_heading(path, data, heading, to)
    before, after = parse(path, data).headings, parse(path, line).headings
    changed = [number for number, (old, new) in enumerate(zip(before, after, strict=False)) if old.text != new.text]
    if len(before) != len(after) or len(changed) > 1:
        raise InvalidArguments("That would change more than one heading.", hint="Give a text of one line, without `#`.")
    if not changed:
        return PlanAndEffect(Plan(), Effect())
    view.require_changeable(path)
    files = {path: (data, line)}
    rewritten, left = follow_headings(view, Shift.of(view.names, {}), files)
    for source, error in left:
        is_known = source in view.notes and not isinstance(error, NoteNotFound)
        if is_known or isinstance(error, InvalidArguments | ProtectedPath):
            raise error
    warnings = tuple(f"Links were not looked for: {error.message}" for _, error in left)
    effect = Effect(tuple(files), 0, len(rewritten), tuple(rewritten), warnings=warnings)
    return PlanAndEffect(plan_replacements(files), effect)


def follow_headings(
    view: VaultView, shift: Shift, files: dict[VaultPath, tuple[bytes, bytes]]
) -> tuple[list[Reference], list[tuple[VaultPath, BridgeError]]]:
    """Rewrite the links to headings that a change rewrites; return them, and of which files links stay, and why."""
    rewritten: list[Reference] = []
    left: list[tuple[VaultPath, BridgeError]] = []
    known: dict[VaultPath, tuple[Heading, ...]] = {}
    waiting = [path for path in files if kind_of(path) == "note"]
    while waiting:
        path = waiting.pop()
        if path not in known and len({tuple(HEADING_LINES.findall(data)) for data in files[path]}) == 1:
            continue
        before = known[path] if path in known else parse(path, files[path][0]).headings
        after = known[path] = parse(path, files[path][1]).headings
        pairs = enumerate(zip(before, after, strict=False))
        numbers = frozenset(number for number, (old, new) in pairs if anchor(old.text) != anchor(new.text))
        if not numbers or len(before) != len(after):
            continue
        rename = HeadingRename(shift.now(path), before, after, numbers, shift.after)

        def leads(target: str, kind: LinkKind, source: VaultPath, path: VaultPath = path) -> bool:
            return "#" in target and shift.before.resolve(target, source, kind).path == path

        for source in view.links.find_affected({name_key(path)}, leads, {path}):
            try:
                first, old = files.get(source) or (view.read(source),) * 2
                new, references = _rewrite_links(shift.now(source), old, rename)
            except (NoteNotFound, NoteUnreadable, TooLarge, InvalidArguments, ProtectedPath) as error:
                left.append((source, error))
                continue
            if new != old:
                view.require_changeable(source)
                files[source] = first, new
                rewritten += references
                waiting += [source] if kind_of(source) == "note" else []
    return rewritten, left


def _rewrite_links(source: VaultPath, data: bytes, renamed: HeadingRename) -> tuple[bytes, list[Reference]]:
    spots = read_link_spans(source, data)
    edits: list[Edit] = []
    references: list[Reference] = []
    expected: list[tuple[int, ...]] = []
    for spot in spots.links:
        was = renamed.resolve_link(spot, source, renamed.before)
        expected.append(was[-1:])
        if was and spot.place and (not renamed.numbers.isdisjoint(was) or not renamed.keeps(spot, source, was)):
            name = renamed.before[was[-1]].text
            words = find_new_place(spot, source, _new_places(spot, was, renamed), renamed.after, was[-1], name)
            edits.append((spot.place.span, spot.place.ink(words)))
            references.append(Reference(source, spot.line, spot.target, (spot.file.text if spot.file else "") + words))
    if not edits:
        return data, []
    new = edit_links(source, data, spots, edits)
    again = read_link_spans(source, new).links
    if len(again) != len(expected) or not all(map(renamed.keeps, again, [source] * len(again), expected)):
        raise InvalidArguments(f"A link in `{source}` would lead elsewhere.", hint="Choose another text.", path=source)
    return new, references


def _new_places(spot: LinkSpan, was: tuple[int, ...], renamed: HeadingRename) -> Iterator[str]:
    """Yield how a link may name its headings; the names of unchanged ones stay as written."""
    parts = [part for part in (spot.place.text if spot.place else "").removeprefix("#").split("#") if part.strip()]
    yield "".join(
        f"#{encode_place(anchor(renamed.after[number].text), spot) if number in renamed.numbers else part}"
        for number, part in zip(was, parts, strict=False)
    )
    yield heading_place(renamed.after, was[-1], spot)


_NAMES: Final = frozenset({"alias", "aliases"})


def rename_alias(
    path: VaultPath, alias: str, to: str, view: VaultView, types: Mapping[str, str], *, links: bool = False
) -> PlanAndEffect:
    to = to.strip()
    if not is_line(to):
        raise InvalidArguments("An alias must be one line of text.", hint="`set_properties` takes an alias out.")
    if links and not NOT_IN_LABEL.isdisjoint(to):
        raise InvalidArguments(f"No link can show `{to}`.", hint="Choose an alias without brackets and bars.")
    data = view.read(path)
    name, value = _replace_alias(path, data, alias, to)
    files = {path: (data, edit_properties(path, data, {name: value}, (), types))}
    rewritten: list[Reference] = []

    def shows(target: str, kind: LinkKind, source: VaultPath) -> bool:
        return view.names.resolve(target, source, kind).path == path

    for source in view.links.find_affected({name_key(path)}, shows, {path}) if links else ():
        try:
            before, now = files.get(source) or (view.read(source),) * 2
        except (NoteNotFound, NoteUnreadable, TooLarge):
            continue
        spots = read_link_spans(source, now)
        edits: list[Edit] = []
        for spot in spots.links:
            if spot.shown and nfc(spot.shown.text) == nfc(alias) and shows(spot.target, spot.kind, source):
                edits.append((spot.shown.span, spot.shown.ink(to)))
                rewritten.append(Reference(source, spot.line, spot.target, spot.target))
        if edits and not spots.lossy:
            files[source] = before, edit_links(source, now, spots, edits)
    rewritten += follow_headings(view, Shift.of(view.names, {}), files)[0]
    for source in files:
        view.require_changeable(source)
    return PlanAndEffect(plan_replacements(files), Effect(tuple(files), 0, len(rewritten), tuple(rewritten)))


def _replace_alias(path: VaultPath, data: bytes, alias: str, to: str) -> tuple[str, Value]:
    def is_it(one: Value) -> bool:
        return isinstance(one, str) and nfc(one) == nfc(alias)

    for name, value in parse(path, data).properties.items():
        if name.lower() not in _NAMES:
            continue
        match value:
            case list() if any(map(is_it, value)):
                return name, [to if is_it(one) else one for one in value]
            case str() if any(map(is_it, parts := [part.strip() for part in value.split(",")])):
                return name, ", ".join(to if is_it(part) else part for part in parts)
    raise TextNotFound(f"`{path}` has no alias `{alias}`.", hint="`read_note` returns the aliases of a note.")
