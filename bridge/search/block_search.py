"""Finds blocks: the lines of journals, chats and other notes that answer a question, as many of a note as match."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise

from msgspec.structs import replace

from bridge.errors import ModelMissing
from bridge.index.hits import PassageHit
from bridge.index.index import Index
from bridge.index.rows import StoredPassage
from bridge.markdown.blocks import read_pieces
from bridge.markdown.parse import parse_structure
from bridge.records import Record
from bridge.search.calibrate import calibrate_cosines, model_calibration
from bridge.search.coverage import idf
from bridge.search.fuse import MIN_ABOUT_SCORE, MIN_MEANING_SCORE
from bridge.search.hits import Reasons, ShownText, build_hit, collapse
from bridge.search.model import Explanation, SearchAnswer, SearchHit, SearchRequest, ShownPassage, Sources
from bridge.search.outcome import NOTHING_ASKED, Outcome, outcome_notices
from bridge.search.pipeline import trust_model
from bridge.search.read_query import read_query
from bridge.search.retrievers import IndexAnswers, retrieve
from bridge.search.snippet import clean_text
from bridge.text.budget import estimate_tokens
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.invisible import visible_text
from bridge.text.lines import LineIndex
from bridge.text.match import Matcher, compile_matcher
from bridge.text.words import words_of
from bridge.types import Lines, NoteKind, SearchMode, VaultPath

WORDS_WEIGHT = 2.0
"""Weight of words, that of meaning being 1; chosen like the others on half of the chats of BEAM."""

NEXT_BLOCK_SHARE = 0.6
"""Share of the next block's score that a block gets."""

K1 = 1.2
"""How soon a repeated word counts no more, as in BM25."""

MEAN_BLOCK_CHARS = 500
"""Characters of a block whose length neither raises nor lowers its score."""

UNSAID_SHARE = 0.5
"""Share of its passage's similarity that a block gets which says none of the words."""

MIN_COMMON_SHARE = 0.15
"""Share of their words that two blocks must have in common for one to replace the other."""

AS_GOOD = 0.5
"""Least score of a later block that comes before an earlier one, as a share of the other's score."""


class Block(Record):
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
        Block(
            passage.path,
            passage.heading,
            lines,
            text,
            at,
            own,
            meaning * (UNSAID_SHARE + (1 - UNSAID_SHARE) * part / most),
        )
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
        replace(
            one, score=(one.score + NEXT_BLOCK_SHARE * after.get((one.path, one.lines), 0.0)) / (1 + NEXT_BLOCK_SHARE)
        )
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
    length = K1 * len(block.text) / MEAN_BLOCK_CHARS
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
    words = {(block.path, block.lines): frozenset(words_of(block.text)) - FUNCTION_WORDS for block in ranked}

    def replaces(one: Block, other: Block) -> bool:
        if (modified[one.path], one.lines) <= (modified[other.path], other.lines) or one.score < AS_GOOD * other.score:
            return False
        mine, theirs = words[one.path, one.lines], words[other.path, other.lines]
        return len(mine & theirs) >= MIN_COMMON_SHARE * max(1, len(mine | theirs))

    for block in ranked:
        at = next((place for place, other in enumerate(found) if replaces(block, other)), len(found))
        found.insert(at, block)
    return found


SPARE_FACTOR = 3
"""How many times the limit of blocks is compared, to replace those that repeat others."""


