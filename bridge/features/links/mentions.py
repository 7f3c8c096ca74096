"""Finds every title and alias of a vault in a text, in one pass, and counts the notes that contain each."""

import asyncio
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final, Literal

from ahocorasick_rs import AhoCorasick, MatchKind
from rapidfuzz.distance import Prefix

from bridge.engine.open_vault import OpenVault
from bridge.index.boilerplate import is_template
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.text.closest import find_mistyped, max_typos
from bridge.text.fold import FoldedText, fold_mention, fold_words, letters_and_digits, straighten
from bridge.text.function_words import FUNCTION_WORDS
from bridge.text.scripts import UNSPACED_CHARACTER
from bridge.text.stems import DECLINING_LANGUAGES, SCRIPTS_ONLY, has_prefixes, script_language, stem_words
from bridge.text.word_boundary import is_whole_word
from bridge.text.words import ALPHANUMERIC
from bridge.types import Span, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

MIN_INEXACT_LETTERS: Final = 4
"""Minimum number of letters in a name that is matched inexactly."""

MAX_NAME_WORDS: Final = 4
MAX_ALIKE: Final = 3
"""Words of names that one may mean."""

MAX_CACHED_WORDS: Final = 100_000
"""Number of words whose similar words are cached."""

MIN_DECLINING_SHARE: Final = 0.05
"""Share of a vault's notes in a language above which names are looked for in its forms; most short notes tell none."""

_JOINS: Final = re.compile(r"[ \-_'’/]")
_SYMBOL: Final = re.compile(r"(?<=\w)[*+#&@%^~]|[*+#&@$%^~](?=\w)")
"""A symbol that changes a word's meaning: `A*`, `C++`, `C#`."""

_LETTER_WORD: Final = re.compile(r"[aeiouy] ")
"""A letter that is a word of some language, such as an article: “a team” is not a mention of `A-Team`."""


_PREFIXES: Final = re.compile("[ושכ]?[הבלמ]|[ושכ]|[وف]?(?:ال|لل|[بكل])|[وف]")
"""Small words that Hebrew and Arabic write together with the next one."""

Found = tuple[int, int, str, bool]
"""The span of an inexact match in a folded text, the folded name, and whether its words are but inflected."""

Likeness = Literal["same", "form", "akin", "mistyped"]
"""What a word may be to one of a name: itself, a form of it by the rules of a language, or one by its first letters."""


