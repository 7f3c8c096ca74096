"""Plans to delete a file, and reports which links that would break."""

from functools import partial

from bridge.changes.draft import digest_of
from bridge.changes.effect import Effect, PlanAndEffect, Reference, name_warnings
from bridge.changes.references import is_bookmarked, name_pattern
from bridge.changes.renames import Shift
from bridge.changes.view import BOOKMARKS, VaultView
from bridge.errors import NoteNotFound, NoteUnreadable, PathKept, TooLarge
from bridge.markdown.link_spans import LinkSpans
from bridge.markdown.note import LinkKind
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step


def remove(path: VaultPath, view: VaultView) -> PlanAndEffect:
    """Plan to delete a file; the links to it stay as they are, and the effect lists them."""
    if path not in view.names:
        raise view.names.missing(path, "file")
    if view.rules.keeps(path):
        raise PathKept(f"`{path}` must stay as it is: the user's settings say so.", path=path)
    data = view.read(path)
    shift = Shift.of(view.names, {}, gone=[path])
    named: list[str] = [source for source in view.links.naming(name_pattern({path: None})) if source != path]
    broken: list[Reference] = []
    for source in view.links.linking(shift.keys(), partial(_is_broken_by, shift)):
        if source == path:
            continue
        try:
            text = view.read(source)
        except (NoteNotFound, NoteUnreadable, TooLarge):
            continue
        broken += _broken_links(source, view.links.spans(source, text), shift)
    named += [BOOKMARKS] if is_bookmarked(view.bookmarks, [path]) else []
    step = Step("remove", path, before=digest_of(data))
    effect = Effect(broken=tuple(broken), named_in=tuple(named), warnings=name_warnings(named))
    return PlanAndEffect(Plan((step,), {digest_of(data): data}), effect)


def _is_broken_by(shift: Shift, target: str, kind: LinkKind, source: VaultPath) -> bool:
    return shift.before.resolve(target, source, kind).path in shift.gone


def _broken_links(source: VaultPath, spots: LinkSpans, shift: Shift) -> list[Reference]:
    """Return the links of a file to what is deleted; some resolve to another file of the same name."""
    return [
        Reference(source, spot.line, spot.target, shift.after.resolve(spot.target, source, spot.kind).path or "")
        for spot in spots.links
        if _is_broken_by(shift, spot.target, spot.kind, source)
    ]
