"""Replacing memories by newer ones."""

from collections.abc import Iterable
from datetime import datetime

from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import SetProperties
from bridge.markdown.kinds import title_of
from bridge.markdown.note import Value
from bridge.notebook.memory_note import Memory, link_to
from bridge.types import VaultPath


def supersede_requests(memories: Iterable[Memory], by: VaultPath) -> list[Request]:
    """Return the changes by which memories end in favour of another; one that has an end keeps it."""
    link, moment = link_to(title_of(by)), datetime.now().astimezone().isoformat(timespec="seconds")
    requests: list[Request] = []
    for memory in memories:
        properties: dict[str, Value] = {"superseded_by": link}
        if memory.valid_until is None:
            properties["valid_until"] = moment
        requests.append(SetProperties(path=memory.path, properties=properties))
    return requests
