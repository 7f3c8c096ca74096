"""How the links of a vault are, and which names deserve a note."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Annotated, Self

import numpy as np
from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.note_names import folder_of
from bridge.api.note_text import line_at
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.engine.open_vault import OpenVault
from bridge.errors import NotReady
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.links.census import MAX_BACKLINKS, Stub
from bridge.features.links.evidence import THRESHOLDS, FeedbackModel, likelihood
from bridge.features.links.link_candidates import judge_use, judge_words
from bridge.features.links.mentions import Corpus, NameFinder, read_corpus
from bridge.features.links.note_candidates import MeantNote, MeantNotes, NameProspect, find_candidates
from bridge.features.links.operations import UnlinkedPlace
from bridge.features.properties.public import find_templates
from bridge.graph.columns import WRITTEN_KINDS
from bridge.graph.graph import Graph
from bridge.index.index import Index
from bridge.index.note import Notes
from bridge.markdown.links import can_name_note, name_key, target_file
from bridge.markdown.names import Names
from bridge.markdown.note import Link
from bridge.markdown.prose import field_spans, merge_spans
from bridge.records import Record
from bridge.state.dismissals import dismissal_key
from bridge.text.closest import are_alike
from bridge.text.fold import fold_case
from bridge.text.words import ALPHABETIC, ALPHANUMERIC
from bridge.types import Span, VaultPath

ALIKE_WORDS = 80.0
"""Likeness (0-100) from which on two words are forms of one: *The* is not *Ether*."""

MIN_WORD_CHARS = 3
"""Characters of a word of a name that tells something."""

MIN_STUB_COSINE = 0.6
"""Cosine from which on a note may be what a name is about, in the default model."""

MAX_NEAR_NOTES = 50
"""Nearest notes that are looked at; of a name that more notes link to, all of these may be such."""


async def find_by_vector(vault: OpenVault, name: str, sources: Collection[VaultPath]) -> MeantNote | None:
    """Find the note that is about what a name says; None when there is none or no model answers."""
    try:
        vector = await vault.embed_query(name.rpartition("/")[2])
    except NotReady:
        return None
    some = min(len(sources) + 1, MAX_NEAR_NOTES)
    nearest = await vault.index.view("notes").nearest(vector, some) if vector is not None else []
    others = (hit.path for hit in nearest if hit.score >= MIN_STUB_COSINE and hit.path not in sources)
    found = next(others, None)
    if found is None or share_some_words(name, vault.index.notes[found].title):
        return None
    return MeantNote(found, "it is close in meaning")


def share_some_words(name: str, title: str) -> bool:
    """Say whether two names share a word and differ in others: “Loops” does not mean “C While Loops”."""
    names = (fold_case(name.rpartition("/")[2]), fold_case(title))
    some, others = ([word for word in ALPHANUMERIC.findall(one) if len(word) >= MIN_WORD_CHARS] for one in names)
    alike = {(one, other) for one in some for other in others if are_alike(one, other, ALIKE_WORDS)}
    return bool(alike) and ({one for one, _ in alike} != set(some) or {other for _, other in alike} != set(others))


class LinkScope(Record, eq=False):
    """The notes whose links are reported: those below a folder, without templates."""

    vault: OpenVault
    graph: Graph
    notes: Notes
    inside: Notes
    corpus: Corpus
    index: Index

    @classmethod
    async def open(cls, vault: OpenVault, folder: str | None) -> Self:
        taken = await vault.graph_snapshot()
        begin = f"{folder_of(taken.notes, folder)}/".removeprefix("/")
        corpus = await read_corpus(vault)
        templates = await asyncio.to_thread(find_templates, vault, taken.notes)
        inside = {path: note for path, note in taken.notes.items() if path.startswith(begin) and path not in templates}
        return cls(vault, taken.graph, taken.notes, inside, corpus, taken.index)


def find_broken_links(graph: Graph, notes: Notes, names: Names) -> Iterator[tuple[VaultPath, Link]]:
    """Yield the links of these notes that lead to no note."""
    edges = graph.edges_of(WRITTEN_KINDS, stubs=True)
    owners = np.unique(edges.owner[graph.stubs[edges.target]]).tolist()
    # By path, so that a name is shown alike whichever note was read first.
    for path in sorted(graph.paths[number] for number in owners if number in graph.paths):
        for link in notes[path].links if path in notes else ():
            if names.resolve(link.target, path, link.kind).path is None and wanted_note(link):
                yield path, link


def stubs_of(broken: Iterable[tuple[VaultPath, Link]]) -> Mapping[str, set[VaultPath]]:
    """Gather the names that no note has, as written, with the notes that link to each."""
    written: dict[str, str] = {}
    wanting: dict[str, set[VaultPath]] = defaultdict(set)
    for path, link in broken:
        name = wanted_note(link)
        wanting[written.setdefault(name_key(name, whole=True), name)].add(path)
    return wanting


def wishes_of(broken: Iterable[tuple[VaultPath, Link]], finder: NameFinder) -> Mapping[str, set[VaultPath]]:
    """Gather the names as `stubs_of`, without links that show another name, which a note has."""

    def means_other(link: Link) -> bool:
        shown = fold_case(link.shown or "").strip()
        return bool(shown) and shown not in fold_case(link.target) and bool(finder.of(shown))

    return stubs_of((path, link) for path, link in broken if not means_other(link))


def wanted_note(link: Link) -> str:
    """Return the name that a link asks for; a `#` after a space belongs to it, as in `[[Demo #1]]`."""
    file = link.target if " #" in link.target else target_file(link.target, link.kind)
    name = file.removesuffix(".md")
    return name if can_name_note(name) else ""


MAX_COMPARED_STUBS = 2_000
"""Names without a note, the most wanted, that are compared with the names of all notes."""

MAX_CHARACTERS = 200_000
"""Characters of each note that are looked at: what is mentioned is said by others too."""

MAX_MENTION_NAMES = 3


class BrokenName(Stub):
    """An unresolved name that likely means an existing note.

    Attributes:
        meant: The note it likely means.
        why: The evidence for it.
    """

    meant: VaultPath
    why: str


class UnlinkedNote(Record):
    """A note that others mention without a link.

    Attributes:
        path: The note.
        said: Names used for it, most frequent first.
        mentioned: Notes that likely mean it by one of its names without linking to it.
        linked: Notes that link to it.
        notes: The first notes that mention it.
        places: Where they do.
    """

    path: VaultPath
    said: tuple[str, ...]
    mentioned: int
    linked: int
    notes: tuple[VaultPath, ...]
    places: tuple[UnlinkedPlace, ...]


class AmbiguousName(Record):
    """A name shared by several notes that links use without a folder.

    Attributes:
        name: The name.
        notes: The notes with it.
        links: Links that use it without a folder.
        sources: The first notes with such links.
    """

    name: str
    notes: tuple[VaultPath, ...]
    links: int
    sources: tuple[VaultPath, ...]


class ReportTotals(Record):
    """Counts of each kind.

    Attributes:
        broken: Names that match an alias or nearly match a note; on this page, also those close in meaning.
        stubs: All other unresolved names.
        unlinked: Notes mentioned without a link.
        ambiguous: Names shared by several notes.
    """

    broken: int
    stubs: int
    unlinked: int
    ambiguous: int


class LinkReport(Record):
    """How the links of a vault could be better.

    Attributes:
        totals: Counts before `limit` and `offset`.
        offset: The `offset` of this page.
        unresolved: Unresolved names, counted as `graph_insights` does for a whole vault.
        broken: Names that likely mean a note, most linked first.
        stubs: Other unresolved names, most linked first.
        unlinked: Notes mentioned without a link, most missing links first.
        ambiguous: Names shared by several notes, most links first.
        accepted: Accepted link suggestions.
        declined: Suggested links declined, or removed later.
        rate: Share accepted; null before the first.
        next_offset: `offset` of the next page; absent on the last.
        notices: What was left out.
    """

    totals: ReportTotals
    offset: int
    unresolved: int
    broken: tuple[BrokenName, ...]
    stubs: tuple[Stub, ...]
    unlinked: tuple[UnlinkedNote, ...]
    ambiguous: tuple[AmbiguousName, ...]
    accepted: int
    declined: int
    rate: float | None
    next_offset: int | None = None
    notices: tuple[str, ...] = ()


@operation(
    example={"limit": 3},
    tasks=(
        "broken links",
        "dead links that point to no note",
        "mentions without links in the vault",
        "names that several notes share",
        "check the links",
    ),
    whole_vault=True,
)
async def link_report(
    call: Call,
    page: Annotated[Page, Spread(bounds={"limit": Meta(le=100)})] = Page(10),
    folder: Folder | None = None,
) -> LinkReport:
    """Report unresolved links and what they may mean, unlinked mentions, and ambiguous names.

    Args:
        folder: Only links and mentions in notes under this folder.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    vault, scope = call.vault, await LinkScope.open(call.vault, folder)
    wanting, stubs = await asyncio.to_thread(wanted_notes, scope)
    tried = stubs[:MAX_COMPARED_STUBS]
    meant = await asyncio.to_thread(lambda: [*map(MeantNotes(scope.corpus.names).find, (stub.name for stub in tried))])
    named = [(stub, found) for stub, found in zip(tried, meant, strict=True) if found]
    unnamed = [stub for stub, found in zip(tried, meant, strict=True) if not found] + stubs[MAX_COMPARED_STUBS:]
    broken, left = [*page.cut(named)], list[Stub]()
    for stub in page.cut(unnamed):
        found = await find_by_vector(vault, stub.name, wanting[stub.name])
        if found is None:
            left.append(stub)
        else:
            broken.append((stub, found))
    broken.sort(key=lambda one: -one[0].wanted)
    texts = await scope.index.wholes([*scope.inside] if len(scope.inside) < len(scope.notes) else None)
    unlinked = await asyncio.to_thread(unlinked_notes, scope, texts)
    ambiguous = await asyncio.to_thread(ambiguous_names, scope)
    feedback = FeedbackModel(await asyncio.to_thread(vault.store.feedback.all)).all
    near = len(page.cut(unnamed)) - len(left)
    longest = max(len(named), len(unnamed), len(unlinked), len(ambiguous))
    return LinkReport(
        totals=ReportTotals(len(named) + near, len(unnamed) - near, len(unlinked), len(ambiguous)),
        offset=page.offset,
        unresolved=len(stubs),
        broken=tuple(BrokenName(stub.name, stub.wanted, stub.notes, one.path, one.why) for stub, one in broken),
        stubs=tuple(left),
        unlinked=page.cut(unlinked),
        ambiguous=page.cut(ambiguous),
        accepted=feedback.accepted,
        declined=feedback.declined,
        rate=feedback.rate,
        next_offset=page.end if page.end < longest else None,
        notices=tuple(
            f"Only the first {MAX_CHARACTERS:,} characters of `{path}` were looked at for mentions."
            for path in sorted(texts)
            if len(texts[path]) > MAX_CHARACTERS
        ),
    )


