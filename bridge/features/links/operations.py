"""What links to what, as Obsidian resolves it."""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import compress
from typing import Annotated, Literal, Self

import numpy as np
from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_names import snapshot, sources_of
from bridge.api.note_text import line_at, open_note
from bridge.api.note_times import NoteTimes
from bridge.api.page import Page
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.engine.link_graph import ResolvedLinks
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.links.mentions import MIN_SHARED_LETTERS, Corpus, NameFinder, read_corpus
from bridge.index.index import Index
from bridge.index.note import Notes, day_in_name
from bridge.markdown.kinds import is_document
from bridge.markdown.links import WIKI, ResolvedLink
from bridge.markdown.names import Names
from bridge.markdown.note import Link
from bridge.markdown.prose import protected_spans
from bridge.records import Record
from bridge.text.fold import fold_mention, fold_word
from bridge.text.sentence import sentence_at
from bridge.text.words import ALPHANUMERIC
from bridge.types import SHORT_DIGEST, Direction, Exact, Span, VaultPath

MAX_READ_NOTES = 300

MAX_MENTIONS = 1_000


class UnlinkedPlace(Record):
    """An unlinked mention of a note.

    Attributes:
        path: The note that contains it.
        line: Its line.
        text: The name as written there.
    """

    path: VaultPath
    line: int
    text: Exact


class NoteMention(UnlinkedPlace):
    """An unlinked mention of a note, with what is around it.

    Attributes:
        span: Start and end character offset in the file, end excluded; `apply_links` takes it.
        context: The sentence around it.
        day: The day of its note, if `context` is requested: that in its name, else that of its creation.
    """

    span: Span
    context: str
    day: str | None = None


def mentions_of(vault: OpenVault, corpus: Corpus, path: VaultPath) -> tuple[NoteMention, ...]:
    """Return where other notes say a name of a note, by path and line; of the first notes alone when many do."""
    note = vault.index.notes.get(path)
    forms = {fold_mention(name).strip() for name in (note.title, *note.aliases)} if note else set()
    names = corpus.names.only(forms)
    inflected = (source for form in names for source in notes_with_forms(vault.index, names, form))
    sources = sorted({*corpus.notes_with(forms), *inflected} - {path})
    found = (mention for source in sources[:MAX_READ_NOTES] for mention in mentions_in(vault, corpus, source, path))
    return tuple(mention for mention, _ in zip(found, range(MAX_MENTIONS), strict=False))


def notes_with_forms(index: Index, names: NameFinder, form: str) -> Iterator[VaultPath]:
    """Yield the notes that contain each word of a name in some other form."""
    paths = [*index.notes]
    held = np.ones(len(paths), np.bool_)
    for word in ALPHANUMERIC.findall(form):
        own = fold_word(word)
        near = [
            *index.dictionary.words_beginning(own[:MIN_SHARED_LETTERS]),
            *index.dictionary.words_containing(f"{own}\n"),
        ]
        said = [other for other, meant in names.find_forms(near).items() if word in meant]
        held &= index.notes_with([own, *said], paths).any(0)
    yield from compress(paths, held)


def mentions_in(vault: OpenVault, corpus: Corpus, source: VaultPath, path: VaultPath) -> Iterator[NoteMention]:
    try:
        note = open_note(vault, source)
    except BridgeError:
        return
    for mention in corpus.names.mentions(note.text, protected_spans(note), almost=True):
        if any(name.path == path for name in mention.names) and mention.inflected >= mention.almost:
            start, end = mention.span
            context = sentence_at(note.text, mention.span)
            yield NoteMention(source, line_at(note.text, start), note.text[start:end], mention.span, context)


MAX_LINK_CONTEXTS = 300
"""Links of an answer that are told with their sentences."""

LINES_SHOWN = 2_000
"""Links of one sort in an answer at most: a note that everything links to must not fill memory."""


FoundLink = tuple[Link, ResolvedLink, VaultPath]
"""A link, what it leads to or comes from, and the note that it is in."""

FindSentence = Callable[[Link, VaultPath], str | None]


class NoteLink(Record):
    """One link in a note.

    Attributes:
        path: The target, or for a backlink the source; null if unresolved.
        line: Its line.
        text: Its displayed text: alias, or target as written.
        kind: `wiki`, `embed`, `markdown`, `property` or `canvas`.
        target: Its target as written, with `#heading` and `^block`.
        embed: Whether it embeds its target.
        heading: The heading after `#`, if any.
        block: The block id after `#^`, if any.
        context: The sentence around it, if requested; for the first 300 links, and as on disk.
        day: Of a backlink, the day of its note, if `context` is requested: that in its name, else that of its creation.
    """

    path: VaultPath | None
    line: int
    text: str
    kind: str
    target: Exact
    embed: bool
    heading: str | None = None
    block: str | None = None
    context: str | None = None
    day: str | None = None

    @classmethod
    def of(cls, link: Link, led: ResolvedLink, source: VaultPath, sentence: FindSentence) -> Self:
        text = link.shown or link.target
        around = sentence(link, source)
        return cls(led.path, link.line, text, link.kind, link.target, link.embed, led.heading, led.block, around)


class LinkTotals(Record):
    """Counts of each kind.

    Attributes:
        links: Resolved links in the note.
        backlinks: Links to the note.
        unresolved: Unresolved links in the note.
    """

    links: int
    backlinks: int
    unresolved: int


