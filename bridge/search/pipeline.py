"""Finds notes by words and by semantic similarity."""

import time
from collections.abc import Mapping, Sequence

from msgspec import field
from msgspec.structs import replace

from bridge.errors import ModelMissing
from bridge.index.hits import PassageHit
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.index.rows import StoredPassage
from bridge.records import Record
from bridge.search.answerability import (
    PASSAGES,
    Answerability,
    BestPassages,
    assess,
    is_foreign,
    question_terms,
    without_said,
)
from bridge.search.calibrate import FOREIGN, ModelCalibration, model_calibration, model_trust
from bridge.search.coverage import EVERYWHERE, common_words, idf, score_coverage
from bridge.search.expand import choose_seeds, expand_co_reading, expand_links, expand_mentions, match_tags
from bridge.search.fuse import (
    WEIGHTS,
    FusedHit,
    Fusion,
    RetrieverName,
    RetrieverResult,
    drop_irrelevant,
    explain_scores,
    fuse,
    keep_best,
    lower,
    pin,
    relevant_notes,
)
from bridge.search.hits import Reasons, build_hits, collapse, link_reason
from bridge.search.model import Explanation, ScorePassages, SearchAnswer, SearchHit, SearchRequest, Sources
from bridge.search.outcome import NOTHING_ASKED, Outcome, outcome_notices
from bridge.search.passages import Worth, fill_passages, read_shown
from bridge.search.query import Query
from bridge.search.read_query import read_query
from bridge.search.retrievers import (
    IndexAnswers,
    best_passages,
    passage_scores,
    retrieve,
    text_results,
    vector_result,
)
from bridge.search.scope import Paths
from bridge.search.snippet import clean_text
from bridge.search.vocabulary import (
    NameMatch,
    exact_names,
    merge_matches,
    score_covered_names,
    score_typed_names,
)
from bridge.text.fold import fold_word
from bridge.text.function_words import drop_function_words
from bridge.text.match import compile_matcher
from bridge.text.stems import foreign_language
from bridge.types import SearchMode, VaultPath

MAX_READ_NOTES = 40
"""Notes that are read closely at most."""

_AS_HYBRID = "The order is that of `hybrid`."


class CloseReading(Record):
    """Notes in their new order, those that were read, and notices if not all were."""

    ranked: Sequence[FusedHit]
    read: frozenset[VaultPath] = field(default_factory=frozenset)
    notices: tuple[str, ...] = ()


async def read_closely(
    score: ScorePassages,
    query: str,
    ranked: Sequence[FusedHit],
    notes: Mapping[VaultPath, IndexedNote],
    texts: Mapping[VaultPath, StoredPassage],
) -> CloseReading:
    """Rank the first notes by their scores for the query; those not read follow in their order."""
    best = [hit for hit in ranked[:MAX_READ_NOTES] if hit.path in notes and hit.path in texts]
    if not best:
        return CloseReading(ranked)
    found = await score(query, [_readable(notes[hit.path], texts[hit.path]) for hit in best])
    if not found.scores:
        return CloseReading(ranked, notices=(f"{found.problem} {_AS_HYBRID}",))
    read = dict(zip([hit.path for hit in best], found.scores, strict=False))
    first = sorted((hit for hit in best if hit.path in read), key=lambda hit: -read[hit.path])
    others = [hit for hit in ranked if hit.path not in read]
    return CloseReading([*first, *others], frozenset(read), (found.problem,) if found.problem else ())


def _readable(note: IndexedNote, passage: StoredPassage) -> str:
    return "\n".join(part for part in (note.title, passage.heading, clean_text(passage.text)) if part)


SPARE = 6
"""Hits read beyond the limit, to replace those that collapse as duplicates."""


class RankedNotes(Record):
    """The ranked notes, before any text is cut."""

    ranked: Sequence[FusedHit]
    texts: Mapping[VaultPath, StoredPassage]
    results: Sequence[RetrieverResult]
    reasons: Reasons
    mode: SearchMode
    readable: bool = True
    """Whether the model can read the query."""
    words: tuple[str, ...] = ()
    took_ms: Mapping[str, float] = field(default_factory=dict)
    passages: Mapping[VaultPath, int] = field(default_factory=dict)
    """By note: the passage to show."""
    worth: Worth = field(default_factory=dict)
    said: frozenset[VaultPath] = frozenset()
    """The notes that say a word of the query which is not everywhere."""


