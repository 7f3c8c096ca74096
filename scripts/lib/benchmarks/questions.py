"""Queries as people type them, derived from the vault itself."""

import random
import re
from pathlib import Path


def questions(vault: Path, count: int, seed: int = 3) -> list[str]:
    """Return different queries: words of a sentence, parts of titles, single words.

    Args:
        vault: The vault to be searched.
        count: How many queries.
        seed: The same seed gives the same queries.
    """
    chance = random.Random(seed)
    notes = sorted(vault.rglob("*.md"))
    found: dict[str, None] = {}
    for _ in range(count * 50):
        if len(found) == count:
            break
        note = chance.choice(notes)
        words = re.findall(r"[^\W\d_]{2,}", note.read_text(encoding="utf-8", errors="replace"))
        if len(words) < 12:
            continue
        start = chance.randrange(len(words) - 8)
        match chance.randrange(4):
            case 0:
                found[" ".join(words[start : start + chance.randint(5, 8)])] = None
            case 1:
                found[note.stem] = None
            case 2:
                found[words[start]] = None
            case _:
                found[" ".join(chance.sample(words, chance.randint(2, 4)))] = None
    return list(found)
