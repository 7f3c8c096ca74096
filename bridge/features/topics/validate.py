"""Finds what is not in order with topics, with the edits that would mend it; and topics that do not exist yet."""

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import SetProperties
from bridge.engine.open_vault import OpenVault
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.entities.public import MergeReason, MergeSuggestion, find_merge_pairs
from bridge.features.links.public import NameFinder, find_broken_links, find_candidates, read_corpus, wishes_of
from bridge.features.properties.public import find_templates
from bridge.features.topics.definition import MAX_DEFINITION_CHARS
from bridge.features.topics.findings import (
    FINDING_KINDS,
    FindingKind,
    StrayTopic,
    TopicEdit,
    TopicFinding,
    TopicWriter,
    find_alike,
    find_orphans,
    find_stray_values,
)
from bridge.features.topics.suggest import TopicModels, TopicSources, body_of, fitting_topics, near_notes, words_by_note
from bridge.features.topics.topic_tree import KINDS, TopicRules, TopicSettings
from bridge.features.topics.vault_topics import VaultTopics
from bridge.markdown.frontmatter import link_in_value
from bridge.markdown.links import WIKI
from bridge.markdown.names import note_name
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.search.content import QUESTION
from bridge.search.sentences import Sentence, iter_sentences
from bridge.search.summary import defines_subject
from bridge.state.dismissals import Dismissal, dismissal_key
from bridge.text.budget import shorten
from bridge.text.content_terms import terms_of
from bridge.text.fold import fold_case, letters_and_digits
from bridge.text.invisible import inline
from bridge.text.series import DATE
from bridge.text.stems import language_of
from bridge.text.words import RUN
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.paths import clean_name


class QuotedDefinition(Record):
    """A sentence that says what a name means, and the note that says it."""

    text: str
    path: VaultPath


def find_definition(name: str, texts: Mapping[VaultPath, str]) -> QuotedDefinition | None:
    """Return the first sentence of some notes that says what a name means, rather one of prose; None if none does."""
    wanted = fold_case(name)
    said: list[Sentence] = []
    for path, text in texts.items():
        note, language = parse(path, text.encode("utf-8", "replace")), language_of(text)
        subject = frozenset(terms_of(name, language))
        said += [
            one
            for one in iter_sentences(note)
            if fold_case(one.text).count(wanted) == 1
            and not one.text.endswith(QUESTION)
            and defines_subject(one.text, subject, language)
        ]
    best = min(said, key=lambda one: one.kind != "paragraph", default=None)
    return QuotedDefinition(shorten(inline(best.text), MAX_DEFINITION_CHARS), best.path) if best is not None else None


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
    linking: tuple[VaultPath, ...]
    """All notes that link to it, daily notes and lists too."""


def find_names(
    sources: TopicSources,
    wanted: Mapping[str, Collection[VaultPath]],
    known: NameFinder,
    left_out: Collection[VaultPath],
    texts: Mapping[VaultPath, str],
) -> list[NamedCluster]:
    """Return the names that no note has and at least three notes say something about, with all of these notes."""
    astray = {(path, name) for path, value in sources.assignments.astray if (name := _linked_name(value.text))}
    kept = {
        name: {
            path
            for path in paths
            if path not in left_out
            and not sources.tree.holds(path)
            and ((path, fold_case(name)) in astray or says_of(texts.get(path, ""), name))
        }
        for name, paths in wanted.items()
        if len(paths) >= MIN_NEAR_NOTES
    }
    likely = [one for one in find_candidates(kept, known) if one.notes >= MIN_NEAR_NOTES][:MAX_NAMES]
    return [NamedCluster(one.name, tuple(sorted(kept[one.name])), tuple(sorted(wanted[one.name]))) for one in likely]


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
    return replace(named, notes=best) if len(best) >= MIN_NEAR_NOTES else None


