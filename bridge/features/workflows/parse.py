"""A workflow, and how it is read from its YAML, with every fault in it and the line of each."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args, get_type_hints

from msgspec import field

from bridge.api.arguments import describe_misfit, mismatch
from bridge.api.hints import Scalar
from bridge.bases.evaluate import check_functions
from bridge.bases.syntax import Node, parse_expression
from bridge.changes.requests.base import KINDS, operation_of
from bridge.errors import InvalidArguments
from bridge.markdown.note import Value
from bridge.markdown.yaml12 import WrongYaml, YamlText, read_yaml
from bridge.records import Record
from bridge.text.fold import nfc
from bridge.text.scripts import NAME_CHARACTER
from bridge.types import VaultPath

VariableKind = Literal["text", "number", "yes-no", "list", "choice", "date", "note"]
Check = Literal["where", "note_exists", "section_exists", "property_exists", "open_tasks"]
"""What a condition looks at; one for what is missing is that for what exists, negated."""

CHECKS: Final = (
    *("note_exists", "note_missing", "section_exists", "section_missing", "property_exists", "property_missing"),
    "open_tasks",
)

READS: Final = ("find_notes", "list_sessions", "list_tasks", "search", "summarise")
"""Steps that only read."""

READS_INDEX: Final = ("list_sessions", "search", "summarise")
"""Those of them that read the vault as it is, and not the draft."""

MAX_STEPS: Final = 50
MAX_CONDITIONS: Final = 50
MAX_VARIABLES: Final = 50
MAX_TURNS: Final = 500
"""Turns of all loops of a run."""
MAX_ASKING_TURNS: Final = 50
"""Turns of a loop that asks: others wait meanwhile to change the vault."""
MAX_FILES: Final = 200
"""Files and folders that a run may touch."""
MAX_RESULTS: Final = 100
"""Results of a step that reads."""
MAX_CHARS: Final = 10_000_000
"""Characters that templates may make in a run."""


class WorkflowVariable(Record):
    """A variable of a workflow.

    Attributes:
        name: Its name.
        type: What it takes.
        required: Whether it must be given.
        default: Its value if it is not given; null without one.
        choices: The values of a `choice`.
        description: What it is for; may be empty.
        line: Its line in the block.
    """

    name: str
    type: VariableKind
    required: bool
    default: Scalar | tuple[Scalar, ...]
    choices: tuple[str, ...]
    description: str
    line: int


class StepCondition(Record):
    """Something that is true or not when a step is reached."""

    id: str
    check: Check
    arguments: Mapping[str, str] = field(default_factory=dict)
    """The `note`, `folder`, `heading` or `property`, with their templates."""
    node: Node | None = None
    """The expression of `where`."""
    negated: bool = False
    line: int = 1


class WorkflowStep(Record):
    """One step: a change or a question to the vault."""

    id: str
    do: str
    arguments: Mapping[str, Value]
    when: tuple[tuple[str, bool], ...] = ()
    """Conditions, and whether each must be true or must not."""
    each: Value = None
    """The list that it is repeated for: a list, or the template of one."""
    line: int = 1
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each argument."""

    @property
    def reads(self) -> bool:
        return self.do in READS


class Workflow(Record):
    """A workflow."""

    description: str = ""
    variables: Mapping[str, WorkflowVariable] = field(default_factory=dict)
    conditions: Mapping[str, StepCondition] = field(default_factory=dict)
    steps: tuple[WorkflowStep, ...] = ()
    output: str = ""
    output_line: int = 1


class Problem(Record):
    """A fault of a workflow.

    Attributes:
        line: Its line; of the note, or of the text that was given.
        message: What is wrong, and the way out.
        serious: Whether the workflow cannot run; else it is only a remark.
    """

    line: int
    message: str
    serious: bool = True


PATH_ARGUMENTS: Final = frozenset({"path", "paths", "folder"})
"""Those of questions."""


@cache
def path_fields(op: str) -> frozenset[str]:
    for record in KINDS:
        if operation_of(record) == op:
            hints = get_type_hints(record)
            return frozenset(name for name, hint in hints.items() if VaultPath in (hint, *get_args(hint)))
    return frozenset()


FORMAT_VERSION: Final = 1

_ID: Final = re.compile(rf"[^\W\d](?:{NAME_CHARACTER}|-){{0,59}}")
_CONDITION: Final = re.compile(rf"(not\s+|!\s*)?([^\W\d](?:{NAME_CHARACTER}|-)*)")
_FIELDS: Final = frozenset({"version", "description", "variables", "conditions", "steps", "output"})
_OF_VARIABLE: Final = frozenset({"type", "required", "default", "choices", "description"})
_NEEDED_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "where": ("where",),
    "section_exists": ("note", "heading"),
    "property_exists": ("note", "property"),
    "open_tasks": (),
}
_ALLOWED_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {"where": ("note",), "open_tasks": ("note", "folder")}
_PLAIN_VALUE: Final[Any] = Scalar | tuple[Scalar, ...]
_OF_STEP: Final = frozenset({"id", "do", "when", "each"})
_QUOTE_HINT: Final = 'A value that begins with a template must stand in quotes: "{{today}}".'


