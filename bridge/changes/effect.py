"""What a change would do beyond the file that it is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bridge.types import VaultPath
from bridge.vault.plan import Plan

_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Reference:
    """A link in a note.

    Attributes:
        path: The note, by the path that it has after the change.
        line: Where the link stands, counted from 1.
        text: What it points at, as it is written before the change.
        to: What it points at after the change: as it is written anew, else the file that it finds; empty for none.
    """

    path: VaultPath
    line: int
    text: str
    to: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to files and links.

    Attributes:
        files: The files whose content changes, by the paths that they have afterwards.
        moved: How many files get another path.
        links_rewritten: How many links are written anew.
        rewritten: Those links.
        broken: Links whose file is gone afterwards; some find another file of the same name.
        mended: Links that led nowhere before and lead to a file afterwards.
        named_in: Files that say an old name where no link is, which stays as it is: bases, queries, bookmarks.
        warnings: What else somebody should know, in sentences.
    """

    files: tuple[VaultPath, ...] = ()
    moved: int = 0
    links_rewritten: int = 0
    rewritten: tuple[Reference, ...] = ()
    broken: tuple[Reference, ...] = ()
    mended: tuple[Reference, ...] = ()
    named_in: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanAndEffect:
    """A change that can be carried out, and its effect."""

    plan: Plan
    effect: Effect


def name_warnings(named: Sequence[str], mended: Sequence[Reference] = ()) -> tuple[str, ...]:
    """Say in sentences where a name stays, and which links find a file that they did not find before."""
    found: list[str] = []
    if named:
        found.append(f"The name also stands in {_join_paths(named)}, where nothing is changed.")
    if mended:
        found.append(f"Links that led nowhere find a file then, in {_join_paths([one.path for one in mended])}.")
    return tuple(found)


def _join_paths(paths: Sequence[str]) -> str:
    once = tuple(dict.fromkeys(paths))
    more = f" and {len(once) - _NAMED} more" if len(once) > _NAMED else ""
    return ", ".join(f"`{path}`" for path in once[:_NAMED]) + more