class InexactMatcher:
    """Finds inexact matches of some names; a mistyped word must begin with the right letter."""

    def __init__(self, forms: Iterable[str], languages: Iterable[str] = ()) -> None:
        self._joined: dict[str, str] = {}
        self._phrases: dict[tuple[str, ...], str] = {}
        words: set[str] = set()
        for form in forms:
            phrase = tuple(ALPHANUMERIC.findall(form))
            if (
                len(letters_and_digits(form)) < MIN_INEXACT_LETTERS
                or len(phrase) > MAX_NAME_WORDS
                or UNSPACED_CHARACTER.search(form)
                or _SYMBOL.search(form)
            ):
                continue
            self._joined.setdefault("".join(phrase), form)
            self._phrases.setdefault(phrase, form)
            words.update(phrase)
        self._words = frozenset(words)
        self._beginnings = {phrase[:count] for phrase in self._phrases for count in range(1, len(phrase) + 1)}
        self._near = group_by_shape(words)
        self.inflection = Inflection(words, languages)
        self._alike_cache: dict[str, Mapping[str, Likeness]] = {}

    def find(self, text: str) -> Iterator[Found]:
        """Yield where a folded text contains something similar to a name, but not the name itself."""
        words = [*ALPHANUMERIC.finditer(text)]
        alike = self._all_alike({word[0] for word in words})
        for at, word in enumerate(words):
            run = [word, *next_words(text, words, at)]
            for form, count, inflected in (*self._match_parted(run), *self._match_words(run, alike)):
                start, end = word.start(), run[count - 1].end()
                letter = _LETTER_WORD.match(text, start)
                if text[start:end] != form and (letter is None or form.startswith(letter[0])):
                    yield start, end, form, inflected

    def _match_parted(self, run: Sequence[re.Match[str]]) -> Iterator[tuple[str, int, bool]]:
        """Yield names that equal the first words of a run except for separators and a plural ending."""
        key = ""
        for count, word in enumerate(run, start=1):
            key += word[0]
            if len(key) < MIN_INEXACT_LETTERS:
                continue
            for phrase in (key, f"{key}s", key.removesuffix("s")):
                if (form := self._joined.get(phrase)) is not None:
                    yield form, count, False
                    break

    def _match_words(
        self, run: Sequence[re.Match[str]], alike: Mapping[str, Mapping[str, Likeness]]
    ) -> Iterator[tuple[str, int, bool]]:
        begun: dict[tuple[str, ...], tuple[Likeness, ...]] = {(): ()}
        for count, word in enumerate(run, start=1):
            begun = {
                longer: (*before, likeness)
                for words, before in begun.items()
                for other, likeness in alike[word[0]].items()
                if (longer := (*words, other)) in self._beginnings
            }
            if not begun:
                return
            for words, likenesses in begun.items():
                if words in self._phrases:
                    kinds = {*likenesses}
                    inflected = "mistyped" not in kinds and ("form" in kinds or kinds >= {"same", "akin"})
                    yield self._phrases[words], count, inflected and (count > 1 or may_be_name(word[0], words[0]))

    def _all_alike(self, words: AbstractSet[str]) -> Mapping[str, Mapping[str, Likeness]]:
        """Return the similar words of names for each word, cached because notes share most of their words."""
        if len(self._alike_cache) > MAX_CACHED_WORDS:
            self._alike_cache = {}
        cache = self._alike_cache
        if fresh := [word for word in words if word not in cache]:
            forms = self.inflection.find([word for word in fresh if word.isalpha()])
            cache.update((word, {**self._alike(word), **forms.get(word, {})}) for word in fresh)
        return cache

    def _alike(self, word: str) -> Mapping[str, Likeness]:
        if word in self._words:
            return {word: "same"}
        near = self._near.get((word[0], len(word)), ()) if word.isalpha() else ()
        return {other: "mistyped" for other, _ in find_mistyped(word, near, max_typos(len(word)), MAX_ALIKE)}


MIN_SHARED_LETTERS: Final = 3
MAX_ENDING_LETTERS: Final = 1
"""Letters behind those that two words akin share: with more, *Kowalczuk* would be *Kowal*."""


class Inflection:
    """Finds the words of names of which others are forms, in languages that decline names."""

    def __init__(self, words: Collection[str], languages: Iterable[str]) -> None:
        letters = sorted(filter(str.isalpha, words))
        own = [word for word in letters if script_language(word) in DECLINING_LANGUAGES]
        some = letters if languages else own
        self._folded = dict(zip(fold_words(some), some, strict=True))
        self._beginnings = defaultdict[str, list[str]](list)
        for folded in self._folded:
            self._beginnings[folded[:MIN_SHARED_LETTERS]].append(folded)
        self._stems: dict[str, Mapping[str, Sequence[str]]] = {}
        for language in (*languages, SCRIPTS_ONLY):
            self._stems[language] = stems = defaultdict[str, list[str]](list)
            some = own if language == SCRIPTS_ONLY else letters
            for word, each in zip(some, stem_twice(language, some), strict=True):
                for stem in each:
                    stems[stem].append(word)

    def find(self, words: Sequence[str]) -> Mapping[str, Mapping[str, Likeness]]:
        found: dict[str, dict[str, Likeness]] = defaultdict(dict)
        if not self._beginnings:
            return found
        for word, folded in zip(words, fold_words(words), strict=True):
            for name in self._beginnings.get(folded[:MIN_SHARED_LETTERS], ()):
                shared, other = Prefix.similarity(folded, name), self._folded[name]
                if max(len(folded), len(name)) - shared <= MAX_ENDING_LETTERS and other != word:
                    found[word][other] = "akin"
            if has_prefixes(word):
                rests = (folded[at:] for at in (1, 2, 3) if _PREFIXES.fullmatch(folded, 0, at))
                found[word].update((self._folded[rest], "form") for rest in rests if rest in self._folded)
        said = [word for word in words if word not in FUNCTION_WORDS]
        for language, stems in self._stems.items():
            some = [word for word in said if stems and not (language == SCRIPTS_ONLY and word.isascii())]
            for word, each in zip(some, stem_twice(language, some), strict=True):
                found[word].update((other, "form") for stem in each for other in stems.get(stem, ()) if other != word)
        return found


