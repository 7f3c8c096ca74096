"""The view of a vault that planning a change of names needs."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import takewhile
from typing import Final

from bridge.changes.draft import Draft, follow_step
from bridge.errors import NoteNotFound, NoteUnreadable, PathKept, TooLarge
from bridge.index.note import IndexedNote
from bridge.markdown.decode import decode
from bridge.markdown.kinds import is_document, kind_of
from bridge.markdown.link_spans import LinkSpans, read_link_spans
from bridge.markdown.links import name_key, target_file
from bridge.markdown.names import Names
from bridge.markdown.note import LinkKind
from bridge.markdown.prose import find_queries
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.plan import Step
from bridge.vault.rules import Rules

NamedLink = tuple[str, LinkKind]
"""A link's target and its kind."""

LinkFilter = Callable[[str, LinkKind, VaultPath], bool]
"""Returns whether a change affects a link, given by its target, its kind and the document that contains it."""

_MAX_REPARSED: Final = 256
"""Parsed versions of documents that are kept: requests of one change rewrite the same documents again and again."""


class DocumentNames(Record):
    """The names in a document: those of its links, and the text of its queries, or of a whole base."""

    links: frozenset[NamedLink]
    queries: tuple[str, ...]


class LinkSources:
    """Which documents name which files, as a draft changes them; each version of a document is read once."""

    def __init__(self, draft: Draft, names: Names, notes: Mapping[VaultPath, IndexedNote], rules: Rules) -> None:
        self._draft = draft
        self._before = names
        self._names = names.copy()
        self._notes = notes
        self._rules = rules
        self._taken: list[Step] = []
        self.spans: Callable[[VaultPath, bytes], LinkSpans] = lru_cache(maxsize=_MAX_REPARSED)(read_link_spans)
        """Returns the links of a version of a document."""
        # Most links occur many times.
        self._key: Callable[[NamedLink], str] = cache(lambda link: name_key(target_file(*link)))
        self._read: dict[VaultPath, DocumentNames | None] = {}
        """Documents of which the index does not say all; None for those that are gone or cannot be read."""
        self._read_sources: dict[str, set[VaultPath]] = {}
        # Text that is not indexed has links too, and bases and queries contain names.
        self._unread = {
            path for path in names if (path not in notes or notes[path].asides) and self._may_have_names(path)
        }

    @property
    def names(self) -> Names:
        """The names of the vault after the steps so far; a later call of `follow` changes them."""
        return self._names

    def follow(self) -> None:
        """Take over the steps that were added to the draft, or taken back from it."""
        steps = self._draft.steps
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(self._taken, steps, strict=False)))
        touched: list[VaultPath] = []
        if kept < len(self._taken):
            names, self._names = self._before.copy(), self._before.copy()
            for number, step in enumerate(self._taken):
                paths = follow_step(names, step)
                if number < kept:
                    follow_step(self._names, step)
                else:
                    touched += paths
        for step in steps[kept:]:
            touched += follow_step(self._names, step)
        self._taken = [*steps]
        for path in touched:
            self._forget(path)
            if path in self._names and self._may_have_names(path):
                self._unread.add(path)

    def find_affected(
        self, keys: Collection[str], affected: LinkFilter, always: Collection[VaultPath] = ()
    ) -> Iterator[VaultPath]:
        """Yield the documents with a link that a change affects, and those that cannot be read; notes first."""
        self._read_all()
        found = {path for path in always if self._may_have_names(path)} | self._unread
        named = {path for key in keys for path in self._read_sources.get(key, ())}
        named.update(path for key in keys for path in self._indexed_sources.get(key, ()) if path not in self._read)
        for path in sorted(found | named, key=_notes_first):
            if path in found:
                yield path
            elif path in self._names and not self._rules.denies(path):
                links = (link for link in self._links_in(path) if self._key(link) in keys)
                if any(affected(*link, path) for link in links):
                    yield path

    def find_queries_with(self, names: re.Pattern[str]) -> Collection[VaultPath]:
        found = {path for path, document in self._read.items() if document and any(map(names.search, document.queries))}
        # Their links need not be read for this.
        found.update(path for path in self._unread if self._is_naming(path, names))
        return sorted(found, key=_notes_first)

    def _is_naming(self, path: VaultPath, names: re.Pattern[str]) -> bool:
        try:
            text = decode(self._draft.read(path)).text
        except (NoteNotFound, NoteUnreadable, TooLarge):
            return False
        return names.search(text) is not None and any(map(names.search, self._queries_in(path, text)))

    def _links_in(self, path: VaultPath) -> Iterable[NamedLink]:
        document = self._read.get(path)
        return document.links if document else self._notes[path].targets

    def _may_have_names(self, path: VaultPath) -> bool:
        text = path.lower().endswith(".base") or (is_document(path) and kind_of(path) != "pdf")
        return text and not self._rules.denies(path)

    def _forget(self, path: VaultPath) -> None:
        document = self._read.get(path)
        self._read[path] = None
        self._unread.discard(path)
        for key in {self._key(link) for link in document.links} if document else ():
            self._read_sources[key].discard(path)

    def _read_all(self) -> None:
        for path in sorted(self._unread):
            try:
                data = self._draft.read(path)
            except (NoteNotFound, NoteUnreadable, TooLarge):
                self._read[path] = None
                continue
            self._unread.discard(path)
            document = self._read[path] = self._names_in(path, data)
            for link in document.links:
                self._read_sources.setdefault(self._key(link), set()).add(path)

    def _names_in(self, path: VaultPath, data: bytes) -> DocumentNames:
        if path.lower().endswith(".base"):
            return DocumentNames(frozenset(), self._queries_in(path, decode(data).text))
        spans = self.spans(path, data)
        links = frozenset((spot.target, spot.kind) for spot in spans.links)
        return DocumentNames(links, self._queries_in(path, spans.text))

    def _queries_in(self, path: VaultPath, text: str) -> tuple[str, ...]:
        if path.lower().endswith(".base"):
            return (text,)
        return tuple(find_queries(text)) if kind_of(path) == "note" else ()

    @cached_property
    def _indexed_sources(self) -> Mapping[str, list[VaultPath]]:
        found: dict[str, list[VaultPath]] = {}
        for path, note in self._notes.items():
            for key in {self._key(link) for link in note.targets}:
                found.setdefault(key, []).append(path)
        return found


