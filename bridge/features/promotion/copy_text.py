"""The text of a note as it is copied into another vault: links to notes that are not there become addresses."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from bridge.markdown.edit.places import normalise_newlines
from bridge.markdown.kinds import title_of
from bridge.markdown.link_targets import percent_decode, target_file, target_subpath
from bridge.markdown.names import Names
from bridge.markdown.note import Link, Note, Value
from bridge.records import dataclass
from bridge.types import VaultPath

KEPT: Final = (
    *("type", "kind", "tags", "aliases", "scope", "confidence", "tier", "resolved", "superseded_by", "expires"),
    *("valid_from", "valid_until", "private_to", "deny_agents"),
)
"""Properties that a copy keeps: the kind of note, who may be told about it, and how long it is valid."""

_BRACKET: Final = re.compile(r"[\[\]]")
_SIZE: Final = re.compile(r"\d+(x\d+)?")
_VAULT: Final = re.compile(r"(obsidian://open\?vault=)[^&)\s]*")


@dataclass(frozen=True, slots=True)
class CopiedText:
    """The text of a copy, without properties."""

    text: str
    embeds: tuple[str, ...]
    """What the note shows and the copy only links to, as written."""


def open_address(vault: str, path: str, place: str = "") -> str:
    return f"obsidian://open?vault={quote(vault, safe='')}&file={quote(path.removesuffix('.md') + place, safe='')}"


def copy_text(note: Note, vault: str, names: Names, copy: VaultPath, there: Names) -> CopiedText:
    """Return the text of a note for another vault; a link that means a note there too stays as it is."""
    parts: list[str] = []
    embeds: list[str] = []
    end = note.body
    for link in note.links:
        start = link.span[0]
        target = names.resolve(link.target, note.path, link.kind).path
        if start < end or target is None or _is_there(link, copy, there):
            continue
        place = target_subpath(link.target)
        place = percent_decode(place) if link.kind == "markdown" else place
        address, is_itself = open_address(vault, target, place), target == note.path
        linked = f"[[{title_of(copy)}{place}]]" if is_itself else f"[{_label(link, target)}]({address})"
        parts += [note.text[end:start], linked]
        end = link.span[1]
        if link.embed and not is_itself:
            embeds.append(note.text[slice(*link.span)])
    return CopiedText("".join((*parts, note.text[end:])).lstrip("\n"), tuple(embeds))


def kept_properties(properties: Mapping[str, Value], type_: str | None) -> dict[str, Value]:
    """Return the properties that a copy keeps; a journal becomes a pattern, unless another type is given."""
    kept = {name: value for name, value in properties.items() if name.casefold() in KEPT}
    own = next((name for name in kept if name.casefold() == "type"), "type")
    if type_ is not None:
        kept[own] = type_
    elif kept.get(own) == "journal":
        kept[own] = "pattern"
    return kept


def without_vaults(text: str) -> str:
    """Return a text without the vaults in its addresses, in which copies of one note from two vaults differ."""
    return _VAULT.sub(r"\1", normalise_newlines(text).strip())


def _is_there(link: Link, copy: VaultPath, there: Names) -> bool:
    """Return whether a link in the copy leads to a file of the other vault; one within the note always does."""
    return not target_file(link.target, link.kind) or there.resolve(link.target, copy, link.kind).path is not None


def _label(link: Link, target: VaultPath) -> str:
    if link.kind == "markdown" and link.shown:
        return link.shown
    shown = "" if link.embed and _SIZE.fullmatch(link.shown or "") else link.shown or ""
    name = title_of(target) if target.endswith(".md") else target.rpartition("/")[2]
    place = target_subpath(link.target).strip("#^").replace("#", " > ").strip()
    return _BRACKET.sub(r"\\\g<0>", shown or " > ".join(filter(None, (name, place))))
