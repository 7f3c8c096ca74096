"""Which note an unresolved link may have meant by what it says."""

import re
from collections.abc import Collection

from bridge.engine.open_vault import OpenVault
from bridge.errors import NotReady
from bridge.linking.spellings import MeantNote
from bridge.text.fold import fold_case
from bridge.types import VaultPath

ALIKE_WORDS = 80.0
"""Likeness (0-100) from which on two words are forms of one."""

WORD = re.compile(r"[^\W_]{3,}")
"""A word of a name that tells something."""

NEAR = 0.6
"""Cosine from which on a note may be what a name is about, in the default model."""

MOST_LOOKED_AT = 50
"""Nearest notes that are looked at; of a name that more notes link to, all of these may be such."""


async def find_by_vector(vault: OpenVault, name: str, sources: Collection[VaultPath]) -> MeantNote | None:
    """Find the note that is about what a name says; None when there is none or no model answers."""
    try:
        vector = await vault.embed_query(name.rpartition("/")[2])
    except NotReady:
        return None
    some = min(len(sources) + 1, MOST_LOOKED_AT)
    nearest = await vault.index.view("notes").nearest(vector, some) if vector is not None else []
    others = (hit.path for hit in nearest if hit.score >= NEAR and hit.path not in sources)
    found = next(others, None)
    if found is None or are_siblings(name, vault.index.notes[found].title):
        return None
    return found, "it is close in meaning"


def are_siblings(name: str, title: str) -> bool:
    """Say whether two names share a word and differ in others: “Loops” does not mean “C While Loops”."""
    from rapidfuzz import fuzz

    some, others = WORD.findall(fold_case(name.rpartition("/")[2])), WORD.findall(fold_case(title))
    alike = {(one, other) for one in some for other in others if fuzz.ratio(one, other) >= ALIKE_WORDS}
    return bool(alike) and ({one for one, _ in alike} != set(some) or {other for _, other in alike} != set(others))
