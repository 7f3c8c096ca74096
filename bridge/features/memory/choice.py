"""Chooses the memories that a question asks for: those it names, and those that say most of what it says."""

import asyncio
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_text import open_note
from bridge.engine.agents_folder import agents_folder
from bridge.errors import NoteNotFound
from bridge.features.memory.access import now, read_body
from bridge.features.memory.catalogue import MemoryCatalogue
from bridge.features.memory.memory_note import Memory
from bridge.features.memory.results import MAX_TEXT_CHARS, SessionLine, cut_text
from bridge.features.memory.use_log import NO_USE, MemoryUse
from bridge.features.memory.visibility import VisibleMemories
from bridge.features.sessions.public import TYPE as JOURNAL
from bridge.features.sessions.public import read_words, told_lines
from bridge.index.inverted_index import TextQuery
from bridge.records import Record
from bridge.search.calibrate import calibrate_cosines, model_calibration, model_trust
from bridge.text.invisible import visible_text
from bridge.text.match import compile_matcher
from bridge.text.scripts import UNSPACED_CHARACTER
from bridge.text.stems import content_words
from bridge.text.words import words_of
from bridge.types import SearchMode, VaultPath

Key = TypeVar("Key", bound=Hashable)

DEPTH: Final = 16
"""Memories beyond the limit whose text is compared with a question."""

ENOUGH: Final = 0.6
"""The share of a question's words, rare ones counting most, from which a memory is about it."""

MIN_WORDS: Final = 2
"""Words of a longer question that a memory must contain."""

SURE: Final = 0.8
"""The calibrated similarity in meaning from which a memory is about a question."""

LIKELY: Final = 0.3
"""The same for a question that no memory fits otherwise: questions about other things stay below 0.1."""

MARGIN: Final = 0.7
"""The share of the best score below which a memory is left out."""

RELATED: Final = 0.8
"""The score of a memory that a named one is about."""

NOT_ANSWERED: Final = "The model did not answer, so memories were found by their words only; `doctor` tells why."

TIERS: Final = {"hot": 1.0, "warm": 0.9, "cold": 0.75, "archived": 0.5}
"""How much the tier of a memory counts when several fit."""


class Choice(Record):
    """A memory that fits a question."""

    memory: Memory
    score: float
    why: tuple[str, ...]


class Selection(Record):
    """The memories that fit a question, and how they were found."""

    choices: Sequence[Choice] = ()
    mode: SearchMode = "keyword"
    """`hybrid` if meaning was compared."""
    notices: tuple[str, ...] = ()


class Question(Record):
    """What is asked, and of what."""

    text: str
    limit: int
    catalogue: MemoryCatalogue
    visible: VisibleMemories


async def choose(call: Call, question: Question) -> Selection:
    """Return the memories that fit a question, often none."""
    named = choose_named(question)
    covered = question.catalogue.names.covered_words(question.text) if named else frozenset[str]()
    rest = [word for word in content_words(words_of(question.text)) if word not in covered]
    similar = await choose_similar(call, question, rest, whole=not named)
    best = max((choice.score for choice in similar.choices), default=0.0)
    others = [choice for choice in similar.choices if choice.score >= MARGIN * best]
    return replace(similar, choices=[*named, *(one for one in others if not has_path(named, one.memory.path))])


def choose_named(question: Question) -> list[Choice]:
    catalogue, askable = question.catalogue, question.visible.askable
    found: dict[VaultPath, Choice] = {}
    replaced: dict[VaultPath, Choice] = {}
    for path, score in catalogue.names.find(question.text).items():
        memory = catalogue.memories[path]
        if path in askable:
            why = "The question names it." if score == 1 else "The question names it, with a typing error."
            found[path] = Choice(memory, score, (why,))
        elif (newer := catalogue.successor(memory)) is not None and newer.path in askable and is_open(memory):
            why = f"It replaced `{memory.title}`, which the question names."
            replaced[newer.path] = Choice(newer, score, (why,))
    found = replaced | found
    for choice in tuple(found.values()):
        for name in choice.memory.about:
            other = catalogue.find(name)
            if other is not None and other.path in askable and other.path not in found:
                why = f"`{choice.memory.title}`, which the question names, is about it."
                found[other.path] = Choice(other, RELATED * choice.score, (why,))
    return [*found.values()]


def is_open(memory: Memory) -> bool:
    """Return whether a memory was kept from nobody, so that its title may be told to anyone."""
    return memory.private_to is None and not memory.deny_agents


