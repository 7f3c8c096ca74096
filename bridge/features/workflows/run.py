"""Runs a workflow on a draft: every step sees what the steps before it did, and nothing is written here."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from msgspec.structs import replace

from bridge.api import arguments
from bridge.api.call import Call
from bridge.api.moments import day
from bridge.api.note_names import find_file
from bridge.api.registry import get_operation
from bridge.api.where import choose_among
from bridge.bases.evaluate import Budget
from bridge.bases.syntax import Name, walk
from bridge.bases.values import Result
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect, merge_effects
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.agents_folder import agents_folder
from bridge.errors import BridgeError, Busy, InvalidArguments, NoteNotFound
from bridge.features.workflows import questions
from bridge.features.workflows.parse import (
    MAX_ASKING_TURNS,
    MAX_FILES,
    MAX_RESULTS,
    MAX_TURNS,
    PATH_ARGUMENTS,
    READS,
    READS_INDEX,
    StepCondition,
    Workflow,
    WorkflowStep,
    WorkflowVariable,
    path_fields,
)
from bridge.features.workflows.questions import DraftState, list_hits, list_journal_lines, list_sentences
from bridge.features.workflows.templates import (
    TemplateFiller,
    TemplateReference,
    expression_values,
    find_references,
    moment_text,
    only_reference,
    parse_reference,
)
from bridge.index.note import IndexedNote
from bridge.markdown.decode import digest_of
from bridge.markdown.names import Names, note_name
from bridge.markdown.note import Value
from bridge.markdown.sections import heading_paths, normalise_heading
from bridge.markdown.tasks import TaskSettings
from bridge.records import Record
from bridge.search.filters import has_status
from bridge.text.fold import fold_case
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import DAILY_SETTINGS, daily_path


def holds(
    condition: StepCondition,
    state: DraftState,
    fill: Callable[[str, str], str],
    given: Mapping[str, Result],
    settings: TaskSettings,
) -> bool:
    arguments = {name: fill(name, text) for name, text in condition.arguments.items()}
    path = state.find(arguments["note"]) if "note" in arguments else None
    note = state.notes.get(path) if path is not None else None
    match condition.check:
        case "note_exists":
            found = path is not None
        case "section_exists":
            found = note is not None and _has_section(note, arguments["heading"])
        case "property_exists":
            found = note is not None and fold_case(arguments["property"].strip()) in map(fold_case, note.properties)
        case "open_tasks":
            inside = [note] if note is not None else _notes_in(state, arguments.get("folder"))
            found = any(has_status(task.status, "open", settings) for each in inside for task in each.tasks)
        case "where":
            # Of a note that is not there, nothing is true.
            there = "note" not in arguments or path is not None
            found = condition.node is not None and there and state.passes(condition.node, path, given)
    return found != condition.negated


def names_item(condition: StepCondition) -> bool:
    """Return whether a condition may differ between the entries of a list."""
    references = [one for text in condition.arguments.values() for one in find_references(text)]
    nodes = walk([condition.node] if condition.node is not None else [])
    return any(one.root in ("item", "conditions") for one in references) or any(
        isinstance(node, Name) and node.name == "item" for node in nodes
    )


def _has_section(note: IndexedNote, heading: str) -> bool:
    texts = (*(one.text for one in note.headings), *heading_paths(note.headings))
    return normalise_heading(heading) in map(normalise_heading, texts)


def _notes_in(state: DraftState, folder: str | None) -> list[IndexedNote]:
    if folder is None:
        return []
    inside = f"{folder.strip().strip('/')}/"
    return [note for path, note in state.notes.items() if inside == "/" or path.startswith(inside)]


RUN_CPU_S: Final = 2.0
"""Processor time of the expressions of a run: others wait meanwhile to change the vault."""

_NO_ITEM: Final = object()


class WorkflowHost(Record):
    """What a run needs of the bridge."""

    root: Path
    apart: str | None
    """The agents' folder, if questions leave it out unless they name it."""
    bind_change: Callable[[Mapping[str, Value], Names], Request]
    """Makes a request of the arguments of a change, or raises BridgeError."""
    bind_question: Callable[[str, Mapping[str, Value], Names], Mapping[str, Any]]
    """Checks the arguments of a question, given its name."""
    ask_index: Callable[[str, Mapping[str, Value]], Mapping[str, Value]]
    """Answers one of `READS_INDEX`, given its arguments."""


