"""Remembering: a new note in the agents' folder, unless a memory says the same."""

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Annotated, Final

import orjson
from msgspec import Meta, field
from msgspec.structs import asdict, replace

from bridge.api.agreement import open_folder, set_up_requests
from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.hints import Properties
from bridge.api.markup import Column, Element, Section, Table
from bridge.api.moments import day
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.api.write import WriteArguments, Written, client_name, execute_requests, nothing_written, session_of
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import SetProperties
from bridge.engine.agents_folder import AgentsFolder
from bridge.errors import ConfirmationRequired, InvalidArguments
from bridge.features.memory.catalogue import (
    MemoryCatalogue,
    VisibleMemories,
    audience_of,
    find_memory,
    local_time,
    now,
    open_catalogue,
    read_body,
)
from bridge.features.memory.comparison import NEARLY_SAME, compare_statements, says_no_more, text_digest
from bridge.features.memory.memory_note import TYPE, Memory, MemoryKind, link_name, link_to, read_memory
from bridge.index.inverted_index import TextQuery
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.kinds import title_of
from bridge.markdown.note import Value, field_of, property_of
from bridge.records import Record
from bridge.text.function_words import content_words
from bridge.text.secrets import require_plain
from bridge.text.words import words_of
from bridge.types import VaultPath
from bridge.vault.paths import file_name_for

Title = Annotated[str, Meta(max_length=500)]
MemoryText = Annotated[str, Meta(max_length=51_200)]
Word = Annotated[str, Meta(max_length=100)]
Words = Annotated[tuple[Word, ...], Meta(max_length=20)]
Places = Annotated[tuple[Annotated[str, Meta(max_length=1_000)], ...], Meta(max_length=50)]
Share = Annotated[float, Meta(ge=0, le=1)]

MAX_METADATA_BYTES: Final = 10_240
"""Bytes of further properties, as JSON."""

