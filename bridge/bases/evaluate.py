"""Evaluates parsed expressions, within a budget of steps."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct, field

from bridge.bases.functions import (
    EVALUATED_APART,
    GLOBAL_FUNCTIONS,
    MEMBER_NAMES,
    OF_ANY,
    OF_NOTHING,
    OF_TYPE,
    SIZE_OF_A_STEP,
    WORK,
)
from bridge.bases.note_files import NoteFiles
from bridge.bases.syntax import (
    Binary,
    Constant,
    Element,
    Field,
    FunctionCall,
    ListLiteral,
    Name,
    Node,
    ObjectLiteral,
    Pattern,
    Unary,
    walk,
)
from bridge.bases.values import (
    UNITS_OF_DURATION,
    Date,
    Duration,
    FileValue,
    RegExp,
    Result,
    add,
    check_length,
    compare,
    equal,
    is_number,
    is_truthy,
    measure,
    multiply,
    size_of,
    subtract,
    type_of,
)
from bridge.errors import InvalidArguments
from bridge.text.closest import find_closest

MAX_STEPS: Final = 5_000_000
"""Parts of expressions that one query may evaluate."""

MAX_CPU_S: Final = 10.0
"""Processor time that it may take, however its steps are counted."""

_LOOK_EVERY: Final = 200
"""Steps between two looks at the clock."""

_NO_CONSTANT: Final = object()
_RANDOM: Final = FunctionCall(None, "random", ())
_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "date": frozenset({"year", "month", "day", "hour", "minute", "second", "millisecond"}),
    "duration": frozenset(UNITS_OF_DURATION),
    "file": frozenset(
        {
            *("name", "basename", "path", "folder", "ext", "size", "mtime", "ctime"),
            *("tags", "links", "embeds", "backlinks", "properties"),
        }
    ),
    "list": frozenset({"length"}),
    "string": frozenset({"length"}),
}
_NO_PROPERTIES: Final = frozenset({"file", "this", "note", "formula", "value", "index", "acc", "values"})
"""Names with a meaning of their own."""
_COMPARISONS: Final = {"<": (-1,), ">": (1,), "<=": (-1, 0), ">=": (0, 1)}


class Budget:
    """What all expressions of one call may take together: steps, and processor time of the thread that takes them."""

    __slots__ = ("_cancelled", "_deadline", "_seconds", "look_at", "steps")

    def __init__(self, steps: int = MAX_STEPS, seconds: float = MAX_CPU_S) -> None:
        """Begin; the time runs from the first step."""
        self.steps = steps
        self.look_at = steps
        """Steps left at which to look at the clock."""
        self._seconds = seconds
        self._deadline: float | None = None
        self._cancelled = False

    @property
    def is_spent(self) -> bool:
        return self.steps < 0

    def spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < self.look_at:
            self.look()

    def cancel(self) -> None:
        """Let the next look at the clock be the last one."""
        self._cancelled = True

    def look(self) -> None:
        """Look at the clock; raises as `spend` does."""
        now = time.thread_time()
        if self._deadline is None:
            self._deadline = now + self._seconds
        if self._cancelled or now > self._deadline:
            self.steps = -1
        if self.steps < 0:
            raise InvalidArguments("The query takes too long.", hint="Narrow it, such as by `folder`.")
        self.look_at = self.steps - _LOOK_EVERY


class Evaluation(Struct):
    """One query: its files, its formulas, and what it may still take."""

    files: NoteFiles
    formulas: Mapping[str, Node] = field(default_factory=dict)
    this: FileValue | None = None
    budget: Budget = field(default_factory=Budget)
    given: Mapping[str, Result] = field(default_factory=dict)
    """Values by name, which stand before properties of the same name."""
    notices: dict[str, None] = field(default_factory=dict)
    """What was not understood, each once."""
    constants: dict[int, tuple[Node, Result]] = field(default_factory=dict)
    """By the identity of their nodes: calls that give the same for every file, such as `now()`."""

    def value(self, node: Node, path: str) -> Result:
        return self._evaluate(_Scope(self, path, self.given), node)

    def summary(self, node: Node, values: list[Result]) -> Result:
        """Evaluate a custom summary, in which `values` are those of a column."""
        return self._evaluate(_Scope(self, "", {"values": values}), node)

    def passes(self, node: Node, path: str) -> bool:
        return is_truthy(self.value(node, path))

    def _evaluate(self, scope: "_Scope", node: Node) -> Result:
        try:
            return scope.value(node)
        except RecursionError:
            raise _nesting_error() from None
        except MemoryError:
            raise InvalidArguments("The query takes too much memory.", hint="Use shorter texts and lists.") from None


def check_functions(nodes: Sequence[Node]) -> None:
    """Require that every function of some expressions is known."""
    try:
        calls = [node for node in walk(nodes) if isinstance(node, FunctionCall)]
    except RecursionError:
        raise _nesting_error() from None
    for call in calls:
        known = MEMBER_NAMES if call.of is not None else {*GLOBAL_FUNCTIONS, "if"}
        if call.name not in known:
            close = find_closest(call.name, sorted(known))
            hint = f"Did you mean `{close}`?" if close else "Obsidian's help lists them under Bases, Functions."
            raise InvalidArguments(f"There is no function `{call.name}`.", hint=hint)


def find_properties(nodes: Sequence[Node]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in walk(nodes):
        match node:
            case Name(name=name) if name not in _NO_PROPERTIES:
                found[name] = None
            case Field(of=Name(name="note"), name=name) | Element(of=Name(name="note"), key=Constant(value=str(name))):
                found[name] = None
    return tuple(found)


def _nesting_error() -> InvalidArguments:
    return InvalidArguments("The expression is nested too deeply.", hint="Split it, such as into formulas.")


class _Scope(Struct):
    """The evaluation for one file."""

    query: Evaluation
    path: str
    variables: Mapping[str, Result] = field(default_factory=dict)
    open_formulas: tuple[str, ...] = ()

    def value(self, node: Node) -> Result:
        found = _EVALUATORS[type(node)](self, node)
        steps = 1
        # Long texts and lists take longer, and memory; whatever is done with them walks them once.
        if isinstance(found, str):
            check_length(len(found))
            steps += size_of(found) // SIZE_OF_A_STEP
        elif isinstance(found, list | dict):
            found = measure(found)
            steps += found.size // SIZE_OF_A_STEP
        budget = self.query.budget
        budget.steps -= steps
        if budget.steps < budget.look_at:
            budget.look()
        return found

    def unary_value(self, node: Unary) -> Result:
        found = self.value(node.operand)
        if node.operator == "!":
            return not is_truthy(found)
        if isinstance(found, Duration):
            return found.times(-1)
        return -found if is_number(found) else None

    def name_value(self, node: Name) -> Result:
        name = node.name
        if name in self.variables:
            return self.variables[name]
        match name:
            case "file":
                return FileValue(self.path)
            case "this":
                return self.query.this
            case _:
                return self.query.files.property_of(self.path, name)

    def field_value(self, node: Field) -> Result:
        of, name = node.of, node.name
        match of:
            case Name(name="note"):
                return self.query.files.property_of(self.path, name)
            case Name(name="formula"):
                return self._formula(name)
            case Field(of=Name(name="this"), name="file") if self.query.this is not None:
                return self.query.files.field_of(self.query.this.path, name)
        return self._field_of(self.value(of), name, is_this=of == Name("this"))

    def _field_of(self, value: Result, name: str, *, is_this: bool = False) -> Result:  # noqa: PLR0911 - one kind of value, one line
        match value:
            case FileValue(path=path):
                if name == "file":
                    return value
                if name in _FIELDS["file"]:
                    return self.query.files.field_of(path, name)
                # `this.author` is a property of the note that is looked at.
                return self.query.files.property_of(path, name) if is_this else self._no_field(value, name)
            case Date() if name in _FIELDS["date"]:
                moment = value.moment
                return moment.microsecond // 1000 if name == "millisecond" else getattr(moment, name)
            case Duration() if name in UNITS_OF_DURATION:
                return value.total / UNITS_OF_DURATION[name]
            case str() | list() if name == "length":
                return len(value)
            case dict():
                return value.get(name)
            case _:
                return self._no_field(value, name)

    def _no_field(self, value: Result, name: str) -> None:
        """Say, once, that values of this type have no such field; a missing property is no mistake."""
        if value is not None:
            of = type_of(value)
            known = f"; it has {', '.join(sorted(fields))}" if (fields := _FIELDS.get(of)) else ""
            self.query.notices[f"A {of} has no field `{name}`{known}."] = None

    def element_value(self, node: Element) -> Result:
        of, place = node.of, self.value(node.key)
        match of:
            case Name(name="note") if isinstance(place, str):
                return self.query.files.property_of(self.path, place)
            case Name(name="formula") if isinstance(place, str):
                return self._formula(place)
        value = self.value(of)
        if isinstance(value, list | str) and is_number(place) and 0 <= place < len(value):
            return value[int(place)]
        return value.get(place) if isinstance(value, dict) and isinstance(place, str) else None

    def _formula(self, name: str) -> Result:
        node = self.query.formulas.get(name)
        if node is None:
            return None
        if name in self.open_formulas:
            raise InvalidArguments(f"The formula `{name}` refers to itself.")
        return _Scope(self.query, self.path, {}, (*self.open_formulas, name)).value(node)

    def call_value(self, call: FunctionCall) -> Result:
        known = self.query.constants
        if id(call) not in known:
            known[id(call)] = (call, _NO_CONSTANT)
            if not any(isinstance(node, Name) or node == _RANDOM for node in walk([call])):
                known[id(call)] = (call, self._call(call))
        found = known[id(call)][1]
        return self._call(call) if found is _NO_CONSTANT else found

    def _call(self, call: FunctionCall) -> Result:
        if call.name in EVALUATED_APART:
            return self._call_apart(call)
        arguments = [self.value(argument) for argument in call.arguments]
        try:
            if call.of is None:
                return GLOBAL_FUNCTIONS[call.name](self.query.files, *arguments)
            value = self.value(call.of)
            function = OF_TYPE[type_of(value)].get(call.name) or OF_ANY.get(call.name)
            if function is None:
                return OF_NOTHING.get(call.name)
            if (work := WORK.get(call.name)) is not None:
                self.query.budget.spend(work(value, *arguments))
            return function(self.query.files, value, *arguments)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArguments(f"`{call.name}` cannot be used like this.") from None

    def _call_apart(self, call: FunctionCall) -> Result:
        match call:
            case FunctionCall(of=None, name="if", arguments=(condition, then, *rest)) if len(rest) < 2:
                if is_truthy(self.value(condition)):
                    return self.value(then)
                return self.value(rest[0]) if rest else None
            case FunctionCall(of=of, name="filter" | "map" as name, arguments=(each,)) if of is not None:
                items = self._items(of)
                found = [self._with(value=item, index=at).value(each) for at, item in enumerate(items)]
                if name == "map":
                    return found
                return [item for item, kept in zip(items, found, strict=True) if is_truthy(kept)]
            case FunctionCall(of=of, name="reduce", arguments=(each, start)) if of is not None:
                result = self.value(start)
                for at, item in enumerate(self._items(of)):
                    result = self._with(value=item, index=at, acc=result).value(each)
                return result
        raise InvalidArguments(f"`{call.name}` cannot be used like this.")

    def _items(self, of: Node) -> list[Result]:
        items = self.value(of)
        return items if isinstance(items, list) else []

    def _with(self, **variables: Result) -> "_Scope":
        return _Scope(self.query, self.path, {**self.variables, **variables}, self.open_formulas)

    def binary_value(self, node: Binary) -> Result:
        one = self.value(node.left)
        # As in JavaScript, these return one of the two values.
        if node.operator == "&&":
            return self.value(node.right) if is_truthy(one) else one
        if node.operator == "||":
            return one if is_truthy(one) else self.value(node.right)
        other = self.value(node.right)
        if node.operator in _COMPARISONS:
            return compare(one, other) in _COMPARISONS[node.operator]
        return _OPERATORS[node.operator](one, other)


_OPERATORS: Final[Mapping[str, Callable[[Result, Result], Result]]] = {
    "==": equal,
    "!=": lambda one, other: not equal(one, other),
    "+": add,
    "-": subtract,
    **{operator: partial(multiply, operator) for operator in "*/%"},
}
_EVALUATORS: Final[Mapping[type, Callable[[_Scope, Any], Result]]] = {
    Constant: lambda _, node: node.value,
    Pattern: lambda _, node: RegExp(node.pattern, node.flags),
    Name: _Scope.name_value,
    Field: _Scope.field_value,
    Element: _Scope.element_value,
    FunctionCall: _Scope.call_value,
    Unary: _Scope.unary_value,
    Binary: _Scope.binary_value,
    ListLiteral: lambda scope, node: [scope.value(item) for item in node.items],
    ObjectLiteral: lambda scope, node: {name: scope.value(entry) for name, entry in node.entries},
}
"""How each kind of node is evaluated."""
