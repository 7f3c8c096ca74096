"""Finds notes by words and by meaning."""

from dataclasses import replace

from bridge.index import foreign_language
from bridge.retrieval.calibrate import meaning_of
from bridge.retrieval.diversify import collapse
from bridge.retrieval.fuse import Fused, numbers, relevant
from bridge.retrieval.look import SPARE, Found, look, read
from bridge.retrieval.matching import compile_wanted
from bridge.retrieval.passages import fill
from bridge.retrieval.query import Query, parse_query
from bridge.retrieval.request import Explanation, Hit, SearchAnswer, SearchRequest, Sources
from bridge.retrieval.scope import Paths, scope, unknown_names
from bridge.retrieval.showing import shown
from bridge.retrieval.spelling import mend
from bridge.retrieval.stopwords import content
from bridge.retrieval.why import Reasons

_NOT_READ = "The model does not read this script, so this is keyword search."
_NO_MODEL = (
    "There is no model ready, so this is keyword search; `vault-bridge models install` adds search by meaning,"
    " `status` tells how far it is."
)
_OTHER_LANGUAGE = (
    "The model reads English, and this is {language}: `vault-bridge models install multilingual-e5-small` adds one that"
    " reads both."
)
_NOT_EMBEDDED = "Nothing is found by meaning yet: {count:,} {passages} not embedded."
_NOTHING_ASKED = "There is nothing to look for: type words, or give a filter to list notes."
_NOTHING_ALLOWED = "No note passes the filters."
_NOTHING_HAS_ALL = "No note meets all that the query asks for."
_NOTHING_FOUND = "None of your notes is about this."
_NOTHING_WITHIN = "No note that passes the filters is about this."
_NOTHING_YET, _NOTHING_YET_WITHIN = (
    "Nothing was found for this.",
    "Nothing was found among notes that pass the filters.",
)


async def search(sources: Sources, request: SearchRequest) -> SearchAnswer:
    """Answer a search; what was typed is never an error.

    Raises:
        ModelMissing: The mode is semantic and there is no model.
    """
    query = parse_query(request.query)
    within = await scope(sources.index, request, query.condition)
    unknown = () if within is None else unknown_names(sources.index, request, query.condition)
    query = replace(query, notices=(*query.notices, *unknown))
    if within is not None and not within:
        nothing = () if unknown else (_NOTHING_HAS_ALL if query.condition else _NOTHING_ALLOWED,)
        return SearchAnswer(notices=(*query.notices, *nothing))
    if query.is_empty:
        return await _listed(sources, request, query, within)
    if await sources.vocabulary.words.follow(sources.index):
        query = mend(query, sources.vocabulary.words, sources.index.languages)
    found = await look(sources, request, query, within)
    notices: tuple[str, ...] = ()
    if request.mode == "hybrid" and found.mode == "keyword":
        notices = (_NO_MODEL if found.readable else _NOT_READ,)
    if within is None:
        # What the caller set as a condition is listed, however little else speaks for it.
        found = replace(found, ranked=relevant(found.ranked))
    hits = await _hits(sources, request, query, found)
    notices = (*notices, *_of_meaning(sources, query, found))
    if not hits:
        doubtful = bool(notices) or found.mode == "keyword" or sources.index.pending_vectors() > 0
        notices = (*notices, _nothing(doubtful=doubtful, filtered=within is not None))
    explain = None
    if request.explain:
        explain = Explanation(numbers(found.lanes, [hit.path for hit in hits]), found.took_ms, found.words)
    return SearchAnswer(hits, found.mode, (*query.notices, *notices), explain, len(found.ranked))


def _nothing(*, doubtful: bool, filtered: bool) -> str:
    """Say that nothing was found; only where all was looked at by meaning, that no note is about it."""
    if doubtful:
        return _NOTHING_YET_WITHIN if filtered else _NOTHING_YET
    return _NOTHING_WITHIN if filtered else _NOTHING_FOUND


def _of_meaning(sources: Sources, query: Query, found: Found) -> tuple[str, ...]:
    """Say why meaning may have missed what was meant."""
    if found.mode == "keyword":
        return ()
    index = sources.index
    if found.mode == "semantic" and not found.lanes[0].raw and (waiting := index.pending_vectors()):
        return (_NOT_EMBEDDED.format(count=waiting, passages="passage is" if waiting == 1 else "passages are"),)
    if meaning_of(index.answering_model).every_script or (language := foreign_language(query.text)) is None:
        return ()
    return (_OTHER_LANGUAGE.format(language=language.capitalize()),)


async def _hits(sources: Sources, request: SearchRequest, query: Query, found: Found) -> tuple[Hit, ...]:
    """Cut snippets, collapse near-duplicates and say why."""
    index = sources.index
    wanted = compile_wanted(content(query.words), query.phrases, languages=index.languages, open_ended=query.open_ended)
    texts = dict(found.texts)
    looked_at = request.limit + SPARE
    while True:
        best = [hit for hit in found.ranked[:looked_at] if hit.path in index.notes]
        texts |= await read(index, [hit for hit in best if hit.path not in texts], found.passages)
        kept, twins = collapse([(hit, text.text if (text := texts.get(hit.path)) else "") for hit in best])
        if len(kept) >= request.limit or looked_at >= len(found.ranked):
            break
        # A passage that many notes repeat must not leave the answer short.
        looked_at *= 4
    kept = kept[: request.limit]
    whole = await fill(index, kept, found.passages, found.worth, room) if (room := request.passage_tokens) else {}
    return tuple(
        replace(
            shown(note, hit, texts.get(hit.path), found.reasons, wanted, twins.get(place, 0)),
            passages=whole.get(hit.path, ()),
        )
        for place, hit in enumerate(kept)
        if (note := index.notes.get(hit.path)) is not None
    )


async def _listed(sources: Sources, request: SearchRequest, query: Query, within: Paths | None) -> SearchAnswer:
    """List what passes the filters, newest first, when there is nothing to rank by."""
    index = sources.index
    if within is None:
        return SearchAnswer(notices=(*query.notices, _NOTHING_ASKED))
    notes = [index.notes[path] for path in within if path in index.notes]
    newest = sorted(notes, key=lambda note: (-note.modified, note.path))[: request.limit]
    ranked = [Fused(note.path, 1.0) for note in newest]
    texts = await read(index, ranked, {})
    reasons, wanted = Reasons(listed=True), compile_wanted(())
    whole = await fill(index, ranked, {}, {}, room) if (room := request.passage_tokens) else {}
    hits = tuple(
        replace(shown(note, hit, texts.get(hit.path), reasons, wanted), passages=whole.get(hit.path, ()))
        for hit in ranked
        if (note := index.notes.get(hit.path)) is not None
    )
    return SearchAnswer(hits, "keyword", query.notices, total=len(notes))
