"""The topics that a note may have."""

from typing import Literal

from msgspec.structs import replace

from bridge.engine.open_vault import OpenVault
from bridge.features.topics.evidence import TopicEvidence
from bridge.features.topics.suggest import LikelyTopic, TopicModels, likely_topics
from bridge.features.topics.vault_topics import VaultTopics
from bridge.index.boilerplate import is_template
from bridge.records import Record
from bridge.types import VaultPath

TopicReason = Literal["title", "text", "near notes", "linked notes", "folder", "link", "definition", "in common"]


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
        reasons(one.evidence),
        one.evidence.said or None,
        one.evidence.near,
        one.evidence.linked,
        one.evidence.common or None,
        known.writer.link(topic.path, path),
    )


def reasons(evidence: TopicEvidence) -> tuple[TopicReason, ...]:
    speaks: dict[TopicReason, bool] = {
        "title": evidence.titled,
        "text": bool(evidence.said) and not evidence.titled,
        "near notes": evidence.near > 0,
        "linked notes": evidence.linked > 0,
        "folder": evidence.in_folder,
        "link": evidence.linked_to,
        "definition": evidence.is_defined,
        "in common": bool(evidence.common),
    }
    return tuple(reason for reason, does in speaks.items() if does)
