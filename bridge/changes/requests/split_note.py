"""Making a section of a note a note of its own."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import ClassVar, Final, Literal

from msgspec import Meta

from bridge.changes.draft import Draft, plan_replacements
from bridge.changes.effect import Effect, PlanAndEffect, Reference, name_warnings
from bridge.changes.link_text import link_names, write_link
from bridge.changes.relink import (
    Edit,
    Fate,
    Shift,
    edit_links,
    encode_place,
    find_new_place,
    find_new_target,
    heading_place,
)
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_lines
from bridge.changes.view import VaultView
from bridge.errors import InvalidArguments, NoteExists, PathKept
from bridge.markdown.decode import BOM, digest_of
from bridge.markdown.edit.draft import BLANK, editable_end, newline_at, open_draft, read_draft
from bridge.markdown.edit.draft import TextDraft as NoteDraft
from bridge.markdown.edit.headings import shift_headings
from bridge.markdown.edit.properties import PropertyBlock, edit_properties
from bridge.markdown.edit.verify import find_unclosed
from bridge.markdown.kinds import kind_of, title_of
from bridge.markdown.link_spans import LinkSpan, read_link_spans
from bridge.markdown.links import find_flaw, inside_wiki, name_key, percent_encode, wiki_file_name
from bridge.markdown.names import Names
from bridge.markdown.note import Heading, LinkKind, Note, Value
from bridge.markdown.parse import parse
from bridge.markdown.prose import ReferenceDefinition, labels_needed, read_definitions
from bridge.markdown.sections import anchor, decode_place, has_line_number, resolve_headings
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import Digest, NewPath, Span, VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from bridge.vault.paths import file_name_for
from bridge.vault.plan import Plan, Step


@ChangeKind(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "heading": "Feeding",
        "to": "Bread/Starters/Feeding a starter.md",
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
    },
    tasks=(
        "split a note",
        "extract a section into a new note",
        "make a section a note of its own",
        "this note is too long, move a part out",
    ),
    bounds={"heading": Meta(max_length=2_000), "properties": Meta(max_length=100)},
)
class SplitNote(Request, tag="split_note"):
    """Make a section of a note a note of its own; links to its headings and blocks follow, as do its footnotes.

    Attributes:
        path: The note.
        heading: The section's heading, or its path `A > B`; headings below it go along.
        to: Path of the new note, or its folder; by default beside the note, with the heading as its name.
        leave: What stands in place of the section.
        properties: Properties that the new note gets as well, such as `tags`.
        digest: Digest of the note as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
        NoteExists: The new note's path exists.
        ProtectedPath: A read-only note would have to change.
        InvalidProperties: Its properties cannot be parsed, and some are to be copied.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    heading: str
    to: NewPath | None = None
    leave: Literal["link", "embed", "nothing"] = "link"
    properties: tuple[str, ...] = ()
    digest: Digest | None = None

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        draft.sources.append(self.path)
        if self.path in view.names:
            data = read_unchanged(self.path, self.digest, draft, context)
            if has_line_number(self.heading):
                require_lines(draft, self.path, data, self.digest)
        planned = split(
            self.path,
            self.heading,
            view,
            context.obsidian(),
            to=self.to,
            leave=self.leave,
            properties=self.properties,
        )
        for step in planned.plan.steps:
            if step.before is None and draft.has(step.path):
                raise NoteExists(f"There is a file `{step.path}` already.", path=step.path)
        return planned.add_to(draft)


class LinkEdits(Record):
    """The edits of a file's links, with the links rewritten and the links that find a file at last."""

    edits: tuple[Edit, ...]
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]


