"""Types for values that must not be mixed up."""

from collections.abc import Iterable
from enum import Enum
from typing import Annotated, Literal, NewType

VaultPath = NewType("VaultPath", str)
"""A path inside a vault: relative, `/`-separated, NFC, with extension."""

Digest = NewType("Digest", str)
"""SHA-256 in lower-case hex: 64 digits, of which a caller may give only the first 12 or more."""

EXACT_MARK = "exact"
Exact = Annotated[str, EXACT_MARK]
"""A text of a result that stays as it is: what no reader sees is stripped from all others."""

SHORT_DIGEST = 12
"""Digits that are enough to identify a content."""

VaultId = NewType("VaultId", str)
"""The first 16 hex digits of the SHA-256 of a vault's real path."""

NoteKind = Literal["note", "canvas", "excalidraw", "pdf"]
"""The kind of a searchable file."""

Scope = Literal["read", "write", "admin"]
"""What the holder of a token may do."""

Preset = Literal["default", "notebook", "writing", "read-only", "full"]
"""The set of tools that an agent is offered."""

SearchMode = Literal["hybrid", "keyword", "semantic"]
"""The retrievers that a search may use."""

BlockOrder = Literal["relevance", "latest"]
"""How blocks are ordered: the best first, or of blocks that say similar things the latest first."""

SearchDepth = Literal["hybrid", "keyword", "semantic", "deep"]
"""A mode, or `deep`: hybrid search whose best hits are then read closely by a reranker."""

Among = Literal["notes", "agents", "all"]
"""Which notes a question is about: the user's, those in the agents' folder, or both."""

Direction = Literal["any", "out", "in"]
"""Which way links are followed."""

Span = tuple[int, int]
"""Offsets into a note's text in characters, half-open."""

Lines = tuple[int, int]
"""Lines of a file, 1-based and inclusive, split at LF."""

Day = NewType("Day", str)
"""One day of the local calendar, `YYYY-MM-DD`; callers may also write it in words, such as `tomorrow`."""


LOOK_UP = "vaultside-look-up"
"""The client that a command is while it looks for the bridge that serves a vault."""

START_MARK = "start"
DayOrPeriod = Annotated[Day, START_MARK]
"""A day, or a period of which the first day is meant."""


class PathRole(Enum):
    """What a path argument refers to; without a role, an existing file, also given by name or by a link."""

    NEW = "new"
    FOLDER = "folder"


NewPath = Annotated[VaultPath, PathRole.NEW]
"""A path that need not exist yet, taken literally."""

NoteOrFolder = Annotated[VaultPath, PathRole.FOLDER]
"""A path of a file or of a folder."""


def lies_in(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def is_same_digest(whole: Digest, given: Digest) -> bool:
    """Say whether a digest is the one that a caller gave, in full or as a prefix."""
    return whole == given or (len(given) >= SHORT_DIGEST and whole.startswith(given))
