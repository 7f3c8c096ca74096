"""Whether a note that is to be made says what another says already."""

from typing import TYPE_CHECKING

from bridge.errors import ConfirmationRequired, NoteNotFound
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.engine import VaultEngine

WORDS = 12
"""Words from which on a text says enough to be compared."""

CANDIDATES = 8
"""Notes that are compared: those nearest in words and meaning."""

NEARLY_ALL = 0.8
"""The share of a text from which on another note is the better place for it."""

MOST = 20_000
"""Characters of a text that are compared."""


async def doubles(engine: "VaultEngine", text: str, template: VaultPath | None, *, confirmed: bool) -> tuple[str, ...]:
    """Say which notes say much of a text.

    Raises:
        ConfirmationRequired: One says nearly all of it.
    """
    from bridge.changes import shares
    from bridge.retrieval import related

    if len(text.split()) < WORDS and len(text) < 10 * WORDS:
        return ()
    near = await related(engine.sources(), path=None, text=text[:MOST], limit=CANDIDATES)
    texts = {hit.path: read(engine, hit.path) for hit in near.hits}
    common = read(engine, template) if template is not None else ""
    found = shares(text[:MOST], texts, common=common)
    if found and found[0][1] >= NEARLY_ALL and not confirmed:
        path, share = found[0]
        raise ConfirmationRequired(
            f"There is `{path}`, which says {share:.0%} of this already.",
            hint=f"Append to `{path}` with `edit_note` instead, or repeat this with `confirm`.",
            path=path,
            share=round(share, 2),
        )
    return tuple(f"`{path}` says {share:.0%} of this already." for path, share in found)


def read(engine: "VaultEngine", path: VaultPath) -> str:
    """Read a note's text; one that is gone says nothing."""
    try:
        return engine.vault.read(path)[0].decode("utf-8", "replace")
    except NoteNotFound:
        return ""
