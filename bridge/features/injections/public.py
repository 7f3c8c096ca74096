"""What others use of injections."""

from bridge.features.injections.inject import (
    Reader,
    denied_agents,
    find_withheld,
    publish_injection,
    put_in_front,
    reader_of,
    record_injection,
)