class WorkflowText(Record):
    """What was read of a workflow: as much as can be understood, and the faults."""

    workflow: Workflow
    problems: tuple[Problem, ...] = ()


def read_workflow(text: str) -> WorkflowText:
    """Read the YAML of a workflow; lines are those of the text, from 1."""
    try:
        found = read_yaml(text)
    except WrongYaml as error:
        return WorkflowText(Workflow(), (Problem(error.line, f"{error}"),))
    reader = _Reader(found)
    workflow = reader.workflow()
    return WorkflowText(workflow, tuple(sorted(reader.problems, key=lambda one: one.line)))


class _Reader:
    """Reads the parts of one workflow, and collects the faults."""

    def __init__(self, text: YamlText) -> None:
        self._text = text
        self.problems: list[Problem] = []

    def workflow(self) -> Workflow:
        values = self._text.values
        for name, line in self._text.repeated:
            self._say(line, f"`{name[:60]}` stands twice.")
        self._refuse_unknown(values, _FIELDS, "A workflow")
        self._find_unquoted(values)
        if values.get("version") != FORMAT_VERSION or isinstance(values.get("version"), bool):
            self._say(self._line(values, "version"), f"`version` must be {FORMAT_VERSION}.")
        steps = tuple(self._steps(values))
        if not steps:
            self._say(self._line(values, "steps"), "`steps` must be a list with at least one step.")
        return Workflow(
            self._take(values, "description", str, ""),
            {one.name: one for one in self._variables(values)},
            {one.id: one for one in self._conditions(values)},
            steps,
            self._take(values, "output", str, ""),
            self._line(values, "output"),
        )

    # -- variables ----------------------------------------------------------------------------------------------------

    def _variables(self, values: Mapping[str, Value]) -> Iterator[WorkflowVariable]:
        given = self._take(values, "variables", dict[str, Any], {})
        if len(given) > MAX_VARIABLES:
            self._say(self._line(values, "variables"), f"A workflow has at most {MAX_VARIABLES} variables.")
        for name, facts in list(given.items())[:MAX_VARIABLES]:
            line = self._line(given, name)
            if not _ID.fullmatch(name):
                self._say(line, f"`{name[:60]}` cannot be a name: use letters, digits, `_` and `-`.")
            elif isinstance(facts, Mapping):
                yield self._variable(nfc(name), facts, line)
            else:
                self._say(line, f"The variable `{name}` must have fields, such as `{{type: text}}`.")

    def _variable(self, name: str, facts: Mapping[str, Value], line: int) -> WorkflowVariable:
        self._refuse_unknown(facts, _OF_VARIABLE, "A variable")
        kind: VariableKind = self._take(facts, "type", VariableKind, "text")
        default = self._take(facts, "default", _PLAIN_VALUE, None)
        required = self._take(facts, "required", bool, default is None)
        choices = self._take(facts, "choices", _PLAIN_VALUE, [])
        if (kind == "choice") != bool(choices):
            self._say(line, f"`{name}` needs `choices` and the type `choice`; one is useless without the other.")
        return WorkflowVariable(
            name,
            kind,
            required,
            tuple(default) if isinstance(default, list) else default,
            tuple(map(str, choices if isinstance(choices, list) else [choices])),
            str(facts.get("description") or ""),
            line,
        )

    # -- conditions ---------------------------------------------------------------------------------------------------

    def _conditions(self, values: Mapping[str, Value]) -> Iterator[StepCondition]:
        known: set[str] = set()
        for facts, line in self._items(values, "conditions", MAX_CONDITIONS):
            id_ = self._id(facts, line, known, "condition")
            if id_ and (found := self._condition(id_, facts, line)) is not None:
                yield found

    def _condition(self, id_: str, facts: Mapping[str, Value], line: int) -> StepCondition | None:
        name = facts.get("check", "where" if "where" in facts else None)
        if (name != "where") if "where" in facts else (name not in CHECKS):
            self._say(line, f"The condition `{id_}` needs either `where`, or `check` with one of {', '.join(CHECKS)}.")
            return None
        is_missing = str(name).endswith("_missing")
        check = cast("Check", str(name).replace("_missing", "_exists"))
        needed = _NEEDED_FIELDS.get(check, ("note",))
        allowed = (*needed, *_ALLOWED_FIELDS.get(check, ()))
        self._refuse_unknown(facts, {"id", "check", "not", *allowed}, f"A condition `{name}`")
        arguments = {name: value for name in allowed if isinstance(value := facts.get(name), str) and value.strip()}
        if missing := [name for name in needed if name not in arguments]:
            self._say(line, f"The condition `{id_}` needs `{missing[0]}`, a text.")
            return None
        if check == "open_tasks" and len(arguments) != 1:
            self._say(line, f"The condition `{id_}` needs either `note` or `folder`.")
            return None
        node = None
        if check == "where":
            try:
                node = parse_expression(arguments.pop("where"))
                check_functions([node])
            except InvalidArguments as error:
                self._say(self._line(facts, "where"), f"{error.message} {error.hint}")
                return None
        return StepCondition(id_, check, arguments, node, self._take(facts, "not", bool, False) != is_missing, line)

    # -- steps --------------------------------------------------------------------------------------------------------

    def _steps(self, values: Mapping[str, Value]) -> Iterator[WorkflowStep]:
        known: set[str] = set()
        for facts, line in self._items(values, "steps", MAX_STEPS):
            id_ = self._id(facts, line, known, "step")
            do = facts.get("do")
            if not isinstance(do, str) or not do.strip():
                self._say(line, "A step needs `do`: the change or the question.")
            elif id_:
                arguments = {name: value for name, value in facts.items() if name not in _OF_STEP}
                lines = {name: self._line(facts, name) for name in facts}
                each = facts.get("each")
                if not isinstance(each, str | list | None):
                    self._say(lines["each"], "`each` must be a list, or name one, such as `steps.found.notes`.")
                    each = None
                yield WorkflowStep(id_, do.strip(), arguments, tuple(self._when(facts)), each, line, lines)

    def _when(self, facts: Mapping[str, Value]) -> Iterator[tuple[str, bool]]:
        given = facts.get("when")
        for one in given if isinstance(given, list) else [] if given is None else [given]:
            found = _CONDITION.fullmatch(one.strip()) if isinstance(one, str) else None
            if found is None:
                self._say(
                    self._line(facts, "when"),
                    "`when` must name a condition, or `not` and a condition, or a list of these.",
                )
                return
            yield nfc(found[2]), found[1] is None

    # -- what all have in common --------------------------------------------------------------------------------------

    def _items(self, values: Mapping[str, Value], name: str, most: int) -> Iterator[tuple[Mapping[str, Value], int]]:
        given = [] if values.get(name) is None else values[name]
        if not isinstance(given, list):
            self._say(self._line(values, name), f"`{name}` must be a list.")
            return
        if len(given) > most:
            self._say(self._line(values, name), f"A workflow has at most {most} {name}, not {len(given):,}.")
        for facts in given[:most]:
            if isinstance(facts, Mapping):
                yield facts, self._text.line_of(facts)
            else:
                self._say(self._line(values, name), f"Each of `{name}` must have fields, such as `id`.")

    def _id(self, facts: Mapping[str, Value], line: int, known: set[str], what: str) -> str:
        id_ = facts.get("id")
        if not isinstance(id_, str) or not _ID.fullmatch(id_):
            self._say(line, f"A {what} needs an `id` of letters, digits, `_` and `-`.")
            return ""
        id_ = nfc(id_)
        if id_ in known:
            self._say(line, f"Another {what} is called `{id_}` already.")
            return ""
        known.add(id_)
        return id_

    def _take(self, facts: Mapping[str, Value], name: str, hint: Any, default: Any) -> Any:
        """Return a field that fits a hint; the default without one, and with a fault if it does not fit."""
        value = facts.get(name)
        if value is None or mismatch(value, hint) is None:
            return default if value is None else value
        self._say(self._line(facts, name), describe_misfit(value, hint, name))
        return default

    def _refuse_unknown(self, given: Mapping[str, Value], known: Any, what: str) -> None:
        for name in given:
            if name not in known and not name.startswith("{"):
                self._say(
                    self._line(given, name), f"{what} has no field `{name[:60]}`; it has {', '.join(sorted(known))}."
                )

    def _find_unquoted(self, value: Value) -> None:
        match value:
            case Mapping():
                for name, each in value.items():
                    if name.startswith("{"):
                        self._say(self._line(value, name), _QUOTE_HINT)
                    else:
                        self._find_unquoted(each)
            case list():
                for each in value:
                    self._find_unquoted(each)

    def _line(self, holder: Mapping[str, Value], name: str) -> int:
        if name not in holder:
            return self._text.line_of(holder)
        return self._text.line_of(holder, name)

    def _say(self, line: int, message: str) -> None:
        if not any(one.line == line and one.message == message for one in self.problems):
            self.problems.append(Problem(line, message))


_FOLDER: Final = Path(__file__).with_name("starters")

STARTERS: Final = tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


@cache
def starter_text(name: str) -> str:
    if name not in STARTERS:
        raise InvalidArguments(f"There is no starter `{name[:60]}`.", hint=f"There are {', '.join(STARTERS)}.")
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


@cache
def starter_description(name: str) -> str:
    return read_workflow(starter_text(name)).workflow.description
