"""Plans to make a section of a note a note of its own; links, footnotes and block ids go along."""

import re
from collections.abc import Collection, Iterable
from typing import Final, Literal

from bridge.changes.draft import digest_of, plan_replacements
from bridge.changes.effect import Effect, PlanAndEffect, Reference, name_warnings
from bridge.changes.relink import replace_spans
from bridge.changes.split_links import LinkEdits, SplitLinks
from bridge.changes.split_parts import SplitParts, divide
from bridge.changes.view import VaultView
from bridge.errors import InvalidArguments, NoteExists, NoteNotFound, NoteUnreadable, PathKept, TooLarge
from bridge.linking.apply import write_link
from bridge.markdown.decode import BOM
from bridge.markdown.edit.draft import open_draft, read_draft
from bridge.markdown.edit.properties import PropertyBlock, edit_properties
from bridge.markdown.edit.verify import find_unclosed
from bridge.markdown.kinds import kind_of, title_of
from bridge.markdown.link_parts import find_flaw
from bridge.markdown.link_spans import LinkSpan, read_link_spans
from bridge.markdown.link_targets import inside_wiki, name_key
from bridge.markdown.note import Note, Value
from bridge.markdown.parse import parse
from bridge.notebook.file_name import file_name_for
from bridge.records import dataclass
from bridge.text.fold import fold_case
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from bridge.vault.plan import Plan, Step

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
        raise view.names.missing(path, "note")
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
    if taken := next(iter(view.names.spelled(to)), None):
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
    edits = links.relink(carried, links.path, links.to).edits
    return replace_spans(new, spots.text, edits) if edits else new


@dataclass(frozen=True, slots=True)
class _OtherFiles:
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
    for source in view.links.linking({name_key(links.path), name_key(links.to)}, links.affects):
        if source == links.path:
            continue
        try:
            data = view.read(source)
        except (NoteNotFound, NoteUnreadable, TooLarge) as error:
            if source in view.notes and not isinstance(error, NoteNotFound):
                raise
            warnings.append(f"Links were not looked for: {error.message}")
            continue
        spots = view.links.spans(source, data)
        found = links.relink(spots.links, source, source)
        rewritten += found.rewritten
        mended += found.mended
        if found.edits:
            view.require_changeable(source)
            if spots.lossy:
                raise InvalidArguments(
                    f"`{source}` has a link to change and is not UTF-8.", hint="Save the note as UTF-8 first."
                )
            files[source] = data, replace_spans(data, spots.text, found.edits)
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
