"""Sets up the topic folder: the folders in it, their index notes, and the note with its rules."""

import asyncio
from pathlib import Path
from typing import ClassVar

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, execute_requests, is_proposer
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.errors import ConfirmationRequired
from bridge.features.topics.topic_tree import TopicSettings, find_topic_folder
from bridge.settings.file import save_settings
from bridge.types import VaultPath

DEFAULT_FOLDER = "Topics"
SETTING = "topics.folder"

MEANINGS = {
    "Concepts": "Ideas, methods and subjects that notes are about.",
    "Entities": "People, places, organisations, works and things that notes are about.",
    "MOCs": "Maps of content: notes that collect links to everything about one subject.",
}
"""The first sentence of each index note, which is the meaning of its folder."""

RULES = Path(__file__).with_name("instructions.md")
"""What the note with the rules says at first."""


class TopicsStart(Request, kw_only=True, tag="set_up_topics"):
    """Creates the notes with which a topic folder begins; those that exist stay as they are."""

    relinks: ClassVar[bool] = True

    folder: VaultPath

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        texts = {f"{kind}/{kind}.md": f"# {kind}\n\n{meaning}\n" for kind, meaning in MEANINGS.items()}
        for name, text in {**texts, "Instructions.md": RULES.read_text("utf-8")}.items():
            path = VaultPath(f"{self.folder}/{name}")
            if not draft.has(path):
                draft.create(path, text.encode())
        return Effect()


@operation(
    example={"dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("set up a topic folder", "make a folder for topics", "start a shared vocabulary of concepts and entities"),
)
async def set_up_topics(call: Call, folder: Folder | None = None, *, options: WriteArguments) -> Written:
    """Create the folder of topics where it is missing: `Concepts`, `Entities`, `MOCs`, and a note with its rules.

    Args:
        folder: Its path, by default where topics are or `Topics`; where they are elsewhere, a caller with the
            scope `admin` sets it in the setting `topics.folder`.

    Raises:
        ConfirmationRequired: The user did not agree yet.
    """
    setting = call.host.settings.section(TopicSettings).folder
    current = find_topic_folder(setting, call.vault.index.view("notes").notes) or setting.strip("/")
    place = VaultPath((folder or "").strip("/") or current or DEFAULT_FOLDER)
    request = TopicsStart(path=VaultPath(f"{place}/Instructions.md"), folder=place)
    agreed = call.has_agreed or is_proposer(call) or call.is_confirmed(options.confirm)
    if not (options.dry_run or agreed or call.vault.files.has(request.path)):
        raise ConfirmationRequired(
            f"Topics are kept in `{place}/` only when the user agrees.",
            would=f"create the folder `{place}` with notes on concepts, entities and maps of content",
            subject=f"topics {place}",
            hint="Ask the user, who can also run `vaultside set-up-topics`; then repeat the call with `confirm`.",
        )
    written = await execute_requests(call, [request], options)
    if place == current or not current or options.dry_run:
        return written
    if "admin" in call.principal.scopes:
        await save_folder(call, place)
        return written
    needed = f'The setting `{SETTING}` must be set to "{place}", which needs the scope `admin`.'
    return replace(written, warnings=(*written.warnings, needed))


async def save_folder(call: Call, folder: VaultPath) -> None:
    await asyncio.to_thread(save_settings, call.bridge.settings_path, {SETTING: folder})
    await call.bridge.reload()
