"""What speaks for a note having a topic."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import log
from typing import Any, Final, Literal

from msgspec.structs import replace

from bridge.features.links.public import NameFinder, NoteName
from bridge.features.topics.definition import Definition, DescribedNote
from bridge.features.topics.topic_tree import Topic
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import VaultPath

MAX_VOTING_NOTES: Final = 25

PRIOR_WEIGHT: Final = 0.5
"""Weight, in mean votes, that is set against the votes, so that one near note with topics decides little."""

UNTOLD_WEIGHT: Final = 0.04
"""Weight of a near note without topics against the votes of those with topics, in a vault that has hardly any."""

MIN_SHARING: Final = 2
"""Notes that must have a topic for what they have in common to speak for it."""

MIN_VOTING: Final = 0.8
"""Share of the notes with something in common that must have topics there for theirs to speak fully."""

MIN_DEFINED: Final = 0.25
"""How much a definition must say of a note for this to be told as a reason."""

SIMILARITY_ROOT: Final = 1 / 3
"""The power by which a weight becomes a similarity again."""

TopicReason = Literal["title", "text", "near notes", "linked notes", "folder", "link", "definition", "in common"]

Having = Callable[[VaultPath], Collection[VaultPath]]
"""Returns the topics of a note."""


class TopicEvidence(Record):
    """What speaks for a topic."""

    vote: float = 0.0
    """Share of the weight of the near notes with topics that have this one."""
    near: int = 0
    """How many of them have it."""
    closest: float = 0.0
    """How near the nearest of them is, 0-1."""
    said: str = ""
    """The name or alias, folded, that the note says most specifically."""
    specific: float = 0.0
    """How few notes say it, 0-1; 0 if the note does not."""
    titled: bool = False
    """Whether the note's title says it."""
    linked: int = 0
    """How many of the notes linked with it have the topic."""
    among_linked: float = 0.0
    """Their share."""
    in_folder: bool = False
    """Whether a folder around the note has the name of the topic."""
    linked_to: bool = False
    """Whether the note links to the topic, or a property has its name."""
    defined: float = 0.0
    """How surely the definition of the topic says what the note is, 0-1."""
    share: float = 0.0
    """Share of the notes with `common` that have the topic."""
    common: str = ""
    """The folder, the property's value or the link that the note has in common with most of them."""

    @property
    def is_told(self) -> bool:
        """Whether more than near notes speaks for the topic."""
        return bool(self.said or self.linked or self.in_folder or self.linked_to or self.is_defined or self.common)

    @property
    def is_defined(self) -> bool:
        return self.defined >= MIN_DEFINED

    @property
    def reasons(self) -> tuple[TopicReason, ...]:
        speaks: dict[TopicReason, bool] = {
            "title": self.titled,
            "text": bool(self.said) and not self.titled,
            "near notes": self.near > 0,
            "linked notes": self.linked > 0,
            "folder": self.in_folder,
            "link": self.linked_to,
            "definition": self.is_defined,
            "in common": bool(self.common),
        }
        return tuple(reason for reason, does in speaks.items() if does)

    @property
    def row(self) -> tuple[float, ...]:
        """The numbers by which a probability is told; the first is constant."""
        said = (self.specific, float(self.titled))
        others = (float(self.in_folder), float(self.linked_to), self.defined, self.share)
        return (1.0, self.vote, self.closest, *said, self.among_linked, *others)


class NoteFacts(Record, eq=False):
    """What is known of a note besides its topics."""

    path: VaultPath
    title: str
    body: str
    near: Mapping[VaultPath, float]
    """The near notes by their weight."""
    linked: Collection[VaultPath]
    folder_topics: Collection[VaultPath]
    linked_topics: Collection[VaultPath] = ()
    alike: Mapping[str, Sequence[VaultPath]] = {}
    """By what it has in common with notes that have topics: these."""
    sizes: Mapping[str, int] = {}
    """How many notes have that, with topics or without."""
    sparsity: float = 0.0
    """How far the vault is from having enough notes with topics for their votes to count fully, 0-1."""
    described: DescribedNote | None = None
    """What definitions are compared with."""


