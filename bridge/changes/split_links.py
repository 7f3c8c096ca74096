"""Rewrites links for a split: those to a heading or block of the section lead to the note that it becomes."""

from collections.abc import Iterable, Iterator

from bridge.changes.effect import Reference
from bridge.changes.relink import Edit, find_new_target
from bridge.changes.renames import Fate, Shift
from bridge.errors import InvalidArguments
from bridge.linking.apply import link_names
from bridge.markdown.link_parts import encode_destination, percent_encode, wiki_file_name
from bridge.markdown.link_spans import LinkSpan
from bridge.markdown.names import Names
from bridge.markdown.note import Heading, LinkKind
from bridge.markdown.sections import anchor, decode_place, heading_chains, resolve_headings
from bridge.records import dataclass
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings


@dataclass(frozen=True, slots=True)
class LinkEdits:
    """The edits of a file's links, with the links rewritten and the links that find a file at last."""

    edits: tuple[Edit, ...]
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class SplitLinks:
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
            changed = [*self._edits(spot, Fate(was, target, means), place, source, now)]
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
        place = self._place(spot, wanted, was[-1], left, source)
        return (self.to if goes else self.path), place

    def _place(self, spot: LinkSpan, wanted: str, number: int, left: list[int], source: VaultPath) -> str | None:
        headings = [self.headings[one] for one in left]
        target = left.index(number)
        chain = list(heading_chains(headings))[target]
        whole = "".join(f"#{anchor(text)}" for text in chain)
        for place in (wanted, f"#{anchor(chain[-1])}", whole):
            if resolve_headings(headings, place)[-1:] == (target,):
                return None if place == wanted else _encode(place, spot)
        raise InvalidArguments(
            f"The link to `{chain[-1]}` in line {spot.line} of `{source}` could not follow.",
            hint="Change that link first.",
            path=source,
            line=spot.line,
        )

    def _name(self, spot: LinkSpan, target: VaultPath, source: VaultPath) -> str:
        for way in link_names(target, source, self.after, self.style):
            for asked in dict.fromkeys((way.removesuffix(".md") if spot.syntax == "wiki" else way, way)):
                words = wiki_file_name(asked) if spot.syntax == "wiki" else percent_encode(asked)
                if words and self.after.resolve(words, source, spot.kind).path == target:
                    return words
        raise InvalidArguments(
            f"The link in line {spot.line} of `{source}` cannot name `{target}`.", hint="Choose another name."
        )


def _encode(place: str, spot: LinkSpan) -> str:
    if spot.syntax != "markdown" or spot.place is None:
        return place
    before = spot.place.text
    return "#".join(encode_destination(part, before, pointed=spot.place.pointed) for part in place.split("#"))
