"""Generates vaults of any size in the shape of a real one: its markup, lengths, links and languages, other words."""

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Self

SYLLABLES = tuple(a + b for a in "bcdfghklmnprstv" for b in "aeio")
RARE = 0.03
"""Share of words that few other notes have, such as names and terms."""

MIN_LANGUAGE_NOTES = 20
"""A top folder with fewer notes does not count as a language of its own."""

LEARNT = 300
"""Notes from which the words of a language are learnt."""

_UNSPACED = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W\d_])+")
_KEPT = re.compile(
    r"```.*?```|~~~.*?~~~|`[^`\n]*`|https?://[^\s)>\]]+|<[^>\n]*>|^[\w-]+:(?= |$)", re.DOTALL | re.MULTILINE
)
"""Code, addresses, HTML and names of properties, which stay as they are."""

_LINK = re.compile(r"\[\[[^\[\]|#\n]+")


@dataclass(frozen=True, slots=True)
class Language:
    """A model of which word follows which, counted in real text; in scripts without spaces, of which character."""

    next: dict[str, tuple[list[str], list[int]]]
    starts: Sequence[str]

    @classmethod
    def learn(cls, texts: Sequence[str]) -> Self:
        """Count the pairs of words in some notes."""
        after: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            for one, two in pairwise(_WORD.findall(_KEPT.sub(" ", text).lower())):
                after[one][two] += 1
        chain = {word: (list(seen), list(accumulate(seen.values()))) for word, seen in after.items()}
        return cls(chain, [*chain] or ["word"])

    def follow(self, word: str, chance: random.Random) -> str:
        """Draw a word that follows another."""
        following, weights = self.next.get(word, ((), ()))
        return chance.choices(following, cum_weights=weights)[0] if following else chance.choice(self.starts)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A real note whose shape generated notes take."""

    folder: str
    name: str
    text: str
    language: Language


def term(chance: random.Random) -> str:
    """Compose a rare word; some recur in other notes, most do not."""
    own = random.Random(int(math.exp(chance.uniform(3, 12))))
    return "".join(own.choice(SYLLABLES) for _ in range(own.randint(2, 5)))


def generate_vault(root: Path, notes: int, samples: Path, *, seed: int = 7) -> None:
    """Write a vault.

    Args:
        root: An empty or absent folder.
        notes: How many notes.
        samples: The vault whose shape and words are used.
        seed: The same seed writes the same bytes.
    """
    chance = random.Random(seed)
    patterns = list(_patterns(samples))
    chosen = [chance.choice(patterns) for _ in range(notes)]
    titles = [f"{_reword(pattern.name, pattern.language, chance)} {number}" for number, pattern in enumerate(chosen)]
    for title, pattern in zip(titles, chosen, strict=True):
        folder = root / pattern.folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{title}.md").write_text(_rewrite(pattern, titles, chance), encoding="utf-8")


def _patterns(samples: Path) -> Iterator[Pattern]:
    """Yield the notes of a vault, those of a large top folder with a language of their own."""
    groups: dict[str, list[Path]] = defaultdict(list)
    paths = [path for path in sorted(samples.rglob("*.md")) if ".obsidian" not in path.parts]
    for path in paths:
        groups[path.relative_to(samples).parts[0]].append(path)
    small = {top for top, group in groups.items() if len(group) < MIN_LANGUAGE_NOTES}
    shared = [path for top in small for path in groups[top]]
    for group in (shared, *(groups[top] for top in sorted(groups.keys() - small))):
        group.sort()
        texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in group}
        language = Language.learn(list(texts.values())[:: max(1, len(texts) // LEARNT)])
        for path, text in texts.items():
            yield Pattern(path.parent.relative_to(samples).as_posix(), path.stem, text, language)


def _rewrite(pattern: Pattern, titles: Sequence[str], chance: random.Random) -> str:
    """Return a note's text with other words and with links to other notes."""
    parts: list[str] = []
    at = 0
    for kept in re.finditer(f"(?:{_KEPT.pattern})|(?:{_LINK.pattern})", pattern.text, _KEPT.flags):
        parts.append(_reword(pattern.text[at : kept.start()], pattern.language, chance))
        # Old notes are linked to more than young ones.
        linked = titles[int(len(titles) * chance.random() ** 2)]
        parts.append(f"[[{linked}" if kept[0].startswith("[[") else kept[0])
        at = kept.end()
    return "".join((*parts, _reword(pattern.text[at:], pattern.language, chance)))


def _reword(text: str, language: Language, chance: random.Random) -> str:
    """Replace each word, keeping capitals, and everything that is not a word."""
    before = ""

    def draw(word: re.Match[str]) -> str:
        nonlocal before
        before = language.follow(before, chance)
        drawn = term(chance) if chance.random() < RARE and len(word[0]) > 1 else before
        return drawn.capitalize() if word[0][0].isupper() else drawn

    return _WORD.sub(draw, text)