class SplitLinks(Record):
    """What becomes of links when a section of a note becomes a note."""

    path: VaultPath
    to: VaultPath
    names: Names
    after: Names
    headings: tuple[Heading, ...]
    """The headings of the note before."""
    moved: frozenset[int]
    """Those that are in the section."""
    blocks: frozenset[str]
    """The ids of the blocks in the section."""
    style: ObsidianSettings

    def affects(self, target: str, kind: LinkKind, source: VaultPath) -> bool:
        """Return whether a link of another file may have to be rewritten, or finds a file at last."""
        was = self.names.resolve(target, source, kind).path
        return (was == self.path and ("#" in target or "^" in target)) or self.after.resolve(
            target, source, kind
        ).path != was

    def relink(self, spots: Iterable[LinkSpan], source: VaultPath, now: VaultPath) -> LinkEdits:
        """Rewrite those links that would no longer mean the same."""
        edits: list[Edit] = []
        rewritten: list[Reference] = []
        mended: list[Reference] = []
        for spot in spots:
            was = self.names.resolve(spot.target, source, spot.kind).path
            means = self.after.resolve(spot.target, now, spot.kind).path
            if was is None:
                mended += [Reference(now, spot.line, spot.target, means)] if means else []
                continue
            target, place = self._follow(spot, source) if was == self.path else (was, None)
            same = spot.place is not None and place == spot.place.text
            changed = [*self._edits(spot, Fate(was, target, means), None if same else place, source, now)]
            edits += changed
            rewritten += [Reference(now, spot.line, spot.target, target)] if changed else []
        return LinkEdits(tuple(edits), tuple(rewritten), tuple(mended))

    def _edits(
        self, spot: LinkSpan, fate: Fate, place: str | None, source: VaultPath, now: VaultPath
    ) -> Iterator[Edit]:
        target = fate.new_target
        if spot.file is None:
            # It leads to a place in its own note.
            file = "" if target == now or target is None else self._name(spot, target, now)
            if spot.place is not None and (file or place is not None):
                yield spot.place.span, spot.place.ink(file + (place if place is not None else spot.place.text))
            return
        exact = spot.kind == "canvas" and target == self.to
        if target != fate.means or exact:
            moved = {source: now} if source != now else {}
            shift = Shift(self.names, self.after, moved)
            yield find_new_target(spot, fate, source, shift)[0]
        if spot.place is not None and place is not None:
            yield spot.place.span, spot.place.ink(place)

    def _follow(self, spot: LinkSpan, source: VaultPath) -> tuple[VaultPath, str | None]:
        found = self.names.resolve(spot.target, source, spot.kind)
        if spot.place is None:
            return self.path, None
        if found.block is not None:
            return (self.to if found.block.casefold() in self.blocks else self.path), None
        wanted = decode_place(spot.place.text, markdown=spot.syntax == "markdown")
        was = resolve_headings(self.headings, wanted)
        if not was:
            return self.path, None
        goes = was[-1] in self.moved
        left = [number for number in range(len(self.headings)) if (number in self.moved) == goes]
        headings, target, name = [self.headings[one] for one in left], left.index(was[-1]), self.headings[was[-1]].text
        ways = (spot.place.text, encode_place(f"#{anchor(name)}", spot), heading_place(headings, target, spot))
        return (self.to if goes else self.path), find_new_place(spot, source, ways, headings, target, name)

    def _name(self, spot: LinkSpan, target: VaultPath, source: VaultPath) -> str:
        for way in link_names(target, source, self.after, self.style):
            for asked in dict.fromkeys((way.removesuffix(".md") if spot.syntax == "wiki" else way, way)):
                words = wiki_file_name(asked) if spot.syntax == "wiki" else percent_encode(asked)
                if words and self.after.resolve(words, source, spot.kind).path == target:
                    return words
        raise InvalidArguments(
            f"The link in line {spot.line} of `{source}` cannot name `{target}`.", hint="Choose another name."
        )


_BLANK_LINE: Final = re.compile(r"(?:\A|\n|\r)[ \t]*(?:\r\n?|\n)\Z")


