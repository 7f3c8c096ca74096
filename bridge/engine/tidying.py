"""Keeps small what grows by itself: ends what waited too long and makes the index compact, now and then."""

import asyncio
import logging
from typing import TYPE_CHECKING, Never

from bridge.engine.deciding import Deciding
from bridge.errors import DiskFull, ReadOnly

if TYPE_CHECKING:
    from bridge.index import Index

log = logging.getLogger(__name__)

EVERY_S = 900.0


async def tidy(deciding: Deciding, index: "Index") -> Never:
    """Tidy up until cancelled."""
    while True:
        await deciding.expire()
        await asyncio.sleep(EVERY_S)
        try:
            await index.optimise()
        except (DiskFull, ReadOnly) as error:
            log.warning("The index is not made compact now: %s", error.code)
