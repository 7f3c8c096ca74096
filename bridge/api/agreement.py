"""The user's agreement to what agents ask for, and to the folder in which they keep notes."""

import asyncio
from typing import ClassVar

from bridge.api.call import Call
from bridge.api.moments import iso
from bridge.api.write import WriteOptions, client_name
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.agents_folder import (
    ABOUT_TYPE,
    ID,
    AgentsFolder,
    agents_folder,
    id_in,
    new_id,
    read_id,
    starter_notes,
)
from bridge.errors import ConfirmationRequired, Declined
from bridge.events import DecisionsChanged
from bridge.markdown.edit.properties import edit_properties
from bridge.state.decisions import Answer, Decision


async def ask_user(call: Call, decision: Decision) -> None:
    """Have a question wait for the user, of an agent or of the user's own making."""
    client = None if call.is_user else client_name(call)
    await asyncio.to_thread(call.host.store.decisions.ask, decision, client)
    call.bridge.events.publish(DecisionsChanged(), call.host.id)


async def keep_answer(call: Call, decision: Decision, answer: Answer) -> Decision:
    kept = await asyncio.to_thread(call.host.store.decisions.answer, decision, answer, client_name(call))
    call.bridge.events.publish(DecisionsChanged(), call.host.id)
    return kept


class SetUpMemory(Request, kw_only=True, tag="set_up_memory"):
    """Creates the notes with which the agents' folder begins; those that exist stay as they are."""

    relinks: ClassVar[bool] = True

    folder: AgentsFolder
    id: str
    """The id by which the note that explains the folder counts."""
    templates: bool = True

    @property
    def agreement(self) -> str:
        """The id to which the user agrees."""
        return self.id

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        """Create the notes in the draft; a note that explains the folder already gets the id."""
        for path, text in starter_notes(self.folder, self.id, templates=self.templates).items():
            if not draft.has(path):
                draft.create(path, text.encode())
            elif path == self.folder.about and id_in(path, draft.read(path)) != self.id:
                draft.replace(path, edit_properties(path, draft.read(path), {ID: self.id, "type": ABOUT_TYPE}, (), {}))
        means = f"Once this is done, agents may write notes in `{self.folder.path}`."
        return Effect(warnings=(f"{means} Delete `{self.folder.about}` to end that.",))


def set_up_requests(call: Call, folder: AgentsFolder) -> list[Request]:
    """Return the request that sets up the agents' folder; none if the user agreed to it."""
    if call.vault.is_set_up:
        return []
    return [SetUpMemory(path=folder.about, folder=folder, id=id_for(call, folder), templates=False)]


def id_for(call: Call, folder: AgentsFolder) -> str:
    """Return the id of the note that explains the folder, such as one from another device, or a new one."""
    return read_id(call.vault.files, folder.about) or new_id()


def is_editor(call: Call) -> bool:
    """Return whether the call is of an editor, such as Obsidian, in which the user types while it is answered."""
    return call.principal.local and call.transport == "http" and client_name(call) != "vaultside"


def open_folder(call: Call, options: WriteOptions) -> tuple[AgentsFolder, AgentsFolder | None]:
    """Return the agents' folder, to which a person must agree, and again where the user does by this call."""
    folder = agents_folder(call.vault.settings)
    if call.vault.is_set_up:
        return folder, None
    if not options.dry_run:
        require_agreement(call, folder, confirm=options.confirm)
    return folder, folder if call.has_agreed else None


def require_agreement(call: Call, folder: AgentsFolder, *, confirm: bool) -> None:
    if not call.is_user and (when := call.vault.folder_agreement.declined) is not None:
        raise Declined(
            f"The user declined on {iso(when)} that agents keep notes in `{folder.path}`.",
            hint=f"{Declined.hint} Only the user can set it up: `vaultside set-up-memory`.",
        )
    if not (call.has_agreed or call.is_confirmed(confirm)):
        raise ConfirmationRequired(
            f"Agents may keep notes in `{folder.path}/` only when the user agrees.",
            would=f"create the folder `{folder.path}`, in which agents may write notes of their own from now on",
            subject=f"agents' folder {folder.path}",
            hint="Ask the user, who can also run `vaultside set-up-memory`; then repeat the call with `confirm`.",
        )
