"""Which arguments of a step are paths, in which a value must not lead to another folder."""

from functools import cache
from typing import Final, get_args, get_type_hints

from bridge.changes.requests.base import KINDS
from bridge.types import VaultPath

PATH_ARGUMENTS: Final = frozenset({"path", "paths", "folder"})
"""Those of questions."""


@cache
def path_fields(op: str) -> frozenset[str]:
    for record in KINDS:
        if record.__dataclass_fields__["op"].default == op:
            hints = get_type_hints(record)
            return frozenset(name for name, hint in hints.items() if VaultPath in (hint, *get_args(hint)))
    return frozenset()
