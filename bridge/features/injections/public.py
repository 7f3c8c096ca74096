"""What others use of injections."""

from bridge.features.injections.operations import (
    Reader,
    denied_agents,
    find_withheld,
    publish_injection,
    put_in_front,
    reader_of,
    record_injection,
)
