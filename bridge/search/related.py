"""Finds notes related to a note or a text: semantic similarity, shared rare words, links, tags."""

import asyncio
import heapq
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from bridge.errors import InvalidArguments, NoteNotFound
from bridge.index.boilerplate import is_template
from bridge.index.hits import PassageHit
from bridge.index.inverted_index import TextQuery
from bridge.index.note import IndexedNote
from bridge.index.rows import StoredPassage
from bridge.search.calibrate import ModelCalibration, model_calibration, model_trust, scale_by_spread, share_of_best
from bridge.search.coverage import common_words
from bridge.search.expand import walk_scores
from bridge.search.fuse import Evidence, RetrieverName, RetrieverResult, fuse
from bridge.search.hits import Reasons, build_hits, collapse, link_reason
from bridge.search.model import SearchAnswer, Sources
from bridge.search.pipeline import SPARE_HITS, read_passages
from bridge.search.retrievers import best_scores
from bridge.search.snippet import blank_labels, clean_text
from bridge.text.fold import fold_word
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.match import compile_matcher
from bridge.text.words import words_of
from bridge.types import VaultPath

RETRIEVER_NOTES = 60
"""Notes requested from a retriever."""

MAX_WORDS = 24
"""Words of a text that are searched in other notes."""

MAX_TEXT_CHARS = 8_000
MAX_WORD_SHARE = 0.1
"""Maximum share of the notes that contain a word for it to relate two of them."""

MIN_SCORE_SHARE = 0.25
"""Minimum word score of another note, as a share of the note's own score."""

MAX_READ_PASSAGES = 8
"""Passages of a note that are read for its words."""

_WEIGHTS: Mapping[RetrieverName, float] = {"meaning": 1.0, "whole": 0.4, "links": 0.2, "tags": 0.1}
_COMMAND = re.compile(r"\\[A-Za-z]+")
"""A LaTeX command."""

_NO_MODEL = (
    "There is no model ready, so these notes share words, links and tags; `vaultside models install` adds meaning."
)
_NOTHING_NEAR = "No other note is close to this."
_NO_VECTOR = "This note is not embedded yet, so these notes share words, links and tags with it."


async def find_related(
    sources: Sources,
    *,
    path: VaultPath | None,
    text: str | None,
    limit: int,
    line: int | None = None,
    templates: Collection[str] = (),
) -> SearchAnswer:
    """List the notes related to a note, or to a text that need not be in the vault; templates only to a template."""
    if (path is None) == (text is None):
        raise InvalidArguments("Give either `path` or `text`.")
    if path is not None:
        return await _related_to_note(sources, path, line, limit, templates)
    return await _related_to_text(sources, (text or "")[:MAX_TEXT_CHARS], limit, templates)


async def _related_to_note(
    sources: Sources, path: VaultPath, line: int | None, limit: int, templates: Collection[str]
) -> SearchAnswer:
    index = sources.index
    note = index.notes.get(path)
    if note is None:
        raise NoteNotFound(f"The index has no note `{path}`.")

    count = note.passages if line is not None else min(MAX_READ_PASSAGES, note.passages)
    own = await index.text_of([PassageHit(path, ordinal, 0.0) for ordinal in range(count)])
    vector = None
    if line is not None and own:
        own = [passage_at(own, line)]
        vector = index.vector_of(path, own[0].ordinal)
    if vector is None:
        # Also for a passage that is not embedded, such as a template's: the vector of its note is used.
        vector = index.vector_of(path)
    text = " ".join((note.title, *note.aliases, *(blank_labels(one.text, one.labels) for one in own)))
    # A passage may be a line of millions of words.
    words = await asyncio.to_thread(rare_words, text)
    linked: dict[VaultPath, float] = {}
    links: dict[VaultPath, str] = {}
    called = sources.vocabulary.label(path)
    if sources.graph is not None:
        around = walk_scores(sources.graph, {path: 1.0}, index.notes)
        linked = {
            other: around[other]
            for other in heapq.nlargest(RETRIEVER_NOTES, around, key=lambda one: (around[one], one))
        }
        onward = sources.graph.links_to(path)
        links = {
            other: link_reason(called, onward=other in onward)
            for other in sources.graph.neighbours(path) & linked.keys()
        }
    evidence, passages = await _retrieve(sources, vector, words, 1.0, path)
    tags = _shared_tags(note, index.notes, {*evidence.meaning.raw, *evidence.whole.raw})
    co_reading = sources.co_reading.beside.get(path, {})
    evidence = replace(
        evidence,
        links=RetrieverResult(_WEIGHTS["links"], linked, share_of_best(linked)),
        tags=RetrieverResult(_WEIGHTS["tags"], tags, tags),
        co_reading=RetrieverResult(sources.co_reading.weight, co_reading, co_reading),
    )
    reasons = Reasons(linked=links, co_read=dict.fromkeys(co_reading, called))
    notices = () if vector is not None else (_NO_VECTOR,)
    return await _build_answer(sources, evidence, passages, words, reasons, path, limit, notices, templates)


