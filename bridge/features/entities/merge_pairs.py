"""Finds pairs of notes that may be one: their prose is the same, or one says nothing but the other's name."""

import asyncio
import calendar
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.markup import Column, Element, Table, notice
from bridge.api.note_names import folder_of
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.properties.public import TYPE as SCHEMA
from bridge.features.workflows.public import TYPES as WORKFLOW_TYPES
from bridge.graph.graph import Graph
from bridge.index.boilerplate import is_template
from bridge.index.note import IndexedNote, day_in_name
from bridge.markdown.frontmatter import OBSIDIAN_PROPERTIES, cut_frontmatter
from bridge.markdown.kinds import title_of
from bridge.markdown.links import name_key, target_file
from bridge.markdown.parse import parse
from bridge.markdown.prose import merge_spans, protected_spans
from bridge.records import Record
from bridge.state.dismissals import Dismissal
from bridge.text.closest import are_alike
from bridge.text.counts import count_of
from bridge.text.fold import fold_letters
from bridge.text.overlap import RUN_WORDS, comparable_words, word_runs
from bridge.text.series import DATE, step_between
from bridge.text.words import ALPHABETIC
from bridge.types import Among, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

MIN_RUNS = 4
"""Sequences of words that two texts must share, as many as eight words in a row have."""

MAX_RUN_TEXTS = 3
"""A sequence that more texts contain is boilerplate, such as a template's."""

SHARE_OF_RUNS = 0.35
"""Share of the shorter text's sequences that suffices."""

MIN_RUN_SHARE = 0.08
SHARE_OF_WORDS = 0.55
"""Where single words were replaced, few sequences are left; then the different words of both are compared."""

MIN_COMMON_BYTES = 24
"""Bytes of prose that two texts must share beside code and links: nine words of English, a dozen Chinese characters."""

SHARE_OF_PROSE = 0.15
"""Share of the shorter text's sequences of prose that two texts must share, beside tables that a template fills."""

SEQUENCE_PARTS = 8
"""Parts in which sequences are compared, each of which needs a share of the memory."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class CommonText(Record):
    """Two texts, by their numbers, and how much they have in common, 0-1."""

    one: int
    other: int
    share: float


def find_common_text(texts: Sequence[str], pause: Callable[[], None] = lambda: None) -> list[CommonText]:
    """Return the pairs of texts that have much in common, in order.

    Case, punctuation, properties, and what many of the texts contain do not count.
    """
    words: list[NDArray[np.uint64]] = []
    runs: list[NDArray[np.uint64]] = []
    for text in texts:
        pause()
        words.append(np.fromiter(map(hash, comparable_words(text)), np.int64).view(np.uint64))
        runs.append(_hash_runs(words[-1]))
    sizes, shared = _count_shared(runs, pause)
    found: list[CommonText] = []
    for (one, other), count in shared.items():
        pause()
        share = count / max(1, int(min(sizes[one], sizes[other])))
        if count < MIN_RUNS or share < MIN_RUN_SHARE:
            continue
        if share < SHARE_OF_RUNS:
            share = _share_of_words(words[one], words[other])
            if share < SHARE_OF_WORDS:
                continue
        found.append(CommonText(one, other, share))
    return sorted(found, key=lambda pair: (pair.one, pair.other))


def _hash_runs(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    count = len(words) - RUN_WORDS + 1
    if count < 1:
        return np.empty(0, np.uint64)
    total = np.zeros(count, np.uint64)
    for at in range(RUN_WORDS):
        total = total * _FACTOR + words[at : at + count]
    return np.unique(total)


def _count_shared(
    runs: Sequence[NDArray[np.uint64]], pause: Callable[[], None]
) -> tuple[NDArray[np.int64], dict[tuple[int, int], int]]:
    sizes = np.zeros(len(runs), np.int64)
    keys: list[NDArray[np.int64]] = []
    begins = np.zeros(len(runs), np.int64)
    for part in range(1, SEQUENCE_PARTS + 1):
        pause()
        last = np.uint64(part * (2**64 // SEQUENCE_PARTS) - 1)
        ends = np.array([np.searchsorted(own, last, "right") for own in runs], np.int64)
        parts = [own[first:end] for own, first, end in zip(runs, begins.tolist(), ends.tolist(), strict=True)]
        begins = ends
        owned, found = _count_part(parts)
        sizes += owned
        keys += found
    pairs, counts = np.unique(np.concatenate([*keys, np.empty(0, np.int64)]), return_counts=True)
    enough = counts >= MIN_RUNS
    return sizes, {
        divmod(key, len(runs)): count
        for key, count in zip(pairs[enough].tolist(), counts[enough].tolist(), strict=True)
    }


def _count_part(runs: Sequence[NDArray[np.uint64]]) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return how many sequences each text has beside boilerplate, and both owners of each that several texts share."""
    every = np.concatenate([*runs, np.empty(0, np.uint64)])
    owner = np.repeat(np.arange(len(runs)), [len(own) for own in runs])
    order = np.argsort(every, kind="stable")
    every, owner = every[order], owner[order]
    starts = np.flatnonzero(np.diff(every, prepend=every[:1] + np.uint64(1)))
    lengths = np.diff(np.append(starts, len(every)))
    sizes = np.bincount(owner[np.repeat(lengths <= MAX_RUN_TEXTS, lengths)], minlength=len(runs))
    return sizes, list(_pair_keys(owner, starts, lengths, len(runs)))


