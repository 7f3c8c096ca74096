"""Old plans go to the trash, as one change that can be undone."""

import asyncio
import time
from collections.abc import Iterator

from bridge.changes.requests.move_note import DeleteNote
from bridge.engine.open_vault import OpenVault
from bridge.engine.request_selection import ChangeLimits
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.features.gardener.ledger import Ledger
from bridge.features.gardener.settings import GardenerSettings
from bridge.markdown.decode import digest_of
from bridge.markdown.parse import parse
from bridge.notebook.fields import field_of
from bridge.notebook.folder import agents_folder
from bridge.notebook.plan_note import TYPE, line_digests
from bridge.records import dataclass
from bridge.text.counts import count_of
from bridge.types import Digest, VaultPath

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """The note of a plan that was made here."""

    id: str
    path: VaultPath
    digest: Digest
    made: float
    is_own: bool
    """Whether every line was written by the bridge, whatever its box."""


def written_plans(vault: OpenVault) -> list[WrittenPlan]:
    """Return the plans that have one note each among the plans, the oldest first. Blocks."""
    found = list(_read_plans(vault))
    ids = [one.id for one in found]
    return sorted((one for one in found if ids.count(one.id) == 1), key=lambda one: (one.made, one.path))


def _read_plans(vault: OpenVault) -> Iterator[WrittenPlan]:
    kept, folder = Ledger(vault.store.database).plans(), agents_folder(vault.settings).plans
    for path, indexed in list(vault.index.view("agents").notes.items()):
        if indexed.note_type != TYPE or not path.startswith(f"{folder}/"):
            continue
        try:
            data, _ = vault.files.read(path)
        except BridgeError:
            continue
        note = parse(path, data)
        plan = field_of(note.properties, "plan")
        if field_of(note.properties, "type") == TYPE and isinstance(plan, str) and plan in kept:
            body = note.text[note.body :]
            yield WrittenPlan(plan, path, digest_of(data), kept[plan].made, line_digests(body) <= kept[plan].lines)


async def retire_plans(vault: OpenVault) -> str:
    """Move the plans to the trash that are older than the settings say; return what was done, empty for nothing.

    A plan stays that has lines of somebody else, that is protected, or that a note of the user links to.
    """
    days = vault.settings.section(GardenerSettings).plans_keep_days
    if not days:
        return ""
    plans = await asyncio.to_thread(written_plans, vault)
    old = [one for one in plans if one.is_own and time.time() - one.made > days * DAY_S]
    if not old:
        return ""
    paths, folder = {one.path for one in old}, agents_folder(vault.settings).plans
    limits = ChangeLimits(
        lambda path: path in paths and not vault.files.rules.keeps(path), lambda path: path.startswith(f"{folder}/")
    )
    reason = f"{count_of(len(old), 'plan')} older than {count_of(days, 'day')}"
    by = Author("plan_garden", reason=reason, confirmed=True)
    requests = [DeleteNote(path=one.path, digest=one.digest) for one in old]
    made = await vault.executor.carry_each(requests, by, limits=limits)
    gone = len(old) - len(made.refused)
    return f"Moved to the trash: {count_of(gone, 'plan')} older than {count_of(days, 'day')}." if gone else ""
