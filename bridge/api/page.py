"""Pages: which entries of its lists an operation returns, and where the next ones begin."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from msgspec import Meta

from bridge.api.markup import Line, notice
from bridge.api.signature import Spread
from bridge.records import Record
from bridge.text.counts import count_shown

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


def page_notice(shown: Sequence[Any], page: ListPage, noun: str) -> Line:
    """Say how many entries of a list are on the page, and how to get more."""
    total, more = page.total, page.next_offset
    hint = f"; `offset: {more}` shows more" if more else "" if shown or not total else "; `offset` is behind the last"
    return notice(count_shown(len(shown), total, noun) + hint)


PageArguments = Annotated[Page, Spread(bounds={"limit": Meta(le=500)})]
