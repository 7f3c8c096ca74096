"""Schema notes: rules that a person writes as a table in a note of the type `schema`."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from bridge.markdown.links import UNESCAPED_BAR
from bridge.markdown.note import Value
from bridge.records import dataclass
from bridge.schema.rules import Rule, RuleScope
from bridge.text.fold import fold_case
from bridge.types import VaultPath

TYPE: Final = "schema"
"""The `type` of such a note."""

_TYPES: Final[Mapping[str, str]] = {
    **{kind: kind for kind in ("text", "number", "checkbox", "date", "datetime", "link", "list", "object")},
    "string": "text",
    "boolean": "checkbox",
    "bool": "checkbox",
    "multitext": "list",
    "tags": "list",
}
_DASHES: Final = re.compile(r"\s*:?-+:?\s*")
_YES: Final = frozenset({"yes", "true", "x", "required", "✓", "✅"})
_COLUMNS: Final = frozenset({"name", "type", "required", "values"})


@dataclass(frozen=True, slots=True)
class Schema:
    """The rules of a schema note, and what in it cannot be understood."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()


def read_schema(path: VaultPath, text: str, properties: Mapping[str, Value]) -> Schema:
    """Read a schema note.

    Args:
        path: The note.
        text: Its text: the first table with a column `name` has the rules.
        properties: Its properties; `for` names a folder, `for_type` a type of notes.
    """
    folder, note_type = properties.get("for"), properties.get("for_type")
    scope = RuleScope(
        folder.strip().strip("/") if isinstance(folder, str) and not isinstance(note_type, str) else "",
        fold_case(note_type.strip()) if isinstance(note_type, str) else "",
    )
    problems = []
    if scope == RuleScope() and not (isinstance(folder, str) and folder.strip() in ("", "/")):
        return Schema((), (f"`{path}` does not say what it is for: give it `for: Folder` or `for_type: book`.",))
    rules: list[Rule] = []
    rows = list(_table(text))
    if not rows:
        problems.append(f"`{path}` has no table with a column `name`.")
    for row in rows:
        name = row.get("name", "").strip("` ")
        if not name:
            continue
        if fold_case(row.get("required", "")) in _YES:
            rules.append(Rule(scope, "required", name, source=path))
        kinds = [fold_case(each) for each in _split(row.get("type", ""))]
        if unknown := [kind for kind in kinds if kind not in _TYPES]:
            problems.append(f"`{path}` gives `{name}` the type `{unknown[0]}`; types are {', '.join(sorted(_TYPES))}.")
        elif kinds:
            rules.append(Rule(scope, "type", name, tuple(sorted({_TYPES[kind] for kind in kinds})), source=path))
        if values := _split(row.get("values", "")):
            rules.append(Rule(scope, "values", name, tuple(values), source=path))
    return Schema(tuple(rules), tuple(problems))


def _split(cell: str) -> list[str]:
    return [each.strip("` ").removeprefix("[[").removesuffix("]]") for each in cell.split(",") if each.strip("` ")]


def _table(text: str) -> Iterator[Mapping[str, str]]:
    """Yield the rows of the first table with a column `name`, by the names of its columns."""
    lines = [line.strip() for line in text.splitlines()]
    for at, line in enumerate(lines[:-1]):
        columns = [fold_case(cell) for cell in _cells(line)]
        if "name" in columns and _COLUMNS.intersection(columns) and all(map(_DASHES.fullmatch, _cells(lines[at + 1]))):
            for row in lines[at + 2 :]:
                if "|" not in row:
                    return
                yield dict(zip(columns, _cells(row), strict=False))
            return


def _cells(line: str) -> list[str]:
    """Return the cells of a row of a table."""
    inner = line.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").strip() for cell in UNESCAPED_BAR.split(inner)]
