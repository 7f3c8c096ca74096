"""Steps that put other bytes in the place of files."""

from collections.abc import Mapping

from bridge.changes.desk import digest_of
from bridge.steps import Plan, Step
from bridge.types import VaultPath


def puts(files: Mapping[VaultPath, tuple[bytes, bytes]]) -> Plan:
    """Return a plan that changes files.

    Args:
        files: Their bytes before and after.
    """
    steps = tuple(Step("put", path, before=digest_of(old), after=digest_of(new)) for path, (old, new) in files.items())
    return Plan(steps, {digest_of(data): data for pair in files.values() for data in pair})