async def retrieve_and_rank(
    sources: Sources, request: SearchRequest, query: Query, within: Paths | None
) -> RankedNotes:
    meaning = model_calibration(sources.index.answering_model)
    if request.mode == "semantic":
        answers, has_model = await retrieve(sources.index, Query(), sources.embed_query(query.text), within)
        if not has_model:
            raise ModelMissing
        return await _rank_by_vector(sources.index, request, answers, meaning)
    trusted = trust_model(query, request.mode, meaning)
    vector = sources.embed_query(query.text) if trusted else None
    answers, has_model = await retrieve(sources.index, query, vector, within)
    near = vector_result(answers, meaning, trusted)
    mode: SearchMode = "hybrid" if has_model else "keyword"
    found = await _rank_hybrid(sources, request, query, within, answers, near, mode)
    return found if trusted or request.mode == "keyword" else replace(found, readable=False)


def trust_model(query: Query, mode: SearchMode, meaning: ModelCalibration) -> float:
    """Return how much the similarity to a query counts in a mode, from 0 to 1."""
    if mode == "hybrid":
        return model_trust(query.text, meaning, foreign_language(query.text))
    return float(mode == "semantic")


async def _rank_by_vector(
    index: Index, request: SearchRequest, answers: IndexAnswers, meaning: ModelCalibration
) -> RankedNotes:
    near = vector_result(answers, meaning, 1.0)
    ranked = fuse([near])
    worth = passage_scores(answers, near, ())
    passages = best_passages(worth)
    texts = await read_passages(index, ranked[: request.limit + SPARE], passages)
    reasons = Reasons(near.calibrated)
    return RankedNotes(
        ranked,
        texts,
        [near],
        reasons,
        "semantic",
        took_ms=answers.took_ms,
        passages=passages,
        worth=worth,
        # Who asks by meaning alone is shown what is nearest: notes in another language are never very near.
        said=frozenset(near.calibrated),
    )


# Long: each step ranks with what all steps before it found.
async def _rank_hybrid(
    sources: Sources,
    request: SearchRequest,
    query: Query,
    within: Paths | None,
    answers: IndexAnswers,
    near: RetrieverResult,
    mode: SearchMode,
) -> RankedNotes:
    """Rank by the retrievers' results, then again with the notes that the first hits name and link to."""
    start = time.perf_counter()
    index, notes, vocabulary = sources.index, sources.index.notes, sources.vocabulary
    vocabulary.follow(notes)
    paths_with_words = {hit.path for hits in (answers.passages, answers.stems, answers.whole) for hit in hits}
    cover = score_coverage(index, paths_with_words, query.sought)
    by_text = text_results(answers, query.text, cover)
    quiet = common_words(index, query.content)
    everywhere = quiet and common_words(index, query.content, EVERYWHERE)
    loud = (
        [word for word in query.sought if fold_word(word) not in everywhere] if cover is not None and everywhere else []
    )
    of_loud = score_coverage(index, paths_with_words, loud) if loud else None
    tag_result, tagged = match_tags(query, vocabulary, notes, within)
    found = {hit.path for hit in answers.names}.union(*(result.raw for result in (near, *by_text, tag_result)))
    candidates = frozenset(notes.keys() & found)
    by_cover = score_covered_names(map(notes.__getitem__, candidates), query)
    by_typing = score_typed_names(answers.names, query)
    title, name = _name_result("title", by_cover), _name_result("name", by_typing)
    results = [near, *by_text, title, name, tag_result]
    worth = passage_scores(answers, near, by_text)
    passages = best_passages(worth)
    telling = _add_foreign(_telling_notes(answers, of_loud).union(by_cover), index, query, near)
    # There is always a nearest note; without other evidence it is not an answer, and is not expanded.
    own = relevant_notes(results) | telling
    fusion = Fusion(results)
    first = fusion.rank(own & candidates, request.limit + SPARE)
    ranking = time.perf_counter() - start
    texts = await read_passages(index, first, passages)
    start = time.perf_counter()
    shown_texts = {path: passage.text for path, passage in texts.items()}
    start_from = choose_seeds(first, results)
    mention_result, named_by = expand_mentions(start_from, shown_texts, vocabulary, candidates)
    link_result, linked_by = expand_links(start_from, sources.graph, candidates)
    co_reading_result, co_read = expand_co_reading(start_from, sources.co_reading, candidates)
    expansion = [mention_result, link_result, co_reading_result]
    results += expansion
    fusion.add(expansion)
    ranked = fusion.rank(candidates & (own | named_by.keys() | linked_by.keys()))
    ranked = keep_best(ranked, near, results[1:]) if near.weight > FOREIGN else ranked
    exact = exact_names(answers.names, query)
    ranking += time.perf_counter() - start
    shown = [hit for place, hit in enumerate(ranked) if place < request.limit + SPARE or hit.path in exact]
    texts |= await read_passages(index, [hit for hit in shown if hit.path not in texts], passages)
    silent = {path for path, one in texts.items() if not one.text and not notes[path].properties}
    ranked = lower(ranked, silent)
    # Typing a full name asks for that note, whatever else is semantically close: dates most of all. One that says
    # nothing is below the best that does.
    told = {hit.path for hit in ranked[:1] if exact and hit.path not in silent}
    ranked = pin(ranked, exact - silent or exact | told)
    # A hit is a reason only for those below it; otherwise two could support each other without any evidence.
    places = {hit.path: place for place, hit in enumerate(ranked)}

    def leads(source: VaultPath, path: VaultPath) -> bool:
        return places.get(source, len(places)) < places.get(path, -1)

    reasons = Reasons(
        meaning=near.calibrated,
        whole=by_text[-1].calibrated,
        names=merge_matches(by_cover, by_typing),
        tags=tagged,
        linked={
            path: f"{link_reason(vocabulary.label(link.path), onward=link.onward)}, which matches"
            for path, link in linked_by.items()
            if leads(link.path, path)
        },
        mentioned={path: vocabulary.label(source) for path, source in named_by.items() if leads(source, path)},
        co_read={path: vocabulary.label(source) for path, source in co_read.items()},
        quiet=quiet,
    )
    return RankedNotes(
        ranked,
        texts,
        results,
        reasons,
        mode,
        words=query.content,
        took_ms={**answers.took_ms, "ranking": round(ranking * 1000, 2)},
        passages=passages,
        worth=worth,
        said=telling,
    )


