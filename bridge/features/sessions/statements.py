"""Finds what a note says in so many words: decisions, outcomes, open questions and tasks."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal

from bridge.markdown.note import Note
from bridge.markdown.tasks import TaskSettings, parse_task
from bridge.records import Record
from bridge.search.sentences import iter_sentences
from bridge.search.snippet import clean_text
from bridge.text.content_terms import question_words, terms_of
from bridge.text.cues import read_cues
from bridge.text.fold import fold_letters, fold_word
from bridge.text.function_words import content_words
from bridge.text.secrets import find_secret
from bridge.text.sentence import asks, negates, split_clauses
from bridge.text.stems import language_of
from bridge.text.words import DIGITS, RUN, count_words
from bridge.types import VaultPath

Told = Literal["decision", "outcome", "question", "task"]
Stated = Told | Literal["problem"]

HEADING_KINDS: Final[tuple[Stated, ...]] = ("decision", "outcome", "question")
LABEL_KINDS: Final[tuple[Stated, ...]] = (*HEADING_KINDS, "problem", "task")
"""Kinds of statements that a heading above them names, and that a label before them does."""

_QUOTATION: Final = re.compile('["“„«‹「『][^"“”»›」』]*["“”»›」』]')
_LABEL: Final = re.compile(r"([^:：]{2,40})[:：]\s*(.+)")
_LABEL_MARKS: Final = " *_~()[]0123456789.:：#"
"""What may stand around a label or heading."""


MIN_QUESTION_WORDS: Final = 2

WORDS_BEFORE: Final = 2
"""Words before what says a decision of which one may deny it."""

MIN_SHARED_TERMS, SHARED_TERM_SHARE, SHORT_TEXT_SHARE = 3, 0.4, 0.75
"""Terms that two statements share at least where one is the other in other words, and the share of the shorter one's;
and that share where they are fewer, or pairs of characters."""


class JournalStatement(Record):
    """A sentence or task, with its line."""

    what: Stated
    text: str
    path: VaultPath
    line: int


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """Return by kind what says it in any language, folded as words are."""
    return read_cues(Path(__file__).with_suffix(".tsv"), fold_word)


def find_statements(note: Note, settings: TaskSettings) -> Iterator[JournalStatement]:
    """Yield what a note decides, leaves open and has to do, in its own words; nothing in quotes, code or callouts."""
    boxes = {task.line for task in note.tasks}
    titles = {(link.line, clean_text(link.shown or link.target)) for link in note.links}
    sentences = [
        one for one in iter_sentences(note) if one.lines[0] not in boxes and (one.lines[0], one.text) not in titles
    ]
    headings = [next((one for one in reversed(note.headings) if one.line < each.lines[0]), None) for each in sentences]
    for at, (sentence, heading) in enumerate(zip(sentences, headings, strict=True)):
        if sentence.kind in ("paragraph", "list_item"):
            is_last = headings[at + 1 : at + 2] != [heading] or asks(sentences[at + 1].text)
            for what, text in _read(sentence.text, heading.text if heading else "", is_last=is_last):
                yield JournalStatement(what, text, note.path, sentence.lines[0])
    for task in note.tasks:
        done, text = settings.meaning(task.status) == "done", clean_text(parse_task(task.text).text)
        if any(map(str.isalpha, text)) and (done or settings.is_open(task.status)) and find_secret(text) is None:
            yield JournalStatement("outcome" if done else "task", text, note.path, task.line)


def _read(text: str, heading: str, *, is_last: bool) -> Iterator[tuple[Stated, str]]:
    patterns = _patterns()
    if find_secret(text) is not None:
        return
    if (label := _LABEL.fullmatch(text)) and (what := _label_of(label[1], LABEL_KINDS)):
        yield what, label[2]
    elif what := _label_of(heading, HEADING_KINDS):
        yield what, text
    elif asks(text):
        # What follows in the same section may answer it; a few words may be a title.
        if is_last and count_words(text) >= MIN_QUESTION_WORDS:
            yield "question", text
    else:
        said = _QUOTATION.sub(" ", fold_word(text))
        rest = patterns["question"].sub(" ", said)
        found = patterns["decision"].search(rest)
        denied = found is not None and _is_denied(rest, found)
        if found and not denied:
            yield "decision", text
        if denied or rest != said:
            yield "question", text


def _is_denied(text: str, found: re.Match[str]) -> bool:
    """Return whether something in or right before what says a decision denies it: it is open."""
    before = split_clauses(text[: found.start()])[-1].split()[-WORDS_BEFORE:]
    # Without spaces, the patterns themselves look at what stands there.
    return RUN.search(found[0]) is None and negates(" ".join((*before, split_clauses(found[0])[-1])))


def _label_of(text: str, kinds: Iterable[Stated]) -> Stated | None:
    bare = fold_word(text).strip(_LABEL_MARKS)
    return next((kind for kind in kinds if _patterns()[f"{kind} label"].fullmatch(bare)), None)


def _terms(text: str, language: str | None) -> frozenset[str]:
    words = [word for word in content_words(question_words(fold_word(text))) if RUN.search(word) or not negates(word)]
    return frozenset(terms_of(" ".join(words), language, numbers=True))


def find_likeness(said: str, other: str) -> float:
    """Return how much of the shorter of two statements the other one says; 0 unless it says the same in other words."""
    if fold_letters(said) == fold_letters(other):
        return 1.0
    language = language_of(f"{said}\n{other}")
    rests = [_patterns()["decision"].sub(" ", fold_word(text)) for text in (said, other)]
    own, others = (_terms(rest, language) for rest in rests)
    numbers, other_numbers = ({*DIGITS.findall(text)} for text in rests)
    apart = numbers and other_numbers and numbers.isdisjoint(other_numbers)
    if apart or len(own & others) < MIN_SHARED_TERMS - 1:
        return 0.0
    # A reason that is given besides says nothing of it.
    clauses = ((one for one in split_clauses(text) if own & others & _terms(one, language)) for text in (said, other))
    if len({any(map(negates, one)) for one in clauses}) > 1:
        return 0.0
    share = len(own & others) / min(len(own), len(others))
    is_enough = len(own & others) >= MIN_SHARED_TERMS and not any(map(RUN.search, rests))
    return share if share >= (SHARED_TERM_SHARE if is_enough else SHORT_TEXT_SHARE) else 0.0
