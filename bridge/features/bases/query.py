"""Running a view of a base."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final, Literal

import yaml
from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.markup import Element, Line, notice, notices, path_of
from bridge.api.note_names import no_such_note, snapshot, unknown_properties
from bridge.api.page import ListPage, Page, PageArguments, page_notice
from bridge.api.registry import operation
from bridge.api.where import choose_among, evaluate_apart, note_files
from bridge.bases.evaluate import Budget, Evaluation, check_functions, find_properties
from bridge.bases.syntax import Binary, Constant, Field, Name, Node, Unary, parse_expression
from bridge.bases.values import (
    Date,
    Duration,
    FileValue,
    Result,
    as_list,
    is_empty,
    js_number,
    numbers_of,
    sort_key,
    text_of,
    type_of,
)
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments, NoteNotFound
from bridge.index.note import Notes
from bridge.markdown.yaml12 import PropertyLoader
from bridge.records import Record
from bridge.text.invisible import inline
from bridge.types import Among, VaultPath

Direction = Literal["ASC", "DESC"]

MAX_FILTER_DEPTH: Final = 20
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
    return Base(
        _read_formulas("Formula", base.get("formulas")), _read_formulas("Summary", base.get("summaries")), views
    )


def _read_formulas(kind: str, value: Any) -> Mapping[str, Node]:
    formulas = {}
    for name, text in _as_object(value).items():
        with _errors_naming(kind, str(name)):
            formulas[str(name)] = parse_expression(str(text))
            check_functions([formulas[str(name)]])
    return formulas


@contextmanager
def _errors_naming(kind: str, name: str) -> Iterator[None]:
    """Name in errors where the expression stands."""
    try:
        yield
    except InvalidArguments as error:
        raise InvalidArguments(f"{kind} `{inline(name)}`: {error.message}", hint=error.hint) from None


def check_view(view: BaseView) -> None:
    """Require that every function in the filters of a view is known; those of other views do not matter."""
    with _errors_naming("View", view.name):
        check_functions([view.filter])


def read_filter(value: Any, depth: int = 0) -> Node:
    if depth > MAX_FILTER_DEPTH:
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
    name = str(view.get("name") or view.get("type") or "")
    with _errors_naming("View", name):
        own = read_filter(view.get("filters"))
    return BaseView(
        name=name,
        type=str(view.get("type") or "table"),
        filter=Binary("&&", common, own),
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


def _dates(values: Sequence[Result]) -> list[Date]:
    return sorted((one for one in values if isinstance(one, Date)), key=lambda one: one.ms)


def _range(values: Sequence[Result]) -> Result:
    if dates := _dates(values):
        return Duration(0, dates[-1].ms - dates[0].ms)
    numbers = numbers_of(values)
    return max(numbers) - min(numbers) if numbers else None


def _of_numbers(function: Callable[[list[float]], float]) -> Callable[[Sequence[Result]], Result]:
    return lambda values: function(numbers) if (numbers := numbers_of(values)) else None


SUMMARIES: Final[Mapping[str, Callable[[Sequence[Result]], Result]]] = {
    "Average": _of_numbers(statistics.fmean),
    "Min": _of_numbers(min),
    "Max": _of_numbers(max),
    "Sum": _of_numbers(lambda numbers: js_number(sum(numbers))),
    "Range": _range,
    "Median": _of_numbers(statistics.median),
    "Stddev": _of_numbers(statistics.pstdev),
    "Earliest": lambda values: next(iter(_dates(values)), None),
    "Latest": lambda values: next(reversed(_dates(values)), None),
    "Checked": lambda values: sum(one is True for one in values),
    "Unchecked": lambda values: sum(one is False for one in values),
    "Empty": lambda values: sum(map(is_empty, values)),
    "Filled": lambda values: sum(not is_empty(one) for one in values),
    "Unique": lambda values: len({(type_of(one), text_of(one)) for one in values if not is_empty(one)}),
}
"""By its name: the summary of a column's values."""