def _pair_keys(
    owner: NDArray[np.int64], starts: NDArray[np.int64], lengths: NDArray[np.int64], count: int
) -> Iterator[NDArray[np.int64]]:
    for length in range(2, MAX_RUN_TEXTS + 1):
        at = starts[lengths == length]
        for one, other in combinations(range(length), 2):
            yield owner[at + one] * count + owner[at + other]


def _share_of_words(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    first, second = np.unique(one), np.unique(other)
    return len(np.intersect1d(first, second, assume_unique=True)) / max(1, len(first), len(second))


MergeReason = Literal["name", "alias", "text", "stub", "neighbours"]

MIN_SIZE_RATIO: Final = 0.5
"""How long the shorter of two texts must be, as a share of the longer, to be the same text."""

COPY_SHARE: Final = 0.95
"""Share of text in common, and of its length, from which one note is a copy of another."""

MIN_ALONE_RATIO: Final = 0.65
"""The same of texts for which nothing else speaks: a chapter stands in the whole."""

RULE_TYPES: Final = frozenset((*WORKFLOW_TYPES, SCHEMA))
"""Types of notes that are read as rules, which two notes merged would not be."""

INSTRUCTIONS_TYPES: Final = ("topics", "ontology")
"""The property `type` of the note with the rules of a topic folder; once it was the latter."""

MAX_SHORT_NOTE_WORDS: Final = 12
"""Words up to which a note says nothing beside another of its name."""

MAX_STUB_CHARS: Final = 1_000
"""Characters of a stub, properties included."""

MIN_KNOWN_BACKLINKS: Final = 2
"""Notes that link to one from which on it is known under its own name."""

MAX_NAMESAKES: Final = 4
"""A name that more notes have, such as `Index`, says nothing."""

MIN_DAYS: Final = 3
"""Notes with a day as their name that a folder of daily notes has."""

MIN_DAILY_SHARE: Final = 0.5
"""Their share of it."""

_WEIGHT: Final[Mapping[MergeReason, float]] = {"alias": 0.7, "stub": 0.6, "neighbours": 0.3}
_SAME_NAME: Final = 0.3
_SPELT_ALIKE: Final = 0.6
_COPY: Final = re.compile(
    r"(?:[ _-]+\(?\d{1,2}\)?|[ _-]+(?:copy|copia|copie|kopie|副本|conflict(?:ed copy)?)(?: \(?\d+\)?)?)$", re.IGNORECASE
)
"""What programs add to the name of a copy."""

_QUOTE: Final = re.compile("['’‘“”\"]")

_QUOTATION: Final = re.compile(r"^ {0,3}>(?! ?\[!)[^\n]*(?:\n {0,3}>[^\n]*)*", re.MULTILINE)
_MARK: Final = re.compile(r"[^\w\s\"'“”‘’«»(\[¿¡.…-]+")
KIND_PROPERTIES: Final = ("type", "category", "categories")
"""Properties that say what kind of thing a note is about."""

_FILED_BY: Final = OBSIDIAN_PROPERTIES | {"title", "publish"}

_CALENDAR: Final = frozenset(
    word.casefold() for names in (calendar.month_name, calendar.day_name) for word in names if word
)


class MergeSuggestion(Record):
    """Two notes that may be one, as arguments of `merge_notes`.

    Attributes:
        path: The note that would go: the one with fewer links and less text.
        into: The note that would stay.
        confidence: 0–1.
        why: `name`: the same but for spelling, or one is named as a copy; `alias`: the name of one is an alias of the
            other; `text`: much of it is in both; `stub`: one hardly says more than its name;
            `neighbours`: other notes are linked with both.
        common: Share of the text that both have; null if small.
    """

    path: VaultPath
    into: VaultPath
    confidence: float
    why: tuple[MergeReason, ...]
    common: float | None = None


Pair = tuple[VaultPath, VaultPath]
Reasons = dict[MergeReason, float]
"""What speaks for a pair, and how much."""


def find_merge_pairs(
    notes: Mapping[VaultPath, IndexedNote],
    texts: Mapping[VaultPath, str],
    graph: Graph,
    pause: Callable[[], None] = lambda: None,
    daily_folder: str = "",
) -> list[MergeSuggestion]:
    """Return the pairs of notes that may be one, the most certain first; never two of the folder of daily notes.

    What the bridge reads as rules is in none, and a topic never with a note of its name, as each has its own place.

    A name alone is no evidence, since a person who gave it to two notes with texts of their own may mean two things:
    the texts must be the same, or one of them say nothing. Only in one folder, names that are spelt alike suffice.
    """
    own = (path for path, note in notes.items() if note.kind == "note" and note.note_type not in RULE_TYPES)
    paths = sorted(path for path in own if path in texts)
    topics = [f"{path.rpartition('/')[0]}/" for path in paths if notes[path].note_type in INSTRUCTIONS_TYPES]
    found = _compare_names(paths, notes, texts, pause)
    common = _compare_prose(paths, texts, pause)
    for pair, share in common.items():
        found[pair]["text"] = 0.5 + 0.45 * share**3
    folders = {path: path.rpartition("/")[0] for path in paths}
    sizes, dated = Counter(folders.values()), Counter(folders[path] for path in paths if day_in_name(path))
    # The settings often name a folder that was renamed since.
    daily = {folder for folder, count in dated.items() if count >= max(MIN_DAYS, MIN_DAILY_SHARE * sizes[folder])}
    days = frozenset(path for path in paths if folders[path] in daily or folders[path] == daily_folder != "")
    quotes = Counter(sign for path in paths for sign in _QUOTE.findall(notes[path].title))

    def fitness(path: VaultPath, other: VaultPath) -> tuple[bool, int]:
        """Return whether a note is more than one of a day, and how often titles have its quotation marks."""
        own, others = notes[path].title, notes[other].title
        spelt_apart = own != others and _QUOTE.sub("'", own) == _QUOTE.sub("'", others)
        return path not in days, sum(quotes[sign] for sign in _QUOTE.findall(own)) if spelt_apart else 0

    made = [
        _make_pair(pair, reasons, common.get(pair), notes, texts, graph.neighbours, fitness)
        for pair, reasons in found.items()
        if not days.issuperset(pair)
        and all(len({path.startswith(folder) for path in pair}) == 1 for folder in topics)
        and _is_likely(pair, reasons, common, notes, texts, graph)
    ]
    return sorted(made, key=lambda pair: (-pair.confidence, pair.path))


def _compare_names(
    paths: Sequence[VaultPath],
    notes: Mapping[VaultPath, IndexedNote],
    texts: Mapping[VaultPath, str],
    pause: Callable[[], None],
) -> dict[Pair, Reasons]:
    found: dict[Pair, Reasons] = defaultdict(dict)
    for one, other, weight in _by_name(paths, notes):
        found[one, other]["name"] = weight
    for pair in _by_alias(paths, notes):
        found[pair]["alias"] = _WEIGHT["alias"]
    for pair, reasons in found.items():
        pause()
        if _is_stub(*pair, notes, texts) or _is_stub(*pair[::-1], notes, texts):
            reasons["stub"] = _WEIGHT["stub"]
    return found


def _compare_prose(
    paths: Sequence[VaultPath], texts: Mapping[VaultPath, str], pause: Callable[[], None]
) -> dict[Pair, float]:
    """Return the pairs that have much of their prose in common, with its share."""

    @cache
    def prose(path: VaultPath, *, quoted: bool) -> frozenset[tuple[str, ...]]:
        pause()
        return frozenset(word_runs(_read_prose(texts[path], quoted=quoted)))

    def share_prose(one: VaultPath, other: VaultPath) -> bool:
        # Notes of different names may quote the same source.
        quoted = not {*comparable_words(title_of(one))}.isdisjoint(comparable_words(title_of(other)))
        return _share_prose(prose(one, quoted=quoted), prose(other, quoted=quoted))

    common = {
        (one, other): pair.share
        for pair in find_common_text([texts[path] for path in paths], pause)
        # A list contains the text of each stub that it names.
        if _sizes_alike(texts[one := paths[pair.one]], texts[other := paths[pair.other]], MIN_SIZE_RATIO)
        and (texts[one] == texts[other] or share_prose(one, other))
    }
    # What a note has in common with two others is a form that they fill.
    times = Counter(path for pair in common for path in pair)
    return {pair: part for pair, part in common.items() if part >= COPY_SHARE or max(map(times.__getitem__, pair)) == 1}


def _is_likely(
    pair: Pair,
    reasons: Collection[MergeReason],
    common: Mapping[Pair, float],
    notes: Mapping[VaultPath, IndexedNote],
    texts: Mapping[VaultPath, str],
    graph: Graph,
) -> bool:
    one, other = (notes[path].title for path in pair)
    is_copy = _is_copy(pair, common, notes, texts)
    # What both have in common is then a part of each, as the credits of two songs are, or one is a part of the other.
    are_known = all(len(graph.linked_from(path)) >= MIN_KNOWN_BACKLINKS for path in pair)
    is_part = not _sizes_alike(texts[pair[0]], texts[pair[1]], MIN_ALONE_RATIO)
    is_doubtful = set(reasons) == {"text"} and common[pair] < COPY_SHARE
    if not may_be_one(one, other, is_copy=is_copy) or (is_doubtful and (are_known or is_part)):
        return False
    if is_copy:
        return True
    if _are_mirrored(pair) or _are_of_two_kinds(*(notes[path] for path in pair)):
        return False
    are_beside = len({path.rpartition("/")[0] for path in pair}) == 1
    same_mark = _mark_of(one) == _mark_of(other)
    # A sign says that even a stub is of its kind.
    plain = [both for both in (pair, pair[::-1]) if not _mark_of(notes[both[0]].title)]
    if not same_mark and common.get(pair, 0.0) < COPY_SHARE and not any(_is_stub(*two, notes, texts) for two in plain):
        return False
    # A word spelt otherwise behind its first letter may be a program.
    bare, same = (title.removeprefix(_mark_of(title)).strip() for title in (one, other))
    is_word = bare[1:] != same[1:] and not any(map(str.isspace, bare + same))
    are_apart = is_word and graph.neighbours(pair[0]).isdisjoint(graph.neighbours(pair[1]))
    return (
        ("stub" in reasons and not ("name" in reasons and are_apart and not (are_beside and same_mark)))
        or ("name" in reasons and are_beside and same_mark)
        or ("text" in reasons and ("name" in reasons or not are_siblings(one, other)))
    )


def _are_mirrored(pair: Pair) -> bool:
    """Return whether two notes lie in the same folder of two, as the pages of two languages or years do."""
    one, other = (path.split("/")[:-1] for path in pair)
    return len(one) == len(other) > 1 and one != other and one[-1] == other[-1]


def _mark_of(title: str) -> str:
    """Return the sign at the beginning of a title that says of which kind a note is, as of `📚 Dune` and `∑ Dune`."""
    found = _MARK.match(title)
    return found[0] if found else ""


def _share_prose(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    shared = one & other
    size = sum(len(run[0].encode("utf-8", "replace")) for run in shared)
    return size >= MIN_COMMON_BYTES and len(shared) >= SHARE_OF_PROSE * min(len(one), len(other))


def _read_prose(text: str, *, quoted: bool) -> str:
    """Return a note's text without code, links, tables and names of fields, with quotations if wanted."""
    note, kept, at = parse(VaultPath("note.md"), text.encode("utf-8", "replace")), [], 0
    tables = (piece.span for piece in note.pieces if piece.kind == "table")
    quotations = () if quoted else (found.span() for found in _QUOTATION.finditer(note.text))
    for start, end in merge_spans([*protected_spans(note), *tables, *quotations]):
        kept.append(note.text[at:start])
        at = end
    return " ".join([*kept, note.text[at:]])


def may_be_one(one: str, other: str, *, is_copy: bool = False) -> bool:
    """Return whether two titles can be of one note: neither is a day's, nor are they two numbers of a series."""
    if DATE.search(one) or DATE.search(other):
        return False
    words, others = set(comparable_words(one)), set(comparable_words(other))
    if (words - others) & _CALENDAR and (others - words) & _CALENDAR:
        return False
    step = step_between(one, other)
    return step is None or (step == "numbered" and is_copy)


def are_siblings(one: str, other: str) -> bool:
    """Return whether two titles are the same but for one word, as *Small cap stock* and *Large cap stock* are."""
    words, others = list(comparable_words(one)), list(comparable_words(other))
    left, right = [word for word in words if word not in others], [word for word in others if word not in words]
    return len(left) == len(right) == 1 < len(words) and not are_alike(left[0], right[0])


def _are_of_two_kinds(one: IndexedNote, other: IndexedNote) -> bool:
    """Return whether properties say that two notes are of two kinds of things, as a song and a release of its name."""
    first, second = (dict(_facts(note)) for note in (one, other))
    return any(first.get(name, kind) != kind for name, kind in second.items() if name in KIND_PROPERTIES)


def _facts(note: IndexedNote) -> Iterator[tuple[str, str]]:
    """Yield properties with a value that is no day, under which notes are only filed."""
    for name, value in note.properties.items():
        text = str(value or "").strip()
        if text and not DATE.search(text) and name.casefold() not in _FILED_BY:
            yield name.casefold(), text.casefold()


def _is_copy(
    pair: Pair,
    common: Mapping[Pair, float],
    notes: Mapping[VaultPath, IndexedNote],
    texts: Mapping[VaultPath, str],
) -> bool:
    def said(path: VaultPath) -> str:
        return " ".join(comparable_words(texts[path])).replace(" ".join(comparable_words(notes[path].title)), "")

    one, other = map(said, pair)
    return bool(one) and (one == other or (common.get(pair, 0) >= COPY_SHARE and _sizes_alike(one, other, COPY_SHARE)))


def _sizes_alike(one: str, other: str, least: float) -> bool:
    """Return whether two texts are about as long, the shorter being at least this share of the longer."""
    return min(len(one), len(other)) >= least * max(len(one), len(other))


def _spelling(name: str) -> str:
    """Return a name folded to its letters, and the signs that make it another: `C`, `C#` and `C++` are three."""
    return fold_letters(name) + "".join(sign for sign in name if sign in "+#")


def _by_name(
    paths: Iterable[VaultPath], notes: Mapping[VaultPath, IndexedNote]
) -> Iterator[tuple[VaultPath, VaultPath, float]]:
    """Yield the pairs of notes with the same name when folded; the same spelling in two folders may be meant."""
    named: dict[str, list[VaultPath]] = defaultdict(list)
    for path in paths:
        title = notes[path].title
        # The number of a release is no name.
        if any(len(word) > 1 for word in ALPHABETIC.findall(title)):
            for form in {_spelling(title), _spelling(_COPY.sub("", title))}:
                named[form].append(path)
    for alike in named.values():
        if 2 <= len(alike) <= MAX_NAMESAKES:
            for one, other in combinations(alike, 2):
                same = notes[one].title == notes[other].title
                yield one, other, _SAME_NAME if same else _SPELT_ALIKE


def _by_alias(paths: Iterable[VaultPath], notes: Mapping[VaultPath, IndexedNote]) -> Iterator[Pair]:
    titled: dict[str, list[VaultPath]] = defaultdict(list)
    paths = list(paths)
    for path in paths:
        titled[_spelling(notes[path].title)].append(path)
    for path in paths:
        for alias in notes[path].aliases:
            others = [other for other in titled.get(_spelling(alias), ()) if other != path]
            if len(others) <= MAX_NAMESAKES:
                yield from ((min(path, other), max(path, other)) for other in others)


def _is_stub(
    path: VaultPath, other: VaultPath, notes: Mapping[VaultPath, IndexedNote], texts: Mapping[VaultPath, str]
) -> bool:
    """Return whether a note says hardly anything, and the other of its name does.

    What has facts of its own, such as a film beside the book, or shows another file, as a category does, or only leads
    to notes of other names, is no stub.
    """
    facts, others = ({name for name, _ in _facts(notes[one])} for one in (path, other))
    # Most texts are too long for that, and to split them takes seconds.
    if len(texts[path]) > MAX_STUB_CHARS or not facts <= others or any(link.embed for link in notes[path].links):
        return False
    leads = {name_key(target_file(target, kind)) for target, kind in notes[path].targets if kind != "property"}
    if leads and leads.isdisjoint(map(name_key, (notes[other].title, *notes[other].aliases))):
        return False
    count, other_count = (len([*comparable_words(texts[one])]) for one in (path, other))
    return count <= min(MAX_SHORT_NOTE_WORDS, other_count) and other_count > 0


def _make_pair(
    pair: Pair,
    reasons: Reasons,
    common: float | None,
    notes: Mapping[VaultPath, IndexedNote],
    texts: Mapping[VaultPath, str],
    neighbours: Callable[[VaultPath], Collection[VaultPath]],
    fitness: Callable[[VaultPath, VaultPath], tuple[bool, int]],
) -> MergeSuggestion:
    weights = dict(reasons)
    if not {*neighbours(pair[0])}.isdisjoint(neighbours(pair[1])):
        weights["neighbours"] = _WEIGHT["neighbours"]
    doubt = 1.0
    for weight in weights.values():
        doubt *= 1 - weight
    less, more = sorted(
        pair,
        key=lambda path: (
            # Of two with the same text, the one that is marked as a copy goes.
            (common or 0.0) >= COPY_SHARE and _COPY.search(notes[path].title) is None,
            *fitness(path, pair[path == pair[0]]),
            # Of two texts, the one that was added to stays, not the one that was published.
            _latest_day(texts[path]) if common is not None else "",
            len(neighbours(path)) * 100 + len(texts[path]),
            _COPY.search(notes[path].title) is None,
            notes[path].title,
            path,
        ),
    )
    order: tuple[MergeReason, ...] = ("name", "alias", "text", "stub", "neighbours")
    share = None if common is None else round(common, 2)
    return MergeSuggestion(less, more, round(1 - doubt, 3), tuple(one for one in order if one in weights), share)


def _latest_day(text: str) -> str:
    """Return the digits of the latest day that a text names below its properties."""
    cut = cut_frontmatter(text)
    return max((re.sub(r"\D", "", day) for day in DATE.findall(text[cut[1] if cut else 0 :])), default="")


class MergeSuggestions(ListPage):
    """Pairs of notes that may be one.

    Attributes:
        pairs: Most certain first.
        dismissed: How many more were dismissed; absent if none.
    """

    pairs: tuple[MergeSuggestion, ...]
    dismissed: int | None = None


@operation(
    example={"limit": 5},
    tasks=(
        "notes about the same thing that could be merged",
        "near-duplicate notes",
    ),
    whole_vault=True,
)
async def merge_suggestions(
    call: Call,
    folder: Folder | None = None,
    page: PageArguments = Page(20),
    among: Among | None = None,
) -> MergeSuggestions:
    """Find pairs of notes that may be one, each with the reasons; never a note of a day, or two numbers of a series.

    Args:
        folder: Only pairs with a note under this folder.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    vault = call.vault
    graph_snapshot = await vault.graph_snapshot(choose_among(vault, among, (folder,)))
    inside = folder_of(graph_snapshot.notes, folder)
    texts = await graph_snapshot.index.wholes()
    dismissed = await dismissed_rows(call, "merge")

    def find() -> MergeSuggestions:
        settings = read_obsidian_settings(vault.root)
        folder = settings.template_folders
        notes = {path: note for path, note in graph_snapshot.notes.items() if not is_template(note, folder)}
        learnt = graph_snapshot.index.boilerplate
        said = {path: learnt.blank(text) for path, text in texts.items()}
        every = find_merge_pairs(notes, said, graph_snapshot.graph, daily_folder=settings.daily_folder)
        asked = [
            one for one in every if not inside or any(path.startswith(f"{inside}/") for path in (one.path, one.into))
        ]
        found = [one for one in asked if Dismissal("merge", frozenset((one.path, one.into))) not in dismissed]
        return MergeSuggestions(page.cut(found), len(asked) - len(found) or None, **page.place(len(found)))

    return await asyncio.to_thread(find)


PAIRS = (
    Column("path", role="path"),
    Column("into", " → {}", role="path"),
    Column("confidence", " · {:.0%}"),
    Column("why", " · {}", value=lambda one: ", ".join(one.why)),
    Column("common", " · {:.0%} in common", detail=True),
)


def merge_suggestions_view(suggested: MergeSuggestions) -> Iterable[Element]:
    total, dismissed = suggested.total, suggested.dismissed
    shown = f"{len(suggested.pairs)} of " if len(suggested.pairs) < total else ""
    besides = f", {dismissed} more dismissed" if dismissed else ""
    yield notice(f"{shown}{count_of(total, 'pair')} of notes that may be one{besides}")
    yield Table(PAIRS, suggested.pairs)
