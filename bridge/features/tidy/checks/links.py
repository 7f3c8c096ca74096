"""Links: to no file, missing ones, names without a note, and notes that nothing links to."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Final

from bridge.changes.link_text import write_link
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote
from bridge.features.links.public import (
    DOUBTFUL_CONFIDENCE,
    FeedbackModel,
    LinkContext,
    LinkPlace,
    MeantNote,
    MeantNotes,
    Suggestion,
    find_broken_links,
    find_candidates,
    find_tables,
    insert_links,
    source_of,
    suggest,
    wishes_of,
)
from bridge.features.tidy.check_scope import (
    SURE_CONFIDENCE,
    BudgetSpent,
    CheckScope,
    OrphansToCheck,
    TidyFinding,
    propose,
    tidy_check,
)
from bridge.features.tidy.plan_note import plain_words, plan_link
from bridge.features.topics.public import body_of
from bridge.index.inverted_index import TextQuery
from bridge.index.note import IndexedNote
from bridge.markdown.edit.requests import ReplaceText
from bridge.markdown.kinds import title_of
from bridge.markdown.links import WEB_LINK, can_name_note, target_file, target_subpath
from bridge.markdown.note import Link
from bridge.records import Record
from bridge.search.related import rare_words
from bridge.text.counts import count_of
from bridge.text.fold import fold_case
from bridge.text.function_words import function_words
from bridge.text.words import words_of
from bridge.types import Span, VaultPath

MAX_CONTEXT_CHARS = 300
"""Characters around the words that are named at most."""


def replace_span(note: IndexedNote, text: str, span: Span, new: str) -> EditNote | None:
    """Return the edit that replaces a span of a note's text; None if the words around it do not tell it apart."""
    first, last = span
    line_start, line_end = text.rfind("\n", 0, first) + 1, text.find("\n", last)
    line_end = len(text) if line_end < 0 else line_end
    start, end = first, last
    while text.count(text[start:end]) > 1:
        if (start, end) == (line_start, line_end) or end - start > MAX_CONTEXT_CHARS:
            return None
        start, end = _before(text, start, line_start), _after(text, end, line_end)
    edit = ReplaceText(old=text[start:end], new=text[start:first] + new + text[last:end])
    return EditNote(path=note.path, edits=(edit,), digest=note.digest)


def _before(text: str, start: int, least: int) -> int:
    at = text.rfind(" ", least, max(least, start - 1))
    return least if at < 0 else at + 1


def _after(text: str, end: int, most: int) -> int:
    at = text.find(" ", min(most, end + 1), most)
    return most if at < 0 else at


@tidy_check("broken_links", "Links to no note, where one note is meant.")
def broken_links(scope: CheckScope) -> Iterator[TidyFinding]:
    meant_by = cache(partial(_find_meant, scope, MeantNotes(scope.corpus.names)))
    for note in scope.fresh():
        broken = [
            link
            for link in note.links
            if link.kind == "wiki"
            and not link.embed
            and not target_subpath(link.target)
            and (file := target_file(link.target, link.kind))
            and can_name_note(file)
            and scope.vault.names.resolve(link.target, note.path, link.kind).path is None
        ]
        seen: set[str] = set()
        for link in broken:
            meant = meant_by(link.target)
            if meant is None or meant.path == note.path or link.target in seen:
                continue
            seen.add(link.target)
            if (finding := _mend(scope, note, link, meant)) is not None:
                yield finding


def _mend(scope: CheckScope, note: IndexedNote, link: Link, meant: MeantNote) -> TidyFinding | None:
    read = scope.read(note)
    if read is None:
        return None
    first, last = link.span
    table = any(start <= first < end for start, end in find_tables(read))
    shown = link.shown or (link.target if meant.by_alias else title_of(meant.path))
    new = write_link(shown, meant.path, note.path, scope.vault.names, scope.style, table=table)
    edit = None if new is None else replace_span(note, read.text, (first, last), new)
    if edit is None:
        return None
    return propose(
        edit,
        f"In {plan_link(note.path)}, let “{plain_words(link.target)}” lead to {plan_link(meant.path)}",
        plain_words(meant.why),
        meant.confidence,
        meant.path,
        key=link.target,
    )


