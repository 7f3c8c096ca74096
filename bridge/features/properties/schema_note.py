"""Schema notes: rules that a person writes as a table in a note of the type `schema`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from bridge.api.note_names import unknown_properties
from bridge.api.where import evaluate_apart, note_files
from bridge.bases.evaluate import Budget, Evaluation, check_functions, find_properties
from bridge.bases.syntax import parse_expression
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments
from bridge.features.properties.rules import Condition, Rule, RuleScope
from bridge.index.boilerplate import is_template
from bridge.index.note import IndexedNote
from bridge.markdown.links import UNESCAPED_BAR
from bridge.markdown.note import Value, property_of
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

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
FindPaths = Callable[[RuleScope, str], frozenset[VaultPath]]
"""Returns the notes of a scope for which an expression is true, or raises InvalidArguments."""

_DASHES: Final = re.compile(r"\s*:?-+:?\s*")
_YES_WORDS: Final = frozenset({"yes", "true", "x", "required", "✓", "✅"})
_COLUMNS: Final = frozenset({"name", "type", "required", "values", "where", "must"})


class Schema(Record):
    """The rules of a schema note, and what in it cannot be understood."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()


def read_schema(path: VaultPath, text: str, properties: Mapping[str, Value], find: FindPaths) -> Schema:
    folder, note_type = property_of(properties, "for"), property_of(properties, "for_type")
    scope = RuleScope(
        folder.strip().strip("/") if isinstance(folder, str) and not isinstance(note_type, str) else "",
        fold_case(note_type.strip()) if isinstance(note_type, str) else "",
    )
    whole = _has_condition(properties) or (isinstance(folder, str) and folder.strip() in ("", "/"))
    if scope == RuleScope() and not whole:
        return Schema(
            (), (f"`{path}` does not say what it is for: give it `for: Folder`, `for_type: book` or `for_where`.",)
        )
    try:
        scope = _narrow_scope(scope, path, text, properties, find)
    except InvalidArguments as error:
        return Schema((), (error.message,))
    rules: list[Rule] = []
    problems: list[str] = []
    rows = list(_table(text))
    if not rows:
        problems.append(f"`{path}` has no table with a column `name`.")
    for line, row in rows:
        try:
            rules += _rules_of_row(scope, path, line, row, find, problems)
        except InvalidArguments as error:
            problems.append(error.message)
    return Schema(tuple(rules), tuple(problems))


def _has_condition(properties: Mapping[str, Value]) -> bool:
    return any(name.casefold() == "for_where" for name in properties)


def _narrow_scope(
    scope: RuleScope, path: VaultPath, text: str, properties: Mapping[str, Value], find: FindPaths
) -> RuleScope:
    if not _has_condition(properties):
        return scope
    value = property_of(properties, "for_where")
    line = next((at for at, each in enumerate(text.splitlines(), 1) if each.lower().startswith("for_where")), 1)
    if not isinstance(value, str) or not value.strip():
        raise InvalidArguments(f"`{path}`, line {line}: `for_where` must be text, such as 'file.hasTag(\"book\")'.")
    return replace(scope, where=_find(scope, path, line, value.strip(), find))


def _rules_of_row(
    scope: RuleScope, path: VaultPath, line: int, row: Mapping[str, str], find: FindPaths, problems: list[str]
) -> Iterator[Rule]:
    """Yield what a row says; a wrong type or condition is added to the problems, and says nothing."""
    name = row.get("name", "").strip("` ")
    where, must = (row.get(column, "").strip("` ") for column in ("where", "must"))
    if where:
        inner = _find(scope, path, line, where, find)
        outer = scope.where
        scope = replace(scope, where=Condition(f"({outer.text}) && ({where})", inner.paths) if outer else inner)
    if must:
        yield Rule(scope, "condition", name, (must,), source=path, must=_find(scope, path, line, must, find))
    if not name:
        return
    if fold_case(row.get("required", "")) in _YES_WORDS:
        yield Rule(scope, "required", name, source=path)
    kinds = [fold_case(each) for each in _split(row.get("type", ""))]
    if unknown := [kind for kind in kinds if kind not in _TYPES]:
        problems.append(f"`{path}` gives `{name}` the type `{unknown[0]}`; types are {', '.join(sorted(_TYPES))}.")
    elif kinds:
        yield Rule(scope, "type", name, tuple(sorted({_TYPES[kind] for kind in kinds})), source=path)
    if values := _split(row.get("values", "")):
        yield Rule(scope, "values", name, tuple(values), source=path)