class StepOutcome(Record):
    """A step of a workflow.

    Attributes:
        id: Its id.
        do: The change or question.
        state: Whether it was done, or skipped because of its conditions.
        turns: How often it was done.
        found: How many results a question had; null for a change.
        path: The note of its last change; null without one.
    """

    id: str
    do: str
    state: Literal["done", "skipped"]
    turns: int
    found: int | None
    path: VaultPath | None


class WorkflowRun:
    """One run of a workflow, and what became of it; it is planned again when another program wrote in between."""

    _draft: Draft
    _context: RequestContext
    _state: DraftState

    def __init__(self, workflow: Workflow, variables: Mapping[str, Value], host: WorkflowHost) -> None:
        self._workflow = workflow
        self._variables = variables
        self._host = host
        self._begin()

    def _begin(self) -> None:
        self.budget = Budget(seconds=RUN_CPU_S)
        """What its expressions may take."""
        self.steps: list[StepOutcome] = []
        self.conditions: dict[str, bool] = {}
        """What each condition was when it was last looked at."""
        self.output = ""
        self.requests: list[Request] = []
        self._filler = TemplateFiller(self._resolve)
        self._results: dict[str, Mapping[str, Value]] = {}
        self._item: Any = _NO_ITEM
        self._turns = 0
        self._effects: list[Effect] = []

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        """Do all steps in the draft."""
        self._begin()
        self._draft, self._context = draft, context
        self._state = DraftState(draft, context, self._host.root, self.budget)
        for step in self._workflow.steps:
            self.steps.append(StepOutcome(step.id, step.do, "skipped", 0, None, None))
            try:
                self._do(step)
            except BridgeError as error:
                error.locate(f"step `{step.id}`")
                raise
        try:
            self.output = self._filler.text(self._workflow.output)
        except BridgeError as error:
            error.locate("output")
            raise
        return merge_effects(self._effects)

    def _do(self, step: WorkflowStep) -> None:
        if step.each is None:
            self._turn(step)
            return
        each = self._list(step.each) if self._may_run(step) else ()
        if self._turns + len(each) > MAX_TURNS:
            raise InvalidArguments(
                f"The loops of a workflow have at most {MAX_TURNS} turns together.",
                hint="Give a smaller `limit` to the step that finds the list.",
            )
        if step.reads and len(each) > MAX_ASKING_TURNS:
            raise InvalidArguments(
                f"A question is asked at most {MAX_ASKING_TURNS} times in a loop, not {len(each)} times.",
                hint="Give a smaller `limit` to the step that finds the list.",
            )
        self._turns += len(each)
        try:
            for item in each:
                self._item = item
                self._turn(step)
        finally:
            self._item = _NO_ITEM
        nothing: Mapping[str, Value] = {"path": None, "name": None, "digest": None, "count": 0}
        self._results.setdefault(step.id, questions.no_results(step.do) if step.reads else nothing)

    def _may_run(self, step: WorkflowStep) -> bool:
        known = [(self._workflow.conditions.get(id_), id_, wanted) for id_, wanted in step.when]
        return all(self._holds(id_) == wanted for one, id_, wanted in known if one is None or not names_item(one))

    def _turn(self, step: WorkflowStep) -> None:
        if not all(self._holds(id_) == wanted for id_, wanted in step.when):
            return
        done = self.steps.pop()
        turns = done.turns + 1
        if step.reads:
            found = self._ask(step)
            if (before := self._results.get(step.id)) is not None:
                found = questions.join_results(step.do, before, found)
            self._results[step.id] = found
            self.steps.append(replace(done, state="done", turns=turns, found=int(str(found["total"]))))
            return
        request = self._host.bind_change(
            {**self._fill_arguments(step, path_fields(step.do)), "op": step.do}, self._state.names
        )
        self._effects.append(request.plan(self._draft, self._context))
        told = (f"No name can be `{value[:100]}`: it is `{name}`." for value, name in self._filler.cleaned.items())
        self._effects.append(Effect(warnings=(*told,)))
        self._filler.cleaned.clear()
        self.requests.append(request)
        path = request.result_path
        self.steps.append(replace(done, state="done", turns=turns, path=path))
        self._results[step.id] = {
            "path": path,
            "name": note_name(path),
            "digest": self._digest(path),
            "count": turns,
        }
        if len(self._draft.touched_paths) > MAX_FILES:
            raise InvalidArguments(
                f"The workflow would touch more than {MAX_FILES} files.", hint="Narrow what it finds, and run it again."
            )

    def _ask(self, step: WorkflowStep) -> Mapping[str, Value]:
        where = step.arguments.get("where")
        arguments = self._fill_arguments(step, PATH_ARGUMENTS)
        if "limit" in questions.USABLE_ARGUMENTS[step.do]:
            arguments.setdefault("limit", MAX_RESULTS)
        if where is not None:
            arguments["where"] = where
        if step.do in READS_INDEX:
            return self._host.ask_index(step.do, arguments)
        bound = self._host.bind_question(step.do, arguments, self._state.names)
        apart = self._host.apart
        if step.do == "list_tasks":
            return questions.list_tasks(self._state, bound, self._scope_values(), apart, self._context.obsidian().tasks)
        return questions.find_notes(self._state, bound, self._scope_values(), apart)

    def _fill_arguments(self, step: WorkflowStep, paths: frozenset[str]) -> dict[str, Value]:
        """Return the arguments of a step with their templates filled in; an expression has none."""
        filled: dict[str, Value] = {}
        for name, value in step.arguments.items():
            if name == "where" and step.reads:
                continue
            only = only_reference(value)
            if only is not None and only.root == "daily" and self._resolve(only) is None:
                continue
            if name in paths and isinstance(value, str):
                filled[name] = self._filler.path(value)
            elif name in paths and isinstance(value, list):
                filled[name] = [self._filler.path(str(one)) for one in value]
            else:
                is_new = name == "properties" and step.do == "create_note"
                if is_new and isinstance(given := value, Mapping):
                    value = {own: one for own, one in given.items() if not self._is_left_out(one)}  # noqa: PLW2901
                filled[name] = self._filler.fill(value, typed=name == "properties")
        return filled

    def _is_left_out(self, value: Value) -> bool:
        """Return whether a property consists of an optional variable that has neither a value nor a default."""
        only = only_reference(value)
        one = self._workflow.variables.get(only.names[0]) if only is not None and only.root == "variables" else None
        if one is None or one.required or one.default is not None:
            return False
        return not isinstance(given := self._variables.get(one.name), bool) and given in (None, "", [])

    def _holds(self, id_: str) -> bool:
        found = self._workflow.conditions.get(id_)
        if found is None:
            raise InvalidArguments(f"There is no condition `{id_}`.")

        def fill(name: str, text: str) -> str:
            return self._filler.path(text) if name in ("note", "folder") else self._filler.text(text)

        try:
            true = holds(found, self._state, fill, self._scope_values(), self._context.obsidian().tasks)
        except BridgeError as error:
            error.locate(f"condition `{id_}`")
            raise
        self.conditions[id_] = true
        return true

    def _list(self, each: Value) -> Sequence[Value]:
        if isinstance(each, str):
            inner = each.strip()
            inner = inner[2:-2] if inner.startswith("{{") and inner.endswith("}}") else inner
            found = self._resolve(parse_reference(inner))
        else:
            found = self._filler.fill(each)
        if not isinstance(found, list | tuple):
            raise InvalidArguments("`each` is no list.", hint="Name one, such as `steps.found.notes`.")
        return found

    def _resolve(self, reference: TemplateReference) -> Value:
        names = reference.names
        match reference.root:
            case "today" | "now" | "date":
                return moment_text(reference, self._context.now)
            case "daily":
                return self._daily(reference)
            case "conditions":
                return self._holds(names[0])
            case "variables":
                return self._variable(reference)
            case "item":
                if self._item is _NO_ITEM:
                    raise InvalidArguments("`item` has a value only in a step with `each`.")
                return _follow(self._item, names, reference)
            case _:
                if names[0] not in self._results:
                    why = "was skipped, or comes later" if self._has_step(names[0]) else "does not exist"
                    raise InvalidArguments(
                        f"`{reference}` has no value: the step `{names[0]}` {why}.",
                        hint="Give both steps the same `when`.",
                    )
                return _follow(self._results[names[0]], names[1:], reference)

    def _variable(self, reference: TemplateReference) -> Value:
        found = _get(self._variables, reference.names[0], reference)
        if len(reference.names) == 1:
            return found
        note = self._state.notes.get(VaultPath(str(found)))
        return _follow(None if note is None else questions.note_facts(note), reference.names[1:], reference)

    def _daily(self, reference: TemplateReference) -> VaultPath | None:
        settings = self._context.obsidian()
        settings.require(*DAILY_SETTINGS, hint="or name the note yourself.")
        if reference.detail == "template":
            return settings.daily_template
        day = moment_text(TemplateReference("date", (), reference.detail), self._context.now)
        return daily_path(settings, date.fromisoformat(day))

    def _has_step(self, id_: str) -> bool:
        return any(step.id == id_ for step in self._workflow.steps)

    def _scope_values(self) -> Mapping[str, Result]:
        item = {} if self._item is _NO_ITEM else {"item": self._item}
        steps = {id_: dict(found) for id_, found in self._results.items()}
        return {"variables": expression_values(self._workflow, self._variables), "steps": steps, **item}

    def _digest(self, path: VaultPath) -> str | None:
        try:
            return digest_of(self._draft.read(path))
        except NoteNotFound:
            return None