def may_be_name(word: str, name: str) -> bool:
    """Return whether a word may be a name alone, which in Hebrew and Arabic has no other endings."""
    return not has_prefixes(word) or word.endswith(name.removeprefix("ال"))


def stem_twice(language: str, words: Sequence[str]) -> Iterator[AbstractSet[str]]:
    """Yield the stems of each word with and without accents: *Krakowie* has that of *Kraków* without."""
    return map(frozenset, zip(stem_words(language, words), stem_words(language, fold_words(words)), strict=True))


def group_by_shape(words: Iterable[str]) -> Mapping[tuple[str, int], Sequence[str]]:
    """Return the words that one may mean by its first letter and its length."""
    near: dict[tuple[str, int], list[str]] = defaultdict(list)
    for word in sorted(filter(str.isalpha, words)):
        most = max_typos(len(word) + 1)
        for length in range(len(word) - most, len(word) + most + 1):
            if abs(length - len(word)) <= max_typos(length):
                near[word[0], length].append(word)
    return near


def next_words(text: str, words: Sequence[re.Match[str]], at: int) -> Iterator[re.Match[str]]:
    for before, word in zip(words[at : at + MAX_NAME_WORDS - 1], words[at + 1 : at + MAX_NAME_WORDS], strict=False):
        if word.start() != before.end() + 1 or not _JOINS.match(text, before.end()):
            return
        yield word


MIN_NAME_CHARS: Final = 2
"""Minimum length of a name that is searched for: single letters are everywhere."""

MAX_NAME_CHARS: Final = 200
MAX_CASED_LETTERS: Final = 3
"""Number of letters up to which a name must be in its own case: `IT` is not `it`."""

_NUMBER: Final = re.compile(r"\d{1,3}")


class NoteName(Record):
    """A name of a note, as written there."""

    path: VaultPath
    text: str
    alias: bool = False


class Mention(Record):
    """An occurrence of a name in a text; `form` is the folded name, `names` are the notes that have it."""

    span: Span
    form: str
    names: Sequence[NoteName]
    almost: bool = False
    """Whether the text is only similar to the name."""
    inflected: bool = False
    """Whether it has but other forms of the name's words."""


