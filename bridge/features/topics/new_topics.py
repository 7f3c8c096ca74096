"""Topics that do not exist yet: names to which several notes link that are near to each other."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from bridge.changes.requests.create_note import CreateNote
from bridge.features.links.public import NameFinder, find_candidates
from bridge.features.topics.findings import TopicEdit, TopicFinding, TopicWriter
from bridge.features.topics.rules import TopicRules
from bridge.features.topics.suggest import TopicSources, near_notes, words_by_note
from bridge.markdown.frontmatter import link_in_value
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.search.sentences import Sentence, iter_sentences
from bridge.text.budget import shorten
from bridge.text.fold import fold_case
from bridge.text.invisible import inline
from bridge.types import VaultPath

MAX_DEFINITION_CHARS: Final = 300
"""Characters of a definition."""


class QuotedDefinition(Record):
    """A sentence that says what a name means, and the note that says it."""

    text: str
    path: VaultPath


def first_sentence(path: VaultPath, text: str) -> str:
    """Return the first sentence of a note as it reads; empty if it has none."""
    sentence = next(iter_sentences(parse(path, text.encode("utf-8", "replace"))), None)
    return "" if sentence is None else shorten(inline(sentence.text), MAX_DEFINITION_CHARS)


def find_definition(name: str, texts: Mapping[VaultPath, str]) -> QuotedDefinition | None:
    """Return the sentence of some notes that best says what a name means: one that begins with it, else the first."""
    wanted = fold_case(name)
    said: list[Sentence] = []
    for path, text in texts.items():
        note = parse(path, text.encode("utf-8", "replace"))
        said += [one for one in iter_sentences(note) if wanted in fold_case(one.text)]
    if not said:
        return None
    best = min(said, key=lambda one: (fold_case(one.text).find(wanted) > LEAD, one.kind != "paragraph"))
    return QuotedDefinition(shorten(inline(best.text), MAX_DEFINITION_CHARS), best.path)


LEAD: Final = 5
"""Characters before a name in a sentence that begins with it, such as those of an article."""

MIN_NEAR_NOTES: Final = 3
"""Near notes that must link to a name for it to become a topic."""

MAX_NAMES: Final = 20
"""Names that are looked at, the most certain ones."""

MAX_NOTES: Final = 12
"""Notes with a name of which the near ones are looked up."""


class NamedCluster(Record):
    """A name, and the near notes that link to it."""

    name: str
    notes: tuple[VaultPath, ...]


def find_names(
    sources: TopicSources,
    wanted: Mapping[str, Collection[VaultPath]],
    known: NameFinder,
    left_out: Collection[VaultPath],
) -> list[NamedCluster]:
    """Return the names that no note has and at least three notes link to, with all of these notes."""
    kept = {
        name: {path for path in paths if path not in left_out and not sources.tree.holds(path)}
        for name, paths in wanted.items()
    }
    likely = [one for one in find_candidates(kept, known) if one.notes >= MIN_NEAR_NOTES][:MAX_NAMES]
    return [NamedCluster(one.name, tuple(sorted(kept[one.name]))) for one in likely]


async def gather_cluster(
    sources: TopicSources, named: NamedCluster, texts: Mapping[VaultPath, str]
) -> NamedCluster | None:
    """Return the largest group of the notes of a name that are near to one of them; None if it is too small."""
    best: tuple[VaultPath, ...] = ()
    asked = {path: texts[path] for path in named.notes[:MAX_NOTES]}
    words = await asyncio.to_thread(words_by_note, sources, asked)
    for path in asked:
        near = await near_notes(sources, path, words.get(path, ()))
        await asyncio.sleep(0)
        group = tuple(other for other in named.notes if other == path or other in near)
        best = max(best, group, key=len)
    return NamedCluster(named.name, best) if len(best) >= MIN_NEAR_NOTES else None


def describe_new(
    cluster: NamedCluster, sources: TopicSources, writer: TopicWriter, texts: Mapping[VaultPath, str]
) -> TopicFinding:
    """Return a new topic as a finding: a note with a sentence that says what it is, and the property of its notes."""
    path = VaultPath(f"{sources.tree.usual_folder}/{_file_name(cluster.name)}.md")
    found = find_definition(cluster.name, {note: texts[note] for note in cluster.notes})
    text = f"# {cluster.name}\n"
    if found is not None:
        text += f"\n{found.text}\n\nFrom {writer.link(found.path, path)}.\n"
    linking = {note for note, value in sources.assignments.astray if _names(value.text, cluster.name)}
    edits: Sequence[TopicEdit] = [
        CreateNote(path, text),
        *(writer.change(sources.notes[note], add=[path]) for note in cluster.notes if note not in linking),
    ]
    return TopicFinding("new", path, notes=cluster.notes, edits=tuple(edits))


def is_allowed(path: VaultPath, sources: TopicSources, rules: TopicRules) -> bool:
    """Return whether a note may get topics."""
    note = sources.notes.get(path)
    return note is not None and note.kind == "note" and not rules.never.covers(path) and not note.is_left_alone


def _names(value: str, name: str) -> bool:
    link = link_in_value(value)
    return link is not None and fold_case(link.target) == fold_case(name)


def _file_name(name: str) -> str:
    return "".join("-" if letter in '/\\:*?"<>|#^[]' else letter for letter in name).strip(" .") or "Topic"
