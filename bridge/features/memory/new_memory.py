"""A memory to be written: its arguments, and the note that they make."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Annotated, Final

import orjson
from msgspec import Meta, field

from bridge.api.hints import Properties
from bridge.api.moments import day
from bridge.errors import InvalidArguments
from bridge.features.memory.comparison import text_digest
from bridge.features.memory.memory_note import TYPE, Memory, MemoryKind, link_name, link_to, read_memory
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Value
from bridge.records import Record
from bridge.text.secrets import require_plain
from bridge.types import VaultPath

Title = Annotated[str, Meta(max_length=500)]
MemoryText = Annotated[str, Meta(max_length=51_200)]
Word = Annotated[str, Meta(max_length=100)]
Words = Annotated[tuple[Word, ...], Meta(max_length=20)]
Places = Annotated[tuple[Annotated[str, Meta(max_length=1_000)], ...], Meta(max_length=50)]
Share = Annotated[float, Meta(ge=0, le=1)]

MAX_METADATA_BYTES: Final = 10_240
"""Bytes of further properties, as JSON."""

OWN: Final = frozenset(
    {
        *("type", "id", "kind", "title", "created", "updated", "tags", "aliases", "scope", "about", "files", "agent"),
        *("session", "confidence", "expires", "pinned", "private_to", "supersedes", "superseded_by", "conflicts_with"),
    }
)
"""Properties that have an argument, or that only the bridge sets."""

_DAYS: Final = re.compile(r"(\d{1,5})\s*d(?:ays?)?")


class NewMemory(Record):
    """What to remember.

    Attributes:
        title: What it is about, in a line; also the note's name.
        text: What to remember, in a paragraph or a few; may contain links.
        kind: What it is; `raw` if unsorted.
        tags: Tags, without `#`.
        aliases: Other names by which a question may mean it.
        scope: Where it holds, such as `domain:code` or `project:oven`; everywhere if empty.
        about: Notes that it is about, by path or name.
        files: Files outside the vault.
        metadata: More properties, such as `valid_from` or `valid_until`.
        confidence: How sure it is.
        expires: Day on which it stops to hold, or a number of days such as `90d`.
        pinned: Return it from every `recall` in its scope.
        private: Return it to this client only.
    """

    title: Title
    text: MemoryText
    kind: MemoryKind = "raw"
    tags: Words = ()
    aliases: Words = ()
    scope: Words = ()
    about: Places = ()
    files: Places = ()
    metadata: Properties = field(default_factory=dict)
    confidence: Share = 1.0
    expires: Word | None = None
    pinned: bool = False
    private: bool = False


def require_sound(new: NewMemory) -> None:
    """Require that a memory can be written."""
    for name, text in (("title", new.title), ("text", new.text)):
        if not text.strip():
            raise InvalidArguments(f"`{name}` is empty.")
    lists = {"tags": new.tags, "aliases": new.aliases, "scope": new.scope, "about": new.about, "files": new.files}
    require_entries(lists)
    words = "\n".join(word for entries in lists.values() for word in entries)
    require_plain(title=new.title, text=new.text, words=words)
    if cut_frontmatter(new.text) is not None:
        raise InvalidArguments("`text` begins with properties.", hint="Pass them as `metadata`.")
    require_own_metadata(new.metadata)


def require_entries(lists: Mapping[str, Sequence[str]]) -> None:
    for name, entries in lists.items():
        if not all(map(str.strip, entries)):
            raise InvalidArguments(f"`{name}` has an empty entry.", hint="Leave it out.")


def require_own_metadata(metadata: Properties) -> None:
    """Require that further properties are none of those that the bridge sets, short, and without a secret."""
    written = orjson.dumps(dict(metadata)).decode()
    require_plain(metadata=written)
    if len(written.encode()) > MAX_METADATA_BYTES:
        raise InvalidArguments(f"`metadata` is longer than {MAX_METADATA_BYTES:,} bytes.")
    if taken := sorted(name for name in metadata if name.casefold() in OWN):
        raise InvalidArguments(f"`metadata` may not set `{taken[0]}`.", hint="Use the argument of that name, if any.")
    memory = read_memory(VaultPath(""), {"type": TYPE, **metadata}, title="")
    if memory is not None and memory.problems:
        raise InvalidArguments(f"In `metadata`, {memory.problems[0]}")


def memory_properties(new: NewMemory, *, client: str | None, session: str) -> dict[str, Value]:
    """Return the properties of a new memory's note, without those that have their defaults."""
    moment = datetime.now().astimezone()
    if new.private and client is None:
        raise InvalidArguments("A private memory needs a client with a name.", hint="Leave out `private`.")
    written: dict[str, Value] = {
        "id": f"memory-{moment:%Y%m%d}-{token_hex(3)}-{text_digest(new.text)}",
        "type": TYPE,
        "kind": new.kind,
        "title": new.title.strip(),
        "created": moment.isoformat(timespec="seconds"),
        "tags": [tag.strip().lstrip("#") for tag in new.tags],
        "aliases": [*new.aliases],
        "scope": [*new.scope],
        "about": [*map(link_to, new.about)],
        "files": [*new.files],
        "agent": client,
        "session": session,
        "confidence": None if new.confidence == 1 else new.confidence,
        "expires": None if new.expires is None else expiry_day(new.expires),
        "pinned": new.pinned or None,
        "private_to": client if new.private else None,
        **new.metadata,
    }
    return {name: value for name, value in written.items() if value is not None and value != []}


def expiry_day(written: str) -> str:
    today = datetime.now().astimezone().date()
    if days := _DAYS.fullmatch(written.strip()):
        expires = (today + timedelta(days=int(days[1]))).isoformat()
    else:
        try:
            expires = day("expires", written)
        except InvalidArguments as error:
            raise InvalidArguments(error.message, hint="A number of days is written as `90d`.") from None
    if expires <= today.isoformat():
        raise InvalidArguments(
            f"`expires` is {expires}, so that the memory would not hold any more.",
            hint="Name a later day or a number of days such as `90d`; `forget_memory` archives a memory.",
        )
    return expires


def preview_memory(path: VaultPath, new: NewMemory, properties: dict[str, Value]) -> Memory:
    memory = read_memory(path, properties, title=new.title, aliases=new.aliases, tags=new.tags)
    assert memory is not None  # noqa: S101 - the properties say what it is
    return memory


def names_of(links: Places) -> tuple[str, ...]:
    """Return the names of notes given by path, name or link."""
    return tuple(map(link_name, links))
