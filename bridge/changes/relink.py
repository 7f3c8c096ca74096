"""Writes a file's links anew where a change of names would break them or turn them elsewhere."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from bridge.changes.effect import Reference
from bridge.changes.shift import Fate, Shift
from bridge.changes.ways import ways
from bridge.errors import InvalidArguments, ProtectedPath
from bridge.types import Span, VaultPath
from bridge.vault import Slot, Spot, Spots, asked_file, in_address, in_wiki, read_spots, title_of

_BOM = b"\xef\xbb\xbf"
NOT_IN_LABEL = frozenset("[]|\\\r\n")

Edit = tuple[Span, str]


@dataclass(frozen=True, slots=True)
class Relinked:
    """A file with its links written anew, and what they were before."""

    data: bytes
    before: Spots
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]


def relinked(path: VaultPath, data: bytes, shift: Shift) -> Relinked:
    """Write those links of a file anew that would not lead to the same file any more.

    Args:
        path: The file, as it is called before the change.
        data: What is in it.
        shift: How names change.

    Raises:
        InvalidArguments: A link cannot be written so that it leads where it did.
        ProtectedPath: The file has such a link and cannot be written without loss.
    """
    spots = read_spots(path, data)
    edits: list[Edit] = []
    rewritten: list[Reference] = []
    mended: list[Reference] = []
    for spot in spots.links:
        fate = shift.fate(spot.target, spot.kind, path)
        if fate.mended and fate.means:
            mended.append(Reference(shift.now(path), spot.line, spot.target, fate.means))
        if not fate.stays:
            name, way = _renamed(spot, fate, path, shift)
            edits += [name, *_relabelled(spot, fate)]
            rewritten.append(Reference(shift.now(path), spot.line, spot.target, way))
    if edits and spots.lossy:
        raise ProtectedPath(
            f"`{path}` has a link to change and is not UTF-8.", hint="Save the note as UTF-8, then repeat the change."
        )
    after = edited(data, spots.text, edits) if edits else data
    return Relinked(after, spots, tuple(rewritten), tuple(mended))


def edited(data: bytes, text: str, edits: Iterable[Edit]) -> bytes:
    """Put other words in the place of stretches of a file.

    Args:
        data: The file.
        text: Its text.
        edits: Stretches of the text that do not overlap, and what shall stand there.
    """
    parts: list[str] = []
    end = 0
    for (first, last), words in sorted(edits):
        parts += [text[end:first], words]
        end = last
    bom = _BOM if data.startswith(_BOM) else b""
    return bom + "".join([*parts, text[end:]]).encode()


def _renamed(spot: Spot, fate: Fate, path: VaultPath, shift: Shift) -> tuple[Edit, str]:
    """Find the words that name the same file after the change."""
    slot = spot.file
    source = shift.now(path)
    for way in _candidates(spot, slot, fate, path, shift) if slot else ():
        target = way + (spot.place.text if spot.place else "")
        if slot and shift.after.resolve(_read_again(spot, target), source, spot.kind).path == fate.wanted:
            return (slot.span, slot.ink(way)), target
    raise InvalidArguments(
        f"The link to `{fate.was}` in line {spot.line} of `{path}` cannot be written so that it still leads there.",
        hint="Choose another path, or change that link first.",
        path=path,
        line=spot.line,
    )


def _candidates(spot: Spot, slot: Slot, fate: Fate, path: VaultPath, shift: Shift) -> Iterator[str]:
    """Yield how the link could be written, the best first."""
    if fate.was is None or fate.wanted is None:
        return
    if spot.syntax == "path":
        yield fate.wanted
        return
    plain = spot.syntax == "markdown"
    asked = asked_file(spot.target, spot.kind)
    for way in ways(asked, fate.was, fate.wanted, (path, shift.now(path)), relative=plain):
        words = in_address(way, slot.text, pointed=slot.pointed) if plain else in_wiki(way)
        if words:
            yield words


def _read_again(spot: Spot, target: str) -> str:
    """Return a target as the parser will read it; in a property it decodes Markdown links itself."""
    if spot.syntax == "markdown" and spot.kind == "property":
        return unquote(target)
    return target


def _relabelled(spot: Spot, fate: Fate) -> Iterator[Edit]:
    """Yield the new words of a link that shows the file's old name, as Obsidian changes them."""
    if spot.shown is None or fate.was is None or fate.wanted is None:
        return
    old, new = title_of(fate.was), title_of(fate.wanted)
    if spot.shown.text == old != new and NOT_IN_LABEL.isdisjoint(new):
        yield spot.shown.span, spot.shown.ink(new)
