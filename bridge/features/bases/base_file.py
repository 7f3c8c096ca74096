"""Base files: their filters, formulas and views, read from YAML."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import yaml

from bridge.bases.evaluate import check_functions
from bridge.bases.syntax import Binary, Constant, Field, Name, Node, Unary, parse_expression
from bridge.bases.values import as_list
from bridge.errors import InvalidArguments
from bridge.markdown.yaml12 import PropertyLoader
from bridge.records import Record
from bridge.text.invisible import inline

Direction = Literal["ASC", "DESC"]

DEEPEST: Final = 20
MAX_BYTES: Final = 1_000_000


class SortKey(Record):
    """A property by which rows are sorted."""

    node: Node
    direction: Direction


class BaseView(Record):
    """A view of a base.

    Attributes:
        name: Its name.
        type: Such as `table`; what it looks like is up to Obsidian.
        filter: The filters of the base and the view as one expression.
        columns: The properties shown, as they are named there.
        sort: By what rows are sorted.
        group: By what they are grouped; null if they are not.
        limit: Most rows; null for all.
        summaries: The summary of each column, by the column.
    """

    name: str
    type: str
    filter: Node
    columns: tuple[str, ...]
    sort: tuple[SortKey, ...]
    group: SortKey | None
    limit: int | None
    summaries: Mapping[str, str]


class Base(Record):
    """A base: formulas and custom summaries by name, and views."""

    formulas: Mapping[str, Node]
    summaries: Mapping[str, Node]
    views: tuple[BaseView, ...]


def read_base(text: str) -> Base:
    """Read a base file; whether the functions of a view exist is left to `check_view`."""
    if len(text) > MAX_BYTES:
        raise InvalidArguments("The base is too large.")
    try:
        # With its limits, as for the properties of notes: a few aliases could stand for millions of filters.
        base = PropertyLoader(text).get_single_data().values
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidArguments("The base is no valid YAML.", hint=str(error).partition("\n")[0][:200]) from None
    common = read_filter(base.get("filters"))
    views = tuple(_read_view(_as_object(view), common) for view in as_list(base.get("views")) or [{}])
    formulas = {str(name): parse_expression(str(value)) for name, value in _as_object(base.get("formulas")).items()}
    summaries = {str(name): parse_expression(str(value)) for name, value in _as_object(base.get("summaries")).items()}
    check_functions([*formulas.values(), *summaries.values()])
    return Base(formulas, summaries, views)


def check_view(view: BaseView) -> None:
    """Require that every function in the filters of a view is known; those of other views do not matter."""
    try:
        check_functions([view.filter])
    except InvalidArguments as error:
        raise InvalidArguments(f"View `{inline(view.name)}`: {error.message}", hint=error.hint) from None


def read_filter(value: Any, depth: int = 0) -> Node:
    if depth > DEEPEST:
        raise InvalidArguments("The filters are nested too deeply.")
    match value:
        case None:
            return Constant(True)
        case bool():
            return Constant(value)
        case str():
            return parse_expression(value)
        case {"and": parts, **rest} if not rest:
            return _join("&&", [read_filter(part, depth + 1) for part in as_list(parts)], empty=True)
        case {"or": parts, **rest} if not rest:
            return _join("||", [read_filter(part, depth + 1) for part in as_list(parts)], empty=True)
        case {"not": parts, **rest} if not rest:
            return Unary("!", _join("||", [read_filter(part, depth + 1) for part in as_list(parts)], empty=False))
        case _:
            raise InvalidArguments("A filter is an expression, or has one of `and`, `or` and `not`.")


def column_node(column: str) -> Node:
    """Return the expression of a column: `note.a`, `file.name`, `formula.b`, or a property's bare name."""
    of, _, name = column.partition(".")
    if name and of in ("note", "file", "formula", "this"):
        return Field(Name(of), name)
    return Field(Name("note"), column)


def _read_view(view: Mapping[str, Any], common: Node) -> BaseView:
    group, limit = _as_object(view.get("groupBy")), view.get("limit")
    sort_keys = [_read_sort_key(_as_object(one)) for one in as_list(view.get("sort"))]
    return BaseView(
        name=str(view.get("name") or view.get("type") or ""),
        type=str(view.get("type") or "table"),
        filter=Binary("&&", common, read_filter(view.get("filters"))),
        columns=tuple(str(column) for column in as_list(view.get("order"))) or ("file.name",),
        sort=tuple(one for one in sort_keys if one is not None),
        group=_read_sort_key(group),
        limit=limit if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0 else None,
        summaries={str(column): str(name) for column, name in _as_object(view.get("summaries")).items()},
    )


def _read_sort_key(value: Mapping[str, Any]) -> SortKey | None:
    name = value.get("property") or value.get("column")
    if not name:
        return None
    return SortKey(column_node(str(name)), "DESC" if str(value.get("direction")).upper() == "DESC" else "ASC")


def _join(operator: str, nodes: Sequence[Node], *, empty: bool) -> Node:
    """Join expressions; in halves, so that many of them are not nested deeply."""
    if len(nodes) < 2:
        return nodes[0] if nodes else Constant(empty)
    middle = len(nodes) // 2
    return Binary(operator, _join(operator, nodes[:middle], empty=empty), _join(operator, nodes[middle:], empty=empty))


def _as_object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