class NoteLinks(Record):
    """The links of a note, in both directions.

    Attributes:
        digest: First 12 digits of the note's SHA-256, for edits; empty for other files.
        totals: Counts in the requested directions, before `limit` and `offset`.
        offset: The `offset` of this page.
        links: Resolved links in the note, in order.
        backlinks: Links to the note, by path and line.
        unresolved: Unresolved links in the note, in order.
        mentions: Unlinked mentions in other notes, by path and line, if requested; from the first 300 such notes.
        mentions_total: Number of mentions, if requested.
    """

    digest: str
    totals: LinkTotals
    offset: int
    links: tuple[NoteLink, ...]
    backlinks: tuple[NoteLink, ...]
    unresolved: tuple[NoteLink, ...]
    mentions: tuple[NoteMention, ...] | None = None
    mentions_total: int | None = None


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "limit": 5},
    tasks=(
        "links of a note",
        "backlinks: what links to a note",
        "mentions of a note without a link",
        "how a topic or person came up over time, with the day of each sentence",
        "outgoing links of a note",
    ),
)
async def note_links(
    call: Call,
    path: VaultPath,
    direction: Direction = "any",
    context: bool = False,
    mentions: bool = False,
    page: Annotated[Page, Spread(bounds={"limit": Meta(le=LINES_SHOWN)})] = Page(LINES_SHOWN),
) -> NoteLinks:
    """List a note's links, backlinks and unresolved links.

    Args:
        path: The note, or another file for its backlinks.
        direction: `out`: links in the note; `in`: links to it.
        context: Add the sentence around each link.
        mentions: Add unlinked mentions elsewhere.

    Raises:
        NoteNotFound: No such file; the message names the closest.
    """
    vault, resolved_links = call.vault, await call.vault.resolved_links()
    corpus = await read_corpus(vault) if mentions else None

    def gather() -> NoteLinks:
        notes = snapshot(vault)
        here, back, digest = gather_links(vault, resolved_links, notes, path, direction)
        there = [one for one in here if one[1].path is not None]
        nowhere = [one for one in here if one[1].path is None]
        sentence = sentence_finder(vault) if context else lambda *_: None
        said = None if corpus is None else mentions_of(vault, corpus, path)
        day = cache(partial(day_of, notes, NoteTimes.of(notes.values(), vault.root))) if context else lambda _: None

        def describe(links: Sequence[FoundLink]) -> tuple[NoteLink, ...]:
            return tuple(NoteLink.of(*one, sentence) for one in page.cut(links))

        return NoteLinks(
            digest,
            LinkTotals(len(there), len(back), len(nowhere)),
            page.offset,
            describe(there),
            tuple(
                replace(link, day=day(source))
                for link, (*_, source) in zip(describe(back), page.cut(back), strict=True)
            ),
            describe(nowhere),
            mentions=said and tuple(replace(one, day=day(one.path)) for one in page.cut(said)),
            mentions_total=None if said is None else len(said),
        )

    return await asyncio.to_thread(gather)


def gather_links(
    vault: OpenVault, resolved_links: ResolvedLinks, notes: Notes, path: VaultPath, direction: Direction
) -> tuple[list[FoundLink], list[FoundLink], str]:
    """Resolve a note's links and those that lead to it; a note that is left out of the index is read."""
    sources = sorted(sources_of(vault, resolved_links, notes, path) - {path})
    note = notes.get(path) or (open_note(vault, path) if is_document(path) else None)
    here = resolve_all(vault.names, path, note.links if note and direction != "in" else ())
    back = [
        one
        for source in (sources if direction != "out" else ())
        for one in resolve_all(vault.names, source, sorted(notes[source].links, key=lambda link: link.line))
        if one[1].path == path
    ]
    back = [(link, replace(led, path=source), source) for link, led, source in back]
    return here, back, note.digest[:SHORT_DIGEST] if note else ""


def day_of(notes: Notes, times: NoteTimes, path: VaultPath) -> str | None:
    """Return the day of a note: that in its name, else that of its creation, in ISO 8601."""
    if (named := day_in_name(path)) is not None:
        return named.isoformat()
    created = times.creation_text(notes[path])
    return created and created[:10]


def resolve_all(names: Names, source: VaultPath, links: Iterable[Link]) -> list[FoundLink]:
    return [(link, names.resolve(link.target, source, link.kind), source) for link in links]


def sentence_finder(vault: OpenVault) -> FindSentence:
    """Return what finds the sentence around a link of a note: None if the note changed, or enough was told."""
    left = iter(range(MAX_LINK_CONTEXTS))

    @cache
    def sentences_in(source: VaultPath) -> Mapping[tuple[int, str], str]:
        try:
            note = open_note(vault, source)
        except BridgeError:
            return {}
        return {(link.line, link.target): sentence_at(note.text, link.span) for link in note.links}

    return lambda link, source: None if next(left, None) is None else sentences_in(source).get((link.line, link.target))


@operation(
    example={"link": "Sourdough starter#Feeding", "source": "Welcome.md"},
    tasks=("which file does a wikilink mean", "where does a link lead", "find the note of a link"),
)
async def resolve_link(
    call: Call,
    link: Annotated[str, Meta(max_length=10_000)],
    source: VaultPath,
    kind: Literal["wiki", "embed", "markdown"] = "wiki",
) -> ResolvedLink:
    """Find the file that a link means, as Obsidian would; `path` is null for an unresolved link.

    Args:
        link: The link's inner text, without brackets or alias.
        source: The note that contains the link.
        kind: How the link is written.
    """
    call.vault.require_keyword()
    names = call.vault.names
    if kind != "markdown" and re.search(r"[\[\]]", link) and WIKI.fullmatch(f"[[{link}]]") is None:
        return ResolvedLink(None, None, None)
    found = names.resolve(link, source, kind)
    # A link within a note that is not there is unresolved too.
    return found if found.path in names else replace(found, path=None)
