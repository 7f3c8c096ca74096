"""What a note costs grows with its length and no faster, whatever is written in it."""

import gc
import time
from collections.abc import Callable

import pytest

from bridge.index.boilerplate import Boilerplate
from bridge.index.prepare import prepare
from bridge.linking.corpus import Corpus
from bridge.linking.mentions import Name, NameFinder
from bridge.linking.prospects import find_candidates
from bridge.markdown.link_spans import read_link_spans
from bridge.markdown.parse import parse
from bridge.markdown.prose import protected_spans
from bridge.types import VaultPath
from bridge.vault.scan import Stat
from tests.hostile_texts import HOSTILE

PATH = VaultPath("a.md")
LENGTH = 12_000
FACTOR = 4
MOST = 2.5**2
"""Twice the length may cost two and a half times the work, four times the length that squared."""

NEGLIGIBLE_S = 0.05
NAMES = NameFinder([Name(VaultPath("Rye.md"), "Rye"), Name(VaultPath("task.md"), "task")])
LEARNT = Boilerplate.learn(["task\nword"] * 8)


def work(text: str) -> None:
    """Do what indexing a note, moving what it links to and looking for missing links do with its text."""
    data = text.encode()
    note = parse(PATH, data)
    prepare(note, Stat(0, len(data)), LEARNT)
    read_link_spans(PATH, data)
    NAMES.mentions(text, protected_spans(note), almost=True)
    find_candidates({PATH: text}, NAMES, {})
    Corpus.of(NAMES, {PATH: text})
    Boilerplate.learn([text])


def cost(do: Callable[[str], None], text: str) -> float:
    """Return the least processor time of three tries."""
    spent = []
    for _ in range(3):
        begun = time.process_time()
        do(text)
        spent.append(time.process_time() - begun)
    return min(spent)


@pytest.mark.no_cover  # a big input runs the lines of a small one, only more often
@pytest.mark.parametrize("name", HOSTILE)
def test_work_grows_with_the_length_and_no_faster(name: str) -> None:
    gc.disable()
    try:
        once = cost(work, HOSTILE[name](LENGTH))
        more = cost(work, HOSTILE[name](FACTOR * LENGTH))
    finally:
        gc.enable()
    assert more < NEGLIGIBLE_S or more / once < MOST
