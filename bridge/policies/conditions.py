"""Says whether a condition of a policy holds."""

from collections.abc import Callable, Mapping

from bridge.bases.syntax import Name, walk
from bridge.bases.values import Result
from bridge.errors import InvalidArguments
from bridge.index.note import IndexedNote
from bridge.markdown.sections import heading_paths, normalise_heading
from bridge.markdown.tasks import TaskSettings
from bridge.policies.model import Condition
from bridge.policies.state import DraftState
from bridge.policies.templates import find_references
from bridge.search.task_filter import has_status
from bridge.text.fold import fold_case
from bridge.types import VaultPath


def holds(
    condition: Condition,
    state: DraftState,
    fill: Callable[[str, str], str],
    given: Mapping[str, Result],
    settings: TaskSettings,
) -> bool:
    """Return whether a condition is true now."""
    arguments = {name: fill(name, text) for name, text in condition.arguments.items()}
    path = state.find(arguments["note"]) if "note" in arguments else None
    note = state.notes.get(path) if path is not None else None
    match condition.check:
        case "where":
            found = _is_true(condition, state, path, given, missing="note" in arguments and path is None)
        case "note_exists" | "note_missing":
            found = (path is not None) == (condition.check == "note_exists")
        case "section_exists" | "section_missing":
            found = _has_section(note, arguments["heading"]) == (condition.check == "section_exists")
        case "property_exists" | "property_missing":
            found = _has_property(note, arguments["property"]) == (condition.check == "property_exists")
        case "open_tasks":
            inside = [note] if note is not None else _notes_in(state, arguments.get("folder"))
            found = any(has_status(task.status, "open", settings) for each in inside for task in each.tasks)
    return found != condition.negated


def names_item(condition: Condition) -> bool:
    """Return whether a condition may differ between the entries of a list."""
    references = [one for text in condition.arguments.values() for one in find_references(text)]
    nodes = walk([condition.node] if condition.node is not None else [])
    return any(one.root in ("item", "conditions") for one in references) or any(
        isinstance(node, Name) and node.name == "item" for node in nodes
    )


def _is_true(
    condition: Condition, state: DraftState, path: VaultPath | None, given: Mapping[str, Result], *, missing: bool
) -> bool:
    """Return whether an expression is true; of a note that is not there it is false."""
    if condition.node is None:
        raise InvalidArguments(f"The condition `{condition.id}` has no expression.")
    return not missing and state.passes(condition.node, path, given)


def _has_section(note: IndexedNote | None, heading: str) -> bool:
    if note is None:
        return False
    texts = (*(one.text for one in note.headings), *heading_paths(note.headings))
    return normalise_heading(heading) in map(normalise_heading, texts)


def _has_property(note: IndexedNote | None, name: str) -> bool:
    return note is not None and fold_case(name.strip()) in map(fold_case, note.properties)


def _notes_in(state: DraftState, folder: str | None) -> list[IndexedNote]:
    if folder is None:
        return []
    inside = f"{folder.strip().strip('/')}/"
    return [note for path, note in state.notes.items() if inside == "/" or path.startswith(inside)]
