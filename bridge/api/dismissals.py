"""What reports leave out: for the user what the user dismissed, for agents also what an agent did."""

import asyncio
from collections.abc import Set as AbstractSet

from bridge.api.agreement import is_user
from bridge.api.call import Call
from bridge.state.dismissals import Dismissal, DismissalKind


async def dismissed_rows(call: Call, kind: DismissalKind) -> AbstractSet[Dismissal]:
    known = await asyncio.to_thread(call.vault.store.dismissals.of, kind)
    return {one for one, by_user in known.items() if by_user or not is_user(call)}
