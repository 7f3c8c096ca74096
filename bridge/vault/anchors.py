"""Which heading the place in a link means, and how a heading is called in one."""

from collections.abc import Sequence
from urllib.parse import unquote

from bridge.vault.linkable import NOT_IN_PLACE
from bridge.vault.note import Heading
from bridge.vault.sections import plain


def meant(headings: Sequence[Heading], place: str) -> tuple[int, ...]:
    """Return which headings a place like `#A#B` names, the last the one it leads to, as Obsidian finds them.

    Args:
        headings: The note's headings.
        place: What the link has behind the file's name, percent-decoded; empty when it leads to no heading.
    """
    wanted = [plain(part) for part in place.split("#") if part.strip()]
    if not wanted or place.startswith("^") or "^" in (part.strip()[:1] for part in place.split("#")):
        return ()
    found: list[int] = []
    level = 0
    for number, heading in enumerate(headings):
        if heading.level > level and plain(heading.text) == wanted[len(found)]:
            found.append(number)
            level = heading.level
            if len(found) == len(wanted):
                return tuple(found)
    return ()


def anchor(heading: str) -> str:
    """Return how a link calls a heading: without what would end the link or begin another part of it."""
    return NOT_IN_PLACE.sub(" ", heading).strip()


def decoded_place(place: str, *, markdown: bool) -> str:
    """Return a place as it is compared: decoded, where it stands in a Markdown link."""
    return unquote(place) if markdown else place