def wanted_notes(scope: LinkScope) -> tuple[Mapping[str, set[VaultPath]], list[Stub]]:
    wanting = stubs_of(find_broken_links(scope.graph, scope.inside, scope.vault.names))
    found = [Stub(name, len(notes), tuple(sorted(notes)[:MAX_BACKLINKS])) for name, notes in wanting.items()]
    return wanting, sorted(found, key=lambda stub: (-stub.wanted, stub.name))


_CALLOUT = r"^[ \t]*>[ \t>]*\[![^\]\n]*\][^\n]*$"
_HEADING = r"^[ \t>]*(?:[-*+][ \t]+)?\#{1,6}[ \t]+([^\n]*)$"
_BOLD_LINE = r"^[ \t>]*(?:[-*+][ \t]+)?(?:\*\*|__)([^*_\n]+)(?:\*\*|__):?[ \t]*$"
# The content of a piece of markup is bounded; otherwise a line of only `[` is read again from each of them.
_MARKUP = re.compile(
    r"\A---[ \t]*\n.*?^---[ \t]*$|```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`"
    r"|!?\[\[[^\]\n]{0,1000}+\]\]|!?\[[^\]\n]{0,1000}+\]\([^)\n]{0,1000}+\)|<[^>\n]{0,1000}+>"
    r"|https?://\S+|\$\$.*?\$\$|%%.*?%%|(?<!\w)\#[^\s\#,.;:!?()\[\]{}'\"`]+|(?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*$"
    rf"|{_CALLOUT}|{_HEADING}|{_BOLD_LINE}|^[ \t>]*(?:[-*+][ \t]+)?[\w ]{{1,40}}::.*?$|\|",
    re.DOTALL | re.MULTILINE,
)


