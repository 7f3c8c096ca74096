"""Reads what a search asks for: its words as the vault spells them, and the notes that an answer may contain."""

import asyncio
from dataclasses import replace

from bridge.search.model import SearchRequest, Sources
from bridge.search.prefixes import expand_prefixes, has_prefixes
from bridge.search.query import Query, parse_query
from bridge.search.scope import Paths, search_scope, unknown_name_notices
from bridge.search.spelling import FEW_WORDS, correct_spelling, find_corrections
from bridge.text.stopwords import content_words

_WORDS_UNREAD = "The vault's words are still being read: mistyped words are not corrected yet."
_READING = "The vault is being read for the first time: this is the best of the notes that say these words."
_NOTHING_ALLOWED = "No note passes the filters."
_NOTHING_HAS_ALL = "No note meets all that the query asks for."


async def read_query(sources: Sources, request: SearchRequest) -> tuple[Query, Paths | None]:
    """Parse a query, and find the notes that an answer may contain."""
    query = parse_query(request.query)
    if has_prefixes(query):
        known = not sources.reading and await sources.vocabulary.words.follow(sources.index)
        query = expand_prefixes(query, sources.vocabulary.words if known else None)
    within = await search_scope(sources.index, request, query.condition)
    if within is None:
        return query, None
    notices = await asyncio.to_thread(unknown_name_notices, sources.index, request, query.condition)
    if not within and not notices:
        notices = (_NOTHING_HAS_ALL if query.condition else _NOTHING_ALLOWED,)
    return replace(query, notices=(*query.notices, *notices)), within


async def correct_query(sources: Sources, query: Query, *, by_meaning: bool) -> Query:
    """Read mistyped words as the vault's, or add a notice that this is not possible yet."""
    if sources.reading:
        return replace(query, notices=(*query.notices, _READING))
    words = sources.vocabulary.words
    known = await words.follow(sources.index)
    if known or words.covers:
        read_as = find_corrections(query, words, sources.index.languages)
        # In a longer question a similar word hardly leads astray, and often helps.
        is_short = len(content_words(query.words)) <= FEW_WORDS
        if read_as and by_meaning and is_short and sources.known_words is not None:
            right = await sources.known_words(read_as.keys())
            read_as = {word: meant for word, meant in read_as.items() if word not in right}
        if not read_as:
            return query
        # What looks mistyped may be a word of a changed note that is not read yet.
        if known:
            return correct_spelling(query, read_as)
    return replace(query, notices=(*query.notices, _WORDS_UNREAD))
