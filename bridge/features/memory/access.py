"""The memories of a vault, as a caller may know them."""

import asyncio
import math
import time

from bridge.api.call import Call
from bridge.api.moments import iso
from bridge.api.write import client_name
from bridge.errors import NoteNotFound
from bridge.features.memory.catalogue import MemoryCatalogue
from bridge.features.memory.memory_note import Memory
from bridge.features.memory.visibility import Audience
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.types import VaultPath


async def open_catalogue(call: Call) -> MemoryCatalogue:
    vault = call.vault
    vault.require_keyword()
    # In a thread, since the first time it reads every memory.
    await asyncio.to_thread(vault.part(MemoryCatalogue).follow, vault.index.view("agents").notes)
    return vault.part(MemoryCatalogue)


def audience_of(
    call: Call, scope: tuple[str, ...] = (), *, all_private: bool = False, archived: bool = False
) -> Audience:
    return Audience(
        client=client_name(call),
        scope=tuple(sorted(word.strip().casefold() for word in scope if word.strip())),
        all_private=all_private and call.is_user,
        archived=archived,
    )


def find_memory(call: Call, catalogue: MemoryCatalogue, path: VaultPath) -> Memory:
    memory = catalogue.memories.get(path)
    if memory is None or not (memory.is_for(client_name(call)) or call.is_user):
        raise NoteNotFound(f"`{path}` is not a memory.", hint="`list_memories` lists them.", path=path)
    return memory


def read_body(call: Call, path: VaultPath) -> str:
    """Return the text of a memory without its properties; empty if it is gone. Blocks."""
    try:
        data, _ = call.vault.files.read(path)
    except NoteNotFound:
        return ""
    text = data.decode("utf-8-sig", "replace")
    cut = cut_frontmatter(text)
    return text[cut[1] if cut else 0 :].strip()


def local_time(least: float = 0.0) -> str:
    """Return the time now as notes have it; a later one if the clock was set back below what it must not precede."""
    return iso(max(time.time(), math.ceil(least)))


def now() -> float:
    """Return the time at which memories must be valid."""
    return time.time()
