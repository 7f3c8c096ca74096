"""Measures extractive summaries against the descriptions that authors gave their notes, by ROUGE-L."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.search.sentences import Sentence, iter_sentences
from bridge.search.summary import choose_sentences_of
from bridge.text.words import words_of
from bridge.types import VaultPath
from scripts.lib.evaluation.metrics import bootstrap

PROPERTIES: Final = ("description", "summary", "abstract")
MIN_WORDS: Final = 300
MIN_DESCRIPTION_WORDS: Final = 6
NOTES: Final = 200


def print_summaries(data: Path) -> int:
    """Print for each vault how near summaries come to its own descriptions, beside the first sentences of the notes.

    Args:
        data: The evaluation data.

    Returns:
        An exit status: 2 if there is no vault.
    """
    vaults = [vault for folder in ("vaults", "links") for vault in sorted((data / folder).glob("*")) if vault.is_dir()]
    for vault in vaults:
        if described := _described_notes(vault):
            _print_vault(vault.name, described)
    return 0 if vaults else 2


def _described_notes(vault: Path) -> list[tuple[Note, list[str]]]:
    """Return long notes with the words of their description, evenly spread over a vault."""
    found = []
    for file in sorted(vault.rglob("*.md")):
        path = VaultPath(file.relative_to(vault).as_posix())
        note = read_document(path, file.read_bytes())
        described = next((value for name in PROPERTIES if isinstance(value := note.properties.get(name), str)), "")
        words = words_of(described)
        if len(words) >= MIN_DESCRIPTION_WORDS and len(words_of(note.text[note.body :])) >= MIN_WORDS:
            found.append((note, words))
    return [found[at * len(found) // NOTES] for at in range(NOTES)] if len(found) > NOTES else found


def _print_vault(name: str, described: Sequence[tuple[Note, list[str]]]) -> None:
    begun = time.process_time()
    chosen = {most: [_words(choose_sentences_of([note], most)) for note, _ in described] for most in (1, 3)}
    took = (time.process_time() - begun) / len(described) / len(chosen)
    first = [_words(list(iter_sentences(note))[:3]) for note, _ in described]
    wanted = [words for _, words in described]
    base = [rouge_l(one, words) for one, words in zip(first, wanted, strict=True)]
    print(f"{name}: {len(described)} notes, {1000 * took:.1f} ms of processor time each")
    print(f"  {'first three sentences':24} ROUGE-L {bootstrap(base).mean:.3f}")
    for most, summaries in chosen.items():
        values = [rouge_l(one, words) for one, words in zip(summaries, wanted, strict=True)]
        gain = bootstrap([value - low for value, low in zip(values, base, strict=True)])
        label = f"summary of {most} sentence{'s' * (most > 1)}"
        mean = bootstrap(values).mean
        print(f"  {label:24} ROUGE-L {mean:.3f}  {gain.mean:+.3f} ({gain.low:+.3f} … {gain.high:+.3f})")


def _words(sentences: Sequence[Sentence]) -> list[str]:
    return words_of(" ".join(one.text for one in sentences))


def rouge_l(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the F-measure of the longest common subsequence of two texts' words (Lin, 2004)."""
    before = [0] * (len(wanted) + 1)
    for word in found:
        row = [0]
        for at, other in enumerate(wanted):
            row.append(before[at] + 1 if word == other else max(before[at + 1], row[at]))
        before = row
    common = before[-1]
    return 2 * common / (len(found) + len(wanted)) if common else 0.0