class RunWorkflow(Request, tag="run_workflow"):
    """The change that a workflow makes."""

    relinks: ClassVar[bool] = True

    path: VaultPath
    run: WorkflowRun

    @property
    def parts(self) -> Sequence[Request]:
        return self.run.requests

    @property
    def result_path(self) -> VaultPath:
        return next((request.result_path for request in reversed(self.parts)), self.path)

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        return self.run.plan(draft, context)


def _get(values: Mapping[str, Value], name: str, reference: TemplateReference) -> Value:
    if name not in values:
        raise InvalidArguments(f"`{reference}` has no value; there are {', '.join(values) or 'none'}.")
    return values[name]


def _follow(value: Value, names: Sequence[str], reference: TemplateReference) -> Value:
    properties: Value = None
    for name in names:
        if value is None:
            raise InvalidArguments(f"`{reference}` has no value: nothing was found.")
        if not isinstance(value, Mapping):
            raise InvalidArguments(f"`{reference}` names a field, and there are none.", hint="Write `{{item}}`.")
        # A note may lack a property.
        value = value.get(name, "") if value is properties else _get(value, name, reference)
        properties = value if name == "properties" else None
    return value


INDEX_S = 60.0
"""Seconds that a search or a summary in a workflow may take."""


def workflow_host(call: Call) -> WorkflowHost:
    """Return what a run of a workflow needs; call it on the event loop."""
    vault, loop = call.vault, asyncio.get_running_loop()
    folder = agents_folder(vault.settings)
    apart = choose_among(vault, None) == "notes" and folder.about in vault.index.notes
    return WorkflowHost(
        vault.root,
        folder.path if apart else None,
        partial(bind_change, call),
        partial(bind_question, call),
        partial(ask_index, call, loop),
    )


