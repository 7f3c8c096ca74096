"""Definitions of topics, taken from sentences that notes say."""

from collections.abc import Mapping
from typing import Final

from bridge.markdown.parse import parse
from bridge.records import dataclass
from bridge.search.sentences import Sentence, iter_sentences
from bridge.text.fold import fold_case
from bridge.text.invisible import inline
from bridge.types import VaultPath

MAX_DEFINITION_CHARS: Final = 300
"""Characters of a definition."""


@dataclass(frozen=True, slots=True)
class QuotedDefinition:
    """A sentence that says what a name means, and the note that says it."""

    text: str
    path: VaultPath


def first_sentence(path: VaultPath, text: str) -> str:
    """Return the first sentence of a note as it reads; empty if it has none."""
    sentence = next(iter_sentences(parse(path, text.encode("utf-8", "replace"))), None)
    return "" if sentence is None else _cut(sentence.text)


def find_definition(name: str, texts: Mapping[VaultPath, str]) -> QuotedDefinition | None:
    """Return the sentence of some notes that best says what a name means: one that begins with it, else the first."""
    wanted = fold_case(name)
    said: list[Sentence] = []
    for path, text in texts.items():
        note = parse(path, text.encode("utf-8", "replace"))
        said += [one for one in iter_sentences(note) if wanted in fold_case(one.text)]
    if not said:
        return None
    best = min(said, key=lambda one: (fold_case(one.text).find(wanted) > LEAD, one.kind != "paragraph"))
    return QuotedDefinition(_cut(best.text), best.path)


LEAD: Final = 5
"""Characters before a name in a sentence that begins with it, such as those of an article."""


def _cut(text: str) -> str:
    shown = inline(text)
    return shown if len(shown) <= MAX_DEFINITION_CHARS else f"{shown[: MAX_DEFINITION_CHARS - 1].rstrip()}…"
