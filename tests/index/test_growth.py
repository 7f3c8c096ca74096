"""What a note costs grows with its length and no faster, whatever is written in it."""

import gc
import time

import pytest

from bridge.features.links.mentions import Corpus, NameFinder, NoteName
from bridge.index.prepare import prepare
from bridge.markdown.link_spans import read_link_spans
from bridge.markdown.parse import parse
from bridge.markdown.prose import protected_spans
from bridge.search.content import read_content
from bridge.search.sentences import iter_asides
from bridge.search.snippet import clean_text
from bridge.text.sentence import sentence_ends
from bridge.types import VaultPath
from bridge.vault.scan import Stat
from tests.hostile_texts import HOSTILE
from tests.index.made import learn_from

pytestmark = pytest.mark.long

PATH = VaultPath("a.md")
LENGTH = 12_000
FACTOR = 4
MAX_GROWTH = 2.5**2
"""Twice the length may cost two and a half times the work, four times the length that squared."""

NEGLIGIBLE_S = 0.05
NAMES = NameFinder([NoteName(VaultPath("Rye.md"), "Rye"), NoteName(VaultPath("task.md"), "task")])
LEARNT = learn_from(["task\nword"] * 8)


def work(text: str) -> None:
    """Do what indexing a note, moving what it links to, looking for missing links and summing up do with its text."""
    data = text.encode()
    note = parse(PATH, data)
    prepare(note, Stat(0, len(data)), LEARNT)
    read_link_spans(PATH, data)
    NAMES.mentions(text, protected_spans(note), almost=True)
    Corpus.of(NAMES, {PATH: text})
    learn_from([text])
    LEARNT.labels(LEARNT.blank(text))
    sum(sentence_ends(text, (0, len(text)), by_lines=False))
    clean_text(text)
    read_content(note)
    list(iter_asides(note))


TRIES, PATIENCE = 3, 9
"""Tries of a short text before each of a long one, of which the least processor time counts, and rounds of both."""


def cost(text: str) -> float:
    """Return the processor time of one try."""
    begun = time.process_time()
    work(text)
    return time.process_time() - begun


@pytest.mark.no_cover  # a big input runs the lines of a small one, only more often
@pytest.mark.parametrize("name", HOSTILE)
def test_work_grows_with_the_length_and_no_faster(name: str) -> None:
    short, long = HOSTILE[name](LENGTH), HOSTILE[name](FACTOR * LENGTH)
    gc.disable()
    try:
        # Both are tried under the same load, and the first round that grows little enough decides.
        assert any(
            max(NEGLIGIBLE_S, MAX_GROWTH * min(cost(short) for _ in range(TRIES))) > cost(long) for _ in range(PATIENCE)
        )
    finally:
        gc.enable()
