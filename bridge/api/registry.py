"""The only list of the bridge's operations; each entry is derived from one typed function and its docstring."""

import functools
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar, get_args, get_type_hints

import bridge.errors
from bridge.api import arguments, signature
from bridge.api.feature import App, Feature
from bridge.api.hints import Folder, is_record, role_of, strip_hint, walk_hint
from bridge.api.markup import Element, View, fields
from bridge.api.operation import Operation
from bridge.api.signature import Argument, check_records, read_arguments
from bridge.docstrings import docstring_of
from bridge.engine.hooks import Hooks
from bridge.errors import BridgeError, NoSuchOperation
from bridge.records import Record
from bridge.settings.schema import install_sections
from bridge.state.store import install_subjects
from bridge.text.closest import find_closest
from bridge.types import PathRole, Scope, VaultPath

FEATURES: list[Feature] = []
"""Every installed feature, in the order in which documents list them."""

OPERATIONS: dict[str, Callable[[], Operation]] = {}
"""By name, in order: what returns each operation of these features, which is built when it is first asked for."""

VIEWS: dict[type, View[Any]] = {}
"""The text view of each result record that has one."""

APPS: dict[type, App] = {}
"""The page of each result record that has one."""

RENAMED_OPERATIONS: Mapping[str, str] = {
    "accept_change": "decide",
    "approve_policy": "decide",
    "around_date": "find_notes",
    "author_policy": "author_workflow",
    "call_server_tool": "call_server",
    "change_values": "change_notes",
    "check_globs": "read_settings",
    "check_policy": "list_workflows",
    "conventions": "check_notes",
    "deny_agent": "set_properties",
    "entity_course": "note_links",
    "export_graph": "graph_view",
    "garden_rules": "tidy_rules",
    "gather_context": "search",
    "keep_summary": "set_properties",
    "list_clients": "read_settings",
    "list_corrections": "list_tasks",
    "list_entities": "find_notes",
    "list_handoffs": "take_over",
    "list_models": "read_settings",
    "list_policies": "list_workflows",
    "note_down": "save_session",
    "note_profile": "read_note",
    "pause_session": "save_session",
    "plan_garden": "plan_tidy",
    "preview_brief": "brief",
    "preview_policy": "run_workflow",
    "property_values": "property_report",
    "read_server_resource": "call_server",
    "redo_change": "undo_change",
    "reject_change": "decide",
    "rename_property": "change_notes",
    "rename_tag": "change_notes",
    "resolve_correction": "toggle_task",
    "revise_policy": "edit_note",
    "revive": "dismiss",
    "run_policy": "run_workflow",
    "search_everywhere": "search",
    "set_up_ontology": "set_up_topics",
    "switch_garden_rule": "tidy_rules",
    "topics_of": "list_topics",
    "undo_session": "undo_change",
    "validate_topics": "list_topics",
    "withhold_note": "give_note",
}
"""What took the place of an operation of an earlier version."""

DEFINITIONS: dict[Callable[..., Any], Callable[[], Operation]] = {}
"""What returns each operation, by its function."""

ANY_ERRORS = ("InvalidArguments", "NoSuchVault")
VAULT_ERRORS = ("NotReady",)
PATH_ERRORS = ("OutsideVault", "ProtectedPath")
NAME_ERRORS = ("NoteNotFound",)

Function = TypeVar("Function", bound=Callable[..., Awaitable[Any]])