def _notes_first(path: VaultPath) -> tuple[bool, VaultPath]:
    return not path.lower().endswith(".md"), path


BOOKMARKS: Final = ".obsidian/bookmarks.json"


class VaultView(Record):
    """A vault as a planner sees it; it must not change meanwhile. It contains no denied files."""

    names: Names
    notes: Mapping[VaultPath, IndexedNote]
    """The indexed notes, as they were before the change."""
    links: LinkSources
    read: Callable[[VaultPath], bytes]
    rules: Rules
    bookmarks: bytes = b""
    """The content of Obsidian's bookmarks file."""
    agents: str = ""
    """The agents' folder, whose notes a change of many notes leaves alone unless it names the folder."""

    def in_reach(self, paths: Iterable[VaultPath]) -> set[VaultPath]:
        """Return those of some notes that a change of all notes may be about: those outside the agents' folder."""
        return {path for path in paths if not (self.agents and path.startswith(f"{self.agents}/"))}

    def read_sources(
        self, paths: Iterable[VaultPath], warnings: list[str], required: Collection[VaultPath] = ()
    ) -> Iterator[tuple[VaultPath, bytes]]:
        """Yield documents with their bytes, without those that cannot be read and are neither indexed nor required."""
        for path in paths:
            try:
                data = self.read(path)
            except (NoteNotFound, NoteUnreadable, TooLarge) as error:
                if path in required or (path in self.notes and not isinstance(error, NoteNotFound)):
                    raise
                warnings.append(f"Links were not looked for: {error.message}")
                continue
            yield path, data

    def require_changeable(self, path: VaultPath) -> None:
        if self.rules.keeps(path):
            why = "the user's settings say that the note stays as it is"
            raise PathKept(f"`{path}` would have to change, and {why}.", path=path)
