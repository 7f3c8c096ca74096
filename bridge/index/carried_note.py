"""Carries over what the index holds of a note whose properties alone changed: its passages stay as they are."""

import json
import re
from dataclasses import replace
from typing import Final

from bridge.index.note import NOTHING, IndexedNote
from bridge.index.prepare import whole_text
from bridge.markdown.decode import BOM, digest_of
from bridge.markdown.excalidraw import is_drawing
from bridge.markdown.frontmatter import Frontmatter, cut_frontmatter, read_frontmatter
from bridge.markdown.prose import has_asides
from bridge.records import dataclass
from bridge.text.invisible import strip_break_hints
from bridge.text.lines import LineIndex
from bridge.text.stems import language_of
from bridge.vault.scan import Stat

LARGEST: Final = 1_000_000
"""Bytes of a file above which some of it may be left out."""

SHORTEST: Final = 200
"""Characters of a body up to which the properties count for the language."""

_REACHES_FURTHER: Final = ("<", "`", "~~~", "]:", "&nbsp;")
"""What may belong to something of which the rest is in the text below: a query, a definition, HTML, code."""


@dataclass(frozen=True, slots=True)
class CarriedNote:
    """A note with other properties than the index knows, and the same passages."""

    known: IndexedNote
    """The note as the index knows it."""
    note: IndexedNote
    whole: str
    """All of its words, as in `PreparedNote`."""
    removed: str
    """Words that it no longer has."""
    added: str
    """Words that it has instead."""


@dataclass(frozen=True, slots=True)
class _Versions:
    """The texts of a note before and after a change of its properties."""

    known: IndexedNote
    old: str
    new: str
    was: int
    """Where the old text begins below its property block."""
    now: Frontmatter

    @property
    def blocks(self) -> tuple[str, str]:
        return self.old[: self.was], self.new[: self.now.body]

    @property
    def is_apart(self) -> bool:
        return not any(sign in block for sign in _REACHES_FURTHER for block in self.blocks)

    def has_same_passages(self) -> bool:
        known, now, (old, new) = self.known, self.now, self.blocks
        if self.old[self.was :] != self.new[now.body :] or old.count("\n") != new.count("\n"):
            return False
        if now.problems or now.aliases != known.aliases or is_drawing(known.path, now.properties):
            return False
        is_short = len(self.new) - now.body <= SHORTEST
        return not (is_short and language_of(self.new) != known.language)

    def tags(self) -> tuple[str, ...] | None:
        """Return the tags of the note now; None if one that left the properties may be in its text too."""
        new = {tag.name: None for tag in self.now.tags}
        if not new and not self.known.tags:
            return ()
        had = {tag.name: None for tag in read_frontmatter(self.old, LineIndex(self.old)).tags}
        if list(had) == list(new):
            return self.known.tags
        left = had.keys() - new.keys()
        if any(re.search(rf"#{re.escape(name)}(?!/?\w)", self.new[self.now.body :]) for name in left):
            return None
        in_text = [name for name in self.known.tags if name not in had]
        return (*new, *(name for name in in_text if name not in new))

    def words(self) -> tuple[str, str, str]:
        """Return all words of the note now, those that it no longer has, and those that it has instead."""
        known = self.known
        whole = _all_words(known, self.new)
        if self.is_apart:
            old, new = map(strip_break_hints, self.blocks)
        else:
            old, new = _all_words(known, self.old), whole
        return (whole, *_differing_lines(old, new))


def carry_over(known: IndexedNote, before: bytes, after: bytes, stat: Stat) -> CarriedNote | None:
    """Return a changed note without preparing it; None if more than its properties changed, or that is not certain."""
    versions = _versions(known, before, after)
    if versions is None or not versions.has_same_passages() or (tags := versions.tags()) is None:
        return None
    now, shift = versions.now, versions.now.body - versions.was
    note = replace(
        known,
        tags=tags,
        properties=now.properties or NOTHING,
        digest=digest_of(after),
        mtime_ns=stat.mtime_ns,
        size=stat.size,
        asides=known.asides if versions.is_apart else has_asides(versions.new),
        passages_of=known.passages_of or known.digest,
        packed_headings=_shift_headings(known.packed_headings, shift),
        packed_links=_replace_links(known.packed_links, now, shift),
    )
    return CarriedNote(known, note, *versions.words())


def _versions(known: IndexedNote, before: bytes, after: bytes) -> _Versions | None:
    if known.kind != "note" or known.problems or max(len(before), len(after)) > LARGEST:
        return None
    if before.startswith(BOM) != after.startswith(BOM) or digest_of(before) != known.digest:
        return None
    try:
        old, new = (data.removeprefix(BOM).decode() for data in (before, after))
    except UnicodeDecodeError:
        return None
    cut = cut_frontmatter(old)
    return _Versions(known, old, new, cut[1] if cut else 0, read_frontmatter(new, LineIndex(new)))


def _all_words(known: IndexedNote, text: str) -> str:
    return strip_break_hints(whole_text(known.title, known.aliases, text))


def _differing_lines(old: str, new: str) -> tuple[str, str]:
    olds, news = old.split("\n"), new.split("\n")
    most = min(len(olds), len(news))
    first = next((at for at in range(most) if olds[at] != news[at]), most)
    last = next((at for at in range(most - first) if olds[-1 - at] != news[-1 - at]), most - first)
    return "\n".join(olds[first : len(olds) - last]), "\n".join(news[first : len(news) - last])


def _shift_headings(packed: str, by: int) -> str:
    if not by or packed == "[]":
        return packed
    return json.dumps([[*heading, start + by, end + by] for *heading, start, end in json.loads(packed)])


def _replace_links(packed: str, now: Frontmatter, by: int) -> str:
    if packed == "[]" and not now.links:
        return packed
    own = [[each.target, each.shown, each.kind, each.line, *each.span, each.embed] for each in now.links]
    others = (link for link in json.loads(packed) if link[2] != "property")
    return json.dumps([*own, *([*link, start + by, end + by, embed] for *link, start, end, embed in others)])
