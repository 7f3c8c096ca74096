"""Values of properties that are of another type than in the other notes."""

import re
from collections.abc import Iterator
from typing import Final

from bridge.changes.requests.edit_note import SetProperties
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.markdown.note import Value
from bridge.notebook.plan_note import code_words, plan_link
from bridge.schema.census import ValueKind, count_properties, kind_of_value
from bridge.text.fold import fold_case

FEWEST: Final = 10
"""Notes that must have the property."""

USUAL: Final = 0.9
"""Share of them that must have the same type."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?")
_OBSIDIAN: Final = {"number": "number", "checkbox": "checkbox", "multitext": "list"}
_OWN: Final = frozenset({"tags", "tag", "aliases", "alias", "cssclasses", "cssclass"})
"""Properties that Obsidian reads in any form."""


class PropertyTypes:
    """Finds numbers, yes and no written as text, and single values where the others have lists."""

    name = "property_types"
    sentence = "Values of another type than the same property has in other notes."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each value that can be converted."""
        expected: dict[str, ValueKind] = {}
        for count in count_properties(garden.notes.values()):
            filled = count.kinds.total() - count.kinds["empty"]
            kind, often = count.kinds.most_common(1)[0]
            chosen = _OBSIDIAN.get(garden.style.property_types.get(count.name, ""))
            if chosen is not None:
                expected[fold_case(count.name)] = chosen  # type: ignore[assignment]
            elif filled >= FEWEST and often >= USUAL * filled:
                expected[fold_case(count.name)] = kind
        for note in garden.fresh():
            for name, value in note.properties.items():
                kind = expected.get(fold_case(name), "empty")
                if fold_case(name) in _OWN or (converted := convert_value(value, kind)) is None:
                    continue
                yield GardenFinding(
                    check=self.name,
                    notes=(note.path,),
                    text=f"In {plan_link(note.path)}, make {code_words(name)} a {kind}:"
                    f" {code_words(_show(converted)[:60])}",
                    why=f"it is a {kind} in other notes",
                    confidence=0.9,
                    request=SetProperties(path=note.path, digest=note.digest, properties={name: converted}),
                    key=name,
                    kind="violation",
                )


def _show(value: Value) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value).lower()


def convert_value(value: Value, kind: ValueKind) -> Value:
    is_kind = kind_of_value(value)
    if kind == "list" and is_kind in ("text", "link", "number", "date"):
        # Several values in one text would become one item.
        return None if isinstance(value, str) and re.search(r"[,;\n]", value) else [value]
    if not isinstance(value, str) or is_kind != "text":
        return None
    if kind == "number" and _NUMBER.fullmatch(value.strip()):
        number = float(value)
        return int(number) if number.is_integer() and "." not in value else number
    if kind == "checkbox" and value.strip().casefold() in ("true", "false"):
        return value.strip().casefold() == "true"
    return None
