"""Finds the operation that does a task: compares the words of the task with those of its description and examples."""

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from msgspec import toml
from numpy.typing import NDArray

from bridge.models.embedder import Embedder
from bridge.records import Record
from bridge.search.calibrate import model_calibration
from bridge.text.fold import normalize
from bridge.text.stems import stem_words
from bridge.text.words import ALPHANUMERIC

WORDS = Path(__file__).with_name("words.tsv")
"""A meaning a line: in English words that descriptions of tools use, then in each language."""

CHINESE = "chinese"

STEMMED_AS = {"ukrainian": "russian"}
"""Languages without a stemmer, and whose endings are much the same."""

HARD_SIGN = re.compile("(?<=[а-яґєії])['’ʼ](?=[єїюя])")


def to_english(task: str, known: Collection[str]) -> str:
    """Return a task with its words replaced by English ones, if more of them are of another language."""
    plain = HARD_SIGN.sub("", task.casefold())
    words = ALPHANUMERIC.findall(plain)
    lists = {
        language: {word: meanings[key] for word in words if (key := stem_plain(language, word)) in meanings}
        for language, meanings in word_lists().items()
        if language != CHINESE
    }
    best = max(lists.values(), key=lambda found: sum(word in found for word in words))
    if sum(word in best for word in words) > sum(word in known for word in words):
        return ALPHANUMERIC.sub(lambda word: best.get(word[0], word[0]), plain)
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
    stem = stem_words(STEMMED_AS.get(language, language), [word])[0]
    return "".join(letter for letter in normalize("NFKD", stem) if not unicodedata.combining(letter))


MIN_TASK_LIKENESS = 0.4
"""Likeness (0-1) from which on an operation may do a task."""

COVERAGE_WEIGHT = 0.1
"""What the share of a task's words counts that a description says anywhere; the rest is its most similar example."""

UNKNOWN_WEIGHT, NO_TOOL_WEIGHT = 0.3, 3.5
"""Worth of a word that no description says, and of one for what no operation does, as shares of the rarest one's."""

WORD = re.compile(r"[^\W_]+(?:-[^\W\d_]+)*")
NEGATION = re.compile(r"n['’]t\b")
QUOTATION = re.compile(r"[\"“„][^\"”“]*[\"”“]|`[^`]*`")
LINK = re.compile(r"\[\[[^\]]*\]\]")
TAG = re.compile(r"(?<!\S)#[^\s#]+")
FILE = re.compile(r"\S+\.md\b")
COUNT = re.compile(r"\b(?!1\b)\d+(?= [a-z]+s\b)")


