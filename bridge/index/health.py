"""The state of an index, by which `doctor` judges it."""

import contextlib
from collections.abc import Sequence

from bridge.data_folder import folder_size
from bridge.index.folder import disk_errors
from bridge.index.open import OpenIndex, read_errors, wait
from bridge.index.table import Table
from bridge.records import dataclass

MEASURED = 5
"""Times that the state is measured before an error counts as damage."""


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """The measures by which `doctor` judges the index."""

    fragments: int
    bytes: int
    rebuilds: int
    unindexed_rows: int
    set_aside: str | None
    """Why an earlier index was set aside, if one was."""


def measure_health(opened: OpenIndex, tables: Sequence[Table]) -> IndexHealth:
    """Measure the state of an index; blocks for a few milliseconds."""
    for _ in range(MEASURED):
        # A version that is pruned while its facts are read is no damage.
        with contextlib.suppress(OSError, RuntimeError, ValueError), disk_errors(opened.folder.path):
            return _measure(opened, tables)
    with read_errors(opened):
        return _measure(opened, tables)


def _measure(opened: OpenIndex, tables: Sequence[Table]) -> IndexHealth:
    return IndexHealth(
        fragments=sum(wait(table.fragments()) for table in tables),
        bytes=folder_size(opened.folder.path),
        rebuilds=opened.postings.rebuilds + sum(table.rebuilds for table in tables),
        unindexed_rows=sum(table.unindexed for table in tables),
        set_aside=opened.set_aside,
    )