class SplitParts(Record):
    """The spans of a note's text that a section takes along, and those that stay."""

    draft: NoteDraft
    number: int
    """The heading of the section among those of the note."""
    section: Span
    moved: tuple[Span, ...]
    """What the new note has of the section's own text."""
    moved_definitions: tuple[Span, ...]
    """What it has of the rest, to stand below."""
    head: tuple[Span, ...]
    tail: tuple[Span, ...]
    """What stays above and below the section."""
    kept_definitions: tuple[Span, ...]
    """What stays of the section, because the rest uses it."""

    def is_moved(self, offset: int) -> bool:
        return self.section[0] <= offset < self.section[1]

    def new_text(self, edits: Iterable[Edit]) -> str:
        """Return the text of the new note: the heading has level 1, and those below it follow."""
        text, changes = self.draft.text, sorted(edits)
        newline = newline_at(text, self.section[0])
        parts = [_render(text, self.moved, changes).strip(BLANK)]
        parts += [_render(text, [span], changes).strip("\r\n") for span in self.moved_definitions]
        joined = f"{newline}{newline}".join(part for part in parts if part)
        return shift_headings(joined, 1 - self.draft.headings[self.number].level) + newline

    def rest(self, edits: Iterable[Edit], left: str) -> str:
        text, changes = self.draft.text, sorted(edits)
        newline = newline_at(text, self.section[0])
        head, tail = _render(text, self.head, changes), _render(text, self.tail, changes)
        between = [left, *(_render(text, [span], changes).strip("\r\n") for span in self.kept_definitions)]
        middle = f"{newline}{newline}".join(part for part in between if part)
        above = bool(head[self.draft.body :].strip(BLANK)) if len(head) > self.draft.body else False
        if not middle and not tail.strip(BLANK):
            return head.rstrip(BLANK) + newline if head.strip(BLANK) else ""
        if above and not _BLANK_LINE.search(head):
            head += newline if head.endswith(("\n", "\r")) else newline * 2
        if middle:
            middle += newline * 2 if tail.strip(BLANK) else newline
        return head + middle + tail


def divide(draft: NoteDraft, heading: str) -> SplitParts:
    number, end = draft.section(heading)
    start, limit = draft.headings[number].span[0], editable_end(draft)
    end = min(end, limit)
    text = draft.text
    if start >= limit:
        raise InvalidArguments(
            f"From line {draft.lines.at(limit)} on `{draft.path}` belongs to Excalidraw or Kanban.",
            hint="Choose a section above.",
        )
    # A heading may be indented.
    start = text.rfind("\n", 0, start) + 1
    if not text[draft.body : start].strip(BLANK) and not text[end:].strip(BLANK):
        raise InvalidArguments(
            f"This section is all of `{draft.path}`.", hint="Rename the note with `move_note`, or choose a subsection."
        )
    section = (start, end)
    definitions = read_definitions(text, draft.body, draft.structure)
    spans = [one.span for one in definitions]
    prose = "".join(text[slice(*span)] for span in _without([section], spans))
    others = "".join(text[slice(*span)] for span in _without([(0, start), (end, len(text))], spans))
    needed = labels_needed(prose, text, definitions)
    needed_by_rest = labels_needed(others, text, definitions)

    def inside(one: ReferenceDefinition) -> bool:
        return start <= one.span[0] < end

    gone = [one.span for one in definitions if not inside(one) and one.label in needed - needed_by_rest]
    stays = [one.span for one in definitions if inside(one) and one.label in needed_by_rest]
    leaves = [one.span for one in definitions if inside(one) and one.label in needed_by_rest - needed]
    along = [one.span for one in definitions if not inside(one) and one.label in needed]
    return SplitParts(
        draft,
        number,
        section,
        moved=_without([section], leaves),
        moved_definitions=tuple(along),
        head=_without([(0, start)], gone),
        tail=_without([(end, len(text))], gone),
        kept_definitions=tuple(stays),
    )


def _without(spans: Sequence[Span], removed: Sequence[Span]) -> tuple[Span, ...]:
    left: list[Span] = []
    for start, end in spans:
        at = start
        for first, last in removed:
            if at <= first < end:
                left.append((at, first))
                at = min(last, end)
        left.append((at, end))
    return tuple((start, end) for start, end in left if start < end)


def _render(text: str, spans: Iterable[Span], edits: Sequence[Edit]) -> str:
    parts: list[str] = []
    for start, end in spans:
        at = start
        for (first, last), words in edits:
            if at <= first and last <= end:
                parts += [text[at:first], words]
                at = last
        parts.append(text[at:end])
    return "".join(parts)


Leave = Literal["link", "embed", "nothing"]

_WIKI: Final = re.compile(rf"!?\[\[(?:{inside_wiki('|')}*\|)?({inside_wiki('|')}*)\]\]")
_MARKDOWN: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKS: Final = re.compile(r"\*+|`+|~~|==|(?<!\w)_+|_+(?!\w)|[ \t]\^[A-Za-z0-9-]+$")


def name_of_section(heading: str) -> str:
    """Return the file name, without extension, of a note that a section becomes; empty if no file can have it."""
    shown = _MARKS.sub("", _MARKDOWN.sub(r"\1", _WIKI.sub(r"\1", heading)))
    return file_name_for(shown, lambda _: False, default="") if shown.strip() else ""


