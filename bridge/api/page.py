"""Pages: which entries of its lists an operation returns, and where the next ones begin."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from msgspec import Meta

from bridge.api.signature import Spread
from bridge.records import Record

T = TypeVar("T")


class Page(Record):
    """Which entries of its lists an operation returns.

    Attributes:
        limit: Maximum entries of each list.
        offset: Entries of each list to skip.
    """

    limit: Annotated[int, Meta(ge=1)]
    offset: Annotated[int, Meta(ge=0)] = 0

    @property
    def end(self) -> int:
        return self.offset + self.limit

    def cut(self, entries: Sequence[T]) -> tuple[T, ...]:
        return tuple(entries[self.offset : self.end])

    def place(self, total: int) -> dict[str, Any]:
        """Return the fields of a `ListPage` for a list of so many entries."""
        return {"total": total, "next_offset": self.end if self.end < total else None}


class ListPage(Record, kw_only=True):
    """A page of a list.

    Attributes:
        total: Count before `limit` and `offset`.
        next_offset: `offset` of the next page; absent on the last.
    """

    total: int
    next_offset: int | None = None


PageArguments = Annotated[Page, Spread(bounds={"limit": Meta(le=500)})]
