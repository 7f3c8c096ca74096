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
    MAX_PASSAGES,
    Answerability,
    BestPassages,
    assess,
    is_foreign,
    question_terms,
    without_said,
)
from bridge.search.calibrate import FOREIGN_TRUST, ModelCalibration, model_calibration, model_trust
from bridge.search.coverage import cover_query, idf
from bridge.search.expand import Expansion, expand, match_tags
from bridge.search.fuse import (
    WEIGHTS,
    Evidence,
    FusedHit,
    RetrieverName,
    RetrieverResult,
    choose_pinned,
    drop_irrelevant,
    explain_scores,
    fuse,
    keep_best,
    lower,
    pin,
    relevant_notes,
)
from bridge.search.hits import Reasons, Worth, build_hits, collapse, fill_passages, link_reason, read_shown
from bridge.search.model import Explanation, SearchAnswer, SearchHit, SearchRequest, Sources
from bridge.search.outcome import NOTHING_ASKED, Outcome, outcome_notices
from bridge.search.query import Query
from bridge.search.read_query import read_query
from bridge.search.retrievers import (
    IndexAnswers,
    best_passages,
    passage_scores,
    retrieve,
    weigh_meaning,
    weigh_texts,
)
from bridge.search.scope import Paths
from bridge.search.snippet import clean_text
from bridge.search.vocabulary import (
    NameMatch,
    Vocabulary,
    exact_names,
    merge_matches,
    score_covered_names,
    score_typed_names,
)
from bridge.text.function_words import ELISION, drop_function_words
from bridge.text.match import compile_matcher
from bridge.types import SearchMode, VaultPath

MAX_READ_NOTES = 40
"""Notes that are read closely at most."""

_AS_HYBRID = "The order is that of `hybrid`."


def _readable(note: IndexedNote, passage: StoredPassage) -> str:
    return "\n".join(part for part in (note.title, passage.heading, clean_text(passage.text)) if part)


SPARE_HITS = 6
"""Hits read beyond the limit, to replace those that collapse as duplicates."""


class RankedNotes(Record):
    """The ranked notes, before any text is cut."""

    ranked: Sequence[FusedHit]
    texts: Mapping[VaultPath, StoredPassage]
    evidence: Evidence
    reasons: Reasons
    mode: SearchMode
    readable: bool = True
    """Whether the model can read the query."""
    took_ms: Mapping[str, float] = field(default_factory=dict)
    passages: Mapping[VaultPath, int] = field(default_factory=dict)
    """By note: the passage to show."""
    worth: Worth = field(default_factory=dict)
    evident: frozenset[VaultPath] = frozenset()
    """The notes that are about the query however little they score: most say a word of it that is not ubiquitous."""


async def retrieve_and_rank(
    sources: Sources, request: SearchRequest, query: Query, within: Paths | None
) -> RankedNotes:
    meaning = model_calibration(sources.index.answering_model)
    trusted = trust_model(query, request.mode, meaning)
    vector = sources.embed_query(query.text) if trusted else None
    asked = Query() if request.mode == "semantic" else query
    answers, has_model = await retrieve(sources.index, asked, vector, within)
    # A passage that waits for its vector must not be below others for that.
    near = weigh_meaning(answers, meaning, trusted * sources.index.vectors.share() ** 2)
    if request.mode == "semantic":
        if not has_model:
            raise ModelMissing
        return await _rank_by_vector(sources.index, request, answers, near)
    mode: SearchMode = "hybrid" if has_model else "keyword"
    found = await _rank_hybrid(sources, request, query, within, answers, near, mode)
    return found if trusted or request.mode == "keyword" else replace(found, readable=False)


def trust_model(query: Query, mode: SearchMode, meaning: ModelCalibration) -> float:
    """Return how much the similarity to a query counts in a mode, from 0 to 1."""
    if mode == "hybrid":
        return model_trust(query.text, meaning, query.language)
    return float(mode == "semantic")


async def _rank_by_vector(
    index: Index, request: SearchRequest, answers: IndexAnswers, near: RetrieverResult
) -> RankedNotes:
    evidence = Evidence(meaning=near)
    ranked = fuse([near])
    worth = passage_scores(answers, evidence)
    passages = best_passages(worth)
    return RankedNotes(
        ranked,
        await read_passages(index, ranked[: request.limit + SPARE_HITS], passages),
        evidence,
        Reasons(near.calibrated),
        "semantic",
        took_ms=answers.took_ms,
        passages=passages,
        worth=worth,
        # Who asks by meaning alone is shown what is nearest: notes in another language are never very near.
        evident=frozenset(near.calibrated),
    )


