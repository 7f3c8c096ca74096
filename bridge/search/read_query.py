"""Reads what a search asks for: its words as the vault spells them, and the notes that an answer may contain."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from msgspec.structs import replace
from rapidfuzz.distance import OSA, Hamming, Indel, Postfix, Prefix

from bridge.index.index import Index
from bridge.index.inverted_index import MAX_QUERY_WORDS
from bridge.index.tokens import MAX_TOKEN_CHARS
from bridge.search.coverage import ASSUMED_NOTES, COMMON_SHARE
from bridge.search.model import SearchRequest, Sources
from bridge.search.query import MAX_TERMS, Query, bound_query, parse_query
from bridge.search.scope import Paths, PhraseReading, search_scope, unknown_name_notices
from bridge.search.terms import HasPrefix, change_each, leaves, prefixes
from bridge.text.closest import MIN_MISTYPED_CHARS, MIN_TYPO_CHARS, max_typos
from bridge.text.counts import join_some
from bridge.text.fold import fold_word
from bridge.text.function_words import FUNCTION_WORDS, function_words, question_languages
from bridge.text.stems import DEFAULT, JOINING_LANGUAGES
from bridge.text.words import TOKEN, is_letters
from bridge.types import SearchMode

MAX_RANKED_WORDS = 5
"""Words of a beginning by which notes are ranked, those of most notes."""

MAX_NAMED_WORDS = 3
"""Words that the notice names."""


def expand_prefixes(query: Query, index: Index, *, reading: bool = False) -> Query:
    if query.condition is None or not any(prefixes(query.condition)):
        return query
    notices: list[str] = []
    found: dict[str, tuple[str, ...]] = {}
    for prefix in prefixes(query.condition):
        if reading:
            notices.append(f"The words of the vault are not read yet, so `{prefix.text}*` is read as `{prefix.text}`.")
            continue
        every = complete_word(index, fold_word(prefix.text))
        found[prefix.text] = tuple(every[:MAX_QUERY_WORDS])
        some = join_some(every, MAX_NAMED_WORDS)
        notices.append(f"`{prefix.text}*` is read as {some}." if every else f"No word begins with `{prefix.text}`.")
        if len(every) > MAX_QUERY_WORDS:
            notices.append(
                f"Only the {MAX_QUERY_WORDS} most common words that begin with `{prefix.text}` were searched."
            )
    wanted = [
        word
        for prefix in prefixes(query.condition, negated=False)
        for word in found.get(prefix.text, (prefix.text,))[:MAX_RANKED_WORDS]
    ]
    return replace(
        query,
        text=" ".join((query.text, *wanted[:1])).strip(),
        words=tuple(dict.fromkeys((*query.words, *wanted))),
        condition=change_each(
            query.condition,
            lambda one: HasPrefix(one.text, found.get(one.text, ())) if isinstance(one, HasPrefix) else one,
        ),
        notices=tuple(dict.fromkeys((*query.notices, *notices))),
    )


MAX_SHORT_WORDS = 2
"""Content words up to which a query has no others by which notes are found; with one more word it is no question."""

SHARED_LETTERS = 4
"""Letters in a row that most words of a language share with others."""

ENDING_LETTERS = 3
"""Letters at the end of a word that may differ between its forms."""

MIN_FORM_CHARS = 4
MAX_JOINT = 2
"""Letters that may join the parts of a compound."""

START_SHARE = 0.6
"""Share of the longer of two words of a known language that both begin with, from which they may be forms of one."""

MIN_REPLACED_CHARS = 7
"""Letters of a word in a longer question from which another letter in it is a mistake: shorter ones are like others."""

ALIKE_SHARE, NEARLY_ALIKE_SHARE = 0.75, 0.85
"""Share of their letters above which two words with the same first half are forms of one; in English stems find most
forms, and a museum is no muse."""


def complete_word(index: Index, prefix: str) -> list[str]:
    """Return the words that begin with a prefix, given folded, those of most notes first."""
    front, apostrophe, start = prefix.rpartition("'")
    words = index.dictionary.words_beginning(start)
    if not front:
        return common_first(words, index.document_frequencies(words))
    # The parts of `o'neill` are words by themselves.
    whole = [f"{front}{apostrophe}{word}" for word in words if start]
    return common_first(whole, [*map(index.document_frequency, whole)])


def common_first(words: Sequence[str], counts: Sequence[int]) -> list[str]:
    """Return those of some words that notes contain, those of most notes first."""
    count_of = dict(zip(words, counts, strict=True))
    return sorted(filter(count_of.__getitem__, words), key=lambda word: (-count_of[word], word))


def find_corrections(query: Query, index: Index, *, forms: bool = True) -> Mapping[str, str]:
    read_as: dict[str, str] = {}
    mistyped: set[str] = set()
    # A required word is taken as typed.
    # In a question, a word of the same language that no note says is far more often right than mistyped.
    is_short = _is_short(query)
    # The forms of English words are known; notes too short to tell their language count as English, too.
    are_foreign = index.document_frequency("the") < COMMON_SHARE * len(index.notes)
    languages = {DEFAULT, *index.languages, *question_languages(query.words)}
    spoken = {*question_languages(query.words)}.intersection(index.languages)
    demanded = {leaf.text for leaf in leaves(query.condition)} if query.condition is not None else set[str]()
    for place, word in enumerate(query.words):
        if word in demanded:
            continue
        unfinished = query.open_ended and place == len(query.words) - 1
        folded = fold_word(word)
        if unfinished and any(index.document_frequencies(index.dictionary.words_beginning(folded))):
            continue
        if not _is_unknown(folded, index, languages):
            continue
        meant = _correct_word(folded, index, languages, is_short=is_short)
        if meant is not None and (is_short or _is_strange(index, folded, _piece(folded, meant))):
            read_as[word] = meant
            # To a handful of notes, most words are strange.
            if is_short or len(index.notes) > ASSUMED_NOTES or sorted(folded) == sorted(meant):
                mistyped.add(meant)
        elif (
            forms
            and (are_foreign or not (is_short or not max_typos(len(word))))
            and (
                meant := _find_form(folded, index, are_foreign, spoken)
                or _find_parts(folded, index, are_foreign, spoken)
            )
        ):
            read_as[word] = meant
    return _keep_likely(query, read_as, mistyped, index)


def _is_unknown(word: str, index: Index, languages: Collection[str]) -> bool:
    """Return whether no note contains any form of a word, which says something."""
    return (
        is_letters(word)
        and MIN_FORM_CHARS <= len(word) < MAX_TOKEN_CHARS
        and not index.document_frequency(word)
        and not _says_nothing(word, languages)
    )


def _says_nothing(word: str, languages: Collection[str]) -> bool:
    return any(word in function_words(language) for language in languages)


def _find_form(word: str, index: Index, foreign: bool, spoken: Collection[str]) -> str | None:
    """Return the word of the vault that is most likely another form of one: some languages and notes have no stems."""
    half, least = (len(word) + 1) // 2, ALIKE_SHARE if foreign else NEARLY_ALIKE_SHARE
    others = index.dictionary.words_beginning(word[:half])
    if foreign:
        # Some languages inflect the start of a word.
        others += index.dictionary.words_containing(f"{word[-half:]}\n")
    near = {
        other: likeness
        for other in others
        if (likeness := Indel.normalized_similarity(word, other)) > least
        and is_letters(other)
        and not _says_nothing(other, spoken)
        and (_has_other_end(word, other, spoken) or _has_other_start(word, other, spoken))
    }
    return max(common_first([*near], index.document_frequencies([*near])), key=near.__getitem__, default=None)


def _has_other_end(word: str, other: str, spoken: Collection[str]) -> bool:
    least = (START_SHARE if spoken else 0.5) * max(len(word), len(other))
    return Prefix.similarity(word, other) >= max(MIN_TYPO_CHARS, least)


def _has_other_start(word: str, other: str, spoken: Collection[str]) -> bool:
    """Return whether one word ends as another: one of a known language only where it is joined to what is before it."""
    end = Postfix.similarity(word, other)
    if end < MIN_MISTYPED_CHARS:
        return False
    if spoken:
        return end == min(len(word), len(other)) and not JOINING_LANGUAGES.isdisjoint(spoken)
    return 2 * end >= len(other)


def _find_parts(word: str, index: Index, foreign: bool, spoken: Collection[str]) -> str | None:
    """Return the words of the vault of which a compound consists, or in other languages than English its longest part.

    There, a part may be joined by up to two letters, as in *Liebesbrief*.
    """
    if spoken and JOINING_LANGUAGES.isdisjoint(spoken):
        return None
    cuts = range(MIN_FORM_CHARS, len(word) - MIN_FORM_CHARS + 1)
    starts, ends = [word[:at] for at in cuts], [word[at:] for at in cuts]
    known = {
        part
        for part, count in zip((*starts, *ends), index.document_frequencies((*starts, *ends)), strict=True)
        if count and part not in FUNCTION_WORDS
    }
    pairs = [
        (start, end)
        for at, start in enumerate(starts)
        for end in ends[at : at + 1 + MAX_JOINT * foreign]
        if known.issuperset((start, end))
    ]
    if pairs:
        start, end = max(pairs, key=lambda pair: (len(pair[0]) + len(pair[1]), len(pair[1])))
        return f"{start} {end}"
    return max((part for part in known if 2 * len(part) >= len(word)), key=len, default=None) if foreign else None


def _keep_likely(query: Query, read_as: Mapping[str, str], sure: AbstractSet[str], index: Index) -> Mapping[str, str]:
    """Keep the sure readings, and those that a note says with another word of the query, unless none says another."""
    if sure >= {*read_as.values()}:
        return read_as
    read = [read_as.get(word, word) for word in query.content]
    rows = dict(zip(read, index.notes_with(read, [*index.notes]), strict=True))

    def is_likely(meant: str) -> bool:
        others = [row for word, row in rows.items() if word != meant]
        beside = np.logical_or.reduce(others) if others else np.zeros(0, np.bool_)
        return meant not in rows or not beside.any() or bool((rows[meant] & beside).any())

    return {word: meant for word, meant in read_as.items() if meant in sure or is_likely(meant)}


def _is_short(query: Query) -> bool:
    return len(query.words) <= MAX_SHORT_WORDS + 1 and len(query.content) <= MAX_SHORT_WORDS


def correct_spelling(query: Query, read_as: Mapping[str, str], right: Collection[str] = ()) -> Query:
    """Replace words of a query by others, and add a notice on those that are not right words of their own."""
    text = query.text
    for word, meant in read_as.items():
        text = text.replace(word, meant)
    told = {word: meant for word, meant in read_as.items() if word not in right}
    notices = (f"`{word}` is read as `{meant}`; `+{word}` asks for it as typed." for word, meant in told.items())
    return replace(
        query,
        text=text,
        words=tuple(dict.fromkeys(read_as.get(word, word) for word in query.words)),
        notices=(*query.notices, *notices),
    )


def read_question(question: str, index: Index) -> str:
    """Return a question with the words that no note says as the notes have them."""
    text = bound_query(question, [])
    query = Query(text=text, words=tuple(dict.fromkeys(TOKEN.findall(text)))[:MAX_TERMS])
    return correct_spelling(query, find_corrections(query, index)).text


def _correct_word(word: str, index: Index, languages: Collection[str], *, is_short: bool) -> str | None:
    near = {
        meant: distance
        for meant, distance in index.dictionary.similar_words(word, max_typos(len(word)))
        if is_letters(meant)
        and _is_slip(word, meant, distance)
        and (is_short or not _is_another(word, meant))
        and not _says_nothing(meant, languages)
    }
    return min(common_first([*near], index.document_frequencies([*near])), key=near.__getitem__, default=None)


def _is_another(word: str, other: str) -> bool:
    """Return whether a word with other letters instead is more likely one of its own: short, or at its start."""
    replaced = Hamming.distance(word, other) if sorted(word) != sorted(other) and len(word) == len(other) else 0
    return replaced > 0 and (replaced > 1 or len(word) < MIN_REPLACED_CHARS or word[:2] != other[:2])


def _is_strange(index: Index, word: str, piece: int) -> bool:
    """Return whether a word has so many letters in a row, its start or end among them, that no word has."""
    whole = f"\n{word}\n"
    pieces = (whole[at : at + piece] for at in range(len(whole) - piece + 1))
    words = index.dictionary
    return not all(any(index.document_frequencies([one])[0] for one in words.words_containing(each)) for each in pieces)


def _piece(word: str, meant: str) -> int:
    """Return the letters in a row of which the vault must lack some of a word, so that it is not one of its own.

    Two errors, or a letter too many, are hardly ever right where all rows of four letters are known.
    """
    return SHARED_LETTERS if len(word) > len(meant) or OSA.distance(word, meant) > 1 else SHARED_LETTERS + 1


def _is_slip(word: str, other: str, errors: int) -> bool:
    """Return whether one word is likely the other mistyped, and not a word of its own.

    Words that differ only in their endings are forms or derivations of each other: `starter` and `started`,
    `attendance` and `attendant`.
    """
    same_start = Prefix.similarity(word, other)
    return same_start < len(word) - 1 if errors == 1 else same_start < len(word) - ENDING_LETTERS


_INDEXING_NOTICE = "The vault is being read for the first time: this is the best of the notes that say these words."
_NOTHING_ALLOWED = "No note passes the filters."
_NOTHING_HAS_ALL = "No note meets all that the query asks for."


async def read_query(sources: Sources, request: SearchRequest) -> tuple[Query, Paths | None]:
    """Parse a query, correct its words if notes may answer them, and find these notes."""
    query = parse_query(request.query)
    query = await asyncio.to_thread(expand_prefixes, query, sources.index, reading=sources.reading)
    reading = PhraseReading()
    within = await search_scope(sources.index, request, query.condition, reading)
    query = replace(query, notices=(*query.notices, *reading.notices()))
    if within is not None:
        notices = await asyncio.to_thread(unknown_name_notices, sources.index, request, query.condition)
        if not within and not notices:
            notices = (_NOTHING_HAS_ALL if query.condition else _NOTHING_ALLOWED,)
        query = replace(query, notices=(*query.notices, *notices))
    if query.is_empty or within == frozenset():
        return query, within
    return await correct_query(sources, query, request.mode), within


async def correct_query(sources: Sources, query: Query, mode: SearchMode) -> Query:
    """Read mistyped words as the vault's, or add a notice that this is not possible yet."""
    if sources.reading:
        return replace(query, notices=(*query.notices, _INDEXING_NOTICE))
    # A model reads the forms of a word by itself.
    read_as = await asyncio.to_thread(find_corrections, query, sources.index, forms=mode != "semantic")
    right: Collection[str] = ()
    if read_as and mode != "keyword" and sources.known_words is not None:
        right = await sources.known_words(read_as.keys())
    if _is_short(query):
        read_as = {word: meant for word, meant in read_as.items() if word not in right}
    # In a longer question a similar word hardly leads astray, and often helps, but no mistake is to be told.
    return correct_spelling(query, read_as, right)
