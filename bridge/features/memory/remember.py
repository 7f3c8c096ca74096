"""Remembering: a new note in the agents' folder, unless a memory says the same."""

import asyncio
from collections.abc import Collection
from dataclasses import fields
from typing import Annotated, Any

from annotated_types import MaxLen

from bridge.api.agreement import has_agreed, require_agreement, set_up_requests
from bridge.api.call import Call
from bridge.api.no_change import nothing_written
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.api.write import WriteArguments, Written, client_name, execute_requests, session_of
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.errors import ConfirmationRequired, InvalidArguments
from bridge.features.memory.access import audience_of, find_memory, local_time, now, open_catalogue, read_body
from bridge.features.memory.likeness import LikeMemory, find_like, find_same
from bridge.features.memory.new_memory import NewMemory, memory_properties, preview_memory, require_sound
from bridge.features.memory.supersession import supersede_requests
from bridge.markdown.kinds import title_of
from bridge.notebook.catalogue import MemoryCatalogue
from bridge.notebook.comparison import says_no_more
from bridge.notebook.file_name import file_name_for
from bridge.notebook.folder import AgentsFolder, agents_folder
from bridge.notebook.memory_note import Memory, link_to
from bridge.records import dataclass
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedNote(Written):
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
    ),
)
async def remember(
    call: Call,
    new: Annotated[NewMemory, Spread()],
    supersedes: Annotated[tuple[VaultPath, ...], MaxLen(50)] = (),
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
    folder, client, session = agents_folder(call.vault.settings), client_name(call), session_of(call)
    begins = not call.vault.is_set_up
    if begins and not options.dry_run:
        require_agreement(call, folder, confirm=options.confirm)
    properties = memory_properties(new, client=client, session=session)
    async with call.vault.memories.writing:
        catalogue = await open_catalogue(call)
        replaced = [find_memory(call, catalogue, path) for path in supersedes]
        memory = preview_memory(new_path(call, folder, new.title), new, properties)
        known, like = await find_known(call, catalogue, memory, new.text, supersedes)
        if known is not None and not known.is_over and (known.is_same_text or known.is_repeated):
            if supersedes:
                raise InvalidArguments(
                    f"`{known.path}` says the same already; nothing new replaces the others.",
                    hint=f"`supersede_memory` replaces them, with `{known.path}` as `by`.",
                )
            return existing_note(call, known, like)
        refusal = None if known is None else known.refusal(memory)
        if refusal is not None and not (options.dry_run or call.confirmed(options.confirm)):
            raise refusal
        against = [catalogue.memories[one.path] for one in like if one.contradicts and one.path not in supersedes]
        requests: list[Request] = set_up_requests(call, folder)
        requests += supersede_requests(replaced, memory.path)
        links = {"conflicts_with": [one.path for one in against], "supersedes": supersedes}
        properties |= {name: [link_to(title_of(path)) for path in paths] for name, paths in links.items() if paths}
        # So that the newer one is recalled, though the clock may have been set back since the others were written.
        properties["created"] = local_time(max((one.begins for one in against), default=0.0))
        requests.append(CreateNote(path=memory.path, text=new.text, properties=properties))
        agreed = folder if begins and has_agreed(call) else None
        made = await execute_requests(call, requests, options, operation="remember", agreed=agreed)
    confirmation = refusal.message if refusal is not None and options.dry_run else made.confirmation
    return RememberedNote(**{**written_fields(made), "confirmation": confirmation}, like=like)


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory that says the same as a new one, or nearly."""

    path: VaultPath
    is_over: bool
    is_same_text: bool
    is_repeated: bool
    """Whether it was recalled in this session, and the new one says no more."""

    def refusal(self, new: Memory) -> ConfirmationRequired:
        """Return the error for remembering it again unasked."""
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
    """Return the memory that says the same as a new one and is not replaced by it, and all that are similar."""
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
    """Return the path of a new memory; its name is that of no other file, so that links to others stay as they are.

    Args:
        call: The call.
        folder: The agents' folder.
        title: The memory's title.
    """
    names = call.vault.names

    def is_taken(name: str) -> bool:
        path = VaultPath(f"{folder.memory}/{name}.md")
        return bool(names.with_name(f"{name}.md")) or call.vault.files.has(path)

    return VaultPath(f"{folder.memory}/{file_name_for(title, is_taken, default='Memory')}.md")


def existing_note(call: Call, known: KnownMemory, like: tuple[LikeMemory, ...]) -> RememberedNote:
    """Describe a memory that needs no new note."""
    note = call.vault.index.notes.get(known.path)
    why = "It was remembered before." if known.is_same_text else "It was recalled in this session."
    nothing = nothing_written(known.path, f"{why} Nothing was written.", digest=None if note is None else note.digest)
    return RememberedNote(**written_fields(nothing), like=like, existing=True)


def written_fields(made: Written) -> dict[str, Any]:
    """Return the fields of a change's result."""
    return {field.name: getattr(made, field.name) for field in fields(Written)}
