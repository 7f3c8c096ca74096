"""How the links of a vault are."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval

from bridge.operations.broken import broken_links, is_in, stubs_of
from bridge.operations.call import Call
from bridge.operations.hints import Folder
from bridge.operations.meant import by_meaning, by_name
from bridge.operations.missing import folder_of
from bridge.operations.registry import operation
from bridge.operations.standing import TOP, Stub
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.engine import Chart, VaultEngine
    from bridge.linking import Corpus
    from bridge.vault import Names

TRIED = 4
"""Names without a note that are looked into for each one that is told."""


@dataclass(frozen=True, slots=True)
class BrokenName:
    """A name that links ask for, that no note has, and that means one nevertheless.

    Attributes:
        name: The name, as first written.
        wanted: Notes that link to it.
        notes: The first of them.
        meant: The note that it likely means.
        why: What speaks for that.
    """

    name: str
    wanted: int
    notes: tuple[VaultPath, ...]
    meant: VaultPath
    why: str


@dataclass(frozen=True, slots=True)
class UnlinkedNote:
    """A note that others mention without a link.

    Attributes:
        path: The note.
        mentioned: Notes that say one of its names and do not link to it.
        linked: Notes that link to it.
        notes: The first of those that do not.
    """

    path: VaultPath
    mentioned: int
    linked: int
    notes: tuple[VaultPath, ...]


@dataclass(frozen=True, slots=True)
class AmbiguousName:
    """A name of several notes that links use without a folder.

    Attributes:
        name: The name.
        notes: The notes that have it.
        links: Links that say it without a folder.
        sources: The first notes with such links.
    """

    name: str
    notes: tuple[VaultPath, ...]
    links: int
    sources: tuple[VaultPath, ...]


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What could be better about the links of a vault.

    Attributes:
        unresolved: How many names links ask for that no note has.
        broken: Those that likely mean a note, the most wanted first.
        stubs: Those that mean none, the most wanted first.
        unlinked: Notes that are mentioned without a link, those first to which most links are missing.
        ambiguous: Names that mean several notes, those with most links first.
        accepted: Suggested links that were accepted.
        declined: Suggested links that were declined, or taken out again.
        rate: The share that was accepted; null before the first.
    """

    unresolved: int
    broken: tuple[BrokenName, ...]
    stubs: tuple[Stub, ...]
    unlinked: tuple[UnlinkedNote, ...]
    ambiguous: tuple[AmbiguousName, ...]
    accepted: int
    declined: int
    rate: float | None


@operation(example={"limit": 3})
async def link_report(
    call: Call, limit: Annotated[int, Interval(ge=1, le=100)] = 10, folder: Folder | None = None
) -> LinkReport:
    """Tell which links lead nowhere and what they mean, which notes are mentioned without links, and which names clash.

    Args:
        limit: Most entries of each sort.
        folder: Only links and mentions in notes of this folder and below.

    Raises:
        FolderNotFound: No note is in such a folder; the message names the closest ones.
    """
    engine = call.engine
    chart = await engine.waiting.chart()
    inside = folder_of(chart.notes, folder)
    corpus = await engine.mentioning.corpus()
    wanting, stubs = await asyncio.to_thread(wanted, chart, engine.names, inside)
    tried = stubs[: TRIED * limit]
    meant = await asyncio.to_thread(by_name, corpus, [stub.name for stub in tried])
    broken = [BrokenName(s.name, s.wanted, s.notes, *found) for s, found in zip(tried, meant, strict=True) if found]
    left: list[Stub] = []
    for stub in (stub for stub, found in zip(tried, meant, strict=True) if not found):
        if len(left) == limit:
            break
        found = await by_meaning(engine, stub.name, wanting[stub.name])
        if found is None:
            left.append(stub)
        else:
            broken.append(BrokenName(stub.name, stub.wanted, stub.notes, *found))
    broken.sort(key=lambda one: -one.wanted)
    unlinked = await asyncio.to_thread(unlinked_notes, chart, corpus, inside)
    ambiguous = await asyncio.to_thread(ambiguous_names, chart, inside)
    accepted, declined = await asyncio.to_thread(verdicts, engine)
    return LinkReport(
        unresolved=len(stubs),
        broken=tuple(broken[:limit]),
        stubs=tuple(left),
        unlinked=tuple(unlinked[:limit]),
        ambiguous=tuple(ambiguous[:limit]),
        accepted=accepted,
        declined=declined,
        rate=round(accepted / (accepted + declined), 3) if accepted + declined else None,
    )


def wanted(chart: "Chart", names: "Names", folder: str) -> tuple[Mapping[str, set[VaultPath]], list[Stub]]:
    """Gather the names without a note that notes of a folder link to: who links to each, and the most wanted first."""
    wanting = stubs_of(broken_links(chart, names, folder))
    found = [Stub(name, len(notes), tuple(sorted(notes)[:TOP])) for name, notes in wanting.items()]
    return wanting, sorted(found, key=lambda stub: (-stub.wanted, stub.name))


def unlinked_notes(chart: "Chart", corpus: "Corpus", folder: str) -> list[UnlinkedNote]:
    """Find the notes that notes of a folder mention without a link."""
    from bridge.linking import overlooked

    sources = [path for path in chart.notes if is_in(path, folder)]
    found = overlooked(corpus, sources, chart.graph.links_to, chart.graph.linked_from)
    return [UnlinkedNote(one.path, len(one.sources), one.linked, one.sources[:TOP]) for one in found]


def ambiguous_names(chart: "Chart", folder: str) -> list[AmbiguousName]:
    """Find the names of several notes that links in notes of a folder use without saying which."""
    from bridge.vault import asked_file, name_key

    several: dict[str, list[VaultPath]] = defaultdict(list)
    for path in chart.notes:
        several[name_key(path)].append(path)
    several = {name: sorted(paths) for name, paths in several.items() if len(paths) > 1}
    linking = {source for paths in several.values() for path in paths for source in chart.graph.linked_from(path)}
    said: dict[str, list[VaultPath]] = defaultdict(list)
    for source in sorted(linking):
        for link in chart.notes[source].links if source in chart.notes and is_in(source, folder) else ():
            asked = asked_file(link.target, link.kind)
            if "/" not in asked and link.kind != "canvas" and name_key(asked) in several:
                said[name_key(asked)].append(source)
    found = [
        AmbiguousName(title, tuple(several[name]), len(sources), tuple(dict.fromkeys(sources))[:TOP])
        for name, sources in said.items()
        if (title := chart.notes[several[name][0]].title)
    ]
    return sorted(found, key=lambda one: (-one.links, one.name))


def verdicts(engine: "VaultEngine") -> tuple[int, int]:
    """Count what was accepted and declined in the vault."""
    from bridge.linking import Learned

    everything = Learned(engine.store.verdicts()).all
    return everything.accepted, everything.declined
