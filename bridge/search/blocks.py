"""Ranks blocks: the list items, paragraphs and other parts of notes that a reader takes as one statement.

Full-text scores are of passages, which may hold several blocks. A block's own is BM25 with full length normalisation:
among blocks that say the same words, the shorter one is more about them. And since an answer repeats what it answers,
a block counts for more when the block after it matches, too.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from bridge.index.rows import StoredPassage
from bridge.markdown.blocks import read_pieces
from bridge.markdown.parse import parse_structure
from bridge.records import dataclass
from bridge.text.lines import LineIndex
from bridge.text.match import Matcher
from bridge.text.stopwords import STOP_WORDS
from bridge.text.words import words_of
from bridge.types import Lines, NoteKind, VaultPath

WORDS = 2.0
"""Weight of words, that of meaning being 1; chosen like the others on half of the chats of BEAM."""

NEXT = 0.6
"""Share of the next block's score that a block gets."""

K1 = 1.2
"""How soon a repeated word counts no more, as in BM25."""

LENGTH = 500
"""Characters of a block whose length neither raises nor lowers its score."""

UNSAID = 0.5
"""Share of its passage's similarity that a block gets which says none of the words."""

SIMILAR = 0.15
"""Share of their words that two blocks must have in common for one to replace the other."""

AS_GOOD = 0.5
"""Least score of a later block that comes before an earlier one, as a share of the other's score."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block, or the part of a long one that is in a passage.

    Attributes:
        path: The note.
        heading: The heading path above it.
        lines: First and last line.
        text: Its text as written.
        passages: The ordinals of the first and the last passage that holds a part of it.
        counts: How often each word of the query occurs in it.
        meaning: Its similarity to the query (0-1).
        score: What it is worth, from 0 to 1.
    """

    path: VaultPath
    heading: str
    lines: Lines
    text: str
    passages: tuple[int, int]
    counts: Mapping[str, int]
    meaning: float
    score: float = 0.0


def cut_blocks(passage: StoredPassage, kind: NoteKind) -> Iterator[tuple[Lines, str]]:
    """Yield the blocks of a passage without headings; a passage that is no Markdown, or only headings, is one."""
    first, last = passage.lines
    if kind != "note" or first == last:
        yield passage.lines, passage.text
        return
    text = passage.text
    pieces = read_pieces(text, parse_structure(text, 0)[0], LineIndex(text))
    spans = [piece for piece in pieces if piece.kind not in {"heading", "rule"}]
    for piece in spans:
        start, end = (min(last, first + line - 1) for line in piece.lines)
        yield (start, end), text[slice(*piece.span)]
    if not spans:
        yield passage.lines, text


def match_blocks(
    passage: StoredPassage, kind: NoteKind, matcher: Matcher, worth: Callable[[str], float], meaning: float
) -> list[Block]:
    """Return the blocks of a passage with the query's words in each.

    The similarity is that of the whole passage: the block that says most of the words gets all of it, others less.
    """
    cut = [*cut_blocks(passage, kind)]
    counts = [Counter(match.word for match in matches) for matches in matcher.find_each([text for _, text in cut])]
    said = [sum(map(worth, own)) for own in counts]
    most = max(said) or 1.0
    at = (passage.ordinal, passage.ordinal)
    return [
        Block(passage.path, passage.heading, lines, text, at, own, meaning * (UNSAID + (1 - UNSAID) * part / most))
        for (lines, text), own, part in zip(cut, counts, said, strict=True)
    ]


def rank_blocks(
    found: Sequence[Block], worth: Mapping[str, float], asked: float, words: float, meaning: float
) -> tuple[list[Block], float]:
    scored = [*_join_parts(_score_alone(found, worth, asked, words, meaning))]
    best = max((block.score for block in scored), default=0.0)
    after = {
        (one.path, one.lines): other.score
        for one, other in pairwise(scored)
        if one.path == other.path and other.passages[0] <= one.passages[1] + 1
    }
    ranked = [
        replace(one, score=(one.score + NEXT * after.get((one.path, one.lines), 0.0)) / (1 + NEXT))
        for one in scored
        if one.score > 0
    ]
    ranked.sort(key=lambda block: (-block.score, block.path, block.lines))
    return ranked, best


def _score_alone(
    found: Sequence[Block], worth: Mapping[str, float], asked: float, words: float, meaning: float
) -> Iterator[Block]:
    """Give each block its score without its neighbours.

    Words count by their share of the best block's, times how much of the query the block that says most of it does.
    """
    raw = [_weigh_words(block, worth) for block in found]
    top = max(raw, default=0.0)
    said = max((sum(worth.get(word, 0.0) for word in block.counts) for block in found), default=0.0)
    scale = min(1.0, said / asked) / top if top and asked else 0.0
    for block, value in zip(found, raw, strict=True):
        yield replace(block, score=(words * value * scale + meaning * block.meaning) / (words + meaning))


def _weigh_words(block: Block, worth: Mapping[str, float]) -> float:
    length = K1 * len(block.text) / LENGTH
    return sum(worth.get(word, 0.0) * (K1 + 1) * count / (count + length) for word, count in block.counts.items())


def _join_parts(parts: Iterator[Block]) -> Iterator[Block]:
    joined: Block | None = None
    for part in sorted(parts, key=lambda one: (one.path, one.passages, one.lines)):
        if joined is not None and (joined.path, joined.lines[0]) == (part.path, part.lines[0]):
            better = part if part.score > joined.score else joined
            lines = (joined.lines[0], max(joined.lines[1], part.lines[1]))
            joined = replace(better, lines=lines, passages=(joined.passages[0], part.passages[1]))
            continue
        if joined is not None:
            yield joined
        joined = part
    if joined is not None:
        yield joined


def put_latest_first(ranked: Sequence[Block], modified: Mapping[VaultPath, float]) -> list[Block]:
    """Move each block before the earlier ones that say similar things, unless it matches much less."""
    found: list[Block] = []
    words = {(block.path, block.lines): frozenset(words_of(block.text)) - STOP_WORDS for block in ranked}

    def replaces(one: Block, other: Block) -> bool:
        if (modified[one.path], one.lines) <= (modified[other.path], other.lines) or one.score < AS_GOOD * other.score:
            return False
        mine, theirs = words[one.path, one.lines], words[other.path, other.lines]
        return len(mine & theirs) >= SIMILAR * max(1, len(mine | theirs))

    for block in ranked:
        at = next((place for place, other in enumerate(found) if replaces(block, other)), len(found))
        found.insert(at, block)
    return found
