"""Reads tasks in other languages by lists of words, since the descriptions of tools are in English."""

import functools
import re
import unicodedata
from collections.abc import Collection, Mapping
from pathlib import Path

from bridge.text.stems import stem_words
from bridge.text.words import ALPHANUMERIC

WORDS = Path(__file__).with_name("words.tsv")
"""A meaning a line: in English words that descriptions of tools use, then in each language."""

CHINESE = "chinese"


def to_english(task: str, known: Collection[str]) -> str:
    """Return a task with its words replaced by English ones, if more of them are of another language."""
    words = ALPHANUMERIC.findall(task.casefold())
    lists = {
        language: {word: meanings[key] for word in words if (key := stem_plain(language, word)) in meanings}
        for language, meanings in word_lists().items()
        if language != CHINESE
    }
    best = max(lists.values(), key=lambda found: sum(word in found for word in words))
    if sum(word in best for word in words) > sum(word in known for word in words):
        return ALPHANUMERIC.sub(lambda word: best.get(word[0], word[0]), task.casefold())
    # Chinese has no spaces; of terms that overlap, the longest counts.
    return chinese_terms().sub(lambda term: f" {word_lists()[CHINESE][term[0]]} ", task)


@functools.cache
def word_lists() -> Mapping[str, Mapping[str, str]]:
    head, *rows = (line.split("\t") for line in WORDS.read_text(encoding="utf-8").splitlines())
    lists: dict[str, dict[str, str]] = {language: {} for language in head[1:]}
    for english, *cells in rows:
        for language, cell in zip(lists, cells, strict=True):
            for word in cell.split():
                lists[language].setdefault(word if language == CHINESE else stem_plain(language, word), english)
    return lists


@functools.cache
def chinese_terms() -> re.Pattern[str]:
    return re.compile("|".join(sorted(word_lists()[CHINESE], key=len, reverse=True)))


@functools.lru_cache(maxsize=5_000)
def stem_plain(language: str, word: str) -> str:
    stem = stem_words(language, [word])[0]
    return "".join(letter for letter in unicodedata.normalize("NFKD", stem) if not unicodedata.combining(letter))
