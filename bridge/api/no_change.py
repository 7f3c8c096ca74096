"""The result of a change that needs none."""

from bridge.api.write import Written
from bridge.types import Digest, VaultPath


def nothing_written(path: VaultPath, why: str, *, digest: Digest | None = None) -> Written:
    """Describe a change that needs none."""
    return Written(
        change_id=None,
        path=path,
        digest=digest,
        diff="",
        state="applied",
        warnings=(why,),
        links_rewritten=0,
        links_broken=(),
        files=0,
        by="disk",
        dry_run=False,
        would="",
        confirmation=None,
        changed=(),
    )