OWN_PROPERTIES: Final = frozenset(
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
    if taken := sorted(name for name in metadata if name.casefold() in OWN_PROPERTIES):
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


MAX_COMPARED_MEMORIES: Final = 8

MAX_WORDS: Final = 40
"""Words of a text by which others like it are found."""

MAX_NAMED_MEMORIES: Final = 12
"""Memories compared for their names."""

MIN_SHARE: Final = 0.5
"""The least share of words that is worth showing."""

NEARLY_SAME_COSINE: Final = 0.92
"""The similarity in meaning from which two memories say nearly the same."""


class LikeMemory(Record):
    """A memory that says something similar.

    Attributes:
        path: Its note.
        share: The share of words in common, 0–1.
        contradicts: Whether it says otherwise of the same, so that it is not recalled any more while both hold; the new
            one names it in `conflicts_with`.
        cosine: Similarity in meaning; null without a model.
    """

    path: VaultPath
    share: float
    contradicts: bool
    cosine: float | None = None

    @property
    def is_same(self) -> bool:
        return not self.contradicts and (self.share >= NEARLY_SAME or (self.cosine or 0.0) >= NEARLY_SAME_COSINE)


def find_same(
    call: Call, catalogue: MemoryCatalogue, visible: VisibleMemories, new: Memory, text: str
) -> Memory | None:
    """Return the memory of the same scope that has the same text; None without one. Blocks.

    Those that are over count as well, but not those that the caller may not know.
    """
    digest = text_digest(text)
    for memory in catalogue.with_text(digest):
        known = memory.path in visible.memories or (memory.is_over and memory.is_for(new.agent))
        if known and set(memory.scope) == set(new.scope) and text_digest(read_body(call, memory.path)) == digest:
            return memory
    return None


async def find_like(
    call: Call, catalogue: MemoryCatalogue, visible: VisibleMemories, new: Memory, text: str
) -> list[LikeMemory]:
    """Return the memories that have much in common with a new one, the most similar first."""
    if not visible.memories:
        return []
    index = call.vault.index.view("agents")
    words = content_words(list(dict.fromkeys(words_of(f"{new.title} {text}"))))[:MAX_WORDS]
    hits = await index.search_notes(TextQuery(should=tuple(words)), 4 * MAX_COMPARED_MEMORIES)
    names = [
        path
        for name in (*new.names, *new.about)
        for path in catalogue.names.find_named(name)
        if path in visible.memories
    ]
    cosines = await find_near(call, visible, text)
    said = [hit.path for hit in hits if hit.path in visible.memories][:MAX_COMPARED_MEMORIES]
    paths = list(dict.fromkeys([*said, *sorted(set(names))[:MAX_NAMED_MEMORIES], *cosines]))

    def compare() -> list[LikeMemory]:
        others = {path: (visible.memories[path], read_body(call, path)) for path in paths}
        return [
            LikeMemory(path, round(one.share, 2), one.contrary, cosines.get(path))
            for path, one in zip(others, compare_statements(new, text, others), strict=True)
        ]

    like = [one for one in await asyncio.to_thread(compare) if one.is_same or one.contradicts or one.share >= MIN_SHARE]
    return sorted(like, key=lambda one: (-max(one.share, one.cosine or 0.0), one.path))


async def find_near(call: Call, visible: VisibleMemories, text: str) -> Mapping[VaultPath, float]:
    """Return the memories nearest in meaning, with their cosines; none without a model."""
    vector = await call.vault.embed_query(text[:2_000]) if call.vault.index.answering_model else None
    if vector is None:
        return {}
    hits = await call.vault.index.nearest(vector, MAX_COMPARED_MEMORIES, frozenset(visible.memories))
    return {hit.path: round(hit.score, 2) for hit in hits if hit.score >= NEARLY_SAME_COSINE}


@operation(
    example={"path": ["Agents/Memory/Old.md"], "by": "Agents/Memory/New.md", "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("replace an outdated memory by a newer one", "mark a memory as superseded", "a decision was changed"),
)
async def supersede_memory(
    call: Call,
    path: Annotated[tuple[VaultPath, ...], Meta(min_length=1, max_length=50)],
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
    for one in catalogue.successors(successor):
        if one.path in paths and one is successor:
            raise InvalidArguments(f"`{one.path}` cannot replace itself.", hint="Leave it out of `path`.")
        if one.path in paths:
            raise InvalidArguments(
                f"`{successor.path}` is replaced by `{one.path}` already.",
                hint="Take that back first, with `reverse`.",
            )


class RememberedNote(Written, kw_only=True):
    """A memory that was written, or the one that says the same already.

    Attributes:
        like: Memories that say something similar.
        existing: Whether it was remembered before; nothing was written then.
    """

    like: tuple[LikeMemory, ...] = ()
    existing: bool = False


@operation(
    example={
        "title": "Rye needs a sour starter",
        "text": "Bread with more than a third of rye stays flat without one.",
        "kind": "learning",
        "aliases": ["rye"],
        "dry_run": True,
    },
    reads=False,
    scope="write",
    tasks=(
        "remember this for later sessions",
        "remember that the user likes something",
        "remember that I prefer something",
        "store a memory",
        "save a fact about the user",
        "keep a preference of the user in mind",
        "note a lesson learned",
        "record a decision for the next session",
        "record a decision",
    ),
)
async def remember(
    call: Call,
    new: Annotated[NewMemory, Spread()],
    supersedes: Annotated[tuple[VaultPath, ...], Meta(max_length=50)] = (),
    *,
    options: WriteArguments,
) -> RememberedNote:
    """Remember something for later sessions, as a note in the agents' folder.

    Args:
        supersedes: Memories that it replaces; they are not recalled any more.

    Raises:
        ConfirmationRequired: A memory says nearly the same, or the user did not agree to the agents' folder yet.
        InvalidArguments: It seems to contain a secret, or text that a reader would not see; or a memory that is not in
            `supersedes` says the same.
        NoteNotFound: No such memory in `supersedes`.
    """
    require_sound(new)
    folder, agreed = open_folder(call, options)
    client, session = client_name(call), session_of(call)
    properties = memory_properties(new, client=client, session=session)
    async with call.vault.part(MemoryCatalogue).writing:
        catalogue = await open_catalogue(call)
        replaced = [find_memory(call, catalogue, path) for path in supersedes]
        path = new_path(call, folder, new.title)
        memory = read_memory(path, properties, title=new.title, aliases=new.aliases, tags=new.tags)
        assert memory is not None  # noqa: S101 - the properties say what it is
        known, like = await find_known(call, catalogue, memory, new.text, supersedes)
        if known is not None and not known.is_over and (known.is_same_text or known.is_repeated):
            if supersedes:
                raise InvalidArguments(
                    f"`{known.path}` says the same already; nothing new replaces the others.",
                    hint=f"`supersede_memory` replaces them, with `{known.path}` as `by`.",
                )
            return existing_note(call, known, like)
        refusal = None if known is None else known.refusal(memory)
        if refusal is not None and not (options.dry_run or call.is_confirmed(options.confirm)):
            raise refusal
        against = [catalogue.memories[one.path] for one in like if one.contradicts and one.path not in supersedes]
        requests: list[Request] = set_up_requests(call, folder)
        requests += supersede_requests(replaced, memory.path)
        links = {"conflicts_with": [one.path for one in against], "supersedes": supersedes}
        properties |= {name: [link_to(title_of(path)) for path in paths] for name, paths in links.items() if paths}
        # So that the newer one is recalled, though the clock may have been set back since the others were written.
        properties["created"] = local_time(max((one.begins for one in against), default=0.0))
        requests.append(CreateNote(path=memory.path, text=new.text, properties=properties))
        made = await execute_requests(call, requests, options, operation="remember", agreed=agreed)
    confirmation = refusal.message if refusal is not None and options.dry_run else made.confirmation
    return RememberedNote(**{**asdict(made), "confirmation": confirmation}, like=like)


class KnownMemory(Record):
    """A memory that says the same as a new one, or nearly."""

    path: VaultPath
    is_over: bool
    is_same_text: bool
    is_repeated: bool
    """Whether it was recalled in this session, and the new one says no more."""

    def refusal(self, new: Memory) -> ConfirmationRequired:
        if self.is_same_text:
            says, hint = "said the same and is over", "Repeat the call with `confirm` if it holds again."
        else:
            says = "says nearly the same"
            hint = f"Use `revise_memory` on `{self.path}`, name it in `supersedes`, or repeat the call with `confirm`."
        would = f"remember `{new.title}`, though `{self.path}` {says}"
        return ConfirmationRequired(f"`{self.path}` {says}.", would=would, hint=hint, path=self.path)


async def find_known(
    call: Call, catalogue: MemoryCatalogue, new: Memory, text: str, supersedes: Collection[VaultPath]
) -> tuple[KnownMemory | None, tuple[LikeMemory, ...]]:
    visible, session = catalogue.visible(audience_of(call), now()), session_of(call)
    same = await asyncio.to_thread(find_same, call, catalogue, visible, new, text)
    if same is not None and same.path not in supersedes:
        return KnownMemory(same.path, same.is_over, is_same_text=True, is_repeated=False), ()
    like = await find_like(call, catalogue, visible, new, text)
    alike = [one.path for one in like if one.is_same and one.path not in supersedes]
    path = next((path for path in alike if catalogue.was_recalled(session, path)), next(iter(alike), None))
    if path is None:
        return None, tuple(like)
    recalled = catalogue.was_recalled(session, path)
    is_repeated = recalled and await asyncio.to_thread(lambda: says_no_more(text, read_body(call, path)))
    return KnownMemory(path, False, is_same_text=False, is_repeated=is_repeated), tuple(like)


def new_path(call: Call, folder: AgentsFolder, title: str) -> VaultPath:
    """Return the path of a new memory; its name is that of no other file, so that links to others stay as they are."""
    names = call.vault.names

    def is_taken(name: str) -> bool:
        path = VaultPath(f"{folder.memory}/{name}.md")
        return bool(names.with_name(f"{name}.md")) or call.vault.files.has(path)

    return VaultPath(f"{folder.memory}/{file_name_for(title, is_taken, default='Memory')}.md")


def existing_note(call: Call, known: KnownMemory, like: tuple[LikeMemory, ...]) -> RememberedNote:
    note = call.vault.index.notes.get(known.path)
    why = "It was remembered before." if known.is_same_text else "It was recalled in this session."
    nothing = nothing_written(known.path, f"{why} Nothing was written.", digest=None if note is None else note.digest)
    return RememberedNote(**asdict(nothing), like=like, existing=True)


SIMILAR_MEMORY = (
    Column("path", role="path"),
    Column("share", " · {:.0%} of its words"),
    Column("cosine", " · cosine {}"),
    Column("contradicts", lambda contradicts: " · contradicts it, and is not recalled any more" if contradicts else ""),
)


def remembered_view(written: RememberedNote) -> Iterable[Element]:
    """Show a memory that was written, and those that say something similar."""
    yield from written_view(written)
    if written.like:
        yield Section("Similar", Table(SIMILAR_MEMORY, written.like))