ENDING = ".base"

MAX_VALUE_CHARS = 2_000_000
"""Characters of the values in an answer."""


class BaseRow(Record):
    """A file in a view.

    Attributes:
        path: The file.
        values: Its value in each column: a number, truth value, text, list of texts, or null.
        group: The group that it is in, if the view groups.
    """

    path: VaultPath
    values: Mapping[str, Any]
    group: str | None = None


class BaseRows(ListPage):
    """A page of a view.

    Attributes:
        view: The name of the view.
        views: The names of all views of the base.
        columns: The columns of the view, as the base names them.
        rows: The files on this page.
        summaries: The summary of each column that has one.
        notices: Remarks, such as on a column that cannot be evaluated.
    """

    view: str
    views: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[BaseRow, ...]
    summaries: Mapping[str, Any]
    notices: tuple[str, ...] = ()


@operation(
    example={
        "text": "{filters: file.inFolder('Bread'), views: [{name: Bread, limit: 3, order: [file.name, hydration]}]}"
    },
    tasks=(
        "run a base and list its rows",
        "what does this base show",
        "query an Obsidian base by its view",
    ),
)
async def query_base(
    call: Call,
    path: VaultPath | None = None,
    text: Annotated[str, Meta(max_length=100_000)] | None = None,
    view: Annotated[str, Meta(max_length=500)] | None = None,
    this: VaultPath | None = None,
    page: PageArguments = Page(50),
    among: Among | None = None,
) -> BaseRows:
    """Run a view of a base as Obsidian does: its filters, formulas, order, groups, limit and summaries.

    Args:
        path: The base file; give this or `text`.
        text: The YAML of a base, such as that of a code block; give this or `path`.
        view: The name of the view; by default the first.
        this: The note that embeds the base, which `this` stands for; by default the base itself.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        NoteNotFound: No such base or note; the message names the closest.
        InvalidArguments: The file is no base, has no such view, or an expression in it cannot be read.
    """
    vault = call.vault
    vault.require_keyword()
    if (path is None) == (text is None):
        raise InvalidArguments("Give either `path` or `text`.")
    if path is not None and not path.lower().endswith(ENDING):
        raise InvalidArguments(f"`{path}` is no base.", hint=f"Give the path of a file that ends with `{ENDING}`.")
    if this is not None and this not in vault.names:
        raise no_such_note(vault, this)
    side = choose_among(vault, among, (path, this))
    notes = snapshot(vault, side)

    def run(budget: Budget) -> BaseRows:
        base = read_base(_read(vault, path) if path is not None else text or "")
        chosen = _choose_view(base, view)
        check_view(chosen)
        files = [one for one in vault.names if _is_shown(vault, one, notes, side)]
        here = this or path
        query = Evaluation(note_files(vault, notes), base.formulas, FileValue(here) if here else None, budget)
        found = _run(query, files, base, chosen, page)
        unknown = unknown_properties(notes, find_properties(expressions_of(base, chosen)))
        return replace(found, notices=(*unknown, *found.notices))

    return await evaluate_apart(run)


def expressions_of(base: Base, view: BaseView) -> list[Node]:
    keys = [one.node for one in (*view.sort, *([view.group] if view.group else []))]
    return [view.filter, *keys, *map(column_node, view.columns), *base.formulas.values()]


def _read(vault: OpenVault, path: VaultPath) -> str:
    try:
        return vault.files.read(path)[0].decode("utf-8", "replace")
    except NoteNotFound:
        raise no_such_note(vault, path) from None


def _choose_view(base: Base, name: str | None) -> BaseView:
    if name is None:
        return base.views[0]
    found = next((one for one in base.views if one.name.casefold() == name.casefold()), None)
    if found is None:
        names = ", ".join(f"`{one.name}`" for one in base.views)
        raise InvalidArguments(f"The base has no view `{name}`.", hint=f"Its views are {names}.")
    return found


