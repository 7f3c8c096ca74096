"""From a query to ranked notes with the passages and reasons that belong to them."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bridge.errors import ModelMissing
from bridge.index import Words, foreign_language
from bridge.retrieval.calibrate import Meaning, meaning_of, trust
from bridge.retrieval.fuse import WEIGHTS, Fused, Lane, LaneName, evident, fuse, led
from bridge.retrieval.lanes import Answers, ask, best_passages, meaning_lane, passage_worth, text_lanes
from bridge.retrieval.passages import Worth
from bridge.retrieval.query import Query
from bridge.retrieval.request import SearchRequest, Sources
from bridge.retrieval.scope import Paths
from bridge.retrieval.second import drift, links, mentions, seeds, tags
from bridge.retrieval.stopwords import content
from bridge.retrieval.titles import NameMatch, called, covered, merged, name_in, typed
from bridge.retrieval.why import Reasons, linking
from bridge.types import SearchMode, VaultPath

if TYPE_CHECKING:
    from bridge.index import Index, Passage

SPARE = 6
"""Hits looked at beyond the limit, so that what collapses is made up for."""


@dataclass(frozen=True, slots=True)
class Found:
    """All that was found, before any text is cut."""

    ranked: Sequence[Fused]
    texts: "Mapping[VaultPath, Passage]"
    lanes: Sequence[Lane]
    reasons: Reasons
    mode: SearchMode
    readable: bool = True
    """Whether the model can read the query."""
    words: tuple[str, ...] = ()
    took_ms: Mapping[str, float] = field(default_factory=dict)
    passages: Mapping[VaultPath, int] = field(default_factory=dict)
    """By note: which of its passages to show."""
    worth: Worth = field(default_factory=dict)


async def look(sources: Sources, request: SearchRequest, query: Query, within: Paths | None) -> Found:
    """Ask the lanes that the mode allows and add up what they say.

    Raises:
        ModelMissing: The mode is semantic and there is no model.
    """
    meaning = meaning_of(sources.index.answering_model)
    if request.mode == "semantic":
        answers, has_model = await ask(sources.index, Words(), Words(), "", sources.embed_query(query.text), within)
        if not has_model:
            raise ModelMissing
        return await _by_meaning(sources.index, request, answers, meaning)
    words = Words(should=(*content(query.words), *query.phrases))
    trusted = trust(query.text, meaning, foreign_language(query.text)) if request.mode == "hybrid" else 0.0
    vector = sources.embed_query(query.text) if trusted else None
    every = Words(should=(*query.words, *query.phrases))
    answers, has_model = await ask(sources.index, words, every, name_in(query), vector, within)
    near = meaning_lane(answers, meaning, trusted)
    mode: SearchMode = "hybrid" if has_model else "keyword"
    found = await _by_all(sources, request, query, within, answers, near, mode)
    return found if trusted or request.mode == "keyword" else replace(found, readable=False)


async def _by_meaning(index: "Index", request: SearchRequest, answers: Answers, meaning: Meaning) -> Found:
    near = meaning_lane(answers, meaning, 1.0)
    ranked = fuse([near])
    worth = passage_worth(answers, near, ())
    passages = best_passages(worth)
    texts = await read(index, ranked[: request.limit + SPARE], passages)
    reasons = Reasons(near.calibrated)
    return Found(ranked, texts, [near], reasons, "semantic", took_ms=answers.took_ms, passages=passages, worth=worth)


async def _by_all(
    sources: Sources,
    request: SearchRequest,
    query: Query,
    within: Paths | None,
    answers: Answers,
    near: Lane,
    mode: SearchMode,
) -> Found:
    """Rank once by what the lanes found, then again with what the first hits name and link to."""
    start = time.perf_counter()
    index = sources.index
    vocabulary = sources.vocabulary
    vocabulary.follow(index.notes)
    said_words = {hit.path for hits in (answers.passages, answers.stems, answers.whole) for hit in hits}
    asked_for = (*content(query.words), *query.phrases)
    cover = vocabulary.words.cover(said_words, asked_for, index.languages)
    by_text = text_lanes(answers, cover)
    tag_lane, tagged = tags(query, vocabulary, index.notes, within)
    found = {hit.path for hit in answers.names}.union(*(lane.raw for lane in (near, *by_text, tag_lane)))
    candidates = frozenset(path for path in found if path in index.notes)
    by_cover = covered((index.notes[path] for path in candidates), query)
    by_typing = typed(answers.names, query)
    title, name = _named("title", by_cover), _named("name", by_typing)
    lanes = [near, *by_text, title, name, tag_lane]
    worth = passage_worth(answers, near, by_text)
    passages = best_passages(worth)
    # A nearest note there always is; one that nothing else speaks for is no answer, and leads to none.
    own = evident(lanes)
    first = fuse(lanes, own & candidates)
    ranking = time.perf_counter() - start
    texts = await read(index, first[: request.limit + SPARE], passages)
    start = time.perf_counter()
    said = {path: passage.text for path, passage in texts.items()}
    start_from = seeds(first, lanes)
    mention_lane, named_by = mentions(start_from, said, vocabulary, candidates)
    link_lane, linked_by = links(start_from, sources.graph, candidates)
    drift_lane, read_with = drift(start_from, sources.drift, candidates)
    lanes += [mention_lane, link_lane, drift_lane]
    ranked = fuse(lanes, candidates & (own | named_by.keys() | linked_by.keys()))
    # Whoever types a name in full wants the note of that name, whatever else is close in meaning: dates most of all.
    ranked = led(ranked, called(answers.names, query))
    ranking += time.perf_counter() - start
    texts |= await read(index, [hit for hit in ranked[: request.limit + SPARE] if hit.path not in texts], passages)
    # A hit speaks for those below it alone, else two could speak for each other and nothing for either.
    places = {hit.path: place for place, hit in enumerate(ranked)}

    def leads(source: VaultPath, path: VaultPath) -> bool:
        return places.get(source, len(places)) < places.get(path, -1)

    reasons = Reasons(
        meaning=near.calibrated,
        whole=by_text[-1].calibrated,
        names=merged(by_cover, by_typing),
        tags=tagged,
        linked={
            path: f"{linking(vocabulary.label(link.path), onward=link.onward)}, which matches"
            for path, link in linked_by.items()
            if leads(link.path, path)
        },
        mentioned={path: vocabulary.label(source) for path, source in named_by.items() if leads(source, path)},
        read_with={path: vocabulary.label(source) for path, source in read_with.items()},
        quiet=vocabulary.words.quiet(content(query.words), index.languages),
    )
    took = {**answers.took_ms, "ranking": round(ranking * 1000, 2)}
    asked = content(query.words)
    return Found(ranked, texts, lanes, reasons, mode, words=asked, took_ms=took, passages=passages, worth=worth)


async def read(index: "Index", hits: Sequence[Fused], passages: Mapping[VaultPath, int]) -> "dict[VaultPath, Passage]":
    """Read the passages that may be shown; a note that no passage lane found shows its first."""
    from bridge.index import PassageHit

    if not hits:
        return {}
    wanted = [PassageHit(hit.path, passages.get(hit.path, 0), hit.score) for hit in hits]
    return {passage.path: passage for passage in await index.text_of(wanted)}


def _named(lane: LaneName, matches: Mapping[VaultPath, NameMatch]) -> Lane:
    scores = {path: match.score for path, match in matches.items()}
    return Lane(lane, WEIGHTS[lane], scores, scores)
