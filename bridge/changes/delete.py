"""Plans to take a file away, and tells which links that would break."""

from functools import partial

from bridge.changes.draft import digest_of
from bridge.changes.effect import Effect, Planned, Reference, told
from bridge.changes.references import concerned, in_base, in_bookmarks, in_queries, naming
from bridge.changes.renames import Shift
from bridge.changes.view import BOOKMARKS, Known
from bridge.errors import NoteNotFound, NoteUnreadable, PathKept, TooLarge
from bridge.markdown.link_spans import Spots, read_spots
from bridge.markdown.note import LinkKind
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step


def remove(path: VaultPath, known: Known) -> Planned:
    """Plan to take a file away; the links to it stay as they are, and the effect names them.

    Args:
        path: The file.
        known: The vault.

    Raises:
        NoteNotFound: There is no such file.
        ProtectedPath: The user's settings keep it as it is.
    """
    if path not in known.names:
        raise known.names.missing(path, "file")
    if known.rules.keeps(path):
        raise PathKept(f"`{path}` must stay as it is: the user's settings say so.", path=path)
    data = known.read(path)
    shift = Shift.of(known.names, {}, gone=[path])
    names = naming({path: None})
    broken: list[Reference] = []
    named: list[str] = []
    for source in concerned(known, shift.keys(), partial(_breaks, shift)):
        if source == path:
            continue
        try:
            text = known.read(source)
        except (NoteNotFound, NoteUnreadable, TooLarge):
            continue
        spots = read_spots(source, text)
        broken += _broken(source, spots, shift)
        says = in_base(text, names) if source.lower().endswith(".base") else in_queries(spots.text, names)
        named += [source] if says else []
    named += [BOOKMARKS] if in_bookmarks(known.bookmarks, [path]) else []
    step = Step("remove", path, before=digest_of(data))
    effect = Effect(broken=tuple(broken), named_in=tuple(named), warnings=told(named))
    return Planned(Plan((step,), {digest_of(data): data}), effect)


def _breaks(shift: Shift, target: str, kind: LinkKind, source: VaultPath) -> bool:
    return shift.before.resolve(target, source, kind).path in shift.gone


def _broken(source: VaultPath, spots: Spots, shift: Shift) -> list[Reference]:
    """Return the links of a file that lead to what is gone; some find another file of its name."""
    return [
        Reference(source, spot.line, spot.target, shift.after.resolve(spot.target, source, spot.kind).path or "")
        for spot in spots.links
        if _breaks(shift, spot.target, spot.kind, source)
    ]