class _Findings(Record):
    """What the retrievers found of a query."""

    evidence: Evidence
    candidates: frozenset[VaultPath]
    evident: frozenset[VaultPath]
    reasons: Reasons


def _weigh_answers(
    sources: Sources, query: Query, within: Paths | None, answers: IndexAnswers, near: RetrieverResult
) -> _Findings:
    index, notes, vocabulary = sources.index, sources.index.notes, sources.vocabulary
    vocabulary.follow(notes)
    with_words = {hit.path for hits in (answers.passages, answers.stems, answers.whole) for hit in hits}
    cover = cover_query(index, with_words, query)
    tag_result, tags = match_tags(query, vocabulary, notes, within)
    evidence = replace(weigh_texts(answers, query.text, cover.shares), meaning=near, tags=tag_result)
    found = {hit.path for hit in answers.names}.union(*(result.raw for result in evidence.results()))
    candidates = frozenset(notes.keys() & found)
    by_cover = score_covered_names(map(notes.__getitem__, candidates), query)
    by_typing = score_typed_names(answers.names, query)
    evidence = replace(evidence, title=_name_result("title", by_cover), name=_name_result("name", by_typing))
    evident = cover.evident
    if evident is None:
        evident = frozenset(hit.path for hits in (answers.passages, answers.stems) for hit in hits)
    return _Findings(
        evidence,
        candidates,
        _add_foreign(evident.union(by_cover), index, query, near),
        Reasons(
            meaning=near.calibrated,
            whole=evidence.whole.calibrated,
            names=merge_matches(by_cover, by_typing),
            tags=tags,
            common_words=cover.common_words,
        ),
    )


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
    index, notes = sources.index, sources.index.notes
    findings = _weigh_answers(sources, query, within, answers, near)
    candidates = findings.candidates
    worth = passage_scores(answers, findings.evidence)
    passages = best_passages(worth)
    # There is always a nearest note; without other evidence it is not an answer, and is not expanded.
    relevant = relevant_notes(findings.evidence) | findings.evident
    first = fuse(findings.evidence.results(), relevant & candidates, request.limit + SPARE_HITS)
    ranking = time.perf_counter() - start
    texts = await read_passages(index, first, passages)
    start = time.perf_counter()
    evidence, expansion = expand(sources, first, texts, findings.evidence, candidates)
    relevant |= expansion.mentioned.keys() | expansion.linked.keys()
    ranked = fuse(evidence.results(), candidates & relevant)
    ranked = keep_best(ranked, evidence, is_word=query.is_word) if near.weight > FOREIGN_TRUST else ranked
    named = exact_names(answers.names, query)
    ranking += time.perf_counter() - start
    shown = [hit for place, hit in enumerate(ranked) if place < request.limit + SPARE_HITS or hit.path in named]
    texts |= await read_passages(index, [hit for hit in shown if hit.path not in texts], passages)
    empty_notes = {path for path, one in texts.items() if not one.text and not notes[path].properties}
    ranked = lower(ranked, empty_notes)
    ranked = pin(ranked, choose_pinned(ranked, named, empty_notes))
    return RankedNotes(
        ranked,
        texts,
        evidence,
        _add_expansion(findings.reasons, expansion, ranked, sources.vocabulary),
        mode,
        took_ms={**answers.took_ms, "ranking": round(ranking * 1000, 2)},
        passages=passages,
        worth=worth,
        evident=findings.evident,
    )


def _add_expansion(
    reasons: Reasons, expansion: Expansion, ranked: Sequence[FusedHit], vocabulary: Vocabulary
) -> Reasons:
    """Add how hits lead to others.

    A hit is a reason only for those below it; otherwise two could support each other without any evidence.
    """
    places = {hit.path: place for place, hit in enumerate(ranked)}

    def leads(source: VaultPath, path: VaultPath) -> bool:
        return places.get(source, len(places)) < places.get(path, -1)

    return replace(
        reasons,
        linked={
            path: f"{link_reason(vocabulary.label(link.path), onward=link.onward)}, which matches"
            for path, link in expansion.linked.items()
            if leads(link.path, path)
        },
        mentioned={path: vocabulary.label(hit) for path, hit in expansion.mentioned.items() if leads(hit, path)},
        co_read={path: vocabulary.label(hit) for path, hit in expansion.co_read.items()},
    )


