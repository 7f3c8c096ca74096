"""What can join two notes."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

EdgeKind = Literal["wiki", "embed", "markdown", "property", "canvas", "arrow", "tag", "folder", "similar"]
"""As `LinkKind`, and: an arrow of a canvas, a rare tag of both, the folder of both, nearness in meaning."""

KINDS: Final[tuple[EdgeKind, ...]] = get_args(EdgeKind)
CODES: Final[Mapping[EdgeKind, int]] = {kind: code for code, kind in enumerate(KINDS)}

LINKS: Final[tuple[EdgeKind, ...]] = ("wiki", "embed", "markdown", "property", "canvas")
"""What stands in a note as a link; ranking follows these alone."""

WRITTEN: Final[tuple[EdgeKind, ...]] = (*LINKS, "arrow")
"""What somebody drew by hand."""

SHARED: Final[tuple[EdgeKind, ...]] = ("tag", "folder", "similar")
"""What two notes have in common: it leads both ways."""

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
"""What one edge of a kind weighs; of what is shared or similar it is the most."""
