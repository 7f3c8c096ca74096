"""Lists the topics of a vault."""

import asyncio
from collections import Counter
from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.errors import FolderNotFound
from bridge.features.topics.findings import FindingKind
from bridge.features.topics.new_topics import first_sentence
from bridge.features.topics.note_topics import NoteTopics, suggest_topics
from bridge.features.topics.topic_tree import Topic, TopicTree
from bridge.features.topics.validate import TopicProblem, validate_topics
from bridge.features.topics.vault_topics import NO_TOPIC_FOLDER, VaultTopics, read_topics
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import VaultPath


class ListedTopic(Record):
    """A topic.

    Attributes:
        path: Its note.
        name: Its title.
        aliases: Its other names.
        kind: Its folder in the topic folder, such as `Concepts`.
        notes: Notes that have it.
        definition: The first sentence of its note.
    """

    path: VaultPath
    name: str
    aliases: tuple[str, ...]
    kind: str
    notes: int
    definition: str


class TopicKind(Record):
    """A folder of topics.

    Attributes:
        kind: The folder in the topic folder; empty for the topic folder itself.
        topics: Topics in it, before `query` was applied.
        meaning: The first sentence of its index note.
    """

    kind: str
    topics: int
    meaning: str


class TopicList(Record):
    """The topics of a vault.

    Attributes:
        folder: The folder of the topic folder; null without one.
        kinds: Its folders.
        topics: Those of most notes first.
        total: Count before `limit`, of topics or findings.
        notices: Why there are none, or which rules cannot be followed.
        note: Where the topics of one note are asked for, the property that holds them and suggestions.
        findings: Where problems are asked for, what is not in order, in the order in which the edits fit together.
        dismissed: How many more were dismissed; absent if none.
    """

    folder: VaultPath | None
    kinds: tuple[TopicKind, ...]
    topics: tuple[ListedTopic, ...]
    total: int
    notices: tuple[str, ...] = ()
    note: NoteTopics | None = None
    findings: tuple[TopicProblem, ...] | None = None
    dismissed: int | None = None


@operation(
    example={"limit": 5},
    tasks=(
        "topics of the vault",
        "list the topic folder",
        "which concepts and entities are defined",
        "topics of a note",
        "suggest topics for a note",
        "classify a note",
        "which concepts is this note about",
        "check the topics of notes",
        "topics that could be merged",
        "topics that no note has",
        "links in the topics property that lead nowhere",
        "topics that are missing",
    ),
)
async def list_topics(
    call: Call,
    query: str | None = None,
    folder: Folder | None = None,
    path: VaultPath | None = None,
    problems: tuple[FindingKind, ...] = (),
    limit: Annotated[int, Meta(ge=1, le=500)] = 50,
) -> TopicList:
    """List the topics with their definitions, and how many notes have each.

    Args:
        query: Only those with these words in a name or alias.
        folder: Only this folder of the topic folder, such as `Concepts`.
        path: Only those of this note, with others that near notes, links and its text speak for.
        problems: Instead, what is not in order, with `edits` for `change_set`; `new` reads all notes.
        limit: Maximum topics, suggestions or findings.

    Raises:
        FolderNotFound: The topic folder has no such folder; the message names those it has.
        NoteNotFound: No such note; the message names the closest.
    """
    vault = call.vault
    known = await read_topics(vault, rarity=path is not None)
    if path is not None and path not in vault.index.notes:
        raise no_such_note(vault, path)
    if known is None:
        return TopicList(None, (), (), 0, (NO_TOPIC_FOLDER,))
    tree, assignments = known.sources.tree, known.sources.assignments
    if problems:
        found, dismissed = await validate_topics(call, known, problems)
        findings = tuple(found[:limit])
        notices = known.rules.problems
        return TopicList(tree.folder, (), (), len(found), notices, findings=findings, dismissed=dismissed or None)
    chosen = choose_topics(tree, query, folder)
    if path is not None:
        has = assignments.of(path)
        chosen = [topic for topic in chosen if topic.path in has]
    ranked = sorted(chosen, key=lambda topic: (-assignments.count(topic.path), topic.name.casefold(), topic.path))
    shown = ranked[:limit]
    sentences = await first_sentences(known, [*(topic.path for topic in shown), *tree.index_notes.values()])
    counts = Counter(topic.kind for topic in tree.topics.values())
    kinds = sorted({*counts, *tree.index_notes})
    return TopicList(
        tree.folder,
        tuple(TopicKind(kind, counts[kind], sentences.get(tree.index_notes.get(kind), "")) for kind in kinds),
        tuple(
            ListedTopic(
                topic.path,
                topic.name,
                topic.aliases,
                topic.kind,
                assignments.count(topic.path),
                sentences.get(topic.path, ""),
            )
            for topic in shown
        ),
        len(ranked),
        known.rules.problems,
        None if path is None else await suggest_topics(vault, known, path, limit),
    )


def choose_topics(tree: TopicTree, query: str | None, folder: str | None) -> list[Topic]:
    words = fold_case(query or "").split()
    place = fold_case(folder or "").strip("/")
    place = place.removeprefix(fold_case(tree.folder)).strip("/") or ""
    kinds = {*tree.index_notes, *(topic.kind for topic in tree.topics.values())}
    if place and not any(is_within(kind, place) for kind in kinds):
        has = ", ".join(f"`{kind}`" for kind in sorted(filter(None, kinds))) or "none"
        raise FolderNotFound(f"The topic folder `{tree.folder}` has no folder `{folder}`; it has {has}.")
    return [
        topic
        for topic in tree.topics.values()
        if is_within(topic.kind, place) and all(word in fold_case("\n".join(topic.names)) for word in words)
    ]


def is_within(kind: str, place: str) -> bool:
    """Return whether a folder of topics is a place in it, or below."""
    return f"{fold_case(kind)}/".startswith(f"{place}/") if place else True


async def first_sentences(known: VaultTopics, paths: list[VaultPath]) -> dict[VaultPath | None, str]:
    texts = await known.sources.index.wholes(paths)

    def read() -> dict[VaultPath | None, str]:

        return {path: sentence for path, text in texts.items() if (sentence := first_sentence(path, text))}

    return await asyncio.to_thread(read)
