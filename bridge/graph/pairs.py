"""Notes that have something in common: a rare tag or a small folder."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations, islice
from math import log2

from bridge.text.fold import fold_case

RARE = 10
"""Maximum number of notes with a tag for it to relate two of them; n notes make n²/2 edges."""

MOST_TAGS = 20
"""Tags of one note that count, the rarest first."""

MOST_IN_FOLDER = 30
"""Maximum size of a folder whose notes are joined; a larger one says little about two of them."""

Pairs = list[tuple[int, int, float]]


def pairs_by_tag(tags: Mapping[int, Iterable[str]]) -> Pairs:
    """Join notes that share a rare tag: a tag on two notes weighs 1, one on ten about 0.46."""
    carrying: defaultdict[str, set[int]] = defaultdict(set)
    for note, names in tags.items():
        for name in names:
            carrying[fold_case(name)].add(note)
    rare = sorted((name for name, notes in carrying.items() if 2 <= len(notes) <= RARE), key=lambda n: len(carrying[n]))
    taken: defaultdict[int, int] = defaultdict(int)
    joined: dict[tuple[int, int], float] = {}
    for name in rare:
        notes = [note for note in sorted(carrying[name]) if taken[note] < MOST_TAGS]
        for note in notes:
            taken[note] += 1
        for pair in combinations(notes, 2):
            joined[pair] = max(joined.get(pair, 0.0), rarity(len(carrying[name])))
    return [(*pair, weight) for pair, weight in joined.items()]


def rarity(notes: int) -> float:
    """Return how much a tag says about two notes that have it, given how many do."""
    return log2(3) / log2(1 + notes)


def pairs_by_folder(folders: Mapping[int, Hashable]) -> Pairs:
    """Join the notes of each small folder."""
    inside: defaultdict[Hashable, list[int]] = defaultdict(list)
    for note, folder in folders.items():
        inside[folder].append(note)
    small = (notes for notes in inside.values() if len(notes) <= MOST_IN_FOLDER)
    return [(*pair, 1.0) for notes in small for pair in combinations(sorted(notes), 2)]


def shared_tags(one: Iterable[str], other: Iterable[str]) -> list[str]:
    """Return the tags that two notes share, as the first writes them."""
    folded = {fold_case(tag) for tag in other}
    return list(islice((tag for tag in one if fold_case(tag) in folded), MOST_TAGS))
