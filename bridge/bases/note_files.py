"""The files of a vault as expressions see them."""

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from bridge.bases.values import Date, FileValue, LinkValue, Result, TagValue, parse_date, text_of
from bridge.index.note import IndexedNote
from bridge.markdown.links import name_key, target_file
from bridge.markdown.names import Names
from bridge.markdown.note import Value
from bridge.text.fold import fold_case, nfc
from bridge.types import VaultPath
from bridge.vault.open_file import birth_time, place_on_disk

_NO_PATH: Final = VaultPath("")


@lru_cache(maxsize=10_000)
def _fold_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(fold_case, tags))


def _date_at(seconds: float | None) -> Result:
    return None if seconds is None else Date(datetime.fromtimestamp(seconds).astimezone())


class NoteFiles:
    """The indexed notes and all other files of a vault, at one moment."""

    def __init__(
        self, notes: Mapping[VaultPath, IndexedNote], names: Names, root: Path, types: Mapping[str, str], now: datetime
    ) -> None:
        self._notes = notes
        self._names = names
        self._root = root
        self._texts = frozenset(fold_case(name) for name, kind in types.items() if kind in ("text", "multitext"))
        self.now = now
        """The current moment, the same for a whole query."""
        self._links: dict[str, tuple[LinkValue, ...]] = {}
        self._fields: Mapping[str, Callable[[VaultPath], Result]] = {
            "name": lambda path: path.rpartition("/")[2],
            "basename": lambda path: path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2],
            "path": str,
            "folder": lambda path: path.rpartition("/")[0] or "/",
            "ext": lambda path: path.rpartition("/")[2].rpartition(".")[2] if "." in path.rpartition("/")[2] else "",
            "size": self._size,
            "mtime": self._modification_time,
            "ctime": lambda path: _date_at(birth_time(place_on_disk(root, path))),
            "tags": lambda path: [TagValue(f"#{tag}") for tag in notes[path].tags] if path in notes else [],
            "links": lambda path: list(self._links_of(path)),
            "embeds": lambda path: list(self._read_links(path, embed=True)),
            "backlinks": lambda path: [self.as_link(f"[[{one}]]") for one in self._backlinks.get(path, ())],
            "properties": lambda path: {name: self.property_of(path, name) for name in self._properties(path)},
        }

    def as_link(self, value: Result, shown: Result = None) -> Result:
        text = None if shown is None else text_of(shown)
        match value:
            case LinkValue(target=target, path=path):
                return LinkValue(target, text or value.shown, path)
            case FileValue(path=path):
                return LinkValue(path.removesuffix(".md"), text, path)
            case str():
                inner = value.strip().removeprefix("!").removeprefix("[[").removesuffix("]]")
                target, _, own = inner.partition("|")
                return LinkValue(target, text or own or None, self._names.resolve(target, _NO_PATH).path)
            case _:
                return None

    def has_link(self, path: str, other: str) -> bool:
        if path in self._links:
            return any(link.path == other for link in self._links[path])
        note, key = self._notes.get(VaultPath(path)), name_key(other)
        return note is not None and any(
            self._names.resolve(link.target, note.path, link.kind).path == other
            for link in note.links
            if not link.embed and name_key(target_file(link.target, link.kind)) in (key, "")
        )

    def has_tag(self, path: str, tag: str) -> bool:
        note = self._notes.get(VaultPath(path))
        wanted = fold_case(tag.strip().lstrip("#"))
        return note is not None and any(one == wanted or one.startswith(f"{wanted}/") for one in _fold_tags(note.tags))

    def property_names(self, path: str) -> frozenset[str]:
        return frozenset(map(fold_case, self._properties(path)))

    def property_of(self, path: str, name: str) -> Result:
        properties = self._properties(path)
        folded = fold_case(name)
        if name not in properties:
            name = next((one for one in properties if fold_case(one) == folded), name)
        return self._convert(properties.get(name), folded not in self._texts)

    def field_of(self, path: str, name: str) -> Result:
        """Return a field of a file; null for an unknown one."""
        read = self._fields.get(name)
        return read(VaultPath(path)) if read else None

    def _properties(self, path: str) -> Mapping[str, Value]:
        note = self._notes.get(VaultPath(path))
        return note.properties if note else {}

    def _convert(self, value: Value, dates: bool) -> Result:
        match value:
            case str() if value.startswith("[[") and value.endswith("]]") and "]]" not in value[:-2]:
                return self.as_link(value)
            case str():
                return (parse_date(value) if dates and value[:1].isdigit() else None) or nfc(value)
            case list() | tuple():
                return [self._convert(item, dates) for item in value]
            case Mapping():
                return {nfc(name): self._convert(item, dates) for name, item in value.items()}
            case _:
                return value

    def _links_of(self, path: VaultPath) -> tuple[LinkValue, ...]:
        if path not in self._links:
            self._links[path] = self._read_links(path, embed=False)
        return self._links[path]

    def _read_links(self, path: VaultPath, *, embed: bool) -> tuple[LinkValue, ...]:
        note = self._notes.get(path)
        return tuple(
            LinkValue(link.target, link.shown, self._names.resolve(link.target, path, link.kind).path)
            for link in (note.links if note else ())
            if link.embed == embed
        )

    @cached_property
    def _backlinks(self) -> Mapping[str, list[VaultPath]]:
        found: dict[str, list[VaultPath]] = {}
        for path in self._notes:
            for target in dict.fromkeys(link.path for link in self._links_of(path) if link.path):
                found.setdefault(target, []).append(path)
        return found

    def _size(self, path: VaultPath) -> Result:
        note = self._notes.get(path)
        status = None if note else self._stat(path)
        return note.size if note else status.st_size if status else None

    def _modification_time(self, path: VaultPath) -> Result:
        note = self._notes.get(path)
        status = None if note else self._stat(path)
        return _date_at(note.mtime if note else status.st_mtime if status else None)

    def _stat(self, path: VaultPath) -> os.stat_result | None:
        try:
            return place_on_disk(self._root, path).stat()
        except OSError:
            return None