def _add_foreign(
    evident: frozenset[VaultPath], index: Index, query: Query, near: RetrieverResult
) -> frozenset[VaultPath]:
    if not (model_calibration(index.answering_model).every_script and is_foreign(query.text)):
        return evident
    has_own = bool(evident) if query.language is None else query.language in index.languages
    return evident if has_own else evident.union(near.calibrated)


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
    return RetrieverResult(WEIGHTS[name], scores, scores)


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
            ranked, weak = drop_irrelevant(found.ranked, found.evident)
            found = replace(found, ranked=ranked, reasons=replace(found.reasons, weak=weak))
        if request.min_score:
            found = replace(found, ranked=[hit for hit in found.ranked if round(hit.score, 4) >= request.min_score])
        found, reading_notices = await _read_closely(sources, request, query, found)
        hits = await _build_hits(sources, request, query, found)
    if answerability is not None and answerability.missing:
        shown = [f"{hit.title} {hit.heading} {hit.snippet} {' '.join(hit.why)}" for hit in hits]
        answerability = without_said(answerability, shown)
    outcome = Outcome(found.mode, found.readable, bool(found.evidence.meaning.raw), bool(hits), within is not None)
    notices = outcome_notices(sources, request, query, outcome, reading_notices)
    explain = None
    if request.explain:
        words = () if found.mode == "semantic" else query.content
        explain = Explanation(explain_scores(found.evidence, [hit.path for hit in hits]), found.took_ms, words)
    return SearchAnswer(
        hits,
        found.mode,
        (*query.notices, *notices),
        explain,
        len(found.ranked),
        answerability,
        deep=bool(found.reasons.read_closely),
        asked=_asked_worths(sources, query),
    )


async def _read_closely(
    sources: Sources, request: SearchRequest, query: Query, found: RankedNotes
) -> tuple[RankedNotes, tuple[str, ...]]:
    """Rank the first notes by their scores for the query; those not read follow in their order. Also return notices."""
    if not request.deep or sources.rerank is None:
        return found, ()
    start, notes = time.perf_counter(), sources.index.notes
    first = [hit for hit in found.ranked[:MAX_READ_NOTES] if hit.path in notes]
    missing = [hit for hit in first if hit.path not in found.texts]
    texts = {**found.texts, **await read_passages(sources.index, missing, found.passages)}
    first = [hit for hit in first if hit.path in texts]
    if not first:
        return found, ()
    scored = await sources.rerank(query.text, [_readable(notes[hit.path], texts[hit.path]) for hit in first])
    notices = (scored.problem,) if scored.problem else ()
    if not scored.scores:
        return found, tuple(f"{notice} {_AS_HYBRID}" for notice in notices)
    score_of = dict(zip([hit.path for hit in first], scored.scores, strict=False))
    best = sorted((hit for hit in first if hit.path in score_of), key=lambda hit: -score_of[hit.path])
    ranked = [*best, *(hit for hit in found.ranked if hit.path not in score_of)]
    reasons = replace(found.reasons, read_closely=frozenset(score_of))
    took = {**found.took_ms, "reading": round((time.perf_counter() - start) * 1000, 2)}
    return replace(found, ranked=ranked, texts=texts, reasons=reasons, took_ms=took), notices


def _assess(sources: Sources, query: Query, found: RankedNotes) -> Answerability | None:
    worths = _asked_worths(sources, query)
    if not worths or sources.reading:
        return None
    return assess(query.text, [*worths], best_passages_of(found), worths.__getitem__)


def _asked_worths(sources: Sources, query: Query) -> Mapping[str, float]:
    content = [part for word in query.content for part in ELISION.sub(" ", word).split()]
    words = drop_function_words(content, sources.index.languages, query.words)
    return {term: idf(sources.index, term) for term in question_terms(words, query.language)}


def best_passages_of(found: RankedNotes) -> BestPassages:
    texts = (found.texts.get(hit.path) for hit in found.ranked[:MAX_PASSAGES])
    evidence = found.evidence
    return BestPassages(
        [f"{one.heading} {one.text} {one.path}" for one in texts if one is not None],
        found.ranked[0].score if found.ranked else 0.0,
        found.mode != "keyword" and evidence.meaning.weight > FOREIGN_TRUST,
        any(result.raw for result in (evidence.passages, evidence.stems, evidence.whole)),
    )


async def _build_hits(
    sources: Sources, request: SearchRequest, query: Query, found: RankedNotes
) -> tuple[SearchHit, ...]:
    index = sources.index
    matcher = compile_matcher(query.content, query.phrases, languages=index.languages, open_ended=query.open_ended)
    texts = dict(found.texts)
    looked_at = request.limit + SPARE_HITS
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
