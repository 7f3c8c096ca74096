"""Reads `word*` of a query as the words of the vault that begin so."""

from dataclasses import replace

from bridge.index.fulltext_query import MOST_WORDS
from bridge.search.query import Query
from bridge.search.terms import fill_prefixes, prefixes
from bridge.search.vault_words import VaultWords

RANKED = 5
"""Words of a beginning by which notes are ranked, those of most notes."""

NAMED = 3
"""Words that the notice names."""


def has_prefixes(query: Query) -> bool:
    return query.condition is not None and next(prefixes(query.condition), None) is not None


def expand_prefixes(query: Query, words: VaultWords | None) -> Query:
    if query.condition is None:
        return query
    notices: list[str] = []
    found: dict[str, tuple[str, ...]] = {}
    for prefix in prefixes(query.condition):
        if words is None:
            notices.append(f"The words of the vault are not read yet, so `{prefix.text}*` is read as `{prefix.text}`.")
            continue
        every = words.beginning_with(prefix.text)
        found[prefix.text] = tuple(every[:MOST_WORDS])
        some = ", ".join(every[:NAMED])
        more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
        notices.append(
            f"`{prefix.text}*` is read as {some}{more}." if every else f"No word begins with `{prefix.text}`."
        )
        if len(every) > MOST_WORDS:
            notices.append(f"Only the {MOST_WORDS} most common words that begin with `{prefix.text}` were searched.")
    wanted = [
        word
        for prefix in prefixes(query.condition, negated=False)
        for word in found.get(prefix.text, (prefix.text,))[:RANKED]
    ]
    return replace(
        query,
        text=" ".join((query.text, *wanted[:1])).strip(),
        words=tuple(dict.fromkeys((*query.words, *wanted))),
        condition=fill_prefixes(query.condition, found),
        notices=tuple(dict.fromkeys((*query.notices, *notices))),
    )
