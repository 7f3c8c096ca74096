"""The names and tags of notes, kept between searches."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from bridge.index.hits import NameField, NameHit
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.search.query import Query
from bridge.text.fold import fold_case, fold_word, fold_words
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.stems import stem_words
from bridge.text.words import RUN, TOKEN, words_of
from bridge.types import VaultPath

MAX_NAME_WORDS = 7
"""Words of the longest name that is searched in running text."""

MAX_NAME_CHARS = 24
"""Characters of the longest name that is searched in a question in a script without spaces."""

MAX_NAMESAKES = 3
"""Maximum number of notes that may share a name for it to identify them."""

_ASIDE = re.compile(r"\s*\([^)]*\)")
_MIN_NAME_CHARS = 4


class Vocabulary:
    """Names and tags of the notes; detects changes of the index by itself."""

    def __init__(self) -> None:
        self._seen: dict[VaultPath, IndexedNote] = {}
        self._called: defaultdict[tuple[str, ...], set[VaultPath]] = defaultdict(set)
        self._begun: dict[str, Counter[int]] = {}
        """By the first word of names: how many have each length. Most words of a text start none."""
        self._tagged: defaultdict[str, set[VaultPath]] = defaultdict(set)
        self._files: Counter[str] = Counter()
        self._notes: Mapping[VaultPath, IndexedNote] | None = None

    def follow(self, notes: Mapping[VaultPath, IndexedNote]) -> None:
        """Update to new, changed and removed notes; a mapping seen before is skipped, because it never changes."""
        if notes is self._notes:
            return
        self._notes = notes
        seen = self._seen
        changed = [path for path, note in notes.items() if seen.get(path) is not note]
        added = sum(path not in seen for path in changed)
        if len(notes) != len(seen) + added:
            for path in [path for path in seen if path not in notes]:
                self._forget(seen.pop(path))
        for path in changed:
            if (old := seen.get(path)) is not None:
                self._forget(old)
            seen[path] = notes[path]
            self._learn(notes[path])

    def label(self, path: VaultPath) -> str:
        """Return the name of a note's file; its path where others have the same name."""
        name = _file_name(path)
        return name if self._files[name] < 2 else path

    def find_tagged(self, word: str) -> frozenset[VaultPath]:
        """Return the notes with a tag that equals the word or has it as a nested part."""
        return frozenset(self._tagged.get(word, ()))

    def named_in(self, text: str) -> frozenset[VaultPath]:
        """Return the notes whose title or alias occurs in a text.

        A name of one word counts only with a capital; otherwise "ideas" would mean every note called "Ideas".
        """
        written = TOKEN.findall(text)
        plain = fold_words(written)
        found: set[VaultPath] = set()
        begun = self._begun
        for at in [at for at, word in enumerate(plain) if word in begun]:
            for length in begun[plain[at]]:
                paths = self._called.get(tuple(plain[at : at + length])) if at + length <= len(plain) else None
                if paths and len(paths) <= MAX_NAMESAKES and (length > 1 or not written[at][0].islower()):
                    found |= paths
        return frozenset(found)

    def _learn(self, note: IndexedNote) -> None:
        self._files[_file_name(note.path)] += 1
        for name in _name_words(note):
            self._called[name].add(note.path)
            self._begun.setdefault(name[0], Counter())[len(name)] += 1
        for tag in _tags(note.tags):
            self._tagged[tag].add(note.path)

    def _forget(self, note: IndexedNote) -> None:
        self._files[_file_name(note.path)] -= 1
        for name in _name_words(note):
            self._called[name].discard(note.path)
            lengths = self._begun[name[0]]
            lengths[len(name)] -= 1
            if not lengths[len(name)]:
                del lengths[len(name)]
            if not lengths:
                del self._begun[name[0]]
        for tag in _tags(note.tags):
            self._tagged[tag].discard(note.path)


def _name_words(note: IndexedNote) -> set[tuple[str, ...]]:
    """Return the note's names as words; a part in brackets ("Kiss (film)") is optional."""
    written = {note.title, _ASIDE.sub("", note.title), *note.aliases}
    names = {tuple(words_of(name)) for name in written}
    return {
        name
        for name in names
        if len(name) <= MAX_NAME_WORDS and (sum(map(len, name)) >= _MIN_NAME_CHARS or (name and not name[0].isascii()))
    }


def _file_name(path: VaultPath) -> str:
    return path.rpartition("/")[2].rpartition(".")[0] or path


