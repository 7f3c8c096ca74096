"""Revising, judging and forgetting memories."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from msgspec import field
from msgspec.structs import asdict

from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.dispatch import paths_in_result
from bridge.api.hints import Properties
from bridge.api.markup import Element, notice
from bridge.api.registry import OPERATIONS, get_operation, operation
from bridge.api.signature import Spread
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.move_note import DeleteNote
from bridge.errors import InvalidArguments
from bridge.features.memory.catalogue import find_memory, local_time, open_catalogue, read_body
from bridge.features.memory.memory_note import MemoryKind, link_to
from bridge.features.memory.remember import (
    MemoryText,
    Places,
    Share,
    Title,
    Word,
    Words,
    expiry_day,
    require_entries,
    require_own_metadata,
)
from bridge.features.memory.use_log import NO_USE, UseLog, Verdict
from bridge.markdown.edit.requests import Append, Edit, ReplaceLines
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Value
from bridge.records import Record
from bridge.text.secrets import require_plain
from bridge.text.sentence import sentence_at
from bridge.types import Digest, VaultPath


class Revision(Record):
    """What to change of a memory; what is not given stays.

    Attributes:
        title: What it is about.
        text: Its new text; needs `digest`.
        append: Text to add at its end.
        kind: What it is.
        tags: All its tags.
        aliases: All its other names.
        scope: All its scopes.
        about: All notes that it is about.
        files: All files outside the vault.
        metadata: More properties; null removes one.
        confidence: How sure it is.
        expires: Day on which it stops to hold, or a number of days such as `90d`; empty for never.
        pinned: Whether every `recall` in its scope returns it.
        resolved: Whether it is settled, and not recalled any more.
    """

    title: Title | None = None
    text: MemoryText | None = None
    append: MemoryText | None = None
    kind: MemoryKind | None = None
    tags: Words | None = None
    aliases: Words | None = None
    scope: Words | None = None
    about: Places | None = None
    files: Places | None = None
    metadata: Properties = field(default_factory=dict)
    confidence: Share | None = None
    expires: Word | None = None
    pinned: bool | None = None
    resolved: bool | None = None


@operation(
    example={"path": "Agents/Memory/Rye.md", "confidence": 0.8, "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("correct what you remembered", "pin or unpin a memory, or let it expire", "answer an open question"),
)
async def revise_memory(
    call: Call,
    path: VaultPath,
    new: Annotated[Revision, Spread()],
    digest: Digest | None = None,
    *,
    options: WriteArguments,
) -> Written:
    """Change a memory; what is not named stays byte for byte.

    Args:
        path: The memory.
        digest: Digest of the note as read; required with `text`.

    Raises:
        NoteNotFound: No such memory.
        NoteChanged: Its content does not match `digest`.
        InvalidArguments: Nothing is to be changed, or a text seems to contain a secret.
    """
    catalogue = await open_catalogue(call)
    memory = find_memory(call, catalogue, path)
    require_revision(new)
    if new.text is not None and digest is None:
        raise InvalidArguments(
            "`text` replaces the memory's text, and needs `digest`.",
            hint=f"Read `{memory.path}` with `read_note` and pass its `digest`, or add to the text with `append`.",
        )
    properties, remove = revised_properties(new)
    edits = await asyncio.to_thread(revised_text, call, memory.path, new)
    requests: list[Request] = [EditNote(path=memory.path, edits=edits, digest=digest)] if edits else []
    properties["updated"] = local_time(memory.created)
    requests.append(SetProperties(path=memory.path, digest=digest, properties=properties, remove=tuple(remove)))
    made = await execute_requests(call, requests, options, operation="revise_memory")
    if made.change_id is not None and made.state == "applied":
        await asyncio.to_thread(UseLog(call.vault.store.database).forget_verdicts, memory.path)
    return made


LISTS = ("tags", "aliases", "scope", "about", "files")


def require_revision(new: Revision) -> None:
    if new == Revision():
        raise InvalidArguments("Nothing is to be changed.", hint="Give `text`, `append` or a property.")
    if new.text is not None and (not new.text.strip() or cut_frontmatter(new.text) is not None):
        raise InvalidArguments("`text` is empty, or begins with properties.", hint="Pass properties by their names.")
    lists = {name: getattr(new, name) or () for name in LISTS}
    require_entries(lists)
    words = "\n".join(word for entries in lists.values() for word in entries)
    require_plain(title=new.title or "", text=new.text or "", append=new.append or "", words=words)
    require_own_metadata(new.metadata)


def revised_properties(new: Revision) -> tuple[dict[str, Value], list[str]]:
    forms = {"tags": lambda tag: tag.strip().lstrip("#"), "about": link_to}
    lists = {name: getattr(new, name) for name in LISTS}
    values: dict[str, Any] = {
        "title": new.title,
        "kind": new.kind,
        **{name: None if own is None else [*map(forms.get(name, str), own)] for name, own in lists.items()},
        "confidence": new.confidence,
        "expires": expiry_day(new.expires) if new.expires else None,
        "pinned": new.pinned,
        "resolved": datetime.now().astimezone().date().isoformat() if new.resolved else None,
    }
    remove = [name for name, value in values.items() if value in ([], False)]
    remove += ["expires"] if new.expires == "" else []
    remove += ["resolved"] if new.resolved is False else []
    remove += [name for name, value in new.metadata.items() if value is None]
    own = {name: value for name, value in (values | dict(new.metadata)).items() if value is not None}
    return {name: value for name, value in own.items() if name not in remove}, remove


def revised_text(call: Call, path: VaultPath, new: Revision) -> tuple[Edit, ...]:
    """Return the edits of a memory's text; reads its note, and blocks."""
    edits: list[Edit] = []
    if new.text is not None:
        text = call.vault.files.read(path)[0].decode("utf-8-sig", "replace")
        cut = cut_frontmatter(text)
        body = cut[1] if cut else 0
        first = text.count("\n", 0, body) + 1
        last = text.count("\n") + (not text.endswith("\n"))
        edits.append(ReplaceLines(lines=(first, last), text=new.text) if text[body:].strip() else Append(text=new.text))
    if new.append is not None and new.append.strip():
        edits.append(Append(text=new.append))
    return tuple(edits)


