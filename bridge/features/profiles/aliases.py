"""Names that a note is given in the vault and does not have yet."""

import asyncio
from collections.abc import Iterator

from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.features.links.public import read_corpus
from bridge.features.profiles.alias_forms import find_alias_forms
from bridge.features.profiles.records import AliasSuggestion
from bridge.markdown.names import Names
from bridge.text.fold import fold_case
from bridge.types import VaultPath

MAX_FORMS = 20
MAX_EXAMPLES = 3
"""Notes listed of those that use a form."""


async def suggest_aliases(vault: OpenVault, path: VaultPath) -> tuple[AliasSuggestion, ...]:
    """Return the forms by which notes mean a note, and which are no alias of it or of another note yet."""
    graph_snapshot = await vault.graph_snapshot("all")
    note = graph_snapshot.notes[path]
    corpus = await read_corpus(vault)
    feedback = await asyncio.to_thread(vault.store.feedback.all)

    def naming() -> set[VaultPath]:

        return {*corpus.notes_with([fold_case(note.title)]), *graph_snapshot.graph.linked_from(path)} - {path}

    texts = await graph_snapshot.index.wholes(sorted(await asyncio.to_thread(naming)))

    def find() -> tuple[AliasSuggestion, ...]:

        taken = {fold_case(name) for one in graph_snapshot.notes.values() for name in (one.title, *one.aliases)}
        accepted = [(one.form, one.source) for one in feedback if one.target == path and one.accepted > one.declined]
        found = find_alias_forms(note.title, shown_texts(graph_snapshot, vault.names, path), accepted, texts, taken)
        return tuple(
            AliasSuggestion(one.form, one.why, len(one.notes), one.notes[:MAX_EXAMPLES]) for one in found[:MAX_FORMS]
        )

    return await asyncio.to_thread(find)


def shown_texts(graph_snapshot: GraphSnapshot, names: Names, path: VaultPath) -> Iterator[tuple[str, VaultPath]]:
    for source in sorted(graph_snapshot.graph.linked_from(path)):
        if source not in graph_snapshot.notes:
            continue
        for link in graph_snapshot.notes[source].links:
            shown = None if link.embed or "#" in link.target else link.shown
            if shown and names.resolve(link.target, source, link.kind).path == path:
                yield shown, source