class ToolCandidate(Protocol):
    """What a task is compared with: an operation, or a tool of another program."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def tasks(self) -> tuple[str, ...]: ...
    @property
    def reads(self) -> bool: ...


T = TypeVar("T", bound=ToolCandidate)


def rank(task: str, operations: Sequence[T]) -> list[tuple[float, T]]:
    """Return the operations by likeness to a task, 0-1, the likeliest first; of equals, one it names or that reads."""
    words, english = Descriptions.of(tuple(operations)), in_english(task)
    said, ranked = concepts(english), [(words.likeness(english, each), each) for each in operations]
    unnamed = {each.name for each in operations if not concepts(each.name.replace("_", " ")) <= said}
    return sorted(ranked, key=lambda pair: (-pair[0], pair[1].name in unnamed, not pair[1].reads, pair[1].name))


def is_understood(task: str, operations: Sequence[ToolCandidate]) -> bool:
    """Return whether at least half of what a task says is said by operations, or known to be done by none."""
    said = concepts(in_english(task))
    return 2 * sum(map(Descriptions.of(tuple(operations)).knows, said)) >= len(said)


class DescriptionVectors:
    """What operations say of themselves as vectors of one model, which are made when they are first needed."""

    def __init__(self) -> None:
        self._model: str | None = None
        self._vectors: dict[str, NDArray[np.float32]] = {}

    async def rank(self, task: str, operations: Sequence[T], model: str, embedder: Embedder) -> list[tuple[float, T]]:
        """Return the operations by their likeness to a task in meaning, as `rank`; none if it reads one script only.

        Of words of its own language no list need know any.
        """
        calibration = model_calibration(model)
        if calibration.curve is None or not calibration.every_script:
            return []
        if model != self._model:
            self._model, self._vectors = model, {}
        vectors = self._vectors
        for one in operations:
            if one.name not in vectors:
                vectors[one.name] = (await embedder.embed(descriptions(one), query=True)).vectors
        [asked] = (await embedder.embed([task], query=True)).vectors
        curve = calibration.curve
        ranked = ((curve(float((vectors[one.name] @ asked).max())), one) for one in operations)
        return sorted(ranked, key=lambda pair: (-pair[0], not pair[1].reads, pair[1].name))


def descriptions(operation: ToolCandidate) -> tuple[str, ...]:
    return (operation.name.replace("_", " "), operation.summary, *operation.tasks)


def in_english(task: str) -> str:
    words = WORD.findall(task.casefold())
    return to_english(
        task, {word for word in words if word in stopwords() or stem_english(word) in {*meanings(), *no_tool()}}
    )


class Descriptions:
    """What some operations say of themselves, and how telling each word is among them."""

    @staticmethod
    @functools.lru_cache(maxsize=16)
    def of(operations: tuple[ToolCandidate, ...]) -> "Descriptions":
        """Return the descriptions of some operations, read once."""
        return Descriptions(operations)

    def __init__(self, operations: Iterable[ToolCandidate]) -> None:
        self._examples = {each.name: [*map(concepts, descriptions(each))] for each in operations}
        self._whole = {name: frozenset().union(*examples) for name, examples in self._examples.items()}
        counts = Counter(concept for whole in self._whole.values() for concept in whole)
        self._worth = {concept: math.log(1 + len(self._whole) / count) for concept, count in counts.items()}
        self._rarest = max(self._worth.values(), default=1.0)

    def knows(self, concept: str) -> bool:
        return concept in self._worth or concept in no_tool()

    def likeness(self, task: str, operation: ToolCandidate) -> float:
        if task.strip().casefold() in {operation.name, operation.title.casefold()}:
            return 1.0
        query = concepts(task)
        most = max(self._cosine(query, example) for example in self._examples[operation.name])
        coverage = self._sum(query & self._whole[operation.name]) / (self._sum(query) or 1.0)
        return (1 - COVERAGE_WEIGHT) * most + COVERAGE_WEIGHT * coverage

    def _cosine(self, one: frozenset[str], other: frozenset[str]) -> float:
        both = self._sum(one) * self._sum(other)
        return self._sum(one & other) / math.sqrt(both) if both else 0.0

    def _sum(self, some: frozenset[str]) -> float:
        return math.fsum(map(self._value, some))  # The same in whatever order a set is walked.

    def _value(self, concept: str) -> float:
        if concept in self._worth:
            return self._worth[concept]
        return self._rarest * (NO_TOOL_WEIGHT if concept in no_tool() else UNKNOWN_WEIGHT)


@functools.lru_cache(maxsize=2_000)
def concepts(text: str) -> frozenset[str]:
    plain = TAG.sub(" tag ", FILE.sub(" note ", LINK.sub(" link ", QUOTATION.sub(" ", text))))
    words = WORD.findall(COUNT.sub("many", NEGATION.sub(" not", plain.casefold())))
    parts = [part for word in words for part in parts_of(word)]
    terms = [word for word in parts if len(word) > 1 and word not in stopwords() and not word.isdecimal()]
    groups = meanings()
    return frozenset(groups.get(stem_english(word), stem_english(word)) for word in terms)


def parts_of(word: str) -> Sequence[str]:
    """Return the parts of a word with hyphens, unless together they are one word, as in `to-do`."""
    joined = word.replace("-", "")
    return [joined] if stem_english(joined) in meanings() else word.split("-")


class EnglishWords(Record):
    """The lists of `words.toml`."""

    stopwords: str
    nothing_does: str
    synonyms: tuple[str, ...]


@functools.cache
def english_words() -> EnglishWords:
    return toml.decode(WORDS.with_suffix(".toml").read_bytes(), type=EnglishWords)


@functools.cache
def meanings() -> dict[str, str]:
    groups = map(str.split, reversed(english_words().synonyms))
    return {stem_english(word): group[0] for group in groups for word in group}


@functools.cache
def stopwords() -> frozenset[str]:
    return frozenset(english_words().stopwords.split())


@functools.cache
def no_tool() -> frozenset[str]:
    return frozenset(map(stem_english, english_words().nothing_does.split()))


@functools.lru_cache(maxsize=5_000)
def stem_english(word: str) -> str:
    return stem_words("english", [word])[0]