def _is_shown(vault: OpenVault, path: VaultPath, notes: Notes, side: Among) -> bool:
    """Return whether a file may be a row: an indexed note, or any other file on the same side of the agents' folder."""
    if path in notes or side == "all":
        return True
    is_of_agents = agents_folder(vault.settings).holds(path)
    return path not in vault.index.notes and is_of_agents == (side == "agents")


def _run(query: Evaluation, files: Sequence[VaultPath], base: Base, view: BaseView, page: Page) -> BaseRows:
    remarks: dict[str, None] = {}
    paths = sorted(path for path in files if query.passes(view.filter, path))
    sort_keys = [*([view.group] if view.group else []), *view.sort]
    for one in reversed(sort_keys):
        keys = {path: sort_key(_value(query, one.node, path, remarks)) for path in paths}
        # What is not there comes last in both directions.
        paths.sort(key=keys.__getitem__, reverse=one.direction == "DESC")
        paths.sort(key=lambda path: keys[path][0] == 9)
    paths = paths[: view.limit] if view.limit is not None else paths
    write = _JsonWriter()
    rows = tuple(
        BaseRow(
            path,
            {name: write.value(_value(query, column_node(name), path, remarks), name) for name in view.columns},
            write.text(_value(query, view.group.node, path, remarks)) if view.group else None,
        )
        for path in page.cut(paths)
    )
    summaries = {}
    for column, name in view.summaries.items():
        values = [_value(query, column_node(column), path, remarks) for path in paths]
        summaries[column] = write.value(_summarise(query, base, name, values), column)
    names = tuple(one.name for one in base.views)
    remarked = (*query.notices, *remarks)
    return BaseRows(view.name, names, view.columns, rows, summaries, remarked, **page.place(len(paths)))


def _value(query: Evaluation, node: Any, path: VaultPath, remarks: dict[str, None]) -> Any:
    """Evaluate a column; one that cannot be is empty, and said."""
    try:
        return query.value(node, path)
    except BridgeError as error:
        if query.budget.is_spent:
            raise
        remarks[error.message] = None
        return None


def _summarise(query: Evaluation, base: Base, name: str, values: list[Any]) -> Any:
    if name in base.summaries:
        return query.summary(base.summaries[name], values)
    return SUMMARIES[name](values) if name in SUMMARIES else None


class _JsonWriter:
    """Makes JSON of the values of one answer, up to a length of all together."""

    def __init__(self) -> None:
        self._left = MAX_VALUE_CHARS

    def value(self, value: Any, column: str) -> Any:
        """Return a value of a column as JSON: links, dates and files as texts."""
        self._spend(len(column))
        match value:
            case None | bool():
                return value
            case Duration():
                return self.value(value.total, column)
            case int():
                return value if abs(value) < 2**63 else float(value)
            case float() if abs(value) < 1e300:
                return round(value, 10)
            case list():
                return [self.text(item) for item in value]
            case _:
                return self.text(value)

    def text(self, value: Any) -> str:
        text = text_of(value)
        self._spend(len(text))
        return text

    def _spend(self, length: int) -> None:
        self._left -= length + 4
        if self._left < 0:
            raise InvalidArguments(
                f"The values of the rows have more than {MAX_VALUE_CHARS:,} characters.", hint="Give a smaller `limit`."
            )


def base_rows_view(found: BaseRows) -> Iterable[Element]:
    yield from notices(found.notices)
    group = None
    for row in found.rows:
        if row.group is not None and row.group != group:
            group = row.group
            yield Line(f"{inline(group) or 'without'}:")
        values = (
            f"{name}: {inline(value)}"
            for name, value in row.values.items()
            if name != "file.name" and value not in (None, "", [], row.path)
        )
        yield Line(path_of(row.path), "".join(f" · {one}" for one in values))
    for column, value in found.summaries.items():
        yield Line(f"{column}: {inline(value)}")
    none = notice(f"The view `{found.view}` has no rows.")
    yield page_notice(found.rows, found, "row") if found.total else none