def markup_spans(text: str) -> Sequence[Span]:
    """Return the spans of a text that are not prose; faster and rougher than `protected_spans`, for whole vaults."""
    return merge_spans([*(match.span() for match in _MARKUP.finditer(text)), *field_spans(text, 0, len(text))])


MAX_MENTIONS = 100
"""Mentions of one note in another that are judged to find the likeliest."""

ScoredPlace = tuple[float, UnlinkedPlace]


def unlinked_notes(scope: LinkScope, texts: Mapping[VaultPath, str]) -> list[UnlinkedNote]:
    """Return the notes that are mentioned without a link, those with the most missing links first.

    A mention counts if the names alone would make it a suggested link. Other facts, such as semantic similarity, are
    not used, because they would be needed for each mention of the vault.
    """
    found: defaultdict[VaultPath, list[ScoredPlace]] = defaultdict(list)
    target = cache(partial(mention_target, scope.corpus))
    for source in sorted(path for path in texts if path in scope.inside and scope.inside[path].kind == "note"):
        linked = {source, *scope.graph.links_to(source)}
        if not all(target(form) in linked for form in scope.corpus.forms_in(source)):
            for path, place in likely_places(scope, source, texts[source][:MAX_CHARACTERS], target, linked).items():
                found[path].append(place)
    worth = {path: sum(score for score, _ in places) for path, places in found.items()}
    return [
        UnlinkedNote(
            path,
            tuple(text for text, _ in Counter(place.text for _, place in found[path]).most_common(MAX_MENTION_NAMES)),
            len(found[path]),
            len(scope.graph.linked_from(path)),
            tuple(place.path for _, place in found[path][:MAX_BACKLINKS]),
            tuple(place for _, place in found[path][:MAX_BACKLINKS]),
        )
        for path in sorted(found, key=lambda path: (-worth[path], path))
    ]