def _find_meant(scope: CheckScope, names: MeantNotes, target: str) -> MeantNote | None:
    """Return the one note that a link surely means."""
    scope.budget.pause()
    vault, old = scope.vault, VaultPath(f"{target.removesuffix('.md')}.md")
    moved = vault.store.journal.moved_to(old, vault.names.__contains__) if "/" in old else None
    found = names.find(target) if moved is None else MeantNote(moved, "the note was renamed", 0.95)
    return found if found and found.confidence > DOUBTFUL_CONFIDENCE and found.path in scope.notes else None


MAX_NOTE_CHARS: Final = 100_000
"""Characters of a note up to which it is looked at."""

DAY: Final = re.compile(r"\d{4}[-_. ]?\d{2}[-_. ]?\d{2}")

_BEFORE_LABEL: Final = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)])?[ \t]*[*_]*")
_BEHIND_LABEL: Final = re.compile(r"[*_]*[ \t]*[:\uff1a]")

MIN_LIKELIHOOD: Final = 0.7
"""Likelihood from which a link is proposed."""


@tidy_check("missing_links", "Names of notes that are no links yet.")
def missing_links(scope: CheckScope) -> Iterator[TidyFinding]:
    vault, learned = scope.vault, FeedbackModel(scope.vault.store.feedback.all(), for_user=True)
    unlinked = find_unlinked_folders(scope)
    for note in scope.fresh():
        own = {fold_case(name) for name in (note.title, *note.aliases)}
        if note.size > MAX_NOTE_CHARS or not scope.corpus.forms_in(note.path) - own:
            continue
        read = scope.read(note)
        if read is None:
            continue
        own |= {fold_case(match[1]) for match in WEB_LINK.finditer(read.text)}
        found = suggest(source_of(vault, read), scope.corpus, LinkContext(vault, note.path, learned), "conservative")
        # A day that a text names is seldom about what was written on it, and a note's own name about a namesake.
        wanted = [
            one
            for one in found
            if one.score >= MIN_LIKELIHOOD
            and one.target in scope.notes
            and not DAY.fullmatch(title_of(one.target))
            and fold_case(one.text) not in own
            and sum(not name.alias for name in scope.corpus.names.of(one.form)) <= 1
            and not any(is_below(one.target, folder) and not is_below(note.path, folder) for folder in unlinked)
            and not is_foreign_alias(one, note, scope.notes[one.target])
            and not is_phrase(scope, one, note.path)
        ]
        if not wanted:
            continue
        places = [LinkPlace(one.target, one.span) for one in wanted]
        links = {one.place: one.link for one in insert_links(read, places, vault.names, scope.style).links}
        for one, place in zip(wanted, places, strict=True):
            edit = replace_span(note, read.text, one.span, links[place]) if place in links else None
            if edit is None:
                continue
            yield propose(
                edit,
                f"In {plan_link(note.path)}, link “{plain_words(one.text)}” to {plan_link(one.target)}",
                plain_words(one.why[0]) if one.why else "it is the name of the note",
                _confidence(
                    one.score,
                    note,
                    scope.notes[one.target],
                    is_doubtful=is_label(read.text, one.span) or scope.is_blank(scope.notes[one.target]),
                ),
                one.target,
            )


MIN_UNLINKED_NOTES: Final = 50
"""Notes of a folder from which on it tells something that nobody links to them."""

UNLINKED_SHARE: Final = 0.05
"""Share of them that are linked from elsewhere, below which nobody does."""

LINKED_SHARE: Final = 0.2
"""Share of all notes that are linked from other folders, from which on a vault is one in which people link."""


def find_unlinked_folders(scope: CheckScope) -> Sequence[str]:
    """Return the folders of many notes to which hardly anything else links, as those of imported films are.

    In a vault in which people link, what the texts of others say is then not meant as the name of such a note.
    """
    counts, linked = Counter[str](), Counter[str]()
    for path, note in scope.notes.items():
        folder = path.rpartition("/")[0]
        if note.kind == "note":
            counts[folder] += 1
            linked[folder] += not all(
                is_below(source, folder) for source in scope.graph_snapshot.graph.linked_from(path)
            )
    if linked.total() < LINKED_SHARE * counts.total():
        return ()
    return [
        name for name, count in counts.items() if count >= MIN_UNLINKED_NOTES and linked[name] < UNLINKED_SHARE * count
    ]


