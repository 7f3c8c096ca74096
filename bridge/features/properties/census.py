"""Counts the properties of notes: their spellings, types and values."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct, field

from bridge.index.note import IndexedNote
from bridge.markdown.links import inside_wiki
from bridge.markdown.note import Value
from bridge.text.fold import fold_case
from bridge.types import VaultPath

ValueKind = Literal["text", "number", "checkbox", "date", "datetime", "link", "list", "object", "empty"]
Single = str | int | float | bool | None

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:([T ])\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_LINK: Final = re.compile(rf"!?\[\[({inside_wiki('|#')}+){inside_wiki()}*\]\]")


def kind_of_value(value: Value) -> ValueKind:
    """Return the type of a value, as Obsidian would show it."""
    match value:
        case None:
            return "empty"
        case bool():
            return "checkbox"
        case int() | float():
            return "number"
        case str():
            return _kind_of_text(value.strip())
        case Mapping():
            return "object"
        case _:
            return "list"


def _kind_of_text(text: str) -> ValueKind:
    if found := _DATE.fullmatch(text):
        return "datetime" if found[1] else "date"
    return "link" if _LINK.fullmatch(text) else "text" if text else "empty"


class PropertyCount(Struct):
    """What the notes say in one property, whatever its case."""

    spellings: Counter[str] = field(default_factory=Counter)
    kinds: Counter[ValueKind] = field(default_factory=Counter)
    has_several: bool = False
    """Whether a note has a list of two values or more."""
    values: Counter[tuple[ValueKind, str]] = field(default_factory=Counter)
    """Notes by value, or item of a list, folded."""
    texts: Counter[tuple[tuple[ValueKind, str], str]] = field(default_factory=Counter)
    """Notes by value and how it is written there."""

    @property
    def name(self) -> str:
        """The most common spelling."""
        return max(self.spellings, key=lambda name: (self.spellings[name], name))

    def common_values(self, most: int) -> list[str]:
        spelled = {key: text for (key, text), _ in reversed(self.texts.most_common())}
        return [spelled[key] for key, _ in self.values.most_common(most)]


def count_properties(notes: Iterable[IndexedNote]) -> list[PropertyCount]:
    """Count every property, the most common first."""
    found: defaultdict[str, PropertyCount] = defaultdict(PropertyCount)
    for note in notes:
        for name, value in note.properties.items():
            count = found[fold_case(name)]
            count.spellings[name] += 1
            count.kinds[kind_of_value(value)] += 1
            count.has_several |= isinstance(value, list | tuple) and len(value) > 1
            texts = {value_key(item): bare_value(item) for item in single_values(value)}
            count.values.update(texts.keys())
            count.texts.update(texts.items())
    return sorted(found.values(), key=lambda each: (-each.spellings.total(), each.name))


class ValueCount(Struct):
    """A value of a property, in one or several spellings."""

    spellings: Counter[Single] = field(default_factory=Counter)
    kind: ValueKind = "text"
    paths: list[VaultPath] = field(default_factory=list)

    @property
    def value(self) -> Single:
        """The most common spelling."""
        return max(self.spellings, key=lambda value: (self.spellings[value], str(value)))


def count_values(notes: Iterable[IndexedNote], name: str) -> list[ValueCount]:
    """Count the values of a property, items of lists each on their own, the most common first."""
    folded = fold_case(name)
    found: defaultdict[tuple[ValueKind, str], ValueCount] = defaultdict(ValueCount)
    for note in notes:
        for own, value in note.properties.items():
            if fold_case(own) != folded:
                continue
            for item in {(type(each), each): each for each in single_values(value)}.values():
                count = found[value_key(item)]
                count.kind = kind_of_value(item)
                count.spellings[item] += 1
                if note.path not in count.paths[-1:]:
                    count.paths.append(note.path)
    return sorted(found.values(), key=lambda each: (-len(each.paths), str(each.value)))


def value_key(value: Single) -> tuple[ValueKind, str]:
    """Return what makes two values the same to a reader: not their case, and of a link only its target."""
    return kind_of_value(value), fold_case(bare_value(value))


def bare_value(value: Single) -> str:
    """Return a value as text; of a link, only its target."""
    if isinstance(value, str):
        link = _LINK.fullmatch(value.strip())
        return (link[1] if link else value).strip()
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def single_values(value: Value) -> Iterator[Single]:
    """Yield a value, or those of a list at any depth; objects have none."""
    match value:
        case str() | int() | float() | None:
            yield value
        case Mapping():
            return
        case _:
            for item in value:
                yield from single_values(item)