def likely_places(
    scope: LinkScope,
    source: VaultPath,
    text: str,
    target: Callable[[str], VaultPath | None],
    linked: Collection[VaultPath],
) -> Mapping[VaultPath, ScoredPlace]:
    """Return the likeliest place of a note for each other one that it mentions without a link."""
    best: dict[VaultPath, ScoredPlace] = {}
    judged: Counter[VaultPath] = Counter()
    for mention in scope.corpus.names.mentions(text, markup_spans(text)):
        path = target(mention.form)
        if path is None or path in linked or judged[path] == MAX_MENTIONS:
            continue
        judged[path] += 1
        name = min(mention.names, key=lambda name: name.alias)
        use = judge_use(scope.corpus, mention.form, len(scope.graph.linked_from(path)))
        score = likelihood((*judge_words(text, mention, name), *use))
        if score >= THRESHOLDS["balanced"] and (path not in best or score > best[path][0]):
            start, end = mention.span
            best[path] = score, UnlinkedPlace(source, line_at(text, start), text[start:end])
    return best


def mention_target(corpus: Corpus, form: str) -> VaultPath | None:
    paths = {name.path for name in corpus.names.of(form)} if ALPHABETIC.search(form) else set()
    return next(iter(paths)) if len(paths) == 1 else None


def ambiguous_names(scope: LinkScope) -> list[AmbiguousName]:
    by_name: dict[str, list[VaultPath]] = defaultdict(list)
    for path in sorted(scope.notes):
        by_name[name_key(path)].append(path)
    several = {name: paths for name, paths in by_name.items() if len(paths) > 1}
    linking = {source for paths in several.values() for path in paths for source in scope.graph.linked_from(path)}
    sources_of: dict[str, list[VaultPath]] = defaultdict(list)
    for source in sorted(linking & scope.inside.keys()):
        for link in scope.inside[source].links:
            file = target_file(link.target, link.kind)
            if "/" not in file and link.kind != "canvas" and name_key(file) in several:
                sources_of[name_key(file)].append(source)
    found = [
        AmbiguousName(title, tuple(several[name]), len(sources), tuple(dict.fromkeys(sources))[:MAX_BACKLINKS])
        for name, sources in sources_of.items()
        if (title := scope.notes[several[name][0]].title)
    ]
    return sorted(found, key=lambda one: (-one.links, one.name))


class NameProspects(ListPage):
    """Names that deserve a note.

    Attributes:
        prospects: Those that most notes link to first.
        dismissed: How many more were dismissed; absent if none.
    """

    prospects: tuple[NameProspect, ...]
    dismissed: int | None = None


@operation(
    example={"limit": 5},
    tasks=(
        "names that deserve a note",
        "topics often mentioned without a note about them",
        "notes worth writing",
        "terms that are linked often and have no page",
    ),
    whole_vault=True,
)
async def find_prospects(
    call: Call,
    page: PageArguments = Page(20),
    folder: Folder | None = None,
) -> NameProspects:
    """Find names worth a note that have none: those to which two or more notes link, and that mean no other note.

    Args:
        folder: Only names that notes under this folder link to.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    scope = await LinkScope.open(call.vault, folder)
    dismissed = {one.name for one in await dismissed_rows(call, "prospect")}

    def find() -> NameProspects:
        broken = find_broken_links(scope.graph, scope.inside, scope.vault.names)
        every = find_candidates(wishes_of(broken, scope.corpus.names), scope.corpus.names)
        found = [one for one in every if not dismissed or dismissal_key(one.name) not in dismissed]
        return NameProspects(page.cut(found), len(every) - len(found) or None, **page.place(len(found)))

    return await asyncio.to_thread(find)
