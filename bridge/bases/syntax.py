"""Parses expressions of Bases, by Obsidian's documentation (Bases syntax)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bridge.errors import InvalidArguments
from bridge.records import Record
from bridge.text.fold import nfc
from bridge.text.scripts import NAME_CHARACTER

MAX_EXPRESSION_CHARS: Final = 10_000
"""Characters of an expression."""

MAX_NESTING: Final = 60
"""Brackets and operators inside each other."""

_EXACT_DIGITS: Final = 15
"""Digits up to which an integer is exact, as in JavaScript."""

_TOKEN: Final = re.compile(
    rf"""\s*(?:
      (?P<number>\d+(?:\.\d+)?(?![\w]))
    | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<name>[^\W\d](?:{NAME_CHARACTER}|[$-])*(?<!-))
    | (?P<operator>\|\||&&|[=!<>]=|[-+*/%!<>()\[\]{{}},.:])
    )""",
    re.VERBOSE | re.DOTALL,
)
_REGEXP: Final = re.compile(r"/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([gimsuy]*)")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_CONSTANTS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "null": None, "undefined": None}
_BINDING: Final = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, ">": 4, "<=": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6
}  # fmt: skip
_UNARY_BINDING: Final = 7


class Constant(Record):
    """A number, text, truth value or null."""

    value: float | int | str | bool | None


class Pattern(Record):
    """A regular expression with its flags."""

    pattern: str
    flags: str


class Name(Record):
    """A name that stands alone: a property, `file`, `this`, `formula`, `note` or a variable."""

    name: str


class Field(Record):
    """A field by its name, such as `file.name`."""

    of: "Node"
    name: str


class Element(Record):
    """An element of a list or object, such as `tags[0]`."""

    of: "Node"
    key: "Node"


class FunctionCall(Record):
    """A function, of a value or global."""

    of: "Node | None"
    name: str
    arguments: tuple["Node", ...]


class Unary(Record):
    """`!` or `-`."""

    operator: str
    operand: "Node"


class Binary(Record):
    """An operator between two values."""

    operator: str
    left: "Node"
    right: "Node"


class ListLiteral(Record):
    """A list."""

    items: tuple["Node", ...]


class ObjectLiteral(Record):
    """An object."""

    entries: tuple[tuple[str, "Node"], ...]


Node = Constant | Pattern | Name | Field | Element | FunctionCall | Unary | Binary | ListLiteral | ObjectLiteral


class Token(Record):
    """A part of an expression; `kind` is empty at its end."""

    kind: str
    text: str
    start: int


def parse_expression(text: str) -> Node:
    if len(text) > MAX_EXPRESSION_CHARS:
        raise InvalidArguments(f"The expression is longer than {MAX_EXPRESSION_CHARS:,} characters.")
    return _Parser(nfc(text)).parse()


class _Parser:
    """Parses by binding strength (Pratt, 1973)."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._token = self._read()

    def parse(self) -> Node:
        found = self._expression(0)
        if self._token.kind:
            raise self._error(f"`{self._token.text}` is not expected here")
        return found

    def _expression(self, binding: int) -> Node:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self._error("the expression is nested too deeply")
        left = self._postfix(self._operand())
        while (strength := _BINDING.get(self._token.text, 0)) > binding and self._token.kind == "operator":
            operator = self._take().text
            left = Binary(operator, left, self._expression(strength))
        self._depth -= 1
        return left

    def _operand(self) -> Node:
        # A slash divides after a value; only here it begins a regular expression.
        if self._token.text == "/":
            return self._pattern()
        token = self._take()
        if token.kind != "operator":
            return self._word(token)
        match token.text:
            case "!" | "-":
                self._depth += 1
                operand = Unary(token.text, self._expression(_UNARY_BINDING))
                self._depth -= 1
                return operand
            case "(":
                inside = self._expression(0)
                self._expect(")")
                return inside
            case "[":
                return ListLiteral(tuple(self._items("]")))
            case "{":
                return ObjectLiteral(tuple(self._entries()))
        raise self._error(f"`{token.text}` is not expected here", token)

    def _word(self, token: Token) -> Node:
        match token.kind:
            case "number":
                exact = len(token.text) <= _EXACT_DIGITS and "." not in token.text
                return Constant(int(token.text) if exact else float(token.text))
            case "string":
                return Constant(_ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), token.text[1:-1]))
            case "name" if token.text in _CONSTANTS:
                return Constant(_CONSTANTS[token.text])
            case "name" if self._token.text == "(":
                return FunctionCall(None, token.text, self._arguments())
            case "name":
                return Name(token.text)
        raise self._error("the expression ends too early", token)

    def _postfix(self, left: Node) -> Node:
        while self._token.text in (".", "["):
            if self._take().text == "[":
                left = Element(left, self._expression(0))
                self._expect("]")
                continue
            if self._token.kind != "name":
                raise self._error("a name must follow the dot")
            name = self._take().text
            left = FunctionCall(left, name, self._arguments()) if self._token.text == "(" else Field(left, name)
        return left

    def _arguments(self) -> tuple[Node, ...]:
        self._expect("(")
        return tuple(self._items(")"))

    def _items(self, end: str) -> Iterator[Node]:
        while self._token.text != end:
            yield self._expression(0)
            if self._token.text != end:
                self._expect(",")
        self._take()

    def _entries(self) -> Iterator[tuple[str, Node]]:
        while self._token.text != "}":
            key = self._take()
            if key.kind not in ("string", "name"):
                raise self._error("a name must stand here", key)
            self._expect(":")
            yield key.text.strip("\"'"), self._expression(0)
            if self._token.text != "}":
                self._expect(",")
        self._take()

    def _pattern(self) -> Node:
        found = _REGEXP.match(self._text, self._token.start)
        if found is None:
            raise self._error("the regular expression does not end")
        self._at = found.end()
        self._token = self._read()
        return Pattern(found[1], found[2])

    def _expect(self, text: str) -> None:
        if self._token.text != text or self._token.kind == "string":
            raise self._error(f"`{text}` is missing")
        self._take()

    def _take(self) -> Token:
        token = self._token
        self._token = self._read()
        return token

    def _read(self) -> Token:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            rest = self._text[self._at :].strip()
            if rest and not rest.startswith("/"):
                raise self._error(f"`{rest[:10]}` cannot be read", Token("", rest[:1], self._at))
            return Token("", "", len(self._text))
        self._at = found.end()
        kind = found.lastgroup or ""
        return Token(kind, found[kind], found.start(kind))

    def _error(self, why: str, token: Token | None = None) -> InvalidArguments:
        at = (token or self._token).start + 1
        return InvalidArguments(
            f"The expression cannot be read: {why}, at character {at}.",
            hint='Such as `note["due day"] == "2026-05-18" && file.hasTag("project")`.',
        )


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for name in node.__struct_fields__:
            yield from walk([*_nodes_in(getattr(node, name))])


def _nodes_in(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _nodes_in(each)
