"""Steps without the states in between, which need not be on the disk."""

from collections.abc import Iterable
from dataclasses import replace

from bridge.steps import Step
from bridge.types import VaultPath


def shortened(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return fewer steps that lead to the same.

    Of what is put in one place only the last is left, and of what is made and removed again nothing. A move parts what
    is before it from what is after at the places that it concerns; so a file has one step where it can.
    """
    kept: list[Step | None] = []
    put: dict[VaultPath, int] = {}
    for step in steps:
        at = put.get(step.path)
        earlier = None if at is None else kept[at]
        match step.kind:
            case "put" if at is not None and earlier is not None:
                kept[at] = replace(earlier, after=step.after)
            case "remove" if at is not None and earlier is not None:
                kept[at] = None
                kept.append(None if earlier.before is None else replace(step, before=earlier.before))
            case "put":
                put[step.path] = len(kept)
                kept.append(step)
            case "remove":
                kept.append(step)
            case "move":
                ends = f"{step.path}/", f"{step.to}/"
                put = {path: at for path, at in put.items() if not f"{path}/".startswith(ends)}
                kept.append(step)
            case _:
                kept.append(step)
    return tuple(step for step in kept if step is not None and (step.kind != "put" or step.before != step.after))