def _find(scope: RuleScope, path: VaultPath, line: int, text: str, find: FindPaths) -> Condition:
    try:
        return Condition(text, find(scope, text))
    except InvalidArguments as error:
        raise InvalidArguments(f"`{path}`, line {line}: {error.message} {error.hint or ''}".rstrip()) from None


def _split(cell: str) -> list[str]:
    return [each.strip("` ").removeprefix("[[").removesuffix("]]") for each in cell.split(",") if each.strip("` ")]


def _table(text: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    lines = [line.strip() for line in text.splitlines()]
    for at, line in enumerate(lines[:-1]):
        columns = [fold_case(cell) for cell in _cells(line)]
        if "name" in columns and _COLUMNS.intersection(columns) and all(map(_DASHES.fullmatch, _cells(lines[at + 1]))):
            for number, row in enumerate(lines[at + 2 :], at + 3):
                if "|" not in row:
                    return
                yield number, dict(zip(columns, _cells(row), strict=False))
            return


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").strip() for cell in UNESCAPED_BAR.split(inner)]


async def read_schemas(vault: OpenVault, notes: Mapping[VaultPath, IndexedNote]) -> tuple[list[Rule], tuple[str, ...]]:
    return await evaluate_apart(lambda budget: _read_schemas(vault, notes, budget))


def _read_schemas(
    vault: OpenVault, notes: Mapping[VaultPath, IndexedNote], budget: Budget
) -> tuple[list[Rule], tuple[str, ...]]:

    rules: list[Rule] = []
    problems: list[str] = []
    named: dict[str, None] = {}
    find = _condition_finder(vault, notes, budget, named)
    for path, note in sorted(notes.items()):
        if note.note_type == TYPE and path.lower().endswith(".md"):
            try:
                text = vault.files.read(path)[0].decode("utf-8", "replace")
            except BridgeError as error:
                problems.append(error.message)
                continue
            schema = read_schema(path, text, note.properties, find)
            rules += schema.rules
            problems += schema.problems
            problems += (f"`{path}`: {unknown}" for unknown in unknown_properties(notes, [*named]))
            named.clear()
    return rules, tuple(problems)


def _condition_finder(
    vault: OpenVault, notes: Mapping[VaultPath, IndexedNote], budget: Budget, named: dict[str, None]
) -> FindPaths:
    checked = list(without_templates(vault, notes.values()))
    files = note_files(vault, notes)

    def find(scope: RuleScope, text: str) -> frozenset[VaultPath]:
        node = parse_expression(text)
        check_functions([node])
        named.update(dict.fromkeys(find_properties([node])))
        query = Evaluation(files, budget=budget)
        return frozenset(note.path for note in checked if scope.contains(note) and query.passes(node, note.path))

    return find


def find_templates(vault: OpenVault, notes: Mapping[VaultPath, IndexedNote]) -> frozenset[VaultPath]:
    """Return which notes are templates, by Obsidian's settings as they are now."""
    folders = read_obsidian_settings(vault.root).template_folders
    return frozenset(path for path, note in notes.items() if is_template(note, folders))


def without_templates(vault: OpenVault, notes: Iterable[IndexedNote]) -> Iterator[IndexedNote]:
    """Yield the notes that are neither templates nor schema notes."""
    folder = read_obsidian_settings(vault.root).template_folders
    for note in notes:
        if note.note_type != TYPE and not is_template(note, folder):
            yield note
