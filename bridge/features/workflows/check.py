"""Finds the faults of a workflow before it runs: names without a meaning, steps that never run or do not bind."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import combinations
from typing import Final

from bridge.bases.evaluate import check_functions
from bridge.bases.syntax import Constant, Field, Name, Node, parse_expression, walk
from bridge.bases.values import is_truthy
from bridge.errors import BridgeError, InvalidArguments
from bridge.features.workflows.parse import (
    PATH_ARGUMENTS,
    READS,
    Problem,
    StepCondition,
    Workflow,
    WorkflowStep,
    WorkflowVariable,
    path_fields,
)
from bridge.features.workflows.questions import LIST_NAMES, USABLE_ARGUMENTS
from bridge.features.workflows.templates import (
    HINT,
    TemplateReference,
    bind_variables,
    find_cut_template,
    find_references,
    has_stray_brace,
    map_texts,
    only_reference,
    parse_reference,
    texts_in,
)
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Value

Bind = Callable[[str, Mapping[str, Value]], object]
"""Binds the arguments of a change or question, given its name, or raises BridgeError."""

_RESULTS: Final[Mapping[str, frozenset[str]]] = {
    "change": frozenset({"path", "name", "digest", "count"}),
    **{do: frozenset({name, "count", "total", "first"}) for do, name in LIST_NAMES.items()},
    "list_sessions": frozenset({"lines", "text", "count", "total", "first"}),
}
_FACTS: Final[Mapping[str, frozenset[str]]] = {
    "notes": frozenset({"path", "name", "folder", "title", "type", "tags", "digest", "properties"}),
    "tasks": frozenset(
        {"path", "name", "line", "text", "status", "due", "tags", "digest", "written", "block", "nested", "heading"}
    ),
    "hits": frozenset({"path", "name", "title"}),
    "lines": frozenset({"path", "name", "heading", "text"}),
    "sentences": frozenset({"path", "name", "line", "text"}),
}
_REFUSED_ARGUMENTS: Final = frozenset({"append_links", "op"})
"""Arguments of changes that mean nothing in a workflow."""
_SAMPLES: Final[Mapping[str, Value]] = {"number": 1, "yes-no": True, "list": ["1"], "date": "2026-01-31"}
_DIGEST: Final = "0" * 64


def check_workflow(workflow: Workflow, bind: Bind) -> Iterator[Problem]:
    check = _Check(workflow)
    yield from check.variables()
    for number, step in enumerate(workflow.steps):
        yield from check.step(number, step)
        yield from _bind_step(workflow, step, bind)
    yield from check.output()
    yield from check.find_unused()


class _Check:
    """Follows what the parts of a workflow refer to."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._used: set[str] = set()
        self._held: set[str] = set()
        self._places = {step.id: number for number, step in enumerate(workflow.steps)}

    def variables(self) -> Iterator[Problem]:
        for one in self._workflow.variables.values():
            if one.default is not None:
                try:
                    bind_variables(Workflow(variables={one.name: one}), {}, lambda _, text: text)
                except BridgeError as error:
                    yield Problem(one.line, f"The default does not fit. {error.message}")

    def step(self, number: int, step: WorkflowStep) -> Iterator[Problem]:
        """Check one step: its conditions, its list and its arguments."""
        yield from self._conditions(number, step)
        loops = step.each is not None
        yield from self._each(number, step)
        paths = PATH_ARGUMENTS if step.reads else path_fields(step.do)
        for name, value in step.arguments.items():
            line = step.lines.get(name, step.line)
            if name == "where" and step.reads:
                yield from self._expression(str(value), line, number, loops=loops)
                continue
            yield from self._templates(value, line, number, loops=loops)
            yield from self._braces(value, line, is_path=name in paths)
            if name in paths and not step.reads and not step.when:
                yield from self._path(value, line)
            if isinstance(value, str) and _has_filled_properties(value):
                yield Problem(line, "A value in the properties of a text would be read as YAML: use `properties`.")
        known = USABLE_ARGUMENTS.get(step.do)
        for name in step.arguments:
            if (known is not None and name not in known) or name in _REFUSED_ARGUMENTS:
                usable = f"; it has {', '.join(sorted(known))}" if known else ""
                yield Problem(
                    step.lines.get(name, step.line), f"`{step.do}` has no argument `{name}` in a workflow{usable}."
                )

    def output(self) -> Iterator[Problem]:
        """Check the output, which is said after all steps."""
        yield from self._templates(
            self._workflow.output, self._workflow.output_line, len(self._workflow.steps), loops=False
        )

    def find_unused(self) -> Iterator[Problem]:
        for name, variable in self._workflow.variables.items():
            if name not in self._used:
                # A person who runs the workflow would be asked for a value that nothing uses.
                serious = variable.required and variable.default is None
                yield Problem(variable.line, f"Nothing uses the variable `{name}`: use it, or leave it out.", serious)
        for id_, condition in self._workflow.conditions.items():
            if id_ not in self._held:
                yield Problem(condition.line, f"Nothing uses the condition `{id_}`.", serious=False)

    def _conditions(self, number: int, step: WorkflowStep) -> Iterator[Problem]:
        line = step.lines.get("when", step.line)
        known = [
            (self._workflow.conditions[id_], wanted) for id_, wanted in step.when if id_ in self._workflow.conditions
        ]
        for id_, _ in step.when:
            if id_ not in self._workflow.conditions:
                yield Problem(line, f"There is no condition `{id_}`.")
        for condition, _ in known:
            yield from self._condition(condition, number, loops=step.each is not None)
        never = [one.id for one, wanted in known if (fixed := _constant(one)) is not None and fixed != wanted]
        never += [
            one.id for (one, first), (other, second) in combinations(known, 2) if _exclude(one, first, other, second)
        ]
        if never:
            yield Problem(line, f"The step `{step.id}` can never run: its conditions are never true together.")

    def _condition(self, condition: StepCondition, number: int, *, loops: bool) -> Iterator[Problem]:
        self._held.add(condition.id)
        for text in condition.arguments.values():
            yield from self._templates(text, condition.line, number, loops=loops)
        if condition.node is not None:
            yield from self._names(condition.node, condition.line, number, loops=loops)

    def _each(self, number: int, step: WorkflowStep) -> Iterator[Problem]:
        line = step.lines.get("each", step.line)
        if isinstance(step.each, list):
            if not step.each:
                yield Problem(line, f"The step `{step.id}` can never run: its list is empty.")
            yield from self._templates(step.each, line, number, loops=False)
        elif isinstance(step.each, str):
            inner = step.each.strip().removeprefix("{{").removesuffix("}}")
            try:
                reference = parse_reference(inner)
            except InvalidArguments:
                yield Problem(line, f"`each` must name a list, such as `steps.found.notes`, not `{inner[:60]}`.")
                return
            yield from self._reference(reference, line, number, loops=False)
            if not self._may_be_list(reference):
                yield Problem(line, f"`{reference}` is no list.")

    def _may_be_list(self, reference: TemplateReference) -> bool:
        if reference.root == "variables":
            variable = self._workflow.variables.get(reference.names[0])
            return variable is None or variable.type == "list"
        return reference.root == "steps" and reference.names[-1] in {*LIST_NAMES.values(), "tags"}

    def _expression(self, text: str, line: int, number: int, *, loops: bool) -> Iterator[Problem]:
        try:
            node = parse_expression(text)
            check_functions([node])
        except InvalidArguments as error:
            braces = " In an expression, write `variables.x` without braces." if "{{" in text else ""
            yield Problem(line, f"{error.message}{braces}")
            return
        yield from self._names(node, line, number, loops=loops)

    def _names(self, node: Node, line: int, number: int, *, loops: bool) -> Iterator[Problem]:
        for each in walk([node]):
            match each:
                case (
                    Field(of=Name(name="variables" as root), name=name)
                    | Field(of=Name(name="steps" as root), name=name)
                ):
                    names = (name,) if root == "variables" else (name, "count")
                    reference = TemplateReference("variables" if root == "variables" else "steps", names)
                    yield from self._reference(reference, line, number, loops=loops)
                case Name(name="item") if not loops:
                    yield Problem(line, "`item` has a value only in a step with `each`.", serious=False)

    def _templates(self, value: Value, line: int, number: int, *, loops: bool) -> Iterator[Problem]:
        try:
            references = list(find_references(value))
        except InvalidArguments as error:
            yield Problem(line, f"{error.message} {error.hint}")
            return
        for reference in references:
            yield from self._reference(reference, line, number, loops=loops)

    def _braces(self, value: Value, line: int, *, is_path: bool) -> Iterator[Problem]:
        for text in texts_in(value):
            cut = find_cut_template(text)
            if cut is not None or (is_path and has_stray_brace(text)):
                yield Problem(line, f"`{cut or text[:200]}` has braces without their like. {HINT}")

    def _path(self, value: Value, line: int) -> Iterator[Problem]:
        with suppress(InvalidArguments):
            for reference in find_references(value):
                variable = self._workflow.variables.get(reference.names[0]) if reference.root == "variables" else None
                if variable is not None and not variable.required and variable.default in (None, ""):
                    yield Problem(
                        line,
                        f"The variable `{variable.name}` may have no value, and a path needs one: "
                        "require it, or give it a `default`, or the step a `when`.",
                    )

    def _reference(self, reference: TemplateReference, line: int, number: int, *, loops: bool) -> Iterator[Problem]:
        names = reference.names
        match reference.root:
            case "variables":
                self._used.add(names[0])
                variable = self._workflow.variables.get(names[0])
                if variable is None:
                    yield Problem(line, f"There is no variable `{names[0]}`.")
                elif names[1:] and (variable.type != "note" or names[1] not in _FACTS["notes"]):
                    facts = f"a note has {', '.join(sorted(_FACTS['notes']))}"
                    yield Problem(line, f"`{reference}` has no value; only {facts}.")
            case "conditions":
                if names[0] not in self._workflow.conditions:
                    yield Problem(line, f"There is no condition `{names[0]}`.")
                elif names[0] not in self._held:
                    yield from self._condition(self._workflow.conditions[names[0]], number, loops=loops)
            case "item":
                if not loops:
                    yield Problem(line, "`item` has a value only in a step with `each`.")
            case "steps":
                yield from self._step_result(reference, line, number)

    def _step_result(self, reference: TemplateReference, line: int, number: int) -> Iterator[Problem]:
        id_, name, *rest = reference.names
        place = self._places.get(id_)
        if place is None:
            yield Problem(line, f"There is no step `{id_}`.")
            return
        if place >= number:
            yield Problem(line, f"The step `{id_}` has no result yet: it comes later.")
            return
        do = self._workflow.steps[place].do
        known = _RESULTS[do if do in READS else "change"]
        if name not in known:
            yield Problem(line, f"The result of `{id_}` has no `{name}`; it has {', '.join(sorted(known))}.")
        elif rest and (name != "first" or rest[0] not in _FACTS[LIST_NAMES[do]]):
            facts = f"`first` has {', '.join(sorted(_FACTS[LIST_NAMES[do]]))}" if do in READS else "it has no fields"
            yield Problem(line, f"`{reference}` has no value; {facts}.")