async def choose_similar(call: Call, question: Question, words: Sequence[str], *, whole: bool) -> Selection:
    vault, within = call.vault, question.visible.askable
    if not words or not within or not (whole or len(words) >= MIN_WORDS):
        return Selection()
    depth = question.limit + DEPTH
    index = vault.index.view("agents")
    hits = await index.search_notes(TextQuery(should=tuple(words)), depth, within)
    hits += [*await index.stems(TextQuery(should=tuple(words)), depth, within)]  # type: ignore[list-item]
    has_model = whole and can_read(call, question)
    near = await choose_near(call, question) if has_model else None
    paths = dict.fromkeys([*(hit.path for hit in hits), *(near or {})])
    await vault.vocabularies["agents"].words.follow(index)
    said = await asyncio.to_thread(match_words, call, [question.visible.memories[path] for path in paths], words)
    found = []
    for path in paths:
        share, matched = said[path]
        meaning = (near or {}).get(path, 0.0)
        if fits(share, matched, words) or meaning >= SURE:
            why = (f"It says {', '.join(matched)}.",) if matched else ()
            alike = ("It is similar in meaning.",) if meaning >= SURE else ()
            found.append(Choice(question.visible.memories[path], round(max(share, meaning), 3), (*why, *alike)))
    if near and not found:
        why = ("It is the closest in meaning.",)
        likely = ((path, meaning) for path, meaning in near.items() if meaning >= LIKELY)
        found = [Choice(question.visible.memories[path], round(meaning, 3), why) for path, meaning in likely]
    if near is None:
        return Selection(found, "keyword", (NOT_ANSWERED,) if has_model else ())
    return Selection(found, "hybrid")


def can_read(call: Call, question: Question) -> bool:
    model = call.vault.index.answering_model
    return model is not None and bool(model_trust(question.text, model_calibration(model)))


async def choose_near(call: Call, question: Question) -> Mapping[VaultPath, float] | None:
    vault = call.vault
    calibration = model_calibration(vault.index.answering_model)
    vector = await vault.embed_query(question.text)
    if vector is None:
        return None
    hits = await vault.index.nearest(vector, DEPTH, question.visible.askable)
    if calibration.curve is None:
        return calibrate_cosines({hit.path: hit.score for hit in hits}, calibration)
    # Not by their distance to the best: it may be far from the question itself.
    return {hit.path: calibration.curve(hit.score) for hit in hits}


def match_words(
    call: Call, memories: Sequence[Memory], words: Sequence[str]
) -> Mapping[VaultPath, tuple[float, tuple[str, ...]]]:
    texts = {memory.path: "\n".join((*memory.names, read_body(call, memory.path))) for memory in memories}
    return match_texts(call, texts, words)


def match_texts(
    call: Call, texts: Mapping[Key, str], words: Sequence[str]
) -> Mapping[Key, tuple[float, tuple[str, ...]]]:
    languages, vocabulary = call.vault.index.view("agents").languages, call.vault.vocabularies["agents"]
    matcher = compile_matcher(words, languages=languages)
    worth = {word: vocabulary.words.worth(word, languages) for word in words}
    total = sum(worth.values()) or 1.0
    found = {}
    for key, text in texts.items():
        matches = {match.word for match in matcher.find(text)}
        said = tuple(word for word in words if word in matches or (UNSPACED_CHARACTER.search(word) and word in text))
        found[key] = (sum(worth[word] for word in said) / total, said)
    return found


async def choose_said(call: Call, query: str, withheld: Collection[VaultPath], most: int) -> tuple[SessionLine, ...]:
    """Return the decisions, outcomes and questions of sessions that say most of a question's words, the best first."""
    index, folder = call.vault.index.view("agents"), agents_folder(call.vault.settings)
    words = content_words(words_of(query))
    journals = frozenset(
        path
        for path, note in index.notes.items()
        if note.note_type == JOURNAL and folder.holds(path) and path not in withheld
    )
    if not words or not journals:
        return ()
    asked = TextQuery(should=tuple(words))
    paths = [hit.path for hit in await index.search_notes(asked, DEPTH, journals)]
    paths += [hit.path for hit in await index.stems(asked, DEPTH, journals)]
    await call.vault.vocabularies["agents"].words.follow(index)

    def match() -> tuple[SessionLine, ...]:
        lines = {line: line.text for path in dict.fromkeys(paths) for line in read_said(call, path)}
        said = match_texts(call, lines, words)
        fit = [line for line in lines if fits(*said[line], words)]
        return tuple(sorted(fit, key=lambda line: -said[line][0])[:most])

    return await asyncio.to_thread(match)


def read_said(call: Call, path: VaultPath) -> Iterator[SessionLine]:
    with suppress(NoteNotFound):
        note = open_note(call.vault, path)
        for what, text in told_lines(read_words(note.text, note.properties)):
            yield SessionLine(path, what, cut_text(visible_text(text), MAX_TEXT_CHARS))


def fits(share: float, matched: Sequence[str], words: Sequence[str]) -> bool:
    return share >= ENOUGH and len(matched) >= min(MIN_WORDS, len(words))


def has_path(choices: Sequence[Choice], path: VaultPath) -> bool:
    return any(choice.memory.path == path for choice in choices)


def rank(choices: Sequence[Choice], uses: Mapping[VaultPath, MemoryUse]) -> list[Choice]:
    """Order memories by how well they fit, how sure they are, and how recently they were used."""
    moment = now()
    weighed = []
    for choice in choices:
        memory = choice.memory
        tier = "hot" if memory.pinned else memory.tier_at(moment, uses.get(memory.path, NO_USE).last)
        weight = TIERS[tier] * (0.5 + 0.5 * memory.confidence)
        weighed.append(replace(choice, score=round(choice.score * weight, 3)))
    return sorted(weighed, key=lambda one: (-one.score, -one.memory.updated, one.memory.path))
