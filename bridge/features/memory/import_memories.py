"""Importing what another memory system kept."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Annotated

from annotated_types import MaxLen

from bridge.api.agreement import has_agreed, require_agreement, set_up_requests
from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.hints import FileText
from bridge.api.markup import Answer, Element, Line, Section
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, client_name, execute_requests, nothing_written, session_of
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.errors import InvalidArguments
from bridge.features.memory.access import audience_of, now, open_catalogue
from bridge.features.memory.new_memory import NewMemory, memory_properties, preview_memory, require_sound
from bridge.features.memory.remember import find_same, new_path, written_fields
from bridge.notebook.comparison import text_digest
from bridge.notebook.exports import ExportedMemory, read_export
from bridge.notebook.folder import agents_folder
from bridge.notebook.refusals import find_secret
from bridge.records import dataclass
from bridge.text.invisible import inline
from bridge.types import VaultPath

MOST = 5_000
"""Memories of one import."""

LONGEST_TEXT, MOST_WORDS, LONGEST_WORD = 51_200, 20, 100


@dataclass(frozen=True, slots=True)
class OmittedMemory:
    """A memory of the export that was not imported.

    Attributes:
        number: Its place in the export, from 1.
        title: Its title; empty if that is what is wrong.
        why: What is wrong with it.
    """

    number: int
    title: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMemories(Written):
    """Memories that were imported, in one change.

    Attributes:
        imported: How many memories are new.
        existing: How many say what is remembered already.
        left_out: Those that cannot be imported.
    """

    imported: int = 0
    existing: int = 0
    left_out: tuple[OmittedMemory, ...] = ()


@operation(
    example={"export": '{"results": [{"memory": "Prefers rye bread", "categories": ["food"]}]}', "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("import memories from mem0", "import a memory.json", "bring memories over from basic-memory"),
)
async def import_memories(
    call: Call, export: Annotated[FileText, MaxLen(20_000_000)], *, options: WriteArguments
) -> ImportedMemories:
    """Import the memories of mem0, of the MCP reference server's `memory.json`, or of a basic-memory folder.

    Each becomes a note in the agents' folder, all in one change; what is remembered already is not written again.

    Args:
        export: The export's JSON, or lines of JSON; a folder of notes is `{"notes": {name: text}}`.

    Raises:
        ConfirmationRequired: There are many, or the user did not agree to the agents' folder yet.
        InvalidArguments: It is none of these exports.
    """
    exported = await asyncio.to_thread(read_export, export)
    if len(exported) > MOST:
        raise InvalidArguments(f"The export has {len(exported):,} memories; {MOST:,} can be imported at once.")
    folder = agents_folder(call.vault.settings)
    begins = not call.vault.is_set_up
    if begins and not options.dry_run:
        require_agreement(call, folder, confirm=options.confirm)
    async with call.vault.memories.writing:
        catalogue = await open_catalogue(call)
        visible = catalogue.visible(audience_of(call), now())
        requests: list[Request] = set_up_requests(call, folder)
        left_out: list[OmittedMemory] = []
        taken: set[VaultPath] = set()
        said: set[str] = set()
        existing = 0
        for number, one in enumerate(exported, start=1):
            try:
                new = to_memory(one)
                require_sound(new)
            except InvalidArguments as error:
                title = "" if find_secret(one.title) else one.title
                left_out.append(OmittedMemory(number, title, error.message))
                continue
            properties = memory_properties(new, client=client_name(call), session=session_of(call))
            path = new_path(call, folder, new.title, taken)
            memory = preview_memory(path, new, properties)
            digest = text_digest(new.text)
            same = await asyncio.to_thread(find_same, call, catalogue, visible, memory, new.text)
            if same is not None or digest in said:
                existing += 1
                continue
            said.add(digest)
            taken.add(path)
            requests.append(CreateNote(path=path, text=new.text, properties=properties))
        if not taken:
            return ImportedMemories(
                **written_fields(nothing_written(folder.memory, "Nothing was imported.")),
                existing=existing,
                left_out=tuple(left_out),
            )
        agreed = folder if begins and has_agreed(call) else None
        made = await execute_requests(call, requests, options, operation="import_memories", agreed=agreed)
    return ImportedMemories(**written_fields(made), imported=len(taken), existing=existing, left_out=tuple(left_out))


def to_memory(one: ExportedMemory) -> NewMemory:
    if len(one.text) > LONGEST_TEXT:
        raise InvalidArguments(f"It is longer than {LONGEST_TEXT:,} characters.")
    return NewMemory(
        one.title,
        one.text,
        tags=words(one.tags),
        aliases=words(one.aliases),
        metadata=dict(one.metadata),
    )


def words(texts: Sequence[str]) -> tuple[str, ...]:
    """Return those texts that a list of a memory may hold."""
    return tuple(text.strip() for text in texts if text.strip() and len(text) <= LONGEST_WORD)[:MOST_WORDS]


def imported_view(answer: Answer) -> Iterable[Element]:
    known = f", {answer['existing']:,} known already" if answer["existing"] else ""
    new = "1 new memory" if answer["imported"] == 1 else f"{answer['imported']:,} new memories"
    yield Line(f"{new}{known}.")
    if answer["left_out"]:
        lines = [
            Line(f"{one['number']}. ", f"{inline(one['title'])}: " if one["title"] else "", inline(one["why"]))
            for one in answer["left_out"]
        ]
        yield Section("Left out", lines)
    if answer["imported"]:
        yield from written_view(answer)