def split(
    path: VaultPath,
    heading: str,
    view: VaultView,
    style: ObsidianSettings,
    *,
    to: VaultPath | None = None,
    leave: Leave = "link",
    properties: Collection[str] = (),
) -> PlanAndEffect:
    """Plan to make a section of a note a note of its own."""
    if path not in view.names:
        raise view.names.missing_error(path, "note")
    if kind_of(path) != "note":
        raise InvalidArguments(f"`{path}` is no Markdown note.", hint="Only notes can be split.", path=path)
    view.require_changeable(path)
    data = view.read(path)
    parts, note = divide(open_draft(path, data), heading), parse(path, data)
    to = _new_path(path, note.headings[parts.number].text, to, view)
    links = _split_links(note, parts, to, view, style)
    carried = _read_properties(note, properties)
    spots = read_link_spans(path, data).links
    moved, kept = _split_edits(spots, parts, links)
    new = edit_properties(to, parts.new_text(moved.edits).encode(), carried, (), style.property_types)
    new = _relink_properties(new, links)
    rest = parts.rest(kept.edits, _left_link(leave, links))
    after = (BOM if data.startswith(BOM) else b"") + rest.encode()
    _verify(note, parts, parse(path, after), parse(to, new), links, leave)
    others = _relink_others(links, view)
    files = {path: (data, after), **others.files}
    rewritten = (*moved.rewritten, *kept.rewritten, *others.rewritten)
    mended = (*moved.mended, *kept.mended, *others.mended)
    written = plan_replacements(files)
    return PlanAndEffect(
        Plan(
            (Step("put", to, after=digest_of(new)), *written.steps),
            {**written.blobs, digest_of(new): new},
        ),
        Effect(
            files=(to, *files),
            links_rewritten=len(rewritten),
            rewritten=rewritten,
            mended=mended,
            warnings=(*others.warnings, *name_warnings((), mended)),
        ),
    )


def _new_path(path: VaultPath, heading: str, to: VaultPath | None, view: VaultView) -> VaultPath:
    if to is None or not to.lower().endswith(".md"):
        title = name_of_section(heading)
        if not title:
            raise InvalidArguments(f"The heading `{heading}` is no name for a note.", hint="Give its path in `to`.")
        folder = path.rpartition("/")[0] if to is None else to
        to = VaultPath(f"{folder}/{title}.md" if folder else f"{title}.md")
    if flaw := find_flaw(to.rpartition("/")[2]):
        raise InvalidArguments(f"No link can name `{to}`: it has `{flaw}` in it.", hint="Choose another name.")
    if view.rules.keeps(to):
        # The same message whether or not the file exists: the error must not reveal it.
        raise PathKept(f"`{to}` must stay as it is: the user's settings say so.", path=to)
    if taken := next(iter(view.names.find_path(to)), None):
        raise NoteExists(f"There is a file `{taken}` already.", hint="Give another path in `to`.", path=taken)
    return to


def _split_links(note: Note, parts: SplitParts, to: VaultPath, view: VaultView, style: ObsidianSettings) -> SplitLinks:
    after = view.names.copy()
    after.add(to)
    lines = parts.draft.lines
    first, last = lines.at(parts.section[0]), lines.at(parts.section[1] - 1)
    seen: dict[str, bool] = {}
    for block in note.blocks:
        seen.setdefault(block.id.casefold(), first <= block.lines[0] <= last)
    return SplitLinks(
        note.path,
        to,
        view.names,
        after,
        note.headings,
        frozenset(at for at, one in enumerate(note.headings) if parts.is_moved(one.span[0])),
        frozenset(block for block, moved in seen.items() if moved),
        style,
    )


def _split_edits(spots: Iterable[LinkSpan], parts: SplitParts, links: SplitLinks) -> tuple[LinkEdits, LinkEdits]:
    """Return the edits of the links that go, and of those that stay; a link that both have is in both."""
    goes, stays = (*parts.moved, *parts.moved_definitions), (*parts.head, *parts.tail, *parts.kept_definitions)

    def within(spot: LinkSpan, spans: Iterable[tuple[int, int]]) -> bool:
        part = spot.file or spot.place or spot.shown
        return part is not None and any(start <= part.span[0] < end for start, end in spans)

    mine = [spot for spot in spots if within(spot, goes)]
    theirs = [spot for spot in spots if within(spot, stays)]
    return links.relink(mine, links.path, links.to), links.relink(theirs, links.path, links.path)