def _telling_notes(answers: IndexAnswers, cover: Mapping[VaultPath, float] | None) -> frozenset[VaultPath]:
    if cover is None:
        return frozenset(hit.path for hits in (answers.passages, answers.stems) for hit in hits)
    return frozenset(path for path, share in cover.items() if share > 0)


def _add_foreign(
    telling: frozenset[VaultPath], index: Index, query: Query, near: RetrieverResult
) -> frozenset[VaultPath]:
    if not (model_calibration(index.answering_model).every_script and is_foreign(query.text)):
        return telling
    language = foreign_language(query.text)
    has_own = bool(telling) if language is None else language in index.languages
    return telling if has_own else telling.union(near.calibrated)


async def read_passages(
    index: Index, hits: Sequence[FusedHit], passages: Mapping[VaultPath, int]
) -> dict[VaultPath, StoredPassage]:
    """Read the passages that may be shown; a note that no passage retriever found shows its first."""
    if not hits:
        return {}
    places = [PassageHit(hit.path, passages.get(hit.path, 0), hit.score) for hit in hits]
    return {passage.path: passage for passage in await read_shown(index, places)}


def _name_result(name: RetrieverName, matches: Mapping[VaultPath, NameMatch]) -> RetrieverResult:
    scores = {path: match.score for path, match in matches.items()}
    return RetrieverResult(name, WEIGHTS[name], scores, scores)


async def search(sources: Sources, request: SearchRequest) -> SearchAnswer:
    """Answer a search; no query text raises an error."""
    query, within = await read_query(sources, request)
    if within is not None and not within:
        return SearchAnswer(notices=query.notices)
    if query.is_empty:
        return await _list_filtered(sources, request, query, within)
    with sources.index.searches:
        found = await retrieve_and_rank(sources, request, query, within)
        answerability = _assess(sources, query, found)
        if within is None:
            # A condition set by the caller is listed, however little other evidence there is.
            ranked, weak = drop_irrelevant(found.ranked, found.said)
            found = replace(found, ranked=ranked, reasons=replace(found.reasons, weak=weak))
        if request.min_score:
            found = replace(found, ranked=[hit for hit in found.ranked if hit.score >= request.min_score])
        found, reading = await _read_closely(sources, request, query, found)
        hits = await _build_hits(sources, request, query, found)
    if answerability is not None and answerability.missing:
        shown = [f"{hit.title} {hit.heading} {hit.snippet} {' '.join(hit.why)}" for hit in hits]
        answerability = without_said(answerability, shown)
    outcome = Outcome(found.mode, found.readable, bool(found.results[0].raw), bool(hits), within is not None)
    notices = outcome_notices(sources, request, query, outcome, reading.notices)
    explain = None
    if request.explain:
        explain = Explanation(explain_scores(found.results, [hit.path for hit in hits]), found.took_ms, found.words)
    said = (*query.notices, *notices)
    asked = _asked_worths(sources, query)
    return SearchAnswer(
        hits, found.mode, said, explain, len(found.ranked), answerability, deep=bool(reading.read), asked=asked
    )


