"""Finds blocks: the lines of journals, chats and other notes that answer a question, as many of a note as match."""

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial

import numpy as np

from bridge.errors import ModelMissing
from bridge.index.fulltext_query import TextQuery
from bridge.index.hits import PassageHit
from bridge.index.index import Index
from bridge.records import dataclass
from bridge.search.blocks import WORDS, Block, match_blocks, put_latest_first, rank_blocks
from bridge.search.calibrate import calibrate_cosines, model_calibration, model_trust
from bridge.search.fuse import ABOUT, FLOOR
from bridge.search.hits import Reasons, collapse, explain_hit
from bridge.search.model import Explanation, SearchAnswer, SearchHit, SearchRequest, ShownPassage, Sources
from bridge.search.outcome import NOTHING_ASKED, Outcome, no_hits_notice, outcome_notices
from bridge.search.read_query import correct_query, read_query
from bridge.search.scope import Paths
from bridge.search.snippet import clean_text, cut_snippet
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import visible_text
from bridge.text.match import Matcher, compile_matcher
from bridge.text.scripts import stemmed_share
from bridge.text.stems import foreign_language
from bridge.text.stopwords import content_words
from bridge.types import SearchMode, VaultPath

DEPTH = 200
"""Passages requested from each retriever."""

FEW = 10
"""Number of stemmed hits below which the words as written are searched too."""

SPARE = 3
"""How many times the limit of blocks is compared, to replace those that repeat others."""


@dataclass(frozen=True, slots=True)
class _PassageHits:
    """The passages found by words and by meaning."""

    texts: Sequence[PassageHit] = ()
    nearest: Sequence[PassageHit] = ()
    has_model: bool = False


async def search_blocks(sources: Sources, request: SearchRequest) -> SearchAnswer:
    """Answer a search with blocks, best first; no query text raises an error."""
    started = time.perf_counter()
    query, within = await read_query(sources, request)
    if within is not None and not within:
        return SearchAnswer(notices=query.notices)
    if query.is_empty:
        return SearchAnswer(notices=(*query.notices, NOTHING_ASKED))
    query = await correct_query(sources, query, by_meaning=request.mode != "keyword")
    index = sources.index
    calibration = model_calibration(index.answering_model)
    trust = 1.0
    if request.mode != "semantic":
        trusted = model_trust(query.text, calibration, foreign_language(query.text))
        trust = trusted if request.mode == "hybrid" else 0.0
    words = (*content_words(query.words), *query.phrases)
    matcher = compile_matcher(words, query.phrases, languages=index.languages, open_ended=query.open_ended)
    with index.searches:
        vector = sources.embed_query(query.text) if trust else None
        found = await _retrieve(index, TextQuery(should=words), vector, within)
        if request.mode == "semantic" and not found.has_model:
            raise ModelMissing
        near = {(hit.path, hit.ordinal): hit.score for hit in found.nearest}
        blocks = await _read_blocks(sources, matcher, found, calibrate_cosines(near, calibration))
        worth = {word: sources.vocabulary.words.worth(word, index.languages) for word in words}
        # What completes an unfinished word, or is a part of a run without spaces, is reported as the block has it.
        asked = sum(worth.values())
        found_words = {word for block in blocks for word in block.counts} - worth.keys()
        worth |= {word: sources.vocabulary.words.worth(word, index.languages) for word in found_words}
        by_words = 0.0 if request.mode == "semantic" else WORDS
        ranked, best = rank_blocks(blocks, worth, asked, by_words, trust if found.has_model else 0.0)
    least = FLOOR if within is not None or best >= ABOUT else 1.0
    ranked = [block for block in ranked if block.score >= request.min_score and (block.counts or block.score >= least)]
    hits = _build_hits(index, request, matcher, ranked)
    mode: SearchMode = "semantic" if request.mode == "semantic" else "hybrid" if found.has_model else "keyword"
    notices = outcome_notices(
        sources, request, query, Outcome(mode, bool(trust) or request.mode == "keyword", bool(near))
    )
    if not hits:
        notices = (*notices, no_hits_notice(sources, mode, notices, filtered=within is not None))
    took = {"blocks": round((time.perf_counter() - started) * 1000, 2)}
    explain = Explanation({}, took, words) if request.explain else None
    return SearchAnswer(hits, mode, (*query.notices, *notices), explain, len(ranked))


async def _retrieve(
    index: Index, words: TextQuery, vector: Awaitable[np.ndarray | None] | None, within: Paths | None
) -> _PassageHits:
    async def near() -> Sequence[PassageHit] | None:
        found = None if vector is None else await vector
        return None if found is None else await index.nearest(found, DEPTH, within, every_passage=True)

    async def by_text() -> Sequence[PassageHit]:
        stems = await index.stems(words, DEPTH, within)
        # Stems find everything that words as written do, except in scripts without stems.
        is_enough = len(stems) >= FEW and stemmed_share(" ".join(words.should)) == 1
        return stems if is_enough else [*stems, *await index.passages(words, DEPTH, within)]

    nearest, texts = await asyncio.gather(near(), by_text())
    return _PassageHits(texts, nearest or (), nearest is not None)


async def _read_blocks(
    sources: Sources, matcher: Matcher, found: _PassageHits, meaning: Mapping[tuple[VaultPath, int], float]
) -> list[Block]:
    index = sources.index
    places = {(hit.path, hit.ordinal) for hit in (*found.texts, *found.nearest)}
    places |= {(path, ordinal + 1) for path, ordinal in places}
    worth = partial(sources.vocabulary.words.worth, languages=index.languages)
    known: dict[str, float] = {}

    def worth_of(word: str) -> float:
        if word not in known:
            known[word] = worth(word)
        return known[word]

    blocks: list[Block] = []
    for passage in await index.text_of([PassageHit(path, ordinal, 0.0) for path, ordinal in sorted(places)]):
        if (note := index.notes.get(passage.path)) is not None:
            near = meaning.get((passage.path, passage.ordinal), 0.0)
            blocks += match_blocks(passage, note.kind, matcher, worth_of, near)
    return blocks


def _build_hits(
    index: Index, request: SearchRequest, matcher: Matcher, ranked: Sequence[Block]
) -> tuple[SearchHit, ...]:
    """Cut snippets, leave out blocks that repeat others, and give reasons."""
    shown = [block for block in ranked[: SPARE * request.limit] if block.path in index.notes]
    unique, twins = collapse([(block, block.text) for block in shown])
    repeats = {(block.path, block.lines): twins.get(place, 0) for place, block in enumerate(unique)}
    chosen = unique[: request.limit]
    if request.order == "latest":
        chosen = put_latest_first(chosen, {block.path: index.notes[block.path].modified for block in chosen})
    texts = [clean_text(block.text) for block in chosen]
    room = request.passage_tokens
    hits: list[SearchHit] = []
    for block, text, matches in zip(chosen, texts, matcher.find_each(texts), strict=True):
        note = index.notes[block.path]
        reasons = Reasons({block.path: block.meaning})
        passages: tuple[ShownPassage, ...] = ()
        if (cost := estimate_tokens(block.text)) <= room:
            room -= cost
            passages = (ShownPassage(block.heading, block.lines, visible_text(block.text).strip("\n")),)
        hits.append(
            SearchHit(
                path=block.path,
                title=note.title,
                heading=block.heading,
                lines=block.lines,
                snippet=cut_snippet(text, matches),
                score=round(block.score, 4),
                why=explain_hit(block.path, reasons, text, matches, repeats[block.path, block.lines]),
                tags=note.tags,
                modified=note.modified,
                digest=note.digest,
                passages=passages,
            )
        )
    return tuple(hits)
