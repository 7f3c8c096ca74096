"""Chooses the memories that a question asks for: those it names, and those that say much of it."""

import asyncio
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_text import open_note
from bridge.engine.agents_folder import agents_folder
from bridge.errors import BridgeError, NoteNotFound
from bridge.features.memory.catalogue import MemoryCatalogue, VisibleMemories, now, read_body
from bridge.features.memory.memory_note import Memory
from bridge.features.memory.results import MAX_TEXT_CHARS, SessionLine, cut_text
from bridge.features.memory.use_log import NO_USE, MemoryUse
from bridge.features.sessions.public import read_words, told_lines
from bridge.records import Record
from bridge.search.answerability import asked_terms
from bridge.search.calibrate import model_calibration
from bridge.search.co_reading import NO_CO_READING
from bridge.search.coverage import ASSUMED_NOTES, idf
from bridge.search.model import SearchRequest
from bridge.search.pipeline import RankedNotes, retrieve_and_rank
from bridge.search.query import Query
from bridge.search.read_query import read_question
from bridge.text.content_terms import question_words
from bridge.text.counts import count_of
from bridge.text.function_words import content_words
from bridge.text.invisible import visible_text
from bridge.text.match import compile_matcher
from bridge.text.stems import DEFAULT, language_of
from bridge.text.words import RUN
from bridge.types import SearchMode, VaultPath

Key = TypeVar("Key", bound=Hashable)

EXTRA_MEMORIES: Final = 16
"""Memories beyond the limit whose text is compared with a question."""

MIN_WORD_SHARE: Final = 0.4
"""The share of a question's words, rare ones counting most, from which a memory is about it."""

MIN_WORDS: Final = 2
"""Words of a longer question that a memory must contain."""

ONE_WORD_SHARE: Final = 0.43
"""The share from which one word is enough in a script without spaces, in which a question often has but two."""

MAX_RARE_SHARE: Final = 0.025
"""Share of a vault's notes up to which a word is rare, so that it is enough while a memory has no vector."""

MIN_ABOUT_SIMILARITY: Final = 0.8
"""The calibrated similarity in meaning from which a memory is about a question."""

MIN_SHARE_OF_BEST: Final = 0.7

RELATED_SCORE_SHARE: Final = 0.8
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
    with suppress(BridgeError):
        await call.vault.backfill.embed_agents_notes()
    named = choose_named(question)
    covered = question.catalogue.names.covered_words(question.text) if named else frozenset[str]()
    rest = [word for word in await read_words_of(call, question.text) if word not in covered]
    similar = await choose_similar(call, question, rest, whole=not named)
    best = max((choice.score for choice in similar.choices), default=0.0)
    others = [choice for choice in similar.choices if choice.score >= MIN_SHARE_OF_BEST * best]
    paths = {choice.memory.path for choice in named}
    return replace(similar, choices=[*named, *(one for one in others if one.memory.path not in paths)])


def choose_named(question: Question) -> list[Choice]:
    catalogue, askable = question.catalogue, question.visible.askable
    found: dict[VaultPath, Choice] = {}
    replaced: dict[VaultPath, Choice] = {}
    for path, score in catalogue.names.find(question.text).items():
        memory = catalogue.memories[path]
        if path in askable:
            why = "The question names it." if score == 1 else "The question names it, with a typing error."
            found[path] = Choice(memory, score, (why,))
        elif path in question.visible.newer:
            why = f"It contradicts `{memory.title}`, which the question names."
            newest = question.visible.find_newest(path)
            replaced |= {one: Choice(catalogue.memories[one], score, (why,)) for one in newest if one in askable}
        elif (newer := catalogue.successor(memory)) is not None and newer.path in askable and is_open(memory):
            why = f"It replaced `{memory.title}`, which the question names."
            replaced[newer.path] = Choice(newer, score, (why,))
    found = replaced | found
    for choice in tuple(found.values()):
        for name in choice.memory.about:
            other = catalogue.find(name)
            if other is not None and other.path in askable and other.path not in found:
                why = f"`{choice.memory.title}`, which the question names, is about it."
                found[other.path] = Choice(other, RELATED_SCORE_SHARE * choice.score, (why,))
    return [*found.values()]


def is_open(memory: Memory) -> bool:
    """Return whether a memory was kept from nobody, so that its title may be told to anyone."""
    return memory.private_to is None and not memory.deny_agents


async def choose_similar(call: Call, question: Question, words: Sequence[str], *, whole: bool) -> Selection:
    within, catalogue = question.visible.askable.union(question.visible.newer), question.catalogue
    if not words or not within or not (whole or len(words) >= MIN_WORDS):
        return Selection()
    # What is named is found by its name; only words are left to ask for.
    text = question.text if whole else " ".join(words)
    found = await search_agents_notes(call, text, words, within, "hybrid" if whole else "keyword")
    memories = [catalogue.memories[hit.path] for hit in found.ranked[: question.limit + EXTRA_MEMORIES]]

    def match() -> Mapping[VaultPath, SharedWords]:
        texts = {memory.path: "\n".join((*memory.names, read_body(call, memory.path))) for memory in memories}
        return match_texts(call, texts, words)

    said = await asyncio.to_thread(match)
    near, has_model = found.evidence.meaning.calibrated, bool(call.vault.model_keys())
    choices: dict[VaultPath, Choice] = {}
    for memory in memories:
        one = said[memory.path]
        meaning = near.get(memory.path, 0.0) if can_read(call, question, memory) else 0.0
        if has_model and not one.fits and call.vault.index.vector_of(memory.path) is None and says_rare(call, one):
            # It was saved just now, and nothing tells its meaning yet.
            one = replace(one, fits=True, share=MIN_SHARE_OF_BEST)
        if one.fits or meaning >= MIN_ABOUT_SIMILARITY:
            why = (f"It says {', '.join(one.words)}.",) if one.words else ()
            alike = ("It is similar in meaning.",) if meaning >= MIN_ABOUT_SIMILARITY else ()
            score = round(max(one.share, meaning), 3)
            for path in question.visible.find_newest(memory.path):
                said_by = () if path == memory.path else (f"It contradicts `{memory.title}`, which fits.",)
                if path in question.visible.askable and (path not in choices or choices[path].score < score):
                    choices[path] = Choice(catalogue.memories[path], score, (*said_by, *why, *alike))
    is_silent = whole and found.readable and found.mode == "keyword" and call.vault.index.answering_model is not None
    notices = (NOT_ANSWERED,) if is_silent else ()
    if found.mode == "hybrid" and not choices and (waiting := call.vault.index.pending_vectors()):
        notices = (f"{count_of(waiting, 'passage')} cannot be found by meaning yet.",)
    return Selection([*choices.values()], found.mode, notices)


