"""Names that a note is given in the vault and does not have yet."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Literal

from annotated_types import Interval

from bridge.api.call import Call
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.engine.analytics import GraphSnapshot
from bridge.linking.alias_forms import find_alias_forms
from bridge.markdown.names import Names
from bridge.records import dataclass
from bridge.text.fold import fold_case
from bridge.types import VaultPath

EXAMPLES = 3
"""Notes listed of those that use a form."""


@dataclass(frozen=True, slots=True)
class AliasSuggestion:
    """A form by which notes mean a note.

    Attributes:
        form: The form, as most often written.
        why: `link text`: links to the note show it; `accepted`: a suggested link with it was accepted; `acronym`: the
            initials of the title; `in parentheses`: it stands beside the title, one of them in parentheses.
        notes: How many notes use it so.
        examples: The first of them.
    """

    form: str
    why: tuple[Literal["link text", "accepted", "acronym", "in parentheses"], ...]
    notes: int
    examples: tuple[VaultPath, ...]


@dataclass(frozen=True, slots=True)
class AliasSuggestions:
    """Aliases that a note could have.

    Attributes:
        path: The note.
        aliases: Its aliases now; `set_properties` adds to them.
        suggestions: The forms that most notes use first.
        total: Count before `limit`.
    """

    path: VaultPath
    aliases: tuple[str, ...]
    suggestions: tuple[AliasSuggestion, ...]
    total: int


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md"},
    tasks=("other names that notes use for this one", "suggest aliases for a note"),
)
async def suggest_aliases(
    call: Call, path: VaultPath, limit: Annotated[int, Interval(ge=1, le=100)] = 20
) -> AliasSuggestions:
    """List the forms by which notes mean a note, and which are no alias of it or of another note yet.

    Args:
        path: The note.
        limit: Maximum forms.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    vault = call.vault
    graph_snapshot = await vault.graph_snapshot("all")
    note = graph_snapshot.notes.get(path)
    if note is None:
        raise no_such_note(vault, path)
    corpus = await vault.mention_index.corpus()
    feedback = await asyncio.to_thread(vault.store.feedback.all)

    def naming() -> set[VaultPath]:

        return {*corpus.notes_with([fold_case(note.title)]), *graph_snapshot.graph.linked_from(path)} - {path}

    texts = await graph_snapshot.index.wholes(sorted(await asyncio.to_thread(naming)))

    def find() -> AliasSuggestions:

        taken = {fold_case(name) for one in graph_snapshot.notes.values() for name in (one.title, *one.aliases)}
        accepted = [(one.form, one.source) for one in feedback if one.target == path and one.accepted > one.declined]
        found = find_alias_forms(note.title, shown_texts(graph_snapshot, vault.names, path), accepted, texts, taken)
        return AliasSuggestions(
            path,
            note.aliases,
            tuple(AliasSuggestion(one.form, one.why, len(one.notes), one.notes[:EXAMPLES]) for one in found[:limit]),
            len(found),
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