def _left_link(leave: Leave, links: SplitLinks) -> str:
    if leave == "nothing":
        return ""
    link = write_link(title_of(links.to), links.to, links.path, links.after, links.style)
    if link is None:
        raise InvalidArguments(f"No link can name `{links.to}`.", hint="Choose another name.")
    return f"!{link}" if leave == "embed" else link


def _read_properties(note: Note, wanted: Collection[str]) -> dict[str, Value]:
    if not wanted:
        return {}
    values = PropertyBlock.read(note.path, note.text).values
    known = {fold_case(name): name for name in values}
    missing = [name for name in wanted if fold_case(name) not in known]
    if missing:
        has = ", ".join(f"`{name}`" for name in values) or "none"
        raise InvalidArguments(f"`{note.path}` has no property `{missing[0]}`.", hint=f"Its properties: {has}.")
    return {known[fold_case(name)]: values[known[fold_case(name)]] for name in wanted}


def _relink_properties(new: bytes, links: SplitLinks) -> bytes:
    """Let links in carried properties lead where they led from the old note's folder."""
    spots = read_link_spans(links.to, new)
    carried = [spot for spot in spots.links if spot.kind == "property"]
    return edit_links(links.to, new, spots, links.relink(carried, links.path, links.to).edits)


class _OtherFiles(Record):
    """What the split does to the links of other files."""

    files: dict[VaultPath, tuple[bytes, bytes]]
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]
    warnings: tuple[str, ...]


def _relink_others(links: SplitLinks, view: VaultView) -> _OtherFiles:
    files: dict[VaultPath, tuple[bytes, bytes]] = {}
    rewritten: list[Reference] = []
    mended: list[Reference] = []
    warnings: list[str] = []
    affected = view.links.find_affected({name_key(links.path), name_key(links.to)}, links.affects)
    for source, data in view.read_sources((source for source in affected if source != links.path), warnings):
        spots = view.links.spans(source, data)
        found = links.relink(spots.links, source, source)
        rewritten += found.rewritten
        mended += found.mended
        if found.edits:
            view.require_changeable(source)
            files[source] = data, edit_links(source, data, spots, found.edits)
    return _OtherFiles(files, tuple(rewritten), tuple(mended), tuple(warnings))


def _verify(note: Note, parts: SplitParts, rest: Note, new: Note, links: SplitLinks, leave: Leave) -> None:
    """Require that both notes are read as the one was: no comment, code or list reaches over the cut."""
    moved = [one for one in note.headings if parts.is_moved(one.span[0])]
    kept = [one for one in note.headings if not parts.is_moved(one.span[0])]
    up = moved[0].level - 1
    same = (
        [(one.text, one.level - up) for one in moved] == [(one.text, one.level) for one in new.headings]
        and [(one.text, one.level) for one in kept] == [(one.text, one.level) for one in rest.headings]
        and sorted(one.id for one in note.blocks) == sorted(one.id for one in (*new.blocks, *rest.blocks))
        and len(note.tasks) == len(new.tasks) + len(rest.tasks)
        and len(new.links) + len(rest.links) >= len(note.links) + (leave != "nothing")
        and len(rest.properties) == len(note.properties)
        and _count_unclosed(note) == _count_unclosed(rest) + _count_unclosed(new)
    )
    if not same:
        raise InvalidArguments(
            f"The section `{moved[0].text[:100]}` of `{note.path}` cannot be cut out: a comment, code block or list "
            "reaches over its edge.",
            hint="Close it first, with `replace_lines`.",
            path=note.path,
        )
    for link in new.links:
        found = links.after.resolve(link.target, links.to, link.kind)
        if leave == "embed" and link.embed and found.path == note.path and not (found.heading or found.block):
            raise InvalidArguments(
                f"The section embeds `{note.path}`, so `{note.path}` cannot embed it.",
                hint="Leave a link instead.",
                path=note.path,
            )


def _count_unclosed(note: Note) -> int:
    return sum(1 for _ in find_unclosed(read_draft(note.path, note.text)))
