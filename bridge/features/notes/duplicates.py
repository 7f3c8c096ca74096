"""Whether a note that is to be made says what another says already."""

from typing import TYPE_CHECKING

from bridge.errors import ConfirmationRequired, NoteNotFound
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.engine.host import VaultEngine

WORDS = 12
"""Words from which on a text says enough to be compared."""

CANDIDATES = 8
"""Notes that are compared: those nearest in words and meaning."""

NEARLY_ALL = 0.8
"""The share of a text from which on another note is the better place for it."""

MOST = 20_000
"""Characters of a text that are compared."""


async def find_duplicates(
    engine: "VaultEngine", path: VaultPath, text: str, template: VaultPath | None
) -> tuple[tuple[str, ...], ConfirmationRequired | None]:
    """Say which notes say much of a new note's text, and refuse it where one says nearly all of it.

    Args:
        engine: The vault.
        path: The new note.
        text: Its text.
        template: What it begins with, which others may say too.
    """
    from bridge.search.related import find_related
    from bridge.text.overlap import find_overlaps

    if len(text.split()) < WORDS and len(text) < 10 * WORDS:
        return (), None
    near = await find_related(engine.sources(), path=None, text=text[:MOST], limit=CANDIDATES)
    texts = {hit.path: read_text(engine, hit.path) for hit in near.hits}
    common = read_text(engine, template) if template is not None else ""
    found = find_overlaps(text[:MOST], texts, common=common)
    refusal = None
    if found and found[0][1] >= NEARLY_ALL:
        other, share = found[0]
        refusal = ConfirmationRequired(
            f"There is `{other}`, which says {share:.0%} of this already.",
            would=f"create `{path}`, though `{other}` says {share:.0%} of it already",
            hint=f"Append to `{other}` with `edit_note` instead, or repeat this with `confirm`.",
            path=other,
            share=round(share, 2),
        )
    return tuple(f"`{other}` says {share:.0%} of this already." for other, share in found), refusal


def read_text(engine: "VaultEngine", path: VaultPath) -> str:
    """Read a note's text; one that is gone says nothing."""
    try:
        return engine.vault.read(path)[0].decode("utf-8", "replace")
    except NoteNotFound:
        return ""
