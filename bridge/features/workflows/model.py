"""What a workflow consists of, once it is read."""

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal, get_args, get_type_hints

from msgspec import field

from bridge.bases.syntax import Node
from bridge.changes.requests.base import KINDS, operation_of
from bridge.markdown.note import Value
from bridge.records import Record
from bridge.types import VaultPath

VariableKind = Literal["text", "number", "yes-no", "list", "choice", "date", "note"]
Check = Literal[
    "where",
    "note_exists",
    "note_missing",
    "section_exists",
    "section_missing",
    "property_exists",
    "property_missing",
    "open_tasks",
]

VARIABLE_KINDS: Final = get_args(VariableKind)
CHECKS: Final = get_args(Check)
OPPOSITES: Final[Mapping[str, str]] = {
    "note_exists": "note_missing",
    "section_exists": "section_missing",
    "property_exists": "property_missing",
}

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


class Variable(Record):
    """What a caller gives to a workflow."""

    name: str
    kind: VariableKind = "text"
    required: bool = True
    default: Value = None
    choices: tuple[str, ...] = ()
    meaning: str = ""
    line: int = 1


class Condition(Record):
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
    variables: Mapping[str, Variable] = field(default_factory=dict)
    conditions: Mapping[str, Condition] = field(default_factory=dict)
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