def says_rare(call: Call, said: "SharedWords") -> bool:
    """Return whether a word that a text shares with a question is in few notes of the vault."""
    index = call.vault.index.view("notes")
    most = MAX_RARE_SHARE * (len(index.notes) + ASSUMED_NOTES)
    return any(index.document_frequency(word) <= most for word in said.words)


async def read_words_of(call: Call, question: str) -> tuple[str, ...]:
    """Return the content words of a question, those that no note says as the agents' notes have them."""
    read = await asyncio.to_thread(read_question, question, call.vault.index.view("agents"))
    return content_words(question_words(read))


async def search_agents_notes(
    call: Call, text: str, words: Sequence[str], within: frozenset[VaultPath], mode: SearchMode
) -> RankedNotes:
    """Rank notes of the agents' folder by what they say, as a search does; what they link to does not count."""
    index, vocabulary = call.vault.index.view("agents"), call.vault.vocabularies["agents"]
    sources = replace(call.vault.sources(), index=index, vocabulary=vocabulary, graph=None, co_reading=NO_CO_READING)
    query = Query(text=text, words=tuple(words))
    return await retrieve_and_rank(sources, SearchRequest(text, mode=mode), query, within)


def can_read(call: Call, question: Question, memory: Memory) -> bool:
    """Return whether the model reads both; to one of English, any two texts of another language are alike."""
    if model_calibration(call.vault.index.answering_model).every_script:
        return True
    note = call.vault.index.view("agents").notes.get(memory.path)
    return note is not None and note.language == DEFAULT == language_of(question.text)


class SharedWords(Record):
    """The words of a question that a text says, and whether they are enough for it to be about the question."""

    words: tuple[str, ...]
    share: float
    fits: bool


def match_texts(call: Call, texts: Mapping[Key, str], words: Sequence[str]) -> Mapping[Key, SharedWords]:
    index = call.vault.index.view("agents")
    matcher, terms = compile_matcher(words, languages=index.languages), asked_terms(words)
    worth = {term: idf(index, term) for term in terms}
    found = {}
    for key, matches in zip(texts, matcher.find_each([*texts.values()]), strict=True):
        matched = {match.word for match in matches}
        said = [one for one in terms if one in matched or (RUN.match(one) and any(one in each for each in matched))]
        counted = [*said, *(one for one in terms if one not in said and not straddles(one, said))]
        share = sum(map(worth.__getitem__, said)) / (sum(map(worth.__getitem__, counted)) or 1.0)
        few = min(MIN_WORDS, len(counted)) if share < ONE_WORD_SHARE or not all(map(RUN.match, said)) else 1
        # Of a script without spaces, the parts of the text that it shares with the question.
        words_said = (*(one for one in said if one in matched), *sorted(matched.difference(said)))
        found[key] = SharedWords(words_said, share, share >= MIN_WORD_SHARE and len(said) >= few)
    return found


def straddles(term: str, said: Collection[str]) -> bool:
    """Return whether two characters belong to a word that is said and to the next one."""
    return RUN.match(term) is not None and any(term[0] == one[-1] or term[-1] == one[0] for one in said)


async def choose_said(call: Call, query: str, withheld: Collection[VaultPath], most: int) -> tuple[SessionLine, ...]:
    """Return the decisions, outcomes and questions of sessions that say much of a question, the best first."""
    words, folder = await read_words_of(call, query), agents_folder(call.vault.settings)
    journals = frozenset(filter(folder.holds, call.vault.part(MemoryCatalogue).journals)).difference(withheld)
    if not words or not journals:
        return ()
    found = await search_agents_notes(call, query, words, journals, "keyword")

    def match() -> tuple[SessionLine, ...]:
        lines = {line: line.text for hit in found.ranked[:EXTRA_MEMORIES] for line in read_said(call, hit.path)}
        said = match_texts(call, lines, words)
        fit = sorted((line for line in lines if said[line].fits), key=lambda line: -said[line].share)
        return tuple(line for line in fit[:most] if said[line].share >= MIN_SHARE_OF_BEST * said[fit[0]].share)

    return await asyncio.to_thread(match)


def read_said(call: Call, path: VaultPath) -> Iterator[SessionLine]:
    with suppress(NoteNotFound):
        note = open_note(call.vault, path)
        for what, text in told_lines(read_words(note.text, note.properties)):
            yield SessionLine(path, what, cut_text(visible_text(text), MAX_TEXT_CHARS))


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
