"""Lists the topics of a vault, and those that a note may have."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated

import orjson
from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.markup import Column, Element, Line, Segment, Table, notice, notices, path_of
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.api.schemas import encode_default
from bridge.changes.requests.base import operation_of
from bridge.changes.requests.edit_note import SetProperties
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import MoveNote
from bridge.engine.open_vault import OpenVault
from bridge.errors import FolderNotFound
from bridge.features.topics.definition import first_sentence
from bridge.features.topics.evidence import TopicReason
from bridge.features.topics.findings import FindingKind, StrayTopic, TopicEdit
from bridge.features.topics.suggest import LikelyTopic, TopicModels, likely_topics
from bridge.features.topics.topic_tree import Topic, TopicTree
from bridge.features.topics.validate import TopicProblem, validate_topics
from bridge.features.topics.vault_topics import NO_TOPIC_FOLDER, VaultTopics, read_topics
from bridge.index.boilerplate import is_template
from bridge.records import Record
from bridge.text.counts import count_of, count_shown
from bridge.text.fold import fold_case, listing_key
from bridge.text.invisible import EMPTY_VALUES, inline
from bridge.types import SHORT_DIGEST, VaultPath


class SuggestedTopic(Record):
    """A topic that the note may have.

    Attributes:
        path: Its note.
        name: Its title.
        kind: Its folder in the topic folder.
        probability: 0–1.
        why: What speaks for it: the `title` or `text` of the note names it; `near notes` or `linked notes` have it;
            `folder`: a folder around the note has its name; `link`: the note links to it, or a property has its name;
            `definition`: the topic's first sentence names what the note's title, its folder,
            tags, properties or text say; `in common`: most notes with `common` have
            it.
        said: The name or alias by which the note names it, in lower case; null if it does not.
        near: How many of the 25 nearest notes have it.
        linked: How many of the linked notes have it.
        common: The folder, property's value or link that notes with the topic have in common with this one; or null.
        value: The link to add to the property.
    """

    path: VaultPath
    name: str
    kind: str
    probability: float
    why: tuple[TopicReason, ...]
    said: str | None
    near: int
    linked: int
    common: str | None
    value: str


class NoteTopics(Record):
    """What may be done with the topics of a note.

    Attributes:
        property: The property that holds them.
        values: Its values as they are; `set_properties` with these and the `value` of suggestions assigns them.
        strays: Those of them that are no topic.
        suggested: The likeliest first; only those that are probable enough.
        least: The probability from which on topics are suggested.
        learnt_from: Notes from which probabilities were learnt; 0 if too few have topics.
        why_none: Why nothing is suggested; empty if something may be.
    """

    property: str
    values: tuple[str, ...]
    strays: tuple[str, ...]
    suggested: tuple[SuggestedTopic, ...]
    least: float
    learnt_from: int
    why_none: str


async def suggest_topics(vault: OpenVault, known: VaultTopics, path: VaultPath, limit: int) -> NoteTopics:
    """Return the topics that near notes, links and a note's text speak for."""
    name, values = known.writer.values(vault.index.notes[path])
    model = await vault.part(TopicModels).model(known.sources)
    why_none = _why_none(known, path)
    likely = [] if why_none else await likely_topics(known.sources, path, model)
    shown = [one for one in prefer_topics(known, path, likely) if one.is_sure]
    return NoteTopics(
        name,
        tuple(str(value) for value in values),
        tuple(value.text for owner, value in known.sources.assignments.astray if owner == path),
        tuple(_describe(known, path, one) for one in shown[:limit]),
        round(min(1.0, model.least), 3),
        model.notes,
        why_none,
    )


def prefer_topics(known: VaultTopics, path: VaultPath, likely: list[LikelyTopic]) -> list[LikelyTopic]:
    has = known.sources.assignments.of(path)
    found: dict[VaultPath, LikelyTopic] = {}
    for one in likely:
        topic = known.rules.instead_of(one.path)
        if topic not in has and topic != path:
            found.setdefault(topic, replace(one, path=topic))
    return list(found.values())


def _why_none(known: VaultTopics, path: VaultPath) -> str:
    note = known.snapshot.notes.get(path)
    if note is None or note.kind != "note":
        return "Only Markdown notes outside the agents' folder have topics."
    if is_template(note, known.templates):
        return "A template has no topics; the notes that are made from it do."
    if known.rules.never.covers(path):
        return "The instructions of the topic folder say that this note gets no topics."
    return "This note says `tidy: ignore`." if note.is_left_alone else ""


def _describe(known: VaultTopics, path: VaultPath, one: LikelyTopic) -> SuggestedTopic:
    topic = known.sources.tree.topics[one.path]
    return SuggestedTopic(
        topic.path,
        topic.name,
        topic.kind,
        round(one.probability, 3),
        one.evidence.reasons,
        one.evidence.said or None,
        one.evidence.near,
        one.evidence.linked,
        one.evidence.common or None,
        known.writer.link(topic.path, path),
    )


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
    known = await read_topics(vault, rarity=path is not None or "orphan" in problems)
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
    ranked = sorted(chosen, key=lambda topic: (-assignments.count(topic.path), listing_key(topic.name), topic.path))
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