async def _related_to_text(sources: Sources, text: str, limit: int, templates: Collection[str]) -> SearchAnswer:
    words = rare_words(sources.index.boilerplate.blank(text))
    if not words:
        return SearchAnswer(notices=("There are no words in the text to go by.",))
    vector = await sources.embed_query(text)
    notices = () if vector is not None else (sources.no_model or _NO_MODEL,)
    trusted = model_trust(text, model_calibration(sources.index.answering_model))
    evidence, passages = await _retrieve(sources, vector, words, trusted, None)
    return await _build_answer(sources, evidence, passages, words, Reasons(), None, limit, notices, templates)


async def _retrieve(
    sources: Sources, vector: np.ndarray | None, words: tuple[str, ...], trusted: float, path: VaultPath | None
) -> tuple[Evidence, dict[VaultPath, int]]:
    async def near() -> Sequence[PassageHit]:
        return [] if vector is None else await sources.index.nearest(vector, RETRIEVER_NOTES, None)

    nearest, whole = await asyncio.gather(
        near(), sources.index.search_notes(TextQuery(should=words), RETRIEVER_NOTES, None)
    )
    raw, by_text = best_scores(nearest), best_scores(whole)
    # A note is always its own best match, so it is left out before scores are scaled.
    others, other_texts = ({one: score for one, score in each.items() if one != path} for each in (raw, by_text))
    # Whole texts are closer to each other than a question is to its answer: what counts is standing out, not a fixed
    # curve.
    evidence = Evidence(
        meaning=RetrieverResult(_WEIGHTS["meaning"] * trusted, raw, scale_by_spread(others)),
        whole=RetrieverResult(_WEIGHTS["whole"], by_text, share_of_best(other_texts)),
    )
    return evidence, {hit.path: hit.ordinal for hit in reversed(nearest)}


async def _build_answer(
    sources: Sources,
    evidence: Evidence,
    passages: Mapping[VaultPath, int],
    words: tuple[str, ...],
    reasons: Reasons,
    own: VaultPath | None,
    limit: int,
    notices: tuple[str, ...],
    templates: Collection[str],
) -> SearchAnswer:
    index = sources.index
    near = index.notes.keys() & _near_notes(evidence, own, model_calibration(index.answering_model))
    if own is None or not is_template(index.notes[own], templates):
        near = {other for other in near if not is_template(index.notes[other], templates)}
    ranked = fuse(evidence.results(), near)
    total = len(ranked)
    ranked = ranked[: limit + SPARE_HITS]
    if not ranked:
        notices = (*notices, _NOTHING_NEAR)
    texts = await read_passages(index, ranked, passages)
    unique, twins = collapse([(hit, text.text if (text := texts.get(hit.path)) else "") for hit in ranked])
    common = common_words(index, words, MAX_WORD_SHARE)
    # What is marked is what relates the two, as the reasons say.
    rare = tuple(word for word in words if fold_word(word) not in common)
    matcher = compile_matcher(rare, languages=index.languages)
    reasons = replace(
        reasons,
        common_words=common,
        meaning=evidence.meaning.calibrated,
        whole=evidence.whole.calibrated,
    )
    hits = build_hits(unique[:limit], index.notes, texts, reasons, matcher, twins)
    return SearchAnswer(hits, "hybrid" if evidence.meaning.raw else "keyword", notices, total=total)


def _near_notes(evidence: Evidence, own: VaultPath | None, meaning: ModelCalibration) -> frozenset[VaultPath]:
    """Return the notes with more evidence than being the nearest of all.

    Links and tags are evidence by themselves; a vector must be as close as texts on one subject are, and words, besides
    it, must reach some of the score that the note itself has for them.
    """
    near, whole = evidence.meaning, evidence.whole
    least_near = meaning.curve.middle - meaning.curve.width if meaning.curve is not None else 0.0
    least_whole = MIN_SCORE_SHARE * whole.raw.get(own, 0.0) if near.raw and own is not None else 0.0
    return frozenset(
        path
        for result in evidence.results()
        for path, score in result.raw.items()
        if path != own and score > (least_near if result is near else least_whole if result is whole else 0.0)
    )


def rare_words(text: str) -> tuple[str, ...]:
    """Return the words that characterise a text: frequent in it, long, not function words."""
    words = words_of(_COMMAND.sub(" ", clean_text(text)))
    counts = Counter(word for word in words if word not in FUNCTION_WORDS and not word.isdigit())
    worth = {word: count * min(len(word), 12) for word, count in counts.items() if len(word) > 1}
    return tuple(sorted(worth, key=lambda word: (-worth[word], word))[:MAX_WORDS])


def passage_at(passages: Sequence[StoredPassage], line: int) -> StoredPassage:
    begun = [passage for passage in passages if passage.lines[0] <= line]
    return begun[-1] if begun else passages[0]


def _shared_tags(
    note: IndexedNote, notes: Mapping[VaultPath, IndexedNote], found: Collection[VaultPath]
) -> dict[VaultPath, float]:
    mine = frozenset(note.tags)
    shared = {
        path: len(mine.intersection(notes[path].tags)) / len(mine)
        for path in found
        if mine and path in notes and path != note.path
    }
    return {path: share for path, share in shared.items() if share}
