"""Makes links of words that name notes."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Final, Literal

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_names import no_such_note
from bridge.api.note_text import line_at, open_note
from bridge.api.registry import operation
from bridge.api.write import ChangeArguments, author, outcome_notices
from bridge.changes.draft import Draft
from bridge.changes.link_text import write_link
from bridge.changes.requests.base import Request
from bridge.engine.open_vault import OpenVault
from bridge.engine.planned_change import PlannedChange
from bridge.errors import InvalidArguments, NoteChanged
from bridge.features.links.evidence import THRESHOLDS, Strictness
from bridge.features.links.link_candidates import (
    LinkContext,
    SourceText,
    TargetFacts,
    find_mentions,
    source_of,
    suggest,
)
from bridge.features.links.mentions import Corpus, read_corpus
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.requests import Append
from bridge.markdown.kinds import kind_of, title_of
from bridge.markdown.links import UNESCAPED_BAR
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.markdown.parse import parse, parse_structure
from bridge.markdown.prose import protected_spans
from bridge.records import Record
from bridge.text.diff import decode_text, diff_hunks, unified_diff
from bridge.types import Digest, Exact, Span, VaultPath, is_same_digest
from bridge.vault.obsidian_settings import ObsidianSettings, read_obsidian_settings

NO_PROSE: Final = "no link can go there: it is not prose, or is a link already"
SELF_LINK: Final = "a note need not link to itself"
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
    source: SourceText,
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
            refused.append(RefusedPlace(place, NO_NAME if link is None else SELF_LINK))
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


class ChosenLink(Record):
    """A suggestion to turn into a link.

    Attributes:
        target: The note to link to.
        text: The words to link.
        span: Start and end character offset, from `suggest_links`.
    """

    target: VaultPath
    text: Annotated[str, Meta(max_length=1_000)]
    span: Span


class MadeLink(Record):
    """A link that the edit makes.

    Attributes:
        target: The note it leads to.
        line: Its line.
        link: The link as written.
    """

    target: VaultPath
    line: int
    link: Exact


class RefusedLink(Record):
    """A link that the edit leaves out.

    Attributes:
        target: The intended note.
        line: Line of the words.
        why: Why it cannot be a link.
    """

    target: VaultPath
    line: int
    why: str


class LinkEdit(Record):
    """An edit that makes links.

    Attributes:
        path: The note.
        diff: Unified diff; empty if there is nothing to link.
        digest: SHA-256 of the whole file after the edit.
        before: SHA-256 of the whole file before it.
        links: The links it makes, in order.
        refused: The links it leaves out, in order.
        change_id: The change made or proposed; null if nothing was written.
        state: `applied`, or `proposed` if it awaits approval.
        warnings: Warnings about the change.
        dry_run: Whether this is a dry run; nothing was written.
    """

    path: VaultPath
    diff: Exact
    digest: Digest
    before: Digest
    links: tuple[MadeLink, ...]
    refused: tuple[RefusedLink, ...]
    change_id: str | None
    state: Literal["applied", "proposed"]
    warnings: tuple[str, ...]
    dry_run: bool


@operation(
    example={"path": "Travels/Rye bread in the Valais.md", "strictness": "aggressive", "dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=("turn mentions into links", "link the names in a note", "insert the suggested links"),
)
async def apply_links(
    call: Call,
    path: VaultPath,
    targets: tuple[VaultPath, ...] = (),
    suggestions: Annotated[tuple[ChosenLink, ...], Meta(max_length=10_000)] = (),
    strictness: Literal["conservative", "balanced", "aggressive"] = "balanced",
    all: bool = False,  # noqa: A002 - the contract's name
    digest: Digest | None = None,
    *,
    options: ChangeArguments,
) -> LinkEdit:
    """Turn words that name notes into links, written as Obsidian would.

    Args:
        path: The note.
        targets: Link only to these notes, however unlikely; by default, to all that `suggest_links` returns.
        suggestions: Make exactly these links; overrides `targets`, `strictness` and `all`.
        strictness: As in `suggest_links`, when no targets are given.
        all: Link every mention of a note, not only the first.
        digest: Digest of the note as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: The note does not match `digest` or the suggestions.
    """
    call.vault.require_keyword()
    for target in (*targets, *(one.target for one in suggestions)):
        if target not in call.vault.index.notes:
            raise no_such_note(call.vault, target)
    corpus = await read_corpus(call.vault)
    edits: list[LinkEdit] = []

    def draw(draft: Draft) -> PlannedChange:
        # The desk reads first: what comes after that is seen when it is written.
        now = digest_of(draft.read(path))
        note = read_writable(call.vault, path, digest or now)
        if suggestions:
            places = select_places(note, suggestions)
        else:
            around = LinkContext.of(call.vault, path, for_user=call.is_user)
            source = source_of(call.vault, note)
            places = find_places(source, corpus, around, targets=targets, strictness=strictness, every=all)
        text, edit = link_note(call.vault, note, places)
        edits.append(edit)
        draft.replace(path, text.encode("utf-8"))
        return PlannedChange(path)

    made = await call.vault.writing.make(
        draw, [path], author(call, "apply_links", options.reason), dry_run=options.dry_run
    )
    return replace(
        edits[-1],
        change_id=made.change.id if made.change else None,
        state=made.state,
        warnings=(*made.warnings, *await outcome_notices(call.vault, made, [path])),
        dry_run=options.dry_run,
    )


def read_writable(vault: OpenVault, path: VaultPath, digest: Digest | None) -> Note:
    note = open_note(vault, path)
    if digest is not None and not is_same_digest(note.digest, digest):
        raise NoteChanged(path=path, expected=digest, found=note.digest)
    if note.kind != "note":
        raise InvalidArguments(f"`{path}` is not a Markdown note; links can only be added to those.")
    return note


def select_places(note: Note, suggestions: Iterable[ChosenLink]) -> list[LinkPlace]:
    for one in suggestions:
        if note.text[slice(*one.span)] != one.text:
            raise NoteChanged(f"`{note.path}` changed: “{one.text[:100]}” is no longer where it was.", path=note.path)
    return [LinkPlace(one.target, one.span) for one in suggestions]


def link_note(vault: OpenVault, note: Note, places: list[LinkPlace]) -> tuple[str, LinkEdit]:
    head = byte_order_mark(note)
    after = insert_links(note, places, vault.names, read_obsidian_settings(vault.root))

    def line(place: LinkPlace) -> int:
        return line_at(note.text, place.span[0])

    return head + after.text, LinkEdit(
        path=note.path,
        diff=unified_diff(head + note.text, head + after.text, note.path),
        digest=digest_of((head + after.text).encode()),
        before=note.digest,
        links=tuple(MadeLink(one.place.target, line(one.place), one.link) for one in after.links),
        refused=tuple(RefusedLink(one.place.target, line(one.place), one.why) for one in after.refused),
        change_id=None,
        state="applied",
        warnings=(),
        dry_run=False,
    )


def byte_order_mark(note: Note) -> str:
    for mark in ("", "\ufeff"):
        if digest_of((mark + note.text).encode()) == note.digest:
            return mark
    raise InvalidArguments(f"`{note.path}` contains bytes that are not UTF-8.", hint="Save the note as UTF-8 first.")


async def link_new_names(vault: OpenVault, client: str | None, _: Sequence[Request]) -> Callable[[Draft], None] | None:
    """Return a function that adds links to a draft; None when the client is unknown or not set to get links."""
    clients = {name.casefold() for name in vault.settings.auto_link_clients}
    if client is None or not clients & {"*", client.casefold()}:
        return None
    corpus = await read_corpus(vault)
    return lambda draft: add_links(vault, corpus, draft)


def add_links(vault: OpenVault, corpus: Corpus, draft: Draft) -> None:
    """Add links to the new text in a draft; text that was there before gets none."""
    for step in draft.plan.steps:
        if step.kind == "put" and step.after is not None and kind_of(step.path) == "note":
            before = draft.plan.blobs[step.before] if step.before is not None else b""
            after = draft.read(step.path)
            if (linked := link_new_text(vault, corpus, step.path, before, after)) is not None:
                draft.replace(step.path, linked)


def link_new_text(vault: OpenVault, corpus: Corpus, path: VaultPath, before: bytes, after: bytes) -> bytes | None:
    old, note = decode_text(before), parse(path, after)
    mark = "\ufeff" if after.startswith(b"\xef\xbb\xbf") else ""
    if old is None or (mark + note.text).encode("utf-8", "surrogatepass") != after:
        return None
    found = find_places(source_of(vault, note), corpus, LinkContext.of(vault, path), strictness="conservative")
    fresh = added_spans(old.removeprefix("\ufeff"), note.text)
    chosen = [place for place in found if any(start <= place.span[0] and place.span[1] <= end for start, end in fresh)]
    if not chosen:
        return None
    made = insert_links(note, chosen, vault.names, read_obsidian_settings(vault.root))
    return (mark + made.text).encode() if made.links else None


def added_spans(before: str, after: str) -> list[Span]:
    starts = [0, *(at + 1 for at, character in enumerate(after) if character == "\n"), len(after)]
    spans = list(pairwise(starts))
    fresh: list[Span] = []
    for hunk in diff_hunks(before, after):
        line = hunk.after[0] - 1
        for row in hunk.rows:
            if row.kind == "added":
                fresh.append(spans[line])
            line += row.kind != "removed"
    return fresh


async def append_suggestions(
    vault: OpenVault, _: str | None, requests: Sequence[Request]
) -> Callable[[Draft], None] | None:
    """Return a function that adds links to a draft; None when no request asks for any."""
    asking = {request.path: most for request in requests if (most := getattr(request, "append_links", 0))}
    if not asking:
        return None
    corpus = await read_corpus(vault)

    def append_all(draft: Draft) -> None:
        written = {step.path for step in draft.plan.steps if step.kind == "put"}
        for path in sorted(written & asking.keys()):
            append_links(vault, corpus, draft, path, asking[path])

    return append_all


def append_links(vault: OpenVault, corpus: Corpus, draft: Draft, path: VaultPath, most: int) -> None:
    data = draft.read(path)
    note = parse(path, data)
    found = suggest(source_of(vault, note), corpus, LinkContext.of(vault, path), "conservative")
    style = read_obsidian_settings(vault.root)
    links = [write_link(title_of(one.target), one.target, path, vault.names, style) for one in found[:most]]
    if shown := [link for link in links if link is not None]:
        draft.replace(path, apply_edits(path, data, [Append(text=f"→ {', '.join(shown)}")]))