async def search_blocks(sources: Sources, request: SearchRequest) -> SearchAnswer:
    """Answer a search with blocks, best first; no query text raises an error."""
    started = time.perf_counter()
    query, within = await read_query(sources, request)
    if within is not None and not within:
        return SearchAnswer(notices=query.notices)
    if query.is_empty:
        return SearchAnswer(notices=(*query.notices, NOTHING_ASKED))
    index = sources.index
    calibration = model_calibration(index.answering_model)
    trust = trust_model(query, request.mode, calibration)
    words = query.search_terms
    matcher = compile_matcher(words, query.phrases, languages=index.languages, open_ended=query.open_ended)
    with index.searches:
        vector = sources.embed_query(query.text) if trust else None
        found, has_model = await retrieve(index, query, vector, within, every_passage=True)
        if request.mode == "semantic" and not has_model:
            raise ModelMissing
        near = {(hit.path, hit.ordinal): hit.score for hit in found.nearest}
        blocks = await _read_blocks(sources, matcher, found, calibrate_cosines(near, calibration))
        worth = {word: idf(index, word) for word in words}
        # What completes an unfinished word, or is a part of a run without spaces, is reported as the block has it.
        total = sum(worth.values())
        found_words = {word for block in blocks for word in block.counts} - worth.keys()
        worth |= {word: idf(index, word) for word in found_words}
        by_words = 0.0 if request.mode == "semantic" else WORDS_WEIGHT
        ranked, best = rank_blocks(blocks, worth, total, by_words, trust if has_model else 0.0)
    least = MIN_MEANING_SCORE if within is not None or best >= MIN_ABOUT_SCORE else 1.0
    ranked = [block for block in ranked if block.score >= request.min_score and (block.counts or block.score >= least)]
    hits = _build_hits(index, request, matcher, ranked)
    mode: SearchMode = "semantic" if request.mode == "semantic" else "hybrid" if has_model else "keyword"
    is_readable = bool(trust) or request.mode == "keyword"
    outcome = Outcome(mode, is_readable, bool(near), bool(hits), within is not None)
    notices = outcome_notices(sources, request, query, outcome)
    took = {"blocks": round((time.perf_counter() - started) * 1000, 2)}
    explain = Explanation({}, took, words) if request.explain else None
    return SearchAnswer(hits, mode, (*query.notices, *notices), explain, len(ranked))


async def _read_blocks(
    sources: Sources, matcher: Matcher, found: IndexAnswers, meaning: Mapping[tuple[VaultPath, int], float]
) -> list[Block]:
    index = sources.index
    places = {(hit.path, hit.ordinal) for hit in (*found.stems, *found.passages, *found.nearest)}
    places |= {(path, ordinal + 1) for path, ordinal in places}
    passages = await index.text_of([PassageHit(path, ordinal, 0.0) for path, ordinal in sorted(places)])
    worth_of, notes = cache(partial(idf, index)), index.notes

    def match() -> list[Block]:
        blocks: list[Block] = []
        for passage in passages:
            if (note := notes.get(passage.path)) is not None:
                near = meaning.get((passage.path, passage.ordinal), 0.0)
                blocks += match_blocks(passage, note.kind, matcher, worth_of, near)
        return blocks

    return await asyncio.to_thread(match)


def _build_hits(
    index: Index, request: SearchRequest, matcher: Matcher, ranked: Sequence[Block]
) -> tuple[SearchHit, ...]:
    """Cut snippets, leave out blocks that repeat others, and give reasons."""
    shown = [block for block in ranked[: SPARE_FACTOR * request.limit] if block.path in index.notes]
    unique, twins = collapse([(block, block.text) for block in shown])
    repeats = {(block.path, block.lines): twins.get(place, 0) for place, block in enumerate(unique)}
    chosen = unique[: request.limit]
    if request.order == "latest":
        chosen = put_latest_first(chosen, {block.path: index.notes[block.path].mtime for block in chosen})
    texts = [clean_text(block.text) for block in chosen]
    room = request.passage_tokens
    hits: list[SearchHit] = []
    for block, text, matches in zip(chosen, texts, matcher.find_each(texts), strict=True):
        passages: tuple[ShownPassage, ...] = ()
        if (cost := estimate_tokens(block.text)) <= room:
            room -= cost
            passages = (ShownPassage(block.heading, block.lines, visible_text(block.text).strip("\n")),)
        part = ShownText(block.heading, block.lines, block.text, plain=text, matches=matches)
        reasons, repeated = Reasons({block.path: block.meaning}), repeats[block.path, block.lines]
        hits.append(build_hit(index.notes[block.path], block.score, part, reasons, repeated, passages))
    return tuple(hits)
