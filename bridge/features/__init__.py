"""What the bridge can do: one folder per feature, and the only list of them."""

from bridge.api.registry import get_operation, install, installed_hooks, operations
from bridge.features import (
    admin,
    answers,
    bases,
    brief,
    corrections,
    decisions,
    dismissals,
    entities,
    external_tools,
    graph,
    handoffs,
    history,
    injections,
    links,
    memory,
    notes,
    promotion,
    properties,
    search,
    sessions,
    shared_index,
    status,
    summaries,
    tasks,
    tidy,
    tools,
    topics,
    workflows,
)

__all__ = ["FEATURES", "get_operation", "installed_hooks", "operations"]

FEATURES = tuple(
    one.FEATURE
    for one in (
        search,
        summaries,
        answers,
        corrections,
        notes,
        properties,
        entities,
        dismissals,
        tidy,
        workflows,
        bases,
        tasks,
        history,
        decisions,
        links,
        graph,
        topics,
        memory,
        promotion,
        handoffs,
        sessions,
        brief,
        injections,
        status,
        shared_index,
        admin,
        external_tools,
        tools,
    )
)
"""Every feature, in the order in which documents list them."""

install(FEATURES)