def is_below(path: VaultPath, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def is_foreign_alias(found: Suggestion, note: IndexedNote, target: IndexedNote) -> bool:
    """Return whether an alias leads to a note in another language, which has it as its name in this one."""
    is_alias = fold_case(target.title) != found.form
    return is_alias and bool(note.language and target.language) and note.language != target.language


def is_phrase(scope: CheckScope, found: Suggestion, source: VaultPath) -> bool:
    """Return whether the name of a note far away is a phrase of everyday words, which may be said in another sense."""
    words = [word for word in words_of(found.text) if word not in function_words(scope.notes[source].language)]
    if len(words) < 2 or any(map(str.isupper, found.text[1:])) or not all(map(str.isalpha, words)):
        return False
    graph = scope.graph_snapshot.graph
    folder = found.target.rpartition("/")[0]
    if is_below(source, folder) or not graph.neighbours(source).isdisjoint(graph.neighbours(found.target)):
        return False
    index = scope.vault.index.view("notes")
    return min(map(index.document_frequency, words)) >= max(MIN_EVERYDAY, EVERYDAY_SHARE * len(scope.notes))


EVERYDAY_SHARE: Final = 0.02
"""Share of the notes that say a word of everyday language."""

MIN_EVERYDAY: Final = 12
"""The same in notes."""


def _confidence(likelihood: float, note: IndexedNote, target: IndexedNote, *, is_doubtful: bool) -> float:
    """Return how sure a link is: less where the notes are in two languages, as a quotation or a namesake is."""
    differ = bool(note.language and target.language) and note.language != target.language
    return round(min(likelihood, SURE_CONFIDENCE - 0.01) if differ or is_doubtful else likelihood, 2)


def is_label(text: str, span: Span) -> bool:
    """Return whether words stand alone before a colon, as what introduces the lines below does: `**Modules:**`."""
    start, end = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
    before, behind = text[start : span[0]], text[span[1] : end if end >= 0 else len(text)]
    return _BEFORE_LABEL.fullmatch(before) is not None and _BEHIND_LABEL.match(behind) is not None


MIN_WANTED: Final = 4
"""Notes that must link to a name."""

FORBIDDEN_CHARS: Final = frozenset('\\/:*?"<>|#^[]')
"""Characters that no name of a note has on every system."""


@tidy_check("prospects", "Names that four or more notes link to and that have no note yet.")
def prospects(scope: CheckScope) -> Iterator[TidyFinding]:
    broken = find_broken_links(scope.graph_snapshot.graph, scope.notes, scope.vault.names)
    wanted = wishes_of(broken, scope.corpus.names)
    scope.budget.pause()
    for one in find_candidates(wanted, scope.corpus.names):
        path = VaultPath(f"{one.name}.md")
        if one.notes < MIN_WANTED or not FORBIDDEN_CHARS.isdisjoint(one.name) or path in scope.vault.names:
            continue
        if one.name.startswith(".") or not scope.may_change(path):
            continue
        yield propose(
            CreateNote(path=path, text=""),
            f"Create a note “{plain_words(one.name)}”",
            f"{count_of(one.notes, 'note')}, such as {plan_link(one.examples[0])}",
            # Whether a name deserves a note, only a person knows.
            round(min(one.confidence, SURE_CONFIDENCE - 0.01), 2),
            notes=one.examples,
            key=one.name,
            kind="prospect",
        )


MIN_LISTED_NOTES: Final = 4
"""Notes of the folder that the page must link to."""

MIN_LISTED_SHARE: Final = 0.6
"""Share of the folder that it must link to."""

MAX_SIMILAR_NOTES: Final = 25
"""Notes that are most like an orphan by their words."""

SIMILARITY_POWER: Final = 1.5
"""Power of the similarity by which each of them counts."""

MIN_LISTED_WEIGHT: Final = 0.5
"""Share of their weight that a page must list."""

MIN_LISTED_WEIGHT_NEARBY: Final = 0.2
"""The same of a page in the folder of the orphan, or around it."""

MIN_SIMILAR_LISTED: Final = 5
"""How many of them it must list."""

MIN_SHARE_OF_MOST_LIKE: Final = 0.95
"""Share of the weight of the most like listed note from which on others are as like."""

MAX_ORPHANS: Final = 100
"""Orphans for which one plan looks for notes that are like them."""

MIN_ORPHAN_CHARS: Final = 40
"""Characters of an orphan that say what it is about."""

_ITEM: Final = re.compile(r"(?P<margin>\s*)(?P<marker>[-*+]|\d+[.)])(?P<space>\s+(?:\[.\]\s+)?)!?\[")


class ParentPage(Record):
    """A page on which an orphan would be listed."""

    path: VaultPath
    beside: VaultPath
    """The listed note below which it would be."""
    why: str
    confidence: float


def is_orphan(scope: CheckScope, note: IndexedNote) -> bool:
    is_linked = note.packed_links != "[]" or scope.graph_snapshot.graph.neighbours(note.path)
    return not (is_linked or scope.is_topic(note.path))


def choose_orphans(scope: CheckScope) -> Sequence[IndexedNote]:
    return [
        note
        for note in scope.by_time
        if is_orphan(scope, note)
        and not DAY.fullmatch(title_of(note.path))
        and len(body_of(scope.texts.get(note.path, ""))) >= MIN_ORPHAN_CHARS
    ]


async def read_orphans(scope: CheckScope) -> OrphansToCheck:
    """Return the notes that are most like the orphans, for as many as one plan looks at."""
    orphans = choose_orphans(scope)
    found: dict[VaultPath, Mapping[VaultPath, float]] = {}
    for note in orphans[:MAX_ORPHANS]:
        words = await asyncio.to_thread(rare_words, f"{note.title} {body_of(scope.texts[note.path])}")
        hits = await scope.graph_snapshot.index.search_notes(TextQuery(should=words), MAX_SIMILAR_NOTES + 1)
        best = max((hit.score for hit in hits), default=1.0)
        found[note.path] = {hit.path: (hit.score / best) ** SIMILARITY_POWER for hit in hits if hit.path != note.path}
    return OrphansToCheck(found, frozenset(note.path for note in orphans[MAX_ORPHANS:]))


@tidy_check("orphans", "Notes without links, and the page that lists the others of their folder or those like them.")
def orphans(scope: CheckScope) -> Iterator[TidyFinding]:
    folders: defaultdict[str, list[VaultPath]] = defaultdict(list)
    for path, note in scope.notes.items():
        if note.kind == "note":
            folders[path.rpartition("/")[0]].append(path)
    pages: dict[str, tuple[VaultPath, float] | None] = {}
    lists = ListPages(scope)
    for note in scope.fresh(without=scope.orphans.left):
        if not is_orphan(scope, note) or scope.is_blank(note):
            continue
        folder, alike = note.path.rpartition("/")[0], scope.orphans.alike.get(note.path, {})
        if folder and folder not in pages:
            pages[folder] = _page(scope, folders[folder])
        if (page := pages.get(folder)) is not None:
            path, share = page
            beside = lists.find_place(note.path, path, folders[folder], alike)
            why = f"it lists {share:.0%} of the folder"
            parent = ParentPage(path, beside, why, round(min(0.9, share), 2)) if beside else None
        else:
            parent = lists.find_parent(note.path, alike)
        if parent is not None and parent.path != note.path:
            yield from _list(scope, lists, note, parent)
    if scope.orphans.left:
        raise BudgetSpent


def _list(scope: CheckScope, lists: "ListPages", note: IndexedNote, parent: ParentPage) -> Iterator[TidyFinding]:
    page = scope.notes[parent.path]
    link = write_link(title_of(note.path), note.path, parent.path, scope.vault.names, scope.style)
    edit = None if link is None else lists.add_item(page, parent.beside, link)
    if edit is not None:
        beside = plain_words(title_of(parent.beside))
        yield propose(
            edit,
            f"List {plan_link(note.path)} in {plan_link(parent.path)} below “{beside}”",
            parent.why,
            parent.confidence,
            notes=(note.path, parent.path),
            kind="orphan",
        )


def _page(scope: CheckScope, inside: Sequence[VaultPath]) -> tuple[VaultPath, float] | None:
    graph = scope.graph_snapshot.graph
    linking: Counter[VaultPath] = Counter()
    for path in inside:
        scope.budget.pause()
        linking.update(graph.linked_from(path))
    for page, count in linking.most_common(3):
        others = len(inside) - (page in inside)
        if count >= max(MIN_LISTED_NOTES, MIN_LISTED_SHARE * others) and page in scope.notes and scope.may_change(page):
            return page, count / others
    return None


class ListPages:
    """The pages that list notes."""

    def __init__(self, scope: CheckScope) -> None:
        self._scope = scope
        self._lists: dict[VaultPath, Mapping[VaultPath, int]] = {}

    def find_parent(self, orphan: VaultPath, alike: Mapping[VaultPath, float]) -> ParentPage | None:
        weights: defaultdict[VaultPath, float] = defaultdict(float)
        counts: Counter[VaultPath] = Counter()
        for path, weight in alike.items():
            self._scope.budget.pause()
            for page in self._scope.graph_snapshot.graph.linked_from(path):
                if path in self._list_notes(page):
                    weights[page] += weight
                    counts[page] += 1
        if not weights:
            return None
        page = max(weights, key=lambda one: (weights[one], one))
        share, folder = weights[page] / sum(alike.values()), page.rpartition("/")[0]
        is_beside = bool(folder) and orphan.startswith(f"{folder}/")
        if counts[page] < MIN_SIMILAR_LISTED or share < (MIN_LISTED_WEIGHT_NEARBY if is_beside else MIN_LISTED_WEIGHT):
            return None
        beside = self.find_place(orphan, page, alike, alike)
        why = f"it lists {counts[page]} of the {len(alike)} notes that are most like it"
        confidence = round(min(SURE_CONFIDENCE - 0.01, 0.4 + share), 2)
        return ParentPage(page, beside, why, confidence) if beside else None

    def find_place(
        self, orphan: VaultPath, page: VaultPath, among: Collection[VaultPath], alike: Mapping[VaultPath, float]
    ) -> VaultPath | None:
        """Return the last of the notes most like an orphan, of some that a page lists; None if it lists none.

        Those of its folder come first. Words and meaning count alike, as a long note is near in meaning to all.
        """
        listed, index = self._list_notes(page), self._scope.graph_snapshot.index
        some, folder = [path for path in listed if path in among], orphan.rpartition("/")[0]
        some = [path for path in some if path.rpartition("/")[0] == folder] or some
        own = index.vector_of(orphan)
        vectors = {path: vector for path in some if (vector := index.vector_of(path)) is not None}
        near = {path: float(own @ vector) for path, vector in vectors.items() if own is not None}
        least, span = min(near.values(), default=0.0), max(near.values(), default=1.0) - min(near.values(), default=0.0)
        weights = {path: alike.get(path, 0.0) + (near.get(path, least) - least) / (span or 1.0) for path in some}
        enough = MIN_SHARE_OF_MOST_LIKE * max(weights.values(), default=0.0)
        return max((path for path in some if weights[path] >= enough), key=listed.__getitem__, default=None)

    def add_item(self, page: IndexedNote, beside: VaultPath, text: str) -> EditNote | None:
        """Return the edit that adds an item to a list, below one that links to a note and what is nested in that."""
        whole = self._scope.texts[page.path]
        lines = whole.split("\n")
        at = self._list_notes(page.path)[beside] - 1
        item = _ITEM.match(lines[at])
        if item is None:
            return None
        last = at
        while last + 1 < len(lines) and _is_below(lines[last + 1], len(item["margin"])):
            last += 1
        end = sum(len(line) + 1 for line in lines[: last + 1]) - 1
        end -= lines[last].endswith("\r")
        number = item["marker"].rstrip(".)")
        marker = f"{int(number) + 1}{item['marker'][-1]}" if number.isdigit() else item["marker"]
        new = f"{item['margin']}{marker}{item['space']}{text}"
        start = whole.rfind("\n", 0, end) + 1
        return replace_span(page, whole, (start, end), f"{whole[start:end]}\n{new}") if start < end else None

    def _list_notes(self, page: VaultPath) -> Mapping[VaultPath, int]:
        """Return the notes that a page lists, with the line of each."""
        if page not in self._lists:
            self._lists[page] = self._read(page)
        return self._lists[page]

    def _read(self, page: VaultPath) -> Mapping[VaultPath, int]:
        scope, found = self._scope, dict[VaultPath, int]()
        note = scope.notes.get(page)
        if note is None or not scope.may_change(page) or DAY.fullmatch(title_of(page)):
            return {}
        lines = scope.texts.get(page, "").split("\n")
        for link in note.links:
            if link.line > len(lines) or target_subpath(link.target) or not _ITEM.match(lines[link.line - 1]):
                continue
            target = scope.vault.names.resolve(link.target, page, link.kind).path
            if target is not None:
                found.setdefault(target, link.line)
        return found


def _is_below(line: str, margin: int) -> bool:
    """Return whether a line is nested in an item with this margin."""
    return bool(line.strip()) and len(line) - len(line.lstrip()) > margin
