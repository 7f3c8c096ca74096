"""Notes without a topic that one fits, and values of the topic property that are no topic."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from bridge.features.tidy.check_scope import (
    SURE_CONFIDENCE,
    BudgetSpent,
    CheckScope,
    TidyFinding,
    TopicsToCheck,
    propose,
    tidy_check,
)
from bridge.features.tidy.checks.links import DAY
from bridge.features.tidy.plan_note import code_words, plain_words, plan_link
from bridge.features.topics.public import (
    LikelyTopic,
    StrayTopic,
    TopicEvidence,
    TopicFinding,
    TopicModel,
    TopicModels,
    VaultTopics,
    find_stray_values,
    fitting_topics,
    likely_topics,
    read_topics,
)
from bridge.index.note import IndexedNote
from bridge.markdown.kinds import title_of
from bridge.text.counts import count_of
from bridge.types import VaultPath

MAX_NOTES: Final = 200
"""Notes without a topic that one plan looks at, each of which takes some 10 ms."""

STRAY_CONFIDENCE: Final = 0.6
"""Confidence that a value which is no topic should become one: the person who wrote it may mean another note."""

PREFERRED_CONFIDENCE: Final = 0.9
"""Confidence that a topic is to be replaced by the one that the rules of topics prefer."""


async def read_topics_to_check(scope: CheckScope) -> TopicsToCheck | None:
    """Return the topics; None if the vault has no topic folder.

    Notes whose title, folder or links speak for a topic are looked at first, and only those as long as too few topics
    are in use to learn from.
    """
    vault = scope.vault
    known = await read_topics(vault, rarity=True)
    if known is None:
        return None
    model = await vault.part(TopicModels).model(known.sources)
    fitting = await asyncio.to_thread(fitting_topics, known.sources, model)
    untold = [note for note in choose_untold(scope, known) if model.notes or note.path in fitting]
    untold.sort(key=lambda note: note.path not in fitting)
    likely: dict[VaultPath, LikelyTopic | None] = {}
    for note in untold[:MAX_NOTES]:
        found = await likely_topics(known.sources, note.path, model)
        likely[note.path] = _prefer(known, note.path, [one for one in found if is_said(one, model)])
    return TopicsToCheck(known, likely, frozenset(note.path for note in untold[MAX_NOTES:]))


def is_said(topic: LikelyTopic, model: TopicModel) -> bool:
    """Return whether a topic is probable, and the note or a folder around it has its name, or the note links to it.

    A note that nobody gave a topic is seldom about the topic of the notes that are like it or linked with it. What a
    word in its text is worth must have been learnt.
    """
    found = topic.evidence
    return topic.is_sure and bool(found.titled or found.in_folder or found.linked_to or (model.notes and found.said))


def choose_untold(scope: CheckScope, known: VaultTopics) -> Sequence[IndexedNote]:
    return [
        note
        for note in scope.by_time
        if not known.sources.tree.holds(note.path)
        and not DAY.fullmatch(title_of(note.path))
        and not known.writer.values(note)[1]
    ]


def _prefer(known: VaultTopics, path: VaultPath, likely: Sequence[LikelyTopic]) -> LikelyTopic | None:
    wanted = (replace(one, path=known.rules.instead_of(one.path)) for one in likely)
    return next((one for one in wanted if one.path != path), None)


@tidy_check("topics", "Notes without a topic that a topic fits, and values of that property that are no topic.")
def topics(scope: CheckScope) -> Iterator[TidyFinding]:
    if scope.topics is None:
        return
    known, likely, left = scope.topics.known, scope.topics.likely, scope.topics.left
    stray: dict[VaultPath, list[TopicFinding]] = defaultdict(list)
    for one in find_stray_values(
        known.sources, known.settings.topic_property, known.rules, known.writer, scope.vault.names
    ):
        stray[one.path].append(one)
    for note in scope.fresh(without=left):
        if note.path in stray:
            for found in stray[note.path]:
                yield from _mend(known, note, found)
        elif (topic := likely.get(note.path)) is not None:
            yield _add(known, note, topic)
    if left:
        raise BudgetSpent


def _mend(known: VaultTopics, note: IndexedNote, found: TopicFinding) -> Iterator[TidyFinding]:
    name = plain_words(known.writer.values(note)[0])
    for request in found.edits:
        wrong = [one for one in found.values if one.instead is not None]
        yield propose(
            request,
            f"In {plan_link(note.path)}, change `{name}`: {', '.join(map(_words_of, wrong))}",
            _why_wrong(wrong, known),
            STRAY_CONFIDENCE if any(one.problem != "unwanted" for one in wrong) else PREFERRED_CONFIDENCE,
            key=" ".join(one.value for one in wrong),
        )


def _add(known: VaultTopics, note: IndexedNote, topic: LikelyTopic) -> TidyFinding:
    return propose(
        known.writer.change(note, add=(topic.path,)),
        f"Give {plan_link(note.path)} the topic {plan_link(topic.path)}",
        _why_likely(topic.evidence),
        # How probable it is was learnt from notes that have topics; this one may be meant to have none.
        round(min(topic.probability, SURE_CONFIDENCE - 0.01), 2),
        topic.path,
    )


def _words_of(value: StrayTopic) -> str:
    text = code_words(value.value)
    return text if value.instead is None else f"{plan_link(value.instead)} in place of {text}"


def _why_wrong(values: Sequence[StrayTopic], known: VaultTopics) -> str:
    if any(one.problem != "unwanted" for one in values):
        return f"a topic in {plain_words(known.sources.tree.folder)} has this name"
    return "the rules of the topic folder prefer it"


def _why_likely(evidence: TopicEvidence) -> str:
    told = {
        "title": "its title says it",
        "text": f"it says “{plain_words(evidence.said)}”",
        "near notes": count_of(evidence.near, "similar note"),
        "linked notes": count_of(evidence.linked, "linked note"),
        "folder": "its folder has the name",
        "link": "it links to it",
        "definition": "the definition names it",
        "in common": f"most with “{plain_words(evidence.common)}” have it",
    }
    return ", ".join(told[reason] for reason in evidence.reasons)
