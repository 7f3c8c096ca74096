"""What reports leave out, because the user or an agent dismissed it."""

import asyncio
from collections.abc import Set as AbstractSet

from bridge.api.call import Call
from bridge.state.dismissals import Dismissal, DismissalKind


async def dismissed_rows(call: Call, kind: DismissalKind) -> AbstractSet[Dismissal]:
    """Return what was dismissed of one kind."""
    return (await asyncio.to_thread(call.vault.store.dismissals.of, kind)).keys()