TOPICS = (
    Column("path", role="path"),
    Column("aliases", lambda aliases: " · also " + ", ".join(map(inline, aliases))),
    Column("kind", lambda kind: f" · {inline(kind)}", detail=True),
    Column("notes", lambda notes: f" · {count_of(notes, 'note')}"),
    Column("definition", lambda text: f" · {inline(text)}"),
)

SUGGESTION = (
    Column("path", role="path"),
    Column("probability", " · {:.0%}"),
    Column("why", " · {}", value=lambda one: ", ".join(one.why)),
    Column("said", lambda said: f" · says “{inline(said)}”"),
    Column("near", lambda count: _have_it(count, "near note")),
    Column("linked", lambda count: _have_it(count, "linked note"), detail=True),
    Column("common", lambda common: f" · most with {inline(common)} have it"),
    Column("value", lambda value: f" · {inline(value)}"),
)


def topic_list_view(found: TopicList) -> Iterable[Element]:
    """Show the folders with their meanings, then a topic a line; of a note, its topics and suggestions; or findings."""
    yield from notices(found.notices)
    if found.folder is None:
        return
    if found.findings is not None:
        yield from _findings(found, found.findings)
        return
    if found.note is not None:
        yield from _note_topics(found, found.note)
        return
    shown = count_shown(len(found.topics), found.total, "topic")
    yield notice(f"{shown} in {inline(found.folder)}")
    for one in found.kinds:
        if one.kind and one.meaning:
            yield notice(f"{inline(one.kind)} ({one.topics}): {inline(one.meaning)}")
    yield Table(TOPICS, found.topics)


def _note_topics(found: TopicList, note: NoteTopics) -> Iterable[Element]:
    has = ", ".join(inline(one.name) for one in found.topics) or "none"
    strays = "; no topic: " + ", ".join(map(inline, note.strays)) if note.strays else ""
    yield notice(f"Topics in the property {inline(note.property)}: {has}{strays}")
    if note.suggested:
        learnt = f", learnt from {count_of(note.learnt_from, 'note')}" if note.learnt_from else ""
        yield notice(f"Suggested, with a probability of {note.least:.0%} at least{learnt}:")
    else:
        yield notice(note.why_none or "No other topic is probable enough.")
    yield Table(SUGGESTION, note.suggested)


def _findings(found: TopicList, findings: Sequence[TopicProblem]) -> Iterable[Element]:
    if total := found.total:
        shown = count_shown(len(findings), total, "finding")
        yield notice(f"{shown}; give the edits of those to be done to change_set")
    elif not found.notices:
        yield notice("The topics are in order.")
    for one in findings:
        yield Line(path_of(one.path), f" · {_sentence(one)}")
        yield from (Line("  ", Segment(_edit(edit), short=_edit_json(edit))) for edit in one.edits)


def _have_it(count: int, what: str) -> str:
    return f" · {count_of(count, what)} {'has' if count == 1 else 'have'} it" if count else ""


def _sentence(one: TopicProblem) -> str:
    topic, count = inline(one.topic or ""), count_of(one.notes, "note")
    match one.kind:
        case "values":
            return "; ".join(map(_stray, one.values))
        case "orphan":
            return "no note has this topic, and nothing links to it"
        case "rare":
            return f"only {count} {'has' if one.notes == 1 else 'have'} this topic"
        case "alike":
            return f"may be the same as {topic}: {', '.join(one.why)}"
        case _:
            return f"would be a topic of {count}: {', '.join(map(inline, one.examples[:3]))}"


def _stray(value: StrayTopic) -> str:
    shown = inline(value.value)
    match value.problem:
        case "missing" | "outside" if value.instead:
            return f"its topic {shown} does not lead to the topic {inline(value.instead)}"
        case "missing":
            return f"its topic {shown} is no note"
        case "outside":
            return f"its topic {shown} is a note outside the topic folder"
        case _:
            return f"the rules prefer {inline(value.instead)} to {shown}"


def _edit_json(edit: TopicEdit) -> str:
    given = {name: value for name, value in encode_default(edit).items() if value not in EMPTY_VALUES}
    if "digest" in given:
        given["digest"] = given["digest"][:SHORT_DIGEST]
    text = orjson.dumps(given).decode()
    # What cannot be seen must stay in a name, and be seen.
    return text if inline(text) == text else json.dumps(given).replace("<", "\\u003c")


def _edit(edit: TopicEdit) -> str:
    match edit:
        case MergeNotes(into=into):
            return f"merge_notes into {inline(into)}"
        case MoveNote(to=to):
            return f"move_note to {inline(to)}"
        case SetProperties(path=path, properties=properties, remove=remove):
            values = ", ".join(
                f"{inline(name)} {', '.join(map(inline, map(str, given)))}" for name, given in properties.items()
            )
            return f"set_properties {inline(path)} {values or 'without ' + ', '.join(remove)}"
        case _:
            return f"{operation_of(type(edit))} {inline(edit.path)}"
