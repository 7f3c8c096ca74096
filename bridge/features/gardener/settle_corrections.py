"""Ticking the corrections that a plan applies wherever they stand."""

import asyncio
from collections.abc import Collection, Mapping

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.open_vault import OpenVault
from bridge.features.gardener.checks.corrections import notes_about, read_replacements
from bridge.features.gardener.collect import open_rules
from bridge.notebook.corrections import NOTE, Replacement, settle_replacements
from bridge.notebook.folder import agents_folder
from bridge.records import dataclass
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionsSettlement(Request):
    """Ticks corrections whose old words are gone after the requests before it; whatever else the list says stays.

    Attributes:
        places: The notes that say the old words of each correction now.
    """

    places: Mapping[Replacement, tuple[VaultPath, ...]]
    op: str = "apply_plan"

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        gone = {one for one, notes in self.places.items() if not any(_says(draft, note, one) for note in notes)}
        text = draft.read(self.path).decode("utf-8", "surrogateescape")
        draft.replace(self.path, settle_replacements(text, gone).encode("utf-8", "surrogateescape"))
        return Effect()


def _says(draft: Draft, path: VaultPath, one: Replacement) -> bool:
    return draft.has(path) and one.pattern.search(draft.read(path).decode("utf-8", "replace")) is not None


async def settle_corrections(vault: OpenVault, keys: Collection[str]) -> list[Request]:
    """Return the request that settles the corrections of some findings, by their keys; none without an open one."""
    garden = await open_rules(vault)
    texts = await garden.graph_snapshot.index.wholes()
    place = agents_folder(vault.settings).place(NOTE)
    places = {
        one: tuple(note.path for note in notes_about(garden, one) if one.pattern.search(texts.get(note.path, "")))
        for one in await asyncio.to_thread(read_replacements, vault, place)
        if one.key in keys
    }
    return [CorrectionsSettlement(path=place, places=places)] if places else []
