"""What the user's globs would close, before they are put into the settings."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import MaxLen

from bridge.operations.call import Call
from bridge.operations.registry import operation

NAMED = 3
"""Notes that are named of those that a glob means."""


@dataclass(frozen=True, slots=True)
class CheckedGlob:
    """One glob.

    Attributes:
        glob: The glob.
        problem: Why it cannot be used; null when it can.
        notes: Notes that it means, those too that another rule hides; null where no vault is open.
        first: Some of them.
    """

    glob: str
    problem: str | None
    notes: int | None
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedGlobs:
    """The globs.

    Attributes:
        globs: In the order in which they were given.
    """

    globs: tuple[CheckedGlob, ...]


@operation(example={"globs": ["Garden/**", "*.secret.md"]}, scope="admin", vault=False, tool=False)
async def check_globs(
    call: Call, globs: Annotated[tuple[Annotated[str, MaxLen(1_000)], ...], MaxLen(500)]
) -> CheckedGlobs:
    """Say of globs for `exclude`, `deny` and `readonly` what is wrong with them, and which notes they mean.

    Args:
        globs: The globs.
    """
    engines = call.bridge.vaults.values() if call.vault is None else [call.engine]
    return await asyncio.to_thread(checked, [engine.root for engine in engines], globs)


def checked(roots: Sequence[Path], globs: Sequence[str]) -> CheckedGlobs:
    """Compare globs with what vaults hold, whatever the rules say."""
    from bridge.vault import Ban, Rules, Vault, mistake

    paths = [path for root in roots if globs for path in sorted(Vault(root, Rules()).scan().files)]
    found = []
    for glob in globs:
        problem, ban = mistake(glob), Ban((glob,))
        meant = [] if problem else [path for path in paths if ban.covers(path)]
        found.append(CheckedGlob(glob, problem, len(meant) if roots else None, tuple(meant[:NAMED])))
    return CheckedGlobs(tuple(found))