def _has_filled_properties(text: str) -> bool:
    cut = cut_frontmatter(text)
    try:
        return cut is not None and any(True for _ in find_references(text[: cut[1]]))
    except InvalidArguments:
        return False


def _constant(condition: StepCondition) -> bool | None:
    if not isinstance(condition.node, Constant):
        return None
    return is_truthy(condition.node.value) != condition.negated


def _exclude(one: StepCondition, first: bool, other: StepCondition, second: bool) -> bool:
    if one.id == other.id:
        return first != second
    if one.check == "where" or (one.check, one.arguments) != (other.check, other.arguments):
        return False
    return (first != one.negated) != (second != other.negated)


def _bind_step(workflow: Workflow, step: WorkflowStep, bind: Bind) -> Iterator[Problem]:
    problem: Problem | None = None
    for sample in ("1", True):
        try:
            arguments = {name: _put_samples(workflow, value, sample) for name, value in step.arguments.items()}
            if step.reads:
                arguments.pop("where", None)
            bind(step.do, arguments)
        except BridgeError as error:
            named = (step.lines[name] for name in step.arguments if f"`{name}`" in error.message)
            line = next(named, step.lines.get("do", step.line))
            problem = problem or Problem(line, f"The step `{step.id}` does not fit: {error.message}")
        else:
            return
    if problem is not None:
        yield problem


def _put_samples(workflow: Workflow, value: Value, sample: Value) -> Value:
    def put(text: str) -> Value:
        try:
            only = only_reference(text)
        except InvalidArguments:
            return text
        return text if only is None else _sample_of(workflow, only, sample)

    return map_texts(value, put)


def _sample_of(workflow: Workflow, reference: TemplateReference, sample: Value) -> Value:
    if reference.names and reference.names[-1] == "digest":
        return _DIGEST
    if reference.root in ("today", "date"):
        return "2026-01-31"
    if reference.names and reference.names[-1] == "tags":
        return ["1"]
    variable = workflow.variables.get(reference.names[0]) if reference.root == "variables" else None
    return sample if variable is None else _sample_for(variable, sample)


def _sample_for(variable: WorkflowVariable, sample: Value) -> Value:
    if variable.choices:
        return variable.choices[0]
    return _SAMPLES.get(variable.type, sample if variable.type == "text" else "1")