def _tags(tags: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for tag in tags:
        plain = fold_word(tag)
        found.add(plain)
        found.update(part for part in plain.split("/") if part)
    return found


def share_said(name: Sequence[str], query_words: frozenset[str]) -> float:
    """Return the share of a name's words that are in the query, longer words weighing more."""
    whole = sum(map(len, name))
    return sum(len(word) for word in name if word in query_words) / whole if whole else 0.0


Fit = Literal["matches", "matches in part", "is spelt alike"]
"""How a name fits: it contains the whole query, or the query contains it; a part of it; a similar spelling."""


class NameMatch(Record):
    """A matching name of a note, its score (0-1), and which kind of name it is."""

    score: float
    field: NameField
    name: str
    fit: Fit = "matches"


def score_covered_names(notes: Iterable[IndexedNote], query: Query) -> dict[VaultPath, NameMatch]:
    query_words = frozenset(stem_words("english", query.folded_content))
    said = query_words.union(*(_parts_of_run(word) for word in query_words if RUN.fullmatch(word)))
    found: dict[VaultPath, NameMatch] = {}
    if not query_words:
        return found
    for note in notes:
        # Nearly all notes are like this, and there are hundreds.
        if not note.aliases and said.isdisjoint(_stemmed_name(note.title)):
            continue
        best = 0.0
        for place, name in enumerate((note.title, *note.aliases)):
            words = _stemmed_name(name)
            if not said.isdisjoint(words) and (score := share_said(words, said)) > best:
                best = score
                whole = score >= 1 or query_words.issubset(words)
                field: NameField = "alias" if place else "title"
                found[note.path] = NameMatch(score, field, name, "matches" if whole else "matches in part")
    return found


def _parts_of_run(run: str) -> Iterator[str]:
    """Yield what may be a name in characters that no spaces separate."""
    for start in range(len(run)):
        yield from (run[start:end] for end in range(start + 2, min(len(run), start + MAX_NAME_CHARS) + 1))


def score_typed_names(hits: Sequence[NameHit], query: Query) -> dict[VaultPath, NameMatch]:
    """Score the notes with a name that begins with the whole query, or nearly equals it."""
    found: dict[VaultPath, NameMatch] = {}
    for hit in hits:
        share, fit = _name_fit(query.folded_words, _words_of_name(hit.matched))
        score = share * (0.6 if hit.field == "heading" else 1.0) * (1 + min(1.0, hit.score)) / 2
        if score > (known.score if (known := found.get(hit.path)) else 0.0):
            found[hit.path] = NameMatch(score, hit.field, hit.matched, fit)
    return found


def exact_names(hits: Sequence[NameHit], query: Query) -> frozenset[VaultPath]:
    """Return the notes whose title or an alias equals the whole query, or begins with it and its punctuation."""
    begun = fold_case(query.begun)
    return frozenset(
        hit.path
        for hit in hits
        if hit.field != "heading"
        and (_words_of_name(hit.matched) == query.folded_words or (begun and fold_case(hit.matched).startswith(begun)))
    )


@lru_cache(maxsize=1_000)
def _words_of_name(name: str) -> tuple[str, ...]:
    return tuple(words_of(name))


def _name_fit(query_words: tuple[str, ...], name: tuple[str, ...]) -> tuple[float, Fit]:
    if not name:
        return 0.0, "matches in part"
    if query_words == name:
        return 1.0, "matches"
    if " ".join(name).startswith(" ".join(query_words)):
        return 0.9, "matches"
    hit = sum(
        any(word == part or (at == len(query_words) - 1 and part.startswith(word)) for part in name)
        for at, word in enumerate(query_words)
    )
    if hit == len(query_words):
        return 0.8, "matches"
    share, spelt = hit / len(query_words) if hit else 0.0, _spelt_alike(query_words, name)
    return 0.6 * max(share, spelt), "is spelt alike" if spelt > share else "matches in part"


def _spelt_alike(query_words: Sequence[str], name: Sequence[str]) -> float:
    likeness = fuzz.ratio(" ".join(query_words), " ".join(name)) / 100
    start = fuzz.ratio(" ".join(query_words), " ".join(name)[: len(" ".join(query_words)) + 1]) / 100
    best = max(likeness, start)
    return best if best >= 0.75 else 0.0


@lru_cache(maxsize=100_000)
def _stemmed_name(name: str) -> tuple[str, ...]:
    words = words_of(name)
    content = [word for word in words if word not in FUNCTION_WORDS] or words
    return tuple(stem_words("english", content))


def merge_matches(*matches: Mapping[VaultPath, NameMatch]) -> dict[VaultPath, NameMatch]:
    best: dict[VaultPath, NameMatch] = {}
    for each in matches:
        for path, match in each.items():
            if match.score > (known.score if (known := best.get(path)) else 0.0):
                best[path] = match
    return best