CHECKS: Mapping[str, tuple[str, Mapping[str, bool]]] = {
    "recall": ("query", {"everywhere": False}),
    "brief": ("task", {"everywhere": False}),
    "search": ("query", {}),
}
"""What is asked for a forgotten memory: the argument that takes the question, and others."""


class ForgottenCheck(Record):
    """Which operations still find a memory by its title and first sentence.

    Attributes:
        recall: Whether `recall` does.
        brief: Whether `brief` does.
        search: Whether `search` does.
    """

    recall: bool = False
    brief: bool = False
    search: bool = False


class ForgottenMemory(Written, kw_only=True):
    """A memory that was forgotten.

    Attributes:
        verified: Which operations still find it; null if nothing was written.
    """

    verified: ForgottenCheck | None = None


class JudgedMemory(Record):
    """The verdicts on a memory.

    Attributes:
        path: The memory.
        useful: How often it was called useful.
        wrong: How often it was called wrong.
        stale: How often it was called stale.
        doubted: Whether it is left out of `brief` until it is revised.
    """

    path: VaultPath
    useful: int
    wrong: int
    stale: int
    doubted: bool


@operation(
    example={"path": "Agents/Memory/Rye.md", "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("forget a memory", "remove something from memory", "stop recalling this", "archive a memory"),
)
async def forget_memory(
    call: Call, path: VaultPath, *, erase: bool = False, options: WriteArguments
) -> ForgottenMemory:
    """Archive a memory, so that it is not recalled any more; its note stays.

    Args:
        path: The memory.
        erase: Delete the note instead, as the user only may.

    Raises:
        NoteNotFound: No such memory.
        Forbidden: An agent asks to erase it.
    """
    catalogue = await open_catalogue(call)
    memory = find_memory(call, catalogue, path)
    if erase:
        call.principal.require("admin")
    note = call.vault.index.notes[memory.path]
    body = await asyncio.to_thread(read_body, call, memory.path)
    request: Request = SetProperties(path=memory.path, properties={"tier": "archived"})
    if erase:
        request = DeleteNote(path=memory.path, digest=note.digest)
    made = await execute_requests(call, [request], options, operation="forget_memory")
    done = made.state == "applied" and not made.dry_run
    question = f"{memory.title} {sentence_at(body, (0, 0))}".strip()[:1_000]
    verified = await verify_forgotten(call, memory.path, question) if done else None
    return ForgottenMemory(**asdict(made), verified=verified)


async def verify_forgotten(call: Call, path: VaultPath, question: str) -> ForgottenCheck:
    found = {}
    for name, (argument, others) in CHECKS.items():
        if name in OPERATIONS:
            answer = await get_operation(name).run(call, {argument: question, **others})
            found[name] = path in paths_in_result(answer, {call.host.id, call.host.name})
    return ForgottenCheck(**found)


@operation(
    example={"path": "Agents/Memory/Rye.md", "verdict": "useful"},
    reads=False,
    scope="write",
    tasks=("say whether a memory was useful, wrong or stale", "this memory was helpful"),
)
async def judge_memory(call: Call, path: VaultPath, verdict: Verdict) -> JudgedMemory:
    """Say whether a memory was useful, wrong or stale; a doubted one is left out of `brief`.

    Args:
        path: The memory.
        verdict: The verdict.

    Raises:
        NoteNotFound: No such memory.
    """
    catalogue = await open_catalogue(call)
    memory = find_memory(call, catalogue, path)

    def judge() -> JudgedMemory:
        log = UseLog(call.vault.store.database)
        log.judge(memory.path, verdict)
        use = log.all().get(memory.path, NO_USE)
        return JudgedMemory(memory.path, use.useful, use.wrong, use.stale, use.is_doubted)

    return await asyncio.to_thread(judge)


def forgotten_view(forgotten: ForgottenMemory) -> Iterable[Element]:
    """Show how a memory was forgotten, and what still finds it."""
    yield from written_view(forgotten)
    if forgotten.verified:
        found = [name for name, finds in asdict(forgotten.verified).items() if finds]
        yield notice(f"still found by: {', '.join(found) or 'nothing'}")