def operation(
    *,
    example: Mapping[str, Any],
    reads: bool = True,
    scope: Scope = "read",
    vault: bool = True,
    destructive: bool = False,
    idempotent: bool = False,
    tool: bool = True,
    complete: Scope | None = None,
    tasks: tuple[str, ...] = (),
    streams: bool = False,
    early: bool = False,
    quotes: bool | None = None,
    open_world: bool = False,
    whole_vault: bool = False,
) -> Callable[[Function], Function]:
    def build(function: Function) -> Operation:
        text = signature.parse_docstring(function)
        taken, records, raised = read_arguments(function)
        result: type = get_type_hints(function)["return"]
        if not is_record(result):
            raise TypeError(f"{function.__name__} returns no record")
        for hint in (result, *(argument.hint for argument in taken)):
            check_records(hint)
        return Operation(
            name=function.__name__,
            title=function.__name__.replace("_", " ").capitalize(),
            summary=text.summary,
            details=text.details,
            scope=scope,
            reads=reads,
            arguments=taken,
            records=records,
            result=result,
            errors=implied_errors(taken, vault=vault) | {find_error(name): when for name, when in raised.items()},
            example=example,
            vault=vault,
            destructive=destructive,
            idempotent=reads or idempotent,
            tool=tool,
            complete=complete or scope,
            tasks=tasks,
            function=function,
            streams=streams,
            early=early,
            quotes=vault if quotes is None else quotes,
            open_world=open_world,
            whole_vault=whole_vault,
        )

    def register(function: Function) -> Function:
        DEFINITIONS[function] = functools.cache(functools.partial(build, function))
        return function

    return register


def implied_errors(taken: tuple[Argument, ...], *, vault: bool) -> dict[type[BridgeError], str]:
    """Return the errors that the registry itself raises."""
    names: tuple[str, ...] = (*ANY_ERRORS, *(VAULT_ERRORS if vault else ()))
    if any(part in (VaultPath, Folder) for argument in taken for part in walk_hint(argument.hint)):
        names += PATH_ERRORS
    if any(is_existing_file(argument.hint) for argument in taken):
        names += NAME_ERRORS
    return {find_error(name): docstring_of(find_error(name)) for name in names}


def is_existing_file(hint: Any) -> bool:
    return (
        VaultPath in {strip_hint(hint), *map(strip_hint, get_args(strip_hint(hint)))}
        and role_of(hint) is not PathRole.NEW
    )


def find_error(name: str) -> type[BridgeError]:
    found = getattr(bridge.errors, name, None)
    if not (isinstance(found, type) and issubclass(found, BridgeError)):
        raise TypeError(f"{name} is not an error of the bridge")
    return found


def install(features: Iterable[Feature]) -> None:
    """Make the operations, checks, settings, tables, views and apps of these features, and no others, available."""
    FEATURES[:] = features
    install_sections({feature.name: feature.settings for feature in FEATURES if feature.settings is not None})
    install_subjects(feature.tables for feature in FEATURES if feature.tables is not None)
    OPERATIONS.clear()
    VIEWS.clear()
    APPS.clear()
    for feature in FEATURES:
        add_operations(feature)


def installed_hooks() -> Hooks:
    """Return what the installed features do in open vaults."""
    return Hooks(
        tasks=tuple(task for feature in FEATURES for task in feature.tasks),
        on_indexed=tuple(feature.on_indexed for feature in FEATURES if feature.on_indexed is not None),
        on_stop=tuple(feature.on_stop for feature in FEATURES if feature.on_stop is not None),
        on_draft=tuple(hook for feature in FEATURES for hook in feature.on_draft),
    )


def add_operations(feature: Feature) -> None:
    OPERATIONS.update((function.__name__, DEFINITIONS[function]) for function in feature.operations)
    VIEWS.update((next(iter(view.__annotations__.values())), view) for view in feature.views)
    APPS.update(feature.apps)


def show(result: Record) -> Iterable[Element]:
    """Return the elements of a result by the view of its type, else field by field."""
    return VIEWS.get(type(result), fields)(result)


def operations() -> tuple[Operation, ...]:
    """Return every operation, in the order in which documents list them."""
    return tuple(build() for build in OPERATIONS.values())


def get_operation(name: str) -> Operation:
    """Return an operation by its name."""
    if name in OPERATIONS:
        return OPERATIONS[name]()
    message = f"There is no operation `{arguments.truncate(name)}`."
    if near := RENAMED_OPERATIONS.get(name):
        message += f" Use `{near}` instead."
    elif near := find_closest(name, OPERATIONS):
        message += f" Did you mean `{near}`?"
    raise NoSuchOperation(message, closest=[near] if near else [])