class NameFinder:
    """Names to search for in a vault of some languages; replaced, never changed."""

    def __init__(self, names: Iterable[NoteName] = (), languages: Iterable[str] = ()) -> None:
        self._languages = tuple(languages)
        forms: dict[str, list[NoteName]] = {}
        for name in names:
            form = fold_mention(name.text).strip()
            if is_findable(form):
                forms.setdefault(form, []).append(name)
        self._forms: Mapping[str, Sequence[NoteName]] = forms
        self._patterns = list(forms)
        self._automaton = AhoCorasick(self._patterns, matchkind=MatchKind.Standard) if forms else None

    def __len__(self) -> int:
        return len(self._forms)

    def __contains__(self, form: object) -> bool:
        return form in self._forms

    def __iter__(self) -> Iterator[str]:
        return iter(self._forms)

    def has_all(self, forms: Iterable[str]) -> bool:
        return all(form in self._forms for form in forms)

    def only(self, forms: Iterable[str]) -> "NameFinder":
        return NameFinder((name for form in forms for name in self.of(form)), self._languages)

    def of(self, form: str) -> Sequence[NoteName]:
        return self._forms.get(form, ())

    @cached_property
    def _almost(self) -> InexactMatcher:
        return InexactMatcher(self._forms, self._languages)

    def mentions(self, text: str, protected: Sequence[Span] = (), *, almost: bool = False) -> list[Mention]:
        """Return the mentions of names as separate words; of nested names, the longest."""
        folded = FoldedText(text)
        is_protected = overlap_test(protected)
        found: list[Mention] = []
        for first, last, form in self._whole_words(straighten(folded.text)):
            span = folded.place(first), folded.place(last)
            if is_protected(span):
                continue
            wording = text[slice(*span)]
            names = self._forms[form]
            if len(form) <= MAX_CASED_LETTERS and wording.isascii():
                names = [name for name in names if name.text.strip() == wording]
            if names:
                found.append(Mention(span, form, names))
        if not almost:
            return longest_mentions(found)
        alike: dict[bool, list[Mention]] = {True: [], False: []}
        for first, last, form, inflected in self._almost.find(folded.text):
            span = folded.place(first), folded.place(last)
            if not is_protected(span):
                alike[inflected].append(Mention(span, form, self._forms[form], True, inflected))
        sure = longest_mentions([*found, *alike[True]])
        is_taken = overlap_test([mention.span for mention in sure])
        free = longest_mentions(one for one in alike[False] if not is_taken(one.span))
        return sorted([*sure, *free], key=lambda mention: mention.span)

    def find_forms(self, words: Sequence[str]) -> Mapping[str, Collection[str]]:
        """Return for each of some words those of the names that it may be another form of."""
        return self._almost.inflection.find(words)

    def forms(self, text: str) -> frozenset[str]:
        """Return the names that a text contains anywhere as separate words."""
        folded = fold_mention(text)
        found: set[int] = set()
        for number, first, last in self._matches(folded):
            if number not in found and is_whole_word(folded, first, last):
                found.add(number)
        return frozenset(self._patterns[number] for number in found)

    def _whole_words(self, folded: str) -> Iterator[tuple[int, int, str]]:
        for number, first, last in self._matches(folded):
            if is_whole_word(folded, first, last):
                yield first, last, self._patterns[number]

    def _matches(self, folded: str) -> Sequence[tuple[int, int, int]]:
        return () if self._automaton is None else self._automaton.find_matches_as_indexes(folded, overlapping=True)


def overlap_test(spans: Sequence[Span]) -> Callable[[Span], bool]:
    starts = [start for start, _ in spans]

    def overlaps(span: Span) -> bool:
        before = bisect_left(starts, span[1]) - 1
        return before >= 0 and spans[before][1] > span[0]

    return overlaps


def is_findable(form: str) -> bool:
    return (
        MIN_NAME_CHARS <= len(form) <= MAX_NAME_CHARS
        and ALPHANUMERIC.search(form) is not None
        and not _NUMBER.fullmatch(form)
    )


def longest_mentions(mentions: Iterable[Mention]) -> list[Mention]:
    result: list[Mention] = []
    for mention in sorted(mentions, key=lambda mention: (mention.span[0], -mention.span[1])):
        if not result or mention.span[0] >= result[-1].span[1]:
            result.append(mention)
    return result