class TopicNames:
    """Finds the names of topics in texts."""

    def __init__(
        self,
        topics: Mapping[VaultPath, Topic],
        rarity: Callable[[str], float] = lambda _form: 1.0,
        definitions: Mapping[VaultPath, Definition] | None = None,
    ) -> None:
        """Collect the names and definitions."""
        self._definitions = definitions or {}
        self._finder = NameFinder(NoteName(path, name) for path, topic in topics.items() for name in topic.names)
        self._rarity = rarity

    def find_topics(self, text: str) -> dict[VaultPath, tuple[str, float]]:
        """Return the topics that a text names, each with the most specific name and how specific it is."""
        found: dict[VaultPath, tuple[str, float]] = {}
        for mention in self._finder.mentions(text):
            rarity = self._rarity(mention.form)
            for name in mention.names:
                if rarity > found.get(name.path, ("", -1.0))[1]:
                    found[name.path] = mention.form, rarity
        return found

    def find_defined(self, facts: NoteFacts) -> Iterator[tuple[VaultPath, float]]:
        """Yield the topics whose definitions say what a note is, and how surely."""
        for topic, definition in self._definitions.items():
            if facts.described is not None and (found := definition.likeness(facts.described)):
                yield topic, found


def weigh_near(hits: Sequence[tuple[VaultPath, float]], own: VaultPath, power: float) -> dict[VaultPath, float]:
    others = [(path, score) for path, score in hits if path != own][:MAX_VOTING_NOTES]
    return {path: min(score, 1.0) ** power for path, score in others if score > 0}


def count_votes(
    near: Mapping[VaultPath, float], having: Having, sparsity: float = 0.0
) -> dict[VaultPath, dict[str, float]]:
    voting = {path: weight for path, weight in near.items() if having(path)}
    weights: dict[VaultPath, list[float]] = defaultdict(list)
    for path, weight in voting.items():
        for topic in having(path):
            weights[topic].append(weight)
    total = sum(voting.values())
    untold = sum(weight for path, weight in near.items() if path not in voting)
    whole = total + PRIOR_WEIGHT * total / max(1, len(voting)) + sparsity * UNTOLD_WEIGHT * untold
    return {
        topic: {"vote": sum(votes) / whole, "near": len(votes), "closest": max(votes) ** SIMILARITY_ROOT}
        for topic, votes in weights.items()
    }


def share_of_alike(facts: NoteFacts, having: Having) -> dict[VaultPath, tuple[float, str]]:
    """Return the topics of most notes that have something in common with a note: the largest share, and of what."""
    found: dict[VaultPath, tuple[float, str]] = {}
    for common, paths in facts.alike.items():
        voting = [topics for path in paths if path != facts.path and (topics := having(path))]
        for topic, count in Counter(topic for topics in voting for topic in topics).items():
            told = min(1.0, len(voting) / (MIN_VOTING * facts.sizes.get(common, 1)))
            share = count / (len(voting) + 1) * (1 - facts.sparsity * (1 - told))
            if MIN_SHARING <= count > len(voting) / 2 and share > found.get(topic, (0.0, ""))[0]:
                found[topic] = share, common
    return found


def gather_evidence(facts: NoteFacts, having: Having, names: TopicNames) -> dict[VaultPath, TopicEvidence]:
    found: dict[VaultPath, TopicEvidence] = {}

    def add(topic: VaultPath, **evidence: Any) -> None:
        if topic != facts.path:
            found[topic] = replace(found.get(topic, TopicEvidence()), **evidence)

    for topic, votes in count_votes(facts.near, having, facts.sparsity).items():
        add(topic, **votes)
    for topic, (form, rarity) in names.find_topics(facts.body).items():
        add(topic, said=form, specific=rarity)
    for topic, (form, rarity) in names.find_topics(facts.title).items():
        known = found.get(topic, TopicEvidence())
        add(topic, titled=True, said=known.said or form, specific=max(rarity, known.specific))
    around = [having(path) for path in facts.linked if having(path)]
    for topic, count in Counter(topic for topics in around for topic in topics).items():
        add(topic, linked=count, among_linked=count / (len(around) + 1))
    for topic in {*facts.folder_topics, *facts.linked_topics}:
        add(topic, in_folder=topic in facts.folder_topics, linked_to=topic in facts.linked_topics)
    for topic, part in names.find_defined(facts):
        add(topic, defined=part)
    for topic, (share, common) in share_of_alike(facts, having).items():
        add(topic, share=share, common=common)
    return found


def rarity_by_count(counts: Callable[[str], int], total: int) -> Callable[[str], float]:
    """Return a function that tells how few of all notes say a folded name, 0-1."""

    def rarity(form: str) -> float:
        share = max(1, counts(fold_case(form))) / max(2, total)
        return max(0.05, min(1.0, -log(share) / log(max(2, total))))

    return rarity