def _lines_with(text: str, name: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the lines that link to a name, and the names of all their links."""
    wanted = fold_case(name)
    for line in body_of(text).split("\n"):
        if "[[" in line:
            names = [_name_of(match[1]) for match in WIKI.finditer(line)]
            if wanted in map(fold_case, names):
                yield line, names


def _name_of(inner: str) -> str:
    return inner.partition("|")[0].partition("#")[0].rstrip("\\").rpartition("/")[2].removesuffix(".md").strip()


def says_of(text: str, name: str) -> bool:
    """Return whether a text says something beside a link to a name, and does not only list it, as sites or parts."""
    return any(sum(map(str.isalpha, WIKI.sub("", line))) >= MIN_LETTERS_BESIDE for line, _ in _lines_with(text, name))


MIN_LETTERS_BESIDE: Final = 3

MIN_LOWER_SHARE: Final = 0.2
"""Share of the times a common noun is written small, where it is not always."""

MIN_HOST_CHARS: Final = 4

MIN_VOTES: Final = 2
"""Names beside one that must be of a kind for it to be of this kind."""

MIN_USUAL_SHARE: Final = 0.75
"""Share of the topics in the usual folder from which on a topic of unknown kind belongs there."""

_HOST: Final = re.compile(r"https?://(?:[\w-]+\.)*?([\w-]+)\.(?:com?\.)?[a-z]{2,}(?=[/?#:\s)>\"'\]]|$)", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_BEFORE_WORD: Final = re.compile(r"[\w,，、][*_\"“„«‘「《( ]*$")
"""What stands before a word within a sentence."""


class NameUsage(Record, eq=False):
    """How texts write names: as those of single persons, works, places and things, or as common nouns."""

    texts: Sequence[str]
    """As they are read."""
    hosts: Collection[str]
    """Names of sites of the vault."""

    @classmethod
    def read(cls, texts: Iterable[str], hosts: Collection[str]) -> "NameUsage":
        def shown(match: re.Match[str]) -> str:
            return match[1].rpartition("|")[2] if "|" in match[1] else _name_of(match[1])

        return cls([WIKI.sub(shown, body_of(text)) for text in texts], hosts)

    def judge(self, name: str) -> int:
        """Return 1 for a proper name, -1 for a common noun, 0 where nothing tells."""
        words = [word for word in _WORD.findall(name) if not RUN.search(word)]
        letters = letters_and_digits(fold_case(name))
        is_site = len(letters) >= MIN_HOST_CHARS and letters in self.hosts
        if RUN.search(name) or not words or all(map(str.isupper, words)):
            return int(is_site)
        form = re.compile(rf"(?<![\w/#@.-]){re.escape(name)}(?![\w/#@]|\.\w)", re.IGNORECASE)
        counts = Counter(_manner(text, match) for text in self.texts for match in form.finditer(text))
        if counts["common"] and counts["common"] >= MIN_LOWER_SHARE * counts.total():
            return 1 if is_site and len(words) == 1 else -1
        return 1 if is_site or counts["proper"] else -int(counts["title"] > 0)


def _manner(text: str, match: re.Match[str]) -> str:
    """Return whether a name is written as a proper name, as a common noun, or with one capital as the title of a note.

    Empty where it begins a sentence.
    """
    words = [word for word in _WORD.findall(match[0]) if len(word) > MIN_LETTERS_BESIDE]
    capitals = [word[0].isupper() for word in words]
    if not any(capitals):
        return "common"
    if not all(capitals):
        return "title"
    return "proper" if _BEFORE_WORD.search(text[max(0, match.start() - 9) : match.start()]) else ""


def read_hosts(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of the sites that texts link to, such as `obsidian` of obsidian.md."""
    return frozenset(letters_and_digits(fold_case(host)) for text in texts for host in _HOST.findall(text))


def choose_folder(
    cluster: NamedCluster, sources: TopicSources, texts: Mapping[VaultPath, str], hosts: Collection[str]
) -> str:
    """Return the folder of a new topic: where topics beside it are, or for things with a proper name, or for others.

    What tells is how notes write its name, then that of the names beside it. Where nothing does, it is the usual
    folder, or the topic folder itself if that is not usual enough.
    """
    tree = sources.tree
    linking = [path for path in cluster.linking if path in texts]
    # All nouns of German are written with a capital.
    usage = NameUsage.read((texts[path] for path in linking if sources.notes[path].language != "german"), hosts)
    kinds = {*tree.index_notes, *(topic.kind for topic in tree.topics.values())}
    by_manner = {1: KINDS[1], -1: KINDS[0]}
    beside, votes = Counter[str](), Counter[str]()
    for path in linking:
        others = {other for _, names in _lines_with(texts[path], cluster.name) for other in names}
        for other in others:
            if (topic := tree.find_topic(other)) is not None:
                beside[tree.topics[topic].kind] += 1
            elif fold_case(other) != fold_case(cluster.name) and (kind := by_manner.get(usage.judge(other))):
                votes[kind] += 1
    own = by_manner.get(usage.judge(cluster.name), "")
    for kind, count in (*beside.most_common(1), (own, MIN_VOTES), *(beside + votes).most_common(1)):
        if count >= MIN_VOTES and 3 * count >= 2 * (beside + votes).total() * (kind != own) and kind in kinds and kind:
            return f"{tree.folder}/{kind}"
    usual = tree.usual_folder
    count = sum(topic.path.startswith(f"{usual}/") for topic in tree.topics.values())
    is_usual = count > 0 and count >= MIN_USUAL_SHARE * len(tree.topics)
    return usual if is_usual or KINDS[1] not in kinds else tree.folder


def describe_new(
    cluster: NamedCluster,
    sources: TopicSources,
    writer: TopicWriter,
    texts: Mapping[VaultPath, str],
    hosts: Collection[str],
) -> TopicFinding:
    """Return a new topic as a finding: a note with a sentence that says what it is, and the property of its notes."""
    path = VaultPath(f"{choose_folder(cluster, sources, texts, hosts)}/{clean_name(cluster.name) or 'Topic'}.md")
    found = find_definition(cluster.name, {note: texts[note] for note in cluster.notes})
    text = f"# {cluster.name}\n"
    if found is not None:
        text += f"\n{found.text}\n\nFrom {writer.link(found.path, path)}.\n"
    linking = {
        note for note, value in sources.assignments.astray if _linked_name(value.text) == fold_case(cluster.name)
    }
    edits: Sequence[TopicEdit] = [
        CreateNote(path, text),
        *(writer.change(sources.notes[note], add=[path]) for note in cluster.notes if note not in linking),
    ]
    return TopicFinding("new", path, notes=cluster.notes, edits=tuple(edits))


def is_allowed(path: VaultPath, sources: TopicSources, rules: TopicRules) -> bool:
    """Return whether a note may get topics."""
    note = sources.notes.get(path)
    return note is not None and note.kind == "note" and not rules.never.covers(path) and not note.is_left_alone


def _linked_name(value: str) -> str:
    link = link_in_value(value)
    return "" if link is None else fold_case(link.target)


MAX_SHOWN_NOTES = 10


class TopicProblem(Record):
    """Something that is not in order with topics.

    Attributes:
        kind: `values`: a note's property has values that are no topic; `new`: near notes link to a name that no note
            has; `orphan`: no note has the topic, nothing links to it, it fits none and is older than 30 days; `rare`:
            fewer notes have it than the rules say; `alike`: two topics may be one.
        path: The note or topic; of a new topic, where its note would be.
        values: The values that are no topic, or one that the rules replace.
        topic: The topic that would stay, the one with more links.
        notes: How many notes have the topic, or would get it.
        examples: The first of them.
        why: Why two topics may be one, as in `merge_suggestions`.
        edits: What mends it, as `edits` of `change_set`; those of several problems in their order.
    """

    kind: FindingKind
    path: VaultPath
    values: tuple[StrayTopic, ...]
    topic: VaultPath | None
    notes: int
    examples: tuple[VaultPath, ...]
    why: tuple[MergeReason, ...]
    edits: tuple[TopicEdit, ...]


async def validate_topics(
    call: Call, known: VaultTopics, kinds: Collection[FindingKind]
) -> tuple[list[TopicProblem], int]:
    """Return what is not in order, in the order in which the edits fit together, and how many were dismissed."""
    fitting: frozenset[VaultPath] = frozenset()
    if "orphan" in kinds:
        model = await call.vault.part(TopicModels).model(known.sources)
        by_note = await asyncio.to_thread(fitting_topics, known.sources, model)
        fitting = frozenset(topic for topics in by_note.values() for topic in topics)
    found = await asyncio.to_thread(lambda: list(find_problems(known, call.vault, kinds, fitting)))
    dismissed = 0
    if "new" in kinds:
        busy = {one.path for one in found if one.kind == "values"}
        new, dismissed = await find_new(call, known, busy)
        found += new
    if "alike" in kinds:
        pairs = await alike_pairs(known)
        rows = await dismissed_rows(call, "merge")
        kept = [pair for pair in pairs if Dismissal("merge", frozenset((pair.path, pair.into))) not in rows]
        dismissed += len(pairs) - len(kept)
        found += await asyncio.to_thread(describe_alike, known, kept, {one.path for one in found})
    found.sort(key=lambda one: (moves_notes(one), FINDING_KINDS.index(one.kind)))
    return [*map(describe_problem, found)], dismissed


def moves_notes(one: TopicFinding) -> bool:
    """Return whether what mends a finding moves notes, which comes after what is set in them."""
    return not all(isinstance(edit, CreateNote | SetProperties) for edit in one.edits)


def find_problems(
    known: VaultTopics, vault: OpenVault, kinds: Collection[FindingKind], fitting: Collection[VaultPath]
) -> Iterator[TopicFinding]:
    settings: TopicSettings = known.settings
    if "values" in kinds:
        yield from find_stray_values(known.sources, settings.topic_property, known.rules, known.writer, vault.names)
    unused = find_orphans(known.sources, known.rules, settings.archive_folder, vault.names, fitting)
    yield from (one for one in unused if one.kind in kinds)


async def find_new(call: Call, known: VaultTopics, busy: Collection[VaultPath]) -> tuple[list[TopicFinding], int]:
    sources = known.sources
    corpus = await read_corpus(call.vault)
    texts = await sources.index.wholes()
    rows = {one.name for one in await dismissed_rows(call, "prospect")}

    def names() -> list[NamedCluster]:
        left_out = {path for path in texts if path in busy or not is_allowed(path, sources, known.rules)}
        left_out |= {
            path for path in texts if DATE.fullmatch(note_name(path)) or (daily and path.startswith(f"{daily}/"))
        }
        templates = find_templates(call.vault, sources.notes)
        notes = {path: note for path, note in sources.notes.items() if path not in templates}
        broken = find_broken_links(sources.graph, notes, call.vault.names)
        # What another property links to is of that property, as a category is.
        values = ((path, link_in_value(value.text)) for path, value in sources.assignments.astray)
        astray = {(path, link.target) for path, link in values if link is not None}
        asked = ((path, one) for path, one in broken if one.kind != "property" or (path, one.target) in astray)
        return find_names(sources, wishes_of(asked, corpus.names), corpus.names, left_out, texts)

    daily = read_obsidian_settings(call.vault.root).daily_folder
    every = await asyncio.to_thread(names)
    kept = [one for one in every if dismissal_key(one.name) not in rows]
    found: list[TopicFinding] = []
    taken: set[VaultPath] = set()
    hosts = await asyncio.to_thread(read_hosts, texts.values()) if kept else frozenset[str]()
    for one in kept:
        # A note gets one new topic at most: the requests of two would not know of each other.
        free = replace(one, notes=tuple(path for path in one.notes if path not in taken))
        cluster = await gather_cluster(sources, free, texts)
        if cluster is not None:
            taken.update(cluster.notes)
            found.append(await asyncio.to_thread(describe_new, cluster, sources, known.writer, texts, hosts))
    return found, len(every) - len(kept)


async def alike_pairs(known: VaultTopics) -> list[MergeSuggestion]:
    sources = known.sources
    notes = {path: sources.notes[path] for path in sources.tree.topics}
    texts = await sources.index.wholes(notes)

    def find() -> list[MergeSuggestion]:
        return find_merge_pairs(notes, texts, sources.graph)

    return await asyncio.to_thread(find)


def describe_alike(
    known: VaultTopics, pairs: list[MergeSuggestion], moved: Collection[VaultPath]
) -> list[TopicFinding]:
    return [one for one in find_alike(known.sources, pairs) if one.path not in moved and one.topic not in moved]


def describe_problem(one: TopicFinding) -> TopicProblem:
    return TopicProblem(
        one.kind,
        one.path,
        one.values,
        one.topic,
        len(one.notes),
        one.notes[:MAX_SHOWN_NOTES],
        one.why,
        one.edits,
    )