async def _read_closely(
    sources: Sources, request: SearchRequest, query: Query, found: RankedNotes
) -> tuple[RankedNotes, CloseReading]:
    if not request.deep or sources.rerank is None:
        return found, CloseReading(found.ranked)
    start = time.perf_counter()
    missing = [hit for hit in found.ranked[:MAX_READ_NOTES] if hit.path not in found.texts]
    texts = {**found.texts, **await read_passages(sources.index, missing, found.passages)}
    reading = await read_closely(sources.rerank, query.text, found.ranked, sources.index.notes, texts)
    took = {**found.took_ms, "reading": round((time.perf_counter() - start) * 1000, 2)}
    reasons = replace(found.reasons, read_closely=reading.read)
    return replace(found, ranked=reading.ranked, texts=texts, reasons=reasons, took_ms=took), reading


def _assess(sources: Sources, query: Query, found: RankedNotes) -> Answerability | None:
    worths = _asked_worths(sources, query)
    if not worths or sources.reading:
        return None
    return assess(query.text, [*worths], best_passages_of(found), worths.__getitem__)


def _asked_worths(sources: Sources, query: Query) -> Mapping[str, float]:
    words = drop_function_words(query.content, sources.index.languages)
    return {term: idf(sources.index, term) for term in question_terms(words)}


_BY_WORDS: frozenset[RetrieverName] = frozenset({"passages", "stems", "whole"})


def best_passages_of(found: RankedNotes) -> BestPassages:
    texts = (found.texts.get(hit.path) for hit in found.ranked[:PASSAGES])
    return BestPassages(
        [f"{one.heading} {one.text} {one.path}" for one in texts if one is not None],
        found.ranked[0].score if found.ranked else 0.0,
        found.mode != "keyword" and found.results[0].weight > FOREIGN,
        any(result.raw for result in found.results if result.name in _BY_WORDS),
    )


async def _build_hits(
    sources: Sources, request: SearchRequest, query: Query, found: RankedNotes
) -> tuple[SearchHit, ...]:
    index = sources.index
    matcher = compile_matcher(query.content, query.phrases, languages=index.languages, open_ended=query.open_ended)
    texts = dict(found.texts)
    looked_at = request.limit + SPARE
    while True:
        best = [hit for hit in found.ranked[:looked_at] if hit.path in index.notes]
        texts |= await read_passages(index, [hit for hit in best if hit.path not in texts], found.passages)
        unique, twins = collapse([(hit, text.text if (text := texts.get(hit.path)) else "") for hit in best])
        if len(unique) >= request.limit or looked_at >= len(found.ranked):
            break
        # A passage that many notes repeat must not leave the answer short.
        looked_at *= 4
    unique = unique[: request.limit]
    whole = (
        await fill_passages(index, unique, found.passages, found.worth, room)
        if (room := request.passage_tokens)
        else {}
    )
    return build_hits(unique, index.notes, texts, found.reasons, matcher, twins, whole)


async def _list_filtered(sources: Sources, request: SearchRequest, query: Query, within: Paths | None) -> SearchAnswer:
    index = sources.index
    if within is None:
        return SearchAnswer(notices=(*query.notices, NOTHING_ASKED))
    notes = [index.notes[path] for path in within if path in index.notes]
    newest = sorted(notes, key=lambda note: (-note.mtime, note.path))[: request.limit]
    ranked = [FusedHit(note.path, 1.0) for note in newest]
    texts = await read_passages(index, ranked, {})
    reasons, matcher = Reasons(listed=True), compile_matcher(())
    whole = await fill_passages(index, ranked, {}, {}, room) if (room := request.passage_tokens) else {}
    hits = build_hits(ranked, index.notes, texts, reasons, matcher, whole=whole)
    return SearchAnswer(hits, "keyword", query.notices, total=len(notes))
