"""Replacing memories by newer ones, and taking that back."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated

from annotated_types import Len

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import SetProperties
from bridge.errors import InvalidArguments
from bridge.features.memory.access import find_memory, local_time, open_catalogue
from bridge.markdown.kinds import title_of
from bridge.markdown.note import Value, property_of
from bridge.notebook.catalogue import MemoryCatalogue
from bridge.notebook.fields import field_of
from bridge.notebook.memory_note import Memory, link_name, link_to
from bridge.types import VaultPath


@operation(
    example={"path": ["Agents/Memory/Old.md"], "by": "Agents/Memory/New.md", "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("replace an outdated memory by a newer one", "mark a memory as superseded", "a decision was changed"),
)
async def supersede_memory(
    call: Call,
    path: Annotated[tuple[VaultPath, ...], Len(1, 50)],
    by: VaultPath,
    *,
    reverse: bool = False,
    options: WriteArguments,
) -> Written:
    """Replace memories by another, after which they are not recalled any more.

    Args:
        path: The outdated memories.
        by: The memory that replaces them; `remember` with `supersedes` writes a new one.
        reverse: Take it back instead.

    Raises:
        NoteNotFound: No such memory.
        InvalidArguments: A memory would replace itself, also by way of others.
    """
    catalogue = await open_catalogue(call)
    successor = find_memory(call, catalogue, by)
    memories = [find_memory(call, catalogue, one) for one in path]
    if reverse:
        meant = [one for one in memories if is_replaced_by(one, successor.path)]
        requests = reverse_requests(call, meant)
    else:
        require_no_circle(catalogue, memories, successor)
        meant = [one for one in memories if not is_replaced_by(one, successor.path)]
        requests = supersede_requests(meant, successor.path)
    links = changed_links(call, meant, successor.path, reverse=reverse)
    requests.append(SetProperties(path=successor.path, properties={"supersedes": links}))
    if not links:
        requests[-1] = SetProperties(path=successor.path, remove=("supersedes",))
    made = await execute_requests(call, requests, options, operation="supersede_memory")
    if left := len(memories) - len(meant):
        made = replace(made, warnings=(*made.warnings, f"No change was needed for {left} of the memories."))
    return made


def supersede_requests(memories: Iterable[Memory], by: VaultPath) -> list[Request]:
    """Return the changes by which memories end in favour of another; one that has an end keeps it."""
    link, moment = link_to(title_of(by)), local_time()
    requests: list[Request] = []
    for memory in memories:
        properties: dict[str, Value] = {"superseded_by": link}
        if memory.valid_until is None:
            properties["valid_until"] = moment
        requests.append(SetProperties(path=memory.path, properties=properties))
    return requests


def reverse_requests(call: Call, memories: Iterable[Memory]) -> list[Request]:
    """Return the changes that take `supersede_requests` back; an end that is a day was set by someone else."""
    requests: list[Request] = []
    for memory in memories:
        end = field_of(call.vault.index.notes[memory.path].properties, "valid_until")
        ended = ("valid_until",) if isinstance(end, str) and "T" in end else ()
        requests.append(SetProperties(path=memory.path, remove=("superseded_by", *ended)))
    return requests


def changed_links(call: Call, memories: Sequence[Memory], by: VaultPath, *, reverse: bool) -> list[Value]:
    written = property_of(call.vault.index.notes[by].properties, "supersedes")
    links = list(written) if isinstance(written, list | tuple) else [] if written is None else [written]
    names = {title_of(memory.path) for memory in memories}
    kept = [link for link in links if not (isinstance(link, str) and title_of(f"{link_name(link)}.md") in names)]
    return kept if reverse else [*kept, *map(link_to, sorted(names))]


def is_replaced_by(memory: Memory, by: VaultPath) -> bool:
    return memory.superseded_by is not None and title_of(f"{memory.superseded_by}.md") == title_of(by)


def require_no_circle(catalogue: MemoryCatalogue, memories: Sequence[Memory], successor: Memory) -> None:
    paths = {memory.path for memory in memories}
    seen: set[VaultPath] = set()
    one: Memory | None = successor
    while one is not None and one.path not in seen:
        if one.path in paths and one is successor:
            raise InvalidArguments(f"`{one.path}` cannot replace itself.", hint="Leave it out of `path`.")
        if one.path in paths:
            raise InvalidArguments(
                f"`{successor.path}` is replaced by `{one.path}` already.",
                hint="Take that back first, with `reverse`.",
            )
        seen.add(one.path)
        one = None if one.superseded_by is None else catalogue.find(one.superseded_by)
