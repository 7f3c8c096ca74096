"""Listing the folders and tags of a vault."""

import asyncio
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from bridge.operations.call import Call
from bridge.operations.hints import Folder
from bridge.operations.missing import unknown_names
from bridge.operations.notes import Notes, snapshot
from bridge.operations.registry import operation
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class ListedFolder:
    """A folder in a list.

    Attributes:
        path: The folder.
        notes: Notes in it and below.
        direct: Notes in it alone.
    """

    path: Folder
    notes: int
    direct: int


@dataclass(frozen=True, slots=True)
class FolderList:
    """The folders that hold notes.

    Attributes:
        folders: The folders, by path.
    """

    folders: tuple[ListedFolder, ...]


@operation(
    example={},
    tasks=(
        "how many notes each folder has",
        "show the folder structure",
        "which folders are there",
        "how are the notes organized",
    ),
)
async def list_folders(call: Call) -> FolderList:
    """List the folders of the vault and how many notes each holds."""
    call.engine.require_keyword()
    return await asyncio.to_thread(folders, list(call.engine.index.notes))


def folders(paths: Iterable[VaultPath]) -> FolderList:
    """Count the notes of each folder."""
    direct = Counter(path.rpartition("/")[0] for path in paths)
    below: Counter[str] = Counter()
    for folder, count in direct.items():
        for parent in itertools.accumulate(folder.split("/"), lambda outer, inner: f"{outer}/{inner}"):
            below[parent] += count
    named = sorted(folder for folder in below if folder)
    return FolderList(tuple(ListedFolder(Folder(folder), below[folder], direct[folder]) for folder in named))


@dataclass(frozen=True, slots=True)
class ListedTag:
    """A tag in a list.

    Attributes:
        tag: The tag, without `#`, as most notes write it.
        count: Notes that carry it.
    """

    tag: str
    count: int


@dataclass(frozen=True, slots=True)
class TagList:
    """The tags in use.

    Attributes:
        tags: The tags, most used first.
        notices: What to know about it, such as a `prefix` that no tag has.
    """

    tags: tuple[ListedTag, ...]
    notices: tuple[str, ...] = ()


@operation(
    example={"prefix": "ferment"},
    tasks=("all tags with their counts", "which tags exist", "how often is a tag used"),
)
async def list_tags(call: Call, prefix: str = "") -> TagList:
    """List the tags of the vault and how many notes carry each.

    Args:
        prefix: Only tags that begin with this, whatever their case.
    """
    call.engine.require_keyword()
    return await asyncio.to_thread(counted, snapshot(call.engine), prefix.strip().removeprefix("#").casefold())


def counted(notes: Notes, wanted: str) -> TagList:
    """Count the notes of each tag that begins with what is wanted."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for note in notes.values():
        for folded, written in {tag.casefold(): tag for tag in note.tags}.items():
            spellings[folded][written] += 1
    found = [
        ListedTag(max(written, key=lambda tag: (written[tag], tag)), written.total())
        for folded, written in spellings.items()
        if folded.startswith(wanted)
    ]
    notices = unknown_names(notes, tags=[wanted]) if wanted and not found else ()
    return TagList(tuple(sorted(found, key=lambda tag: (-tag.count, tag.tag))), notices)