def bind_change(call: Call, value: Mapping[str, Value], names: Names) -> Request:
    operation = get_operation("change_set")
    with _name_arguments():
        bound = arguments.locate(operation, operation.bind({"edits": [value]}), call.vault.files, names)
    found: Request = bound["edits"][0]
    return found


def bind_question(call: Call, name: str, value: Mapping[str, Value], names: Names) -> Mapping[str, Any]:
    operation = get_operation(name)
    return arguments.locate(operation, operation.bind(value), call.vault.files, names)


def bind_sample(do: str, value: Mapping[str, Value]) -> object:
    """Bind the arguments of a step to its change or question, without looking at the vault."""
    if do in READS:
        return get_operation(do).bind(value)
    with _name_arguments():
        return get_operation("change_set").bind({"edits": [{**value, "op": do}]})


def ask_index(
    call: Call, loop: asyncio.AbstractEventLoop, name: str, value: Mapping[str, Value]
) -> Mapping[str, Value]:
    """Search or summarise the vault as it is, or list sessions, from the thread in which a workflow is planned.

    A summary consists of sentences of the notes, so that a run finds what its preview showed.
    """
    given = {**value, "mode": "extract"} if name == "summarise" else value
    future = asyncio.run_coroutine_threadsafe(get_operation(name).run(call, given), loop)
    try:
        found = future.result(INDEX_S)
    except TimeoutError:
        future.cancel()
        raise Busy(f"`{name}` takes too long.") from None
    if name == "summarise":
        return list_sentences(found.sentences)
    if name == "list_sessions":
        return list_journal_lines(found.sessions, call.vault.index.notes, agents_folder(call.vault.settings))
    return list_hits(found.hits)


def read_meaning(call: Call, variable: WorkflowVariable, written: str) -> str:
    if variable.type == "date":
        return day(variable.name, written)
    path = find_file(call.vault.files, call.vault.names, written)
    if path not in call.vault.names:
        raise NoteNotFound(f"The variable `{variable.name}` names no note: there is no `{written[:200]}`.", path=path)
    return path


@contextmanager
def _name_arguments() -> Iterator[None]:
    try:
        yield
    except BridgeError as error:
        error.message = error.message.replace("edits[0].", "").replace("`edits[0]`", "the step")
        error.args = (error.message,)
        raise
