"""Kinds of edges between two notes."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

EdgeKind = Literal["wiki", "embed", "markdown", "property", "canvas", "arrow", "tag", "folder", "similar"]
"""`LinkKind`, plus an arrow of a canvas, a shared rare tag, a shared folder, and semantic similarity."""

KINDS: Final[tuple[EdgeKind, ...]] = get_args(EdgeKind)
CODES: Final[Mapping[EdgeKind, int]] = {kind: code for code, kind in enumerate(KINDS)}

LINKS: Final[tuple[EdgeKind, ...]] = ("wiki", "embed", "markdown", "property", "canvas")
"""Links written in a note; ranking uses only these."""

WRITTEN: Final[tuple[EdgeKind, ...]] = (*LINKS, "arrow")
"""Edges that a user wrote or drew."""

SHARED: Final[tuple[EdgeKind, ...]] = ("tag", "folder", "similar")
"""What two notes have in common; these edges have no direction."""

WEIGHTS: Final[Mapping[EdgeKind, float]] = {
    "wiki": 1.0,
    "embed": 1.0,
    "markdown": 1.0,
    "property": 1.0,
    "canvas": 0.5,
    "arrow": 1.0,
    "tag": 0.5,
    "folder": 0.1,
    "similar": 0.5,
}
"""Weight of one edge of a kind; the maximum for shared and similar ones."""
