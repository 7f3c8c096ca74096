"""Plans to rename an alias: in the note's properties and, if requested, in the links that show it."""

from collections.abc import Mapping
from typing import Final

from bridge.changes.draft import plan_replacements
from bridge.changes.effect import Effect, PlanAndEffect, Reference
from bridge.changes.heading import follow_headings
from bridge.changes.relink import NOT_IN_LABEL, Edit, replace_spans
from bridge.changes.renames import Shift
from bridge.changes.view import VaultView
from bridge.errors import InvalidArguments, NoteNotFound, NoteUnreadable, TextNotFound, TooLarge
from bridge.markdown.edit.properties import edit_properties
from bridge.markdown.link_spans import read_link_spans
from bridge.markdown.link_targets import name_key
from bridge.markdown.note import LinkKind, Value
from bridge.markdown.parse import parse
from bridge.text.invisible import is_line
from bridge.types import VaultPath
from bridge.vault.paths import nfc

_NAMES: Final = frozenset({"alias", "aliases"})


def rename_alias(
    path: VaultPath, alias: str, to: str, view: VaultView, types: Mapping[str, str], *, links: bool = False
) -> PlanAndEffect:
    """Plan to rename an alias in a note's property `aliases`.

    Args:
        path: The note.
        alias: The alias, exactly.
        to: The new alias.
        view: The vault.
        types: Obsidian's types of properties.
        links: Whether links to the note that show the alias are to show the new one.

    Raises:
        NoteNotFound: There is no such note.
        TextNotFound: It has no such alias.
        InvalidProperties: Its properties cannot be read.
        InvalidArguments: A link cannot show the new alias.
        ProtectedPath: A note that would have to change is protected by the user's settings.
    """
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

    for source in view.links.linking({name_key(path)}, shows, {path}) if links else ():
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
            files[source] = before, replace_spans(now, spots.text, edits)
    rewritten += follow_headings(view, Shift.of(view.names, {}), files)
    for source in files:
        view.require_changeable(source)
    return PlanAndEffect(plan_replacements(files), Effect(tuple(files), 0, len(rewritten), tuple(rewritten)))


def _replace_alias(path: VaultPath, data: bytes, alias: str, to: str) -> tuple[str, Value]:
    """Return the property that has an alias, and its value with the alias replaced."""

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
