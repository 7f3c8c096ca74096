"""Makes an operation of each kind of change."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.changes.requests.base import KINDS, Request, operation_of
from bridge.docstrings import docstring_of
from bridge.errors import ConfirmationRequired

Kind = TypeVar("Kind", bound=Request)

Objections = tuple[tuple[str, ...], ConfirmationRequired | None]
"""Warnings about a change, and the error unless the user confirms it."""


def change_operation(
    record: type[Kind], check: Callable[[Call, Kind], Awaitable[Objections]] | None = None
) -> Callable[..., Awaitable[Written]]:
    kind = KINDS[record]

    async def run(call: Call, request: Kind, options: WriteArguments) -> Written:
        warnings, refusal = ((), None) if check is None else await check(call, request)
        if call.is_confirmed(options.confirm):
            refusal = None
        if refusal is not None and not options.dry_run:
            raise refusal
        made = await execute_requests(call, [request], options)
        if refusal is not None:
            made = replace(made, confirmation=refusal.message, preview=None)
        return replace(made, warnings=(*made.warnings, *warnings))

    run.__name__, run.__doc__ = operation_of(record), docstring_of(record)
    run.__annotations__["request"] = Annotated[record, Spread(kind.required, kind.bounds)]
    return operation(
        example={**kind.example, "dry_run": True},
        reads=False,
        scope="write",
        destructive=kind.destructive,
        idempotent=kind.idempotent,
        tasks=kind.tasks,
    )(run)
