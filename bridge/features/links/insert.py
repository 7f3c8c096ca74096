"""Turns words of a text into links."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from bridge.changes.link_text import write_link
from bridge.features.links.corpus import Corpus
from bridge.features.links.evidence import THRESHOLDS, Strictness
from bridge.features.links.link_candidates import Source, TargetFacts, find_mentions
from bridge.markdown.links import UNESCAPED_BAR
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.markdown.parse import parse, parse_structure
from bridge.markdown.prose import protected_spans
from bridge.records import Record
from bridge.types import Span, VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings

NO_PROSE: Final = "no link can go there: it is not prose, or is a link already"
ITSELF: Final = "a note need not link to itself"
NO_NAME: Final = "no link can name this note"
NOT_READ: Final = "Obsidian would not read a link there"


class LinkPlace(Record):
    """Words to be linked to a note."""

    target: VaultPath
    span: Span


class PlacedLink(Record):
    """A link that was made: the place of the words, and its markup."""

    place: LinkPlace
    link: str


class RefusedPlace(Record):
    """A link that was not made, and the reason."""

    place: LinkPlace
    why: str


class LinkedText(Record):
    """A text with links added, which are in the order of the text."""

    text: str
    links: tuple[PlacedLink, ...]
    refused: tuple[RefusedPlace, ...] = ()


def find_places(
    source: Source,
    corpus: Corpus,
    around: TargetFacts,
    *,
    targets: Collection[VaultPath] = (),
    strictness: Strictness = "balanced",
    every: bool = False,
) -> list[LinkPlace]:
    """Return where a text should link, in order: for each note the first place that is likely enough.

    Text that is only similar to a note's name counts if the name itself does not occur.
    """
    mentions = list(find_mentions(source, corpus, around, almost=strictness != "conservative"))
    named = {one.target for one in mentions if not one.almost}
    found: list[LinkPlace] = []
    seen = set() if every else set(source.linked)
    for one in mentions:
        is_wanted = one.target in targets if targets else one.score >= THRESHOLDS[strictness]
        if is_wanted and one.target not in seen and not (one.almost and one.target in named):
            found.append(LinkPlace(one.target, one.span))
            if not every:
                seen.add(one.target)
    return found


def insert_links(note: Note, places: Iterable[LinkPlace], names: Names, style: ObsidianSettings) -> LinkedText:
    """Turn words into links; a link that would not be read back as meant is refused."""
    links: list[PlacedLink] = []
    refused: list[RefusedPlace] = []
    among = find_tables(note)
    free = filter_protected(note, sorted(places, key=lambda place: place.span), refused)
    for place in free:
        start, end = place.span
        table = any(first <= start < last for first, last in among)
        link = write_link(note.text[start:end], place.target, note.path, names, style, table=table)
        if link is None or place.target == note.path:
            refused.append(RefusedPlace(place, NO_NAME if link is None else ITSELF))
        else:
            links.append(PlacedLink(place, link))
    while unread := frozenset(find_misread(note, links, names, among)):
        refused += [RefusedPlace(one.place, NOT_READ) for one in unread]
        links = [one for one in links if one not in unread]
    return LinkedText(
        splice_links(note.text, links, among)[0], tuple(links), tuple(sorted(refused, key=lambda one: one.place.span))
    )


def filter_protected(note: Note, places: Sequence[LinkPlace], refused: list[RefusedPlace]) -> list[LinkPlace]:
    """Return the places where a link is possible; the others are added to `refused`."""
    closed = protected_spans(note)
    begins = [first for first, _ in closed]
    free: list[LinkPlace] = []
    done = 0
    for place in places:
        start, end = place.span
        before = bisect_left(begins, end) - 1
        if done <= start < end <= len(note.text) and (before < 0 or closed[before][1] <= start):
            free.append(place)
            done = end
        else:
            refused.append(RefusedPlace(place, NO_PROSE))
    return free


def splice_links(text: str, links: Sequence[PlacedLink], tables: Sequence[Span] = ()) -> tuple[str, list[int]]:
    """Replace words with links, given in order; in a table, blanks at the end of the cell make room for them."""
    parts: list[str] = []
    begins: list[int] = []
    length = at = more = 0
    for number, one in enumerate(links):
        start, end = one.place.span
        following = links[number + 1].place.span[0] if number + 1 < len(links) else len(text)
        begins.append(length + start - at)
        rest = text[end:following]
        if any(first <= start < last for first, last in tables):
            more += len(one.link) - (end - start)
            cell = rest.partition("\n")[0]
            if bar := UNESCAPED_BAR.search(cell):
                words = cell[: bar.start()].rstrip(" ")
                blanks = bar.start() - len(words)
                rest = words + " " * max(min(blanks, 1), blanks - max(more, 0)) + rest[bar.start() :]
            # What room the row does not have, it does not need behind its end.
            more = 0 if bar or len(cell) < len(rest) else more
        parts += [text[at:start], one.link, rest]
        length += start - at + len(one.link) + len(rest)
        at = following
    return "".join([*parts, text[at:]]), begins


def find_misread(
    note: Note, links: Sequence[PlacedLink], names: Names, tables: Sequence[Span] = ()
) -> list[PlacedLink]:
    """Return the links that would not be read as meant; all of them if another link would be read differently."""
    text, begins = splice_links(note.text, links, tables)
    after = parse(note.path, text.encode("utf-8", "replace"))
    read = {link.span: link for link in after.links}
    wrong: list[PlacedLink] = []
    for one, start in zip(links, begins, strict=True):
        link = read.get((start, start + len(one.link)))
        if link is None or link.embed or names.resolve(link.target, note.path, link.kind).path != one.place.target:
            wrong.append(one)
    same = len(after.links) == len(note.links) + len(links) - len(wrong)
    return wrong if wrong or same else list(links)


def find_tables(note: Note) -> tuple[Span, ...]:
    """Return the spans of a note's tables, including those in lists and callouts."""
    structure, _ = parse_structure(note.text, note.body)
    return tuple((part.start, part.end) for part in structure.parts if part.kind == "table")
