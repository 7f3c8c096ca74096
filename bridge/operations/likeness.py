"""How like a task the description of a tool is."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge.errors import NotReady

if TYPE_CHECKING:
    from bridge.engine import VaultEngine

WORD = re.compile(r"[^\W_]+")


async def likenesses(engine: "VaultEngine", task: str, texts: Sequence[str]) -> list[float]:
    """Return how like a task each text is: in meaning when a model answers, else in words; 0 is not at all."""
    try:
        wanted, *held = await asyncio.gather(*(engine.embed_query(text) for text in (task, *texts)))
    except NotReady:
        return in_words(task, texts)
    if wanted is None or any(vector is None for vector in held):
        return in_words(task, texts)
    return [float(wanted @ vector) for vector in held]


def in_words(task: str, texts: Sequence[str]) -> list[float]:
    """Return the share of a task's words that each text says, rare ones counting more."""
    wanted, held = stems(task), [stems(text) for text in texts]
    said = Counter(stem for words in held for stem in words)
    worth = {stem: math.log(1 + len(texts) / said[stem]) for stem in wanted if said[stem]}
    whole = sum(worth.values()) or 1.0
    return [sum(worth[stem] for stem in worth.keys() & words) / whole for words in held]


def stems(text: str) -> set[str]:
    """Return the stems of a text's words."""
    import Stemmer

    return set(Stemmer.Stemmer("english").stemWords(WORD.findall(text.casefold())))
