"""Describes a change's effect on files and links."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import field
from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.errors import ReadOnly
from bridge.records import Record
from bridge.text.counts import join_some
from bridge.types import VaultPath
from bridge.vault.plan import Plan

_MAX_NAMED_NOTES: Final = 5


class Reference(Record):
    """A link in a note.

    Attributes:
        path: The note, by its path after the change.
        line: The line of the link, counted from 1.
        text: The link's target as written before the change.
        to: Its target after the change: as rewritten, else the file that it resolves to; empty if unresolved.
    """

    path: VaultPath
    line: int
    text: str
    to: str


class SkippedFile(Record):
    """A file that a change of many notes leaves as it is.

    Attributes:
        path: The file.
        why: Why it is not changed.
    """

    path: VaultPath
    why: str


class Effect(Record):
    """What a change does to files and links.

    Attributes:
        files: The files whose content changes, by their paths afterwards.
        moved: The number of files that get another path.
        links_rewritten: The number of links that are rewritten.
        rewritten: Those links.
        broken: Links whose file is gone afterwards; some resolve to another file of the same name.
        mended: Links that were unresolved before and resolve to a file afterwards.
        named_in: Files that contain an old name outside of links, which is not changed: bases, queries, bookmarks.
        warnings: Further warnings, as sentences.
        occurrences: How often what is renamed or replaced stands in each of the files.
        skipped: Files that contain it and stay as they are.
    """

    files: tuple[VaultPath, ...] = ()
    moved: int = 0
    links_rewritten: int = 0
    rewritten: tuple[Reference, ...] = ()
    broken: tuple[Reference, ...] = ()
    mended: tuple[Reference, ...] = ()
    named_in: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    occurrences: Mapping[VaultPath, int] = field(default_factory=dict)
    skipped: tuple[SkippedFile, ...] = ()


def merge_effects(effects: Iterable[Effect]) -> Effect:
    whole = Effect()
    for one in effects:
        whole = replace(
            whole,
            files=tuple(dict.fromkeys((*whole.files, *one.files))),
            moved=whole.moved + one.moved,
            links_rewritten=whole.links_rewritten + one.links_rewritten,
            rewritten=(*whole.rewritten, *one.rewritten),
            broken=(*whole.broken, *one.broken),
            mended=(*whole.mended, *one.mended),
            named_in=tuple(dict.fromkeys((*whole.named_in, *one.named_in))),
            warnings=(*whole.warnings, *one.warnings),
            occurrences={**whole.occurrences, **one.occurrences},
            skipped=(*whole.skipped, *one.skipped),
        )
    return whole


class PlanAndEffect(Record):
    """A planned change and its effect."""

    plan: Plan
    effect: Effect

    def add_to(self, draft: Draft) -> Effect:
        """Add the plan to a draft on which it was made, and return the effect."""
        draft.take(self.plan)
        return self.effect


def name_warnings(named: Sequence[str], mended: Sequence[Reference] = ()) -> tuple[str, ...]:
    """Return warnings about files where a name remains, and about links that newly resolve."""
    found: list[str] = []
    if named:
        found.append(f"The name also occurs in {_join_paths(named)}, where nothing is changed.")
    if mended:
        found.append(f"Links that led nowhere find a file then, in {_join_paths([one.path for one in mended])}.")
    return tuple(found)


def explain_read_only(error: ReadOnly, effect: Effect) -> ReadOnly:
    """Return the error for a read-only file; one that is changed only for its links says so."""
    path = error.facts.get("path")
    link = next((one for one in effect.rewritten if one.path == path), None)
    if link is None:
        return error
    message = f"`{path}` is read-only, and its link `{link.text}` in line {link.line} would have to change."
    return ReadOnly(message, hint=error.hint, path=path)


def _join_paths(paths: Sequence[str]) -> str:
    return join_some([f"`{path}`" for path in dict.fromkeys(paths)], _MAX_NAMED_NOTES)
