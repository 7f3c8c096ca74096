"""Writing a query as a base file, which Obsidian shows as a table."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from annotated_types import Interval, MaxLen, MinLen

from bridge.api.call import Call
from bridge.api.note_names import unknown_properties
from bridge.api.registry import operation
from bridge.api.vault_notes import snapshot
from bridge.api.where import Where
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.bases.base_file import check_view, column_node, read_base
from bridge.bases.evaluate import check_functions, find_properties
from bridge.bases.syntax import parse_expression
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.errors import InvalidArguments, NoteExists
from bridge.features.bases.query import expressions_of
from bridge.records import dataclass
from bridge.types import NewPath

ENDING = ".base"

Column = Annotated[str, MinLen(1), MaxLen(200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportBase(Request):
    """Creates a base file; an existing one is never overwritten."""

    text: str
    op: Literal["export_base"] = "export_base"

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        if draft.has(self.path):
            raise NoteExists(f"`{self.path}` already exists.", hint="Choose another path.", path=self.path)
        draft.create(self.path, self.text.encode())
        return Effect()


@operation(
    example={
        "path": "Bread/Hydration.base",
        "where": 'file.inFolder("Bread") && hydration > 60',
        "columns": ["file.name", "hydration"],
        "sort": ["hydration"],
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=False,
    tasks=(
        "save a query as a base",
        "write a base file of some notes",
        "create an Obsidian base",
    ),
)
async def export_base(
    call: Call,
    path: NewPath,
    where: Annotated[Where, MinLen(1)],
    columns: Annotated[tuple[Column, ...], MaxLen(100)] = ("file.name",),
    sort: Annotated[tuple[Column, ...], MaxLen(20)] = (),
    group: Annotated[str, MaxLen(200)] | None = None,
    limit: Annotated[int, Interval(ge=1, le=100_000)] | None = None,
    name: Annotated[str, MinLen(1), MaxLen(200)] = "Table",
    *,
    options: WriteArguments,
) -> Written:
    """Write a base file that shows the files for which a condition is true; `query_base` reads it back.

    The warnings name the properties that no note has.

    Args:
        path: Where, ending in `.base`; missing folders are created.
        where: The condition, as in `find_notes`. A base also lists files that are no notes, if it is true for them.
        columns: The properties shown, such as `status`, `file.name` and `file.mtime`.
        sort: The properties to sort by; `-` before one reverses it.
        group: The property to group by.
        limit: Maximum rows that the base shows.
        name: The name of its view.

    Raises:
        NoteExists: The file exists.
        InvalidArguments: The path is no base, or the condition or a column cannot be read.
    """
    if not path.lower().endswith(ENDING):
        raise InvalidArguments(f"`{path}` is no base.", hint=f"Give a path that ends with `{ENDING}`.")
    text = write_base(where, columns, sort, group, limit, name)
    made = await execute_requests(call, [ExportBase(path=path, text=text)], options, operation="export_base")
    base = read_base(text)
    notes = snapshot(call.vault, "all")
    named = find_properties(expressions_of(base, base.views[0]))
    unknown = await asyncio.to_thread(unknown_properties, notes, named)
    return replace(made, warnings=(*unknown, *made.warnings))


def write_base(
    where: str,
    columns: tuple[str, ...],
    sort: tuple[str, ...],
    group: str | None,
    limit: int | None,
    name: str,
) -> str:
    import yaml

    condition = parse_expression(where)
    check_functions([condition])
    view: dict[str, Any] = {"type": "table", "name": name}
    if group:
        view["groupBy"] = {"property": group, "direction": "ASC"}
    view["order"] = [*columns]
    if sort:
        view["sort"] = [read_sort_key(one) for one in sort]
    if limit is not None:
        view["limit"] = limit
    text = yaml.safe_dump({"filters": where, "views": [view]}, sort_keys=False, allow_unicode=True, width=10_000)
    [found] = read_base(text).views
    check_view(found)
    keys = tuple((column_node(one.removeprefix("-")), "DESC" if one.startswith("-") else "ASC") for one in sort)
    wanted = (columns, keys, group and column_node(group), limit, name)
    read = (
        found.columns,
        tuple((one.node, one.direction) for one in found.sort),
        found.group and found.group.node,
        found.limit,
        found.name,
    )
    if read != wanted or parse_expression(yaml.safe_load(text)["filters"]) != condition:
        raise InvalidArguments("A base file cannot hold this query.", hint="Use names of properties without controls.")
    return text


def read_sort_key(sort: str) -> Mapping[str, str]:
    return {"property": sort.removeprefix("-"), "direction": "DESC" if sort.startswith("-") else "ASC"}
