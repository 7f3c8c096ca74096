"""What remains of a fault of ours: where it happened goes to the log, and nothing of it to the caller."""

import logging
import traceback

from bridge.errors import Internal

log = logging.getLogger(__name__)

FRAMES = 6


def internal(error: Exception) -> Internal:
    """Log where our own fault happened, without the words it happened on, and return what a caller is told."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    places = " < ".join(
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in reversed(frames)
    )
    log.error("%s at %s", type(error).__name__, places)
    return Internal("The bridge failed at this; it is our fault.")
