"""Shows at the terminal where a change conflicts with what was written since."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WAY_OUT = (
    "Nothing was written. Change these places yourself, or first undo what changed them since: "
    "`vaultside list-changes PATH` lists it."
)

MAX_LINES = 10
"""Most lines quoted of each side."""


def conflict_lines(conflicts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Describe each conflict: where, why, what is there now, and what would be there."""
    for one in conflicts:
        first, last = one.get("lines") or (0, 0)
        place = f":{first}-{last}" if last > first else f":{first}" if first else ""
        yield f"{one['path']}{place}: {one['why']}"
        if first:
            yield from quoted_side("now", one["ours"])
            yield from quoted_side("would be", one["theirs"])


def quoted_side(name: str, text: str) -> Iterator[str]:
    lines = text.splitlines()
    for line in lines[:MAX_LINES]:
        yield f"  {name}: {line}"
    if not lines:
        yield f"  {name}: (nothing)"
    if len(lines) > MAX_LINES:
        yield f"  {name}: … {len(lines) - MAX_LINES} more lines"