class Corpus:
    """The names that each note of a vault contains."""

    def __init__(self, names: NameFinder | None = None) -> None:
        self._names = names or NameFinder()
        self._forms: dict[VaultPath, frozenset[str]] = {}
        self._notes: Counter[str] = Counter()

    @classmethod
    def of(cls, names: NameFinder, texts: Mapping[VaultPath, str]) -> "Corpus":
        corpus = cls(names)
        corpus.read(texts)
        return corpus

    def update(
        self,
        texts: Mapping[VaultPath, str],
        changed: Collection[VaultPath],
        gone: Iterable[VaultPath],
        names: NameFinder | None,
    ) -> "Corpus":
        """Return an updated copy, so that readers of the current corpus are not affected."""
        other = Corpus(self._names)
        other._forms, other._notes = dict(self._forms), Counter(self._notes)
        other.forget((*gone, *changed))
        if names is not None:
            fresh = set(changed)
            other.rename(names, {path: text for path, text in texts.items() if path not in fresh})
        other.read({path: texts[path] for path in changed if path in texts})
        return other

    def __len__(self) -> int:
        return len(self._forms)

    @property
    def names(self) -> NameFinder:
        return self._names

    def read(self, texts: Mapping[VaultPath, str]) -> None:
        self.forget(texts)
        for path, text in texts.items():
            self._add(path, self._names.forms(text))

    def forget(self, paths: Iterable[VaultPath]) -> None:
        for path in paths:
            self._notes.subtract(self._forms.pop(path, ()))

    def rename(self, names: NameFinder, texts: Mapping[VaultPath, str]) -> None:
        """Change the counted names; only new ones are searched for."""
        lost = [form for form in self._names if form not in names]
        fresh = names.only(form for form in names if form not in self._names)
        self._names = names
        for form in lost:
            del self._notes[form]
        if lost:
            gone = frozenset(lost)
            self._forms = {path: forms - gone for path, forms in self._forms.items()}
        if len(fresh):
            for path, text in texts.items():
                self._add(path, fresh.forms(text))

    def notes(self, form: str) -> int:
        """Count the notes that contain a folded name."""
        return self._notes[form]

    def forms_in(self, path: VaultPath) -> frozenset[str]:
        return self._forms.get(path, frozenset())

    def notes_with(self, forms: Iterable[str]) -> list[VaultPath]:
        """Return the notes that contain any of some folded names, in order."""
        names = frozenset(forms)
        return sorted(path for path, forms in self._forms.items() if not names.isdisjoint(forms))

    def _add(self, path: VaultPath, forms: frozenset[str]) -> None:
        self._forms[path] = self._forms.get(path, frozenset()) | forms
        self._notes.update(forms)


MAX_CHANGED_NOTES = 500
"""Number of changed notes above which all notes are read."""


class MentionIndex:
    """The names that the notes of a vault mention; updated when queried."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._corpus = Corpus()
        self._notes: Mapping[VaultPath, IndexedNote] = {}

    async def read(self, index: Index, templates: Collection[str]) -> Corpus:
        async with self._turn:
            if (notes := index.notes) is not self._notes:
                changed, gone, names = await asyncio.to_thread(compare_notes, self._notes, notes, templates)
                # Any note may mention a new name, and to read all notes is faster than to pick many.
                is_fresh = names is not None and not await asyncio.to_thread(self._corpus.names.has_all, names)
                texts = await index.wholes(None if is_fresh or len(changed) > MAX_CHANGED_NOTES else changed)
                self._corpus = await asyncio.to_thread(self._corpus.update, texts, changed, gone, names)
                self._notes = notes
            return self._corpus


async def read_corpus(vault: OpenVault) -> Corpus:
    """Return which names the notes mention, as they are indexed now; the first call reads all notes."""
    templates = read_obsidian_settings(vault.root).template_folders
    return await vault.part(MentionIndex).read(vault.index.view("notes"), templates)


def compare_notes(
    before: Mapping[VaultPath, IndexedNote], notes: Mapping[VaultPath, IndexedNote], templates: Collection[str]
) -> tuple[list[VaultPath], set[VaultPath], NameFinder | None]:
    """Return the notes that changed, those that are gone, and the names if they differ; takes 50 ms for 100,000."""
    changed = [path for path, note in notes.items() if path not in before or before[path].digest != note.digest]
    gone = before.keys() - notes.keys()
    differ = gone or any(path not in before or names_of(notes[path]) != names_of(before[path]) for path in changed)
    return changed, gone, collect_names(notes, templates) if differ else None


def collect_names(notes: Mapping[VaultPath, IndexedNote], templates: Collection[str]) -> NameFinder:
    names = (
        name
        for path, note in notes.items()
        if note.kind == "note" and not is_template(note, templates)
        for name in (NoteName(path, note.title), *(NoteName(path, alias, alias=True) for alias in note.aliases))
    )
    return NameFinder(names, find_declining_languages(note.language for note in notes.values()))


def find_declining_languages(languages: Iterable[str | None]) -> list[str]:
    """Return those languages of a vault's notes in which many are written and names have several forms."""
    counts = Counter(languages)
    least = MIN_DECLINING_SHARE * counts.total()
    return [each for each in sorted(DECLINING_LANGUAGES) if counts[each] > least]


def names_of(note: IndexedNote) -> tuple[str, tuple[str, ...]]:
    return note.title, note.aliases
