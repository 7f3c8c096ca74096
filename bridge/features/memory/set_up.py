"""Sets up the agents' folder, once a person agreed to it."""

import asyncio
import contextlib

from bridge.api.agreement import SetUpMemory, id_for, require_agreement
from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.engine.agents_folder import AgentsFolder, agents_folder, new_id
from bridge.engine.open_vault import LINKS_CHECK_S, OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.settings.file import save_settings
from bridge.types import VaultPath


@operation(
    example={"templates": False, "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("set up a memory for agents", "make the folder for agents' notes", "allow agents to remember things"),
)
async def set_up_memory(
    call: Call, folder: Folder | None = None, *, templates: bool = True, options: WriteArguments
) -> Written:
    """Create the folder in which agents keep memories, journals and handoffs; a person must agree to it.

    Args:
        folder: Its path, if not that of the setting `agents_folder`, which is set to it and needs the scope `admin`.
        templates: Whether to add templates for notes of other kinds.

    Raises:
        ConfirmationRequired: The user did not agree yet.
    """
    current = agents_folder(call.host.settings)
    place = AgentsFolder(VaultPath(folder)) if folder else current
    if not options.dry_run and not (place == current and call.host.is_set_up):
        require_agreement(call, place, confirm=options.confirm)
    if place != current:
        call.principal.require("admin")
        if not options.dry_run:
            await asyncio.to_thread(save_settings, call.bridge.settings_path, {"agents_folder": place.path})
            await call.bridge.reload()
    request = SetUpMemory(path=place.about, folder=place, id=id_for(call, place), templates=templates)
    return await execute_requests(call, [request], options, agreed=place if call.has_agreed else None)


async def mark_older_folder(vault: OpenVault) -> None:
    """Give an id to the note of a folder that was set up before there were ids; it counts without one until then."""
    while not vault.indexer.complete:
        await vault.signal.wait(LINKS_CHECK_S)
    folder = agents_folder(vault.settings)
    if vault.folder_agreement.unmarked != folder.path or not vault.is_set_up:
        return
    request = SetUpMemory(path=folder.about, folder=folder, id=new_id(), templates=False)
    by = Author(request.op, reason="An id, by which the bridge knows the folder again when you move it")
    with contextlib.suppress(BridgeError):
        await vault.executor.execute([request], by)
