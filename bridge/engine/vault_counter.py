"""Counts an open vault before a change, and checks afterwards that the change did what was forecast."""

from collections.abc import Mapping

from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.changes.forecast import (
    CountedVault,
    LinkLookup,
    VaultCounts,
    affected_by,
    compare_counts,
    count_vault,
    explain_difference,
    measure_files,
)
from bridge.engine.indexer import Indexer
from bridge.engine.planned_change import PlannedChange
from bridge.errors import ExpectationFailed
from bridge.index.note import Notes


class VaultCounter:
    """Counts the ordinary notes of one vault; those of agents are left out, as in the graph."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._counted: tuple[Notes, VaultCounts] | None = None

    def current(self) -> CountedVault:
        """Return the vault as it is; call in a thread, while nothing else changes it."""
        indexer = self._indexer
        folder, rules = indexer.index.kept_apart, indexer.vault.rules
        notes, names = indexer.index.view("notes").notes, indexer.names.copy()
        resolver = indexer.link_resolver
        links = resolver.resolved_links if resolver.is_settled else None
        lookup = LinkLookup.over(notes, names) if links is None else LinkLookup(links.find_notes_naming, links.sources)
        if self._counted is None or self._counted[0] is not notes:
            self._counted = notes, count_vault(notes, names)
        total = self._counted[1]
        return CountedVault(notes, names, lookup, lambda path: rules.indexes(path, 0) and not folder.holds(path), total)

    def forecast(self, draft: Draft, planned: PlannedChange, expect: Mapping[str, int] | None) -> PlannedChange:
        """Add a forecast to a planned change, and the check that it comes true."""
        vault = self.current()
        files = affected_by(draft, vault)
        forecast = compare_counts(vault, files)
        if expect is not None and (wrong := explain_difference(expect, forecast.difference)):
            raise ExpectationFailed(
                f"The change would do something else than was forecast: {wrong}.", hint="Plan it again.", effect=wrong
            )

        def verify() -> None:
            now = self._indexer.vault
            notes = self._indexer.index.view("notes").notes
            found = measure_files(vault, files, notes, lambda path: now.read(path)[0], now.has)
            if wrong := explain_difference(forecast.difference, found.difference):
                raise ExpectationFailed(
                    f"The change did something else than was forecast, and was undone: {wrong}.",
                    hint="Another program may have changed the notes meanwhile. Try again.",
                    effect=wrong,
                )

        return replace(planned, forecast=forecast, verify=verify)
