"""Names communities of notes by the words that set each apart."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

WORDS = 3
"""Words in a name."""

COVERED: Final = 0.1
"""Share of a group's notes that must contain a word for it to name the group."""

OWN: Final = 0.4
"""Share of the notes containing a word that must be in the group."""

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*[^\W_]|[^\W\d_]")


def name_communities(
    groups: Mapping[int, Sequence[int]], texts_of: Mapping[int, Iterable[str]]
) -> dict[int, tuple[str, ...]]:
    """Return for each group its characteristic words by tf-idf; none where no word qualifies.

    Args:
        groups: The notes of each group.
        texts_of: The words of each note, from titles and tags; notes of no group count only for rarity.
    """
    words = {
        note: {word.casefold(): word for text in texts for word in _WORD.findall(text)}
        for note, texts in texts_of.items()
    }
    everywhere = Counter(word for known in words.values() for word in known)
    named = {}
    for group, notes in groups.items():
        inside: Counter[str] = Counter()
        spelt: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for note in notes:
            for word, written in words.get(note, {}).items():
                inside[word] += 1
                spelt[word][written] += 1
        worth = {
            word: count * math.log((1 + len(words)) / everywhere[word])
            for word, count in inside.items()
            if count > 1 and count >= COVERED * len(notes) and count >= OWN * everywhere[word]
        }
        best = sorted(worth, key=lambda word: (-worth[word], word))[:WORDS]
        named[group] = tuple(min(spelt[word], key=lambda written: (-spelt[word][written], written)) for word in best)
    return named
