"""Names that deserve a note."""

import asyncio

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.note_names import folder_of
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.links.corpus import read_corpus
from bridge.features.links.note_candidates import NameProspect, drop_meant, find_candidates
from bridge.features.links.report import broken_links, is_in_folder, stubs_of
from bridge.features.properties.public import find_templates
from bridge.state.dismissals import dismissal_key

MAX_CHARACTERS = 200_000
"""Characters of each note that are looked at: what deserves a note is said by others too."""


class NameProspects(ListPage):
    """Names that deserve a note.

    Attributes:
        prospects: Most certain first.
        notices: What was left out.
        dismissed: How many more were dismissed; absent if none.
    """

    prospects: tuple[NameProspect, ...]
    notices: tuple[str, ...] = ()
    dismissed: int | None = None


@operation(
    example={"limit": 5},
    tasks=(
        "names that deserve a note",
        "topics without a note",
        "notes worth writing",
        "terms that are mentioned often and have no page",
    ),
)
async def find_prospects(
    call: Call,
    page: PageArguments = Page(20),
    folder: Folder | None = None,
) -> NameProspects:
    """Find names worth a note that have none: unresolved links, or names said by several notes.

    Names are proper nouns, CamelCase, acronyms, quoted terms and ticket ids; not ordinary words, template headings and
    labels, or capitalised German nouns.

    Args:
        folder: Only names in notes under this folder.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    vault = call.vault
    graph_snapshot = await vault.graph_snapshot()
    inside = folder_of(graph_snapshot.notes, folder)
    corpus = await read_corpus(vault)
    templates = await asyncio.to_thread(find_templates, vault, graph_snapshot.notes)
    within = [path for path in graph_snapshot.notes if is_in_folder(path, inside) and path not in templates]
    texts = await graph_snapshot.index.wholes(within)
    dismissed = {one.name for one in await dismissed_rows(call, "prospect")}

    def find() -> NameProspects:

        stubs = stubs_of(broken_links(graph_snapshot, vault.names, inside, templates))
        long = sorted(path for path, text in texts.items() if len(text) > MAX_CHARACTERS)
        learnt = graph_snapshot.index.boilerplate
        excerpts = {path: learnt.blank(text[:MAX_CHARACTERS]) for path, text in texts.items()}
        languages = {path: graph_snapshot.notes[path].language for path in texts if path in graph_snapshot.notes}
        every = drop_meant(corpus.names, find_candidates(excerpts, corpus.names, stubs, languages))
        found = [one for one in every if not dismissed or dismissal_key(one.name) not in dismissed]
        return NameProspects(
            page.cut(found),
            tuple(f"Only the first {MAX_CHARACTERS:,} characters of `{path}` were looked at." for path in long),
            len(every) - len(found) or None,
            **page.place(len(found)),
        )

    return await asyncio.to_thread(find)
