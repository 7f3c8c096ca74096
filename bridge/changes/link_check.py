"""Finds links that are unresolved after a change: new ones, and links to headings and blocks that it removes."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, cached_property
from typing import Final

from bridge.changes.draft import Draft, path_after_move
from bridge.changes.effect import Reference
from bridge.errors import BridgeError, InvalidArguments
from bridge.index.note import IndexedNote
from bridge.markdown.edit.draft import open_draft
from bridge.markdown.frontmatter import read_frontmatter
from bridge.markdown.kinds import kind_of, title_of
from bridge.markdown.links import fold_name, read_links, target_file, target_subpath
from bridge.markdown.names import Names
from bridge.markdown.note import Heading, Link, LinkKind
from bridge.markdown.sections import decode_place, resolve_headings
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.plan import Step

_BLOCK: Final = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)

HEADING_LINES: Final = re.compile(rb"^[ >\t]*#.*|^.+(?=\n[ >\t]*(?:=+|-+)[ \t\r]*$)", re.MULTILINE)

MAX_NAMED_LINKS: Final = 5
"""Links that are named in warnings."""

MAX_NAME_CHARS: Final = 100


class Contents(Record):
    """The headings, block ids and links of a note."""

    headings: tuple[Heading, ...] = ()
    blocks: frozenset[str] = frozenset()
    """Block ids in lower case, without `^`."""
    links: tuple[Link, ...] = ()


class LinkCheck(Record):
    """What a change does to links besides rewriting them."""

    lost: tuple[Reference, ...] = ()
    """Links to headings and blocks that it removes."""
    warnings: tuple[str, ...] = ()
    """Warnings about the links and names that it writes."""


def check_links(
    draft: Draft,
    names: Names,
    notes: Mapping[VaultPath, IndexedNote],
    sources: Callable[[VaultPath], Collection[VaultPath]],
) -> LinkCheck:
    """Check the links of the notes that a change writes, and the links to what it removes from them."""
    vault = _Vault(draft, names, notes)
    lost: list[Reference] = []
    dangling: dict[str, str] = {}
    warnings: list[str] = []
    for step in vault.steps:
        if step.kind != "put" or step.after is None or kind_of(step.path) != "note":
            continue
        for link in vault.links(step.path, new=True):
            if link.target in dangling:
                continue
            # Suggestions look through the whole vault, and only a few are shown.
            if flaw := vault.flaw(link, step.path, suggest=len(dangling) < MAX_NAMED_LINKS):
                dangling[link.target] = f"`[[{link.target[:MAX_NAME_CHARS]}]]` in `{step.path}:{link.line}` {flaw}"
        if step.before is not None:
            lost += vault.find_lost_links(step.path, sources)
        else:
            warnings += vault.namesakes(step.path)
    messages = list(dangling.values())
    more = (
        [f"Unresolved links that are not named here: {len(messages) - MAX_NAMED_LINKS}."]
        if len(messages) > MAX_NAMED_LINKS
        else []
    )
    return LinkCheck(tuple(lost), (*warnings, *messages[:MAX_NAMED_LINKS], *more))


def find_lost(
    draft: Draft,
    since: int,
    names: Names,
    notes: Mapping[VaultPath, IndexedNote],
    sources: Callable[[VaultPath], Collection[VaultPath]],
    *,
    headings: bool = False,
) -> Iterator[Reference]:
    """Yield the links to headings and blocks that the last steps of a draft remove."""
    vault = _Vault(draft, names, notes, since)
    for step in vault.steps:
        if step.kind != "put" or None in (step.before, step.after) or kind_of(step.path) != "note":
            continue
        if not headings or vault.changes_headings(step):
            yield from vault.find_lost_links(step.path, sources)


class _Vault:
    """The vault after a change, as links see it."""

    def __init__(self, draft: Draft, names: Names, notes: Mapping[VaultPath, IndexedNote], since: int = 0) -> None:
        self._draft = draft
        self._names = names
        self._notes = notes
        plan = draft.plan_since(since)
        self.steps = plan.steps
        self._blobs = plan.blobs
        self._written = {step.path: step.before for step in self.steps if step.kind == "put"}
        self._leaving = any(step.kind in {"move", "remove"} for step in self.steps)
        self._before, self._now = cache(self._read_before), cache(self._read_now)

    @cached_property
    def _fresh(self) -> Names:
        found = Names(step.path for step in self.steps if step.kind == "put" and step.before is None)
        for step in self.steps:
            if step.kind == "move" and step.to is not None:
                places = (path_after_move(path, step.path, step.to) for path in (*self._names, *found, step.path))
                for path in [place for place in places if place is not None]:
                    found.add(path)
        return found

    def changes_headings(self, step: Step) -> bool:
        before, after = (
            HEADING_LINES.findall(self._blobs.get(digest, b"")) for digest in (step.before, step.after) if digest
        )
        return before != after

    def links(self, path: VaultPath, *, new: bool) -> list[Link]:
        """Return the links of a written note: its new ones, or those it had before."""
        links_before = {(link.target, link.kind) for link in self._before(path).links}
        return [link for link in self._now(path).links if ((link.target, link.kind) in links_before) != new]

    def _read_before(self, path: VaultPath) -> Contents:
        digest = self._written[path]
        return Contents() if digest is None else read_contents(path, self._blobs[digest])

    def _read_now(self, path: VaultPath) -> Contents:
        try:
            return read_contents(path, self._draft.read(path))
        except BridgeError:
            return Contents()

    def find(self, target: str, source: VaultPath, kind: LinkKind) -> VaultPath | None:
        """Return the file that a link resolves to after the change."""
        path = self._names.resolve(target, source, kind).path
        if path is None or (self._leaving and not self._draft.has(path)):
            path = self._fresh.resolve(target, source, kind).path
        return path

    def flaw(self, link: Link, source: VaultPath, *, suggest: bool) -> str | None:
        path = self.find(link.target, source, link.kind)
        if path is None:
            return self._nameless(link, suggest=suggest)
        resolved = self._names.resolve(link.target, source, link.kind)
        if kind_of(path) != "note" or not (resolved.heading or resolved.block):
            return None
        there = self._now(path)
        if resolved.block and resolved.block.lower() not in there.blocks:
            return f"is unresolved: `{path}` has no block `^{resolved.block[:MAX_NAME_CHARS]}`."
        if resolved.heading and not resolve_headings(there.headings, _place(link)):
            return f"is unresolved: `{path}` has no heading `{resolved.heading[:MAX_NAME_CHARS]}`."
        return None

    def _nameless(self, link: Link, *, suggest: bool) -> str | None:
        file = target_file(link.target, link.kind)
        if not file:
            return None
        if not suggest:
            return "is unresolved."
        owners = [path for path, note in self._notes.items() if fold_name(file) in map(fold_name, note.aliases)]
        if owners:
            title = title_of(owners[0])
            return f"is unresolved: it is only an alias of `{owners[0]}`; write `[[{title}|{file[:MAX_NAME_CHARS]}]]`."
        # A name without an ending means a note.
        near = (path for path in self._names.closest(file) if path in self._notes or "." in file)
        within = (path for path in self._notes if fold_name(file) in fold_name(title_of(path)))
        closest = next(near, None) or min(within, key=len, default=None)
        return f"is unresolved; the closest is `{closest}`." if closest else "is unresolved: no note has this name."

    def find_lost_links(
        self, path: VaultPath, sources: Callable[[VaultPath], Collection[VaultPath]]
    ) -> Iterator[Reference]:
        """Yield the links to headings and blocks that a note loses."""
        into = list(self._into(path, sources))
        if not into:
            return
        before, after = self._before(path), self._now(path)
        gone = {fold_name(one.text) for one in before.headings} - {fold_name(one.text) for one in after.headings}
        blocks = before.blocks - after.blocks
        if gone or blocks:
            for source, link in into:
                place, block = _place(link), self._names.resolve(link.target, source, link.kind).block
                if (block and block.lower() in blocks) or (
                    resolve_headings(before.headings, place) and not resolve_headings(after.headings, place)
                ):
                    yield Reference(source, link.line, link.target, "")

    def _into(
        self, path: VaultPath, sources: Callable[[VaultPath], Collection[VaultPath]]
    ) -> Iterator[tuple[VaultPath, Link]]:
        for source in dict.fromkeys((*sources(path), path)):
            if source in self._written:
                links: Collection[Link] = self.links(source, new=False)
            elif source in self._draft.touched_paths:
                links = self._now(source).links
            elif source in self._notes and (not self._leaving or self._draft.has(source)):
                links = self._notes[source].links
            else:
                continue
            for link in links:
                if target_subpath(link.target) and self.find(link.target, source, link.kind) == path:
                    yield source, link

    def namesakes(self, path: VaultPath) -> Iterator[str]:
        """Yield a warning when other notes have the name of a new one."""
        others = [other for other in self._names.namesakes(path) if not self._leaving or self._draft.has(other)]
        if others:
            yield f"`{others[0]}` has this name too: `[[{title_of(path)}]]` can mean either note."


def _place(link: Link) -> str:
    return decode_place(target_subpath(link.target), markdown=link.kind == "markdown")


def read_contents(path: VaultPath, data: bytes) -> Contents:
    """Read the headings, block ids and links of a note; returns none for a file that cannot be edited."""
    try:
        draft = open_draft(path, data)
    except InvalidArguments:
        return Contents()
    head = draft.text[: draft.body]
    # YAML is slow, and most properties hold no link.
    front = read_frontmatter(draft.text, draft.lines).links if "[[" in head or "](" in head else ()
    return Contents(
        draft.headings,
        frozenset(block.lower() for block in _BLOCK.findall(draft.text)),
        (*front, *read_links(draft.text, draft.body, draft.structure, draft.lines)),
    )
