"""The rules that schema notes state, with their conditions evaluated."""

from collections.abc import Iterable, Iterator, Mapping

from bridge.api.note_names import unknown_properties
from bridge.api.where import evaluate_apart, note_files
from bridge.bases.evaluate import Budget, Evaluation, check_functions, find_properties
from bridge.bases.syntax import parse_expression
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.properties.rules import Rule, RuleScope
from bridge.features.properties.schema_note import TYPE, FindPaths, read_schema
from bridge.index.boilerplate import is_template
from bridge.index.note import IndexedNote
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings


async def read_schemas(vault: OpenVault, notes: Mapping[VaultPath, IndexedNote]) -> tuple[list[Rule], tuple[str, ...]]:
    """Return the rules of all schema notes, and what in them cannot be understood."""
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
