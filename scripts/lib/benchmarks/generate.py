"""Generates vaults of any size whose words, links and lengths resemble real notes."""

import math
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

AVERAGE_BYTES = 2_300
FOLDERS = ("Areas", "Daily", "Library", "People", "Projects", "Reading", "Recipes", "Travel", "Work/Meetings", "Zettel")
SYLLABLES = tuple(a + b for a in "bcdfghklmnprstv" for b in "aeio")
RARE = 0.03
"""Share of words that few other notes have, such as names and terms."""


@dataclass(frozen=True, slots=True)
class Language:
    """A model of which word follows which, counted in real text."""

    next: dict[str, tuple[list[str], list[int]]]
    starts: list[str]

    @classmethod
    def learn(cls, texts: list[str]) -> "Language":
        """Count the pairs of words in some notes."""
        after: dict[str, Counter[str]] = defaultdict(Counter)
        starts = []
        for text in texts:
            for sentence in re.split(r"[.!?\n]+", text):
                words = re.findall(r"[^\W\d_]{2,}", sentence.lower())
                starts += words[:1]
                for one, two in pairwise(words):
                    after[one][two] += 1
        chain = {word: (list(seen), list(accumulate(seen.values()))) for word, seen in after.items()}
        return cls(chain, [word for word in starts if word in chain])

    def sentence(self, chance: random.Random) -> str:
        """Compose a sentence of 6 to 18 words."""
        words = [chance.choice(self.starts)]
        while len(words) < chance.randint(6, 18):
            following, weights = self.next.get(words[-1], ((), ()))
            if chance.random() < RARE:
                words.append(term(chance))
            elif following:
                words.append(chance.choices(following, cum_weights=weights)[0])
            else:
                words.append(chance.choice(self.starts))
        return " ".join(words).capitalize() + "."


def prose(text: str) -> str:
    """Remove properties, code and drawings."""
    return re.sub(r"\A---\n.*?\n---\n|```.*?```|^# Excalidraw Data.*", "", text, flags=re.DOTALL | re.MULTILINE)


def term(chance: random.Random) -> str:
    """Compose a rare word; some recur in other notes, most do not."""
    own = random.Random(int(math.exp(chance.uniform(3, 12))))
    return "".join(own.choice(SYLLABLES) for _ in range(own.randint(2, 5)))


def generate_vault(root: Path, notes: int, samples: Path, *, seed: int = 7) -> None:
    """Write a vault.

    Args:
        root: An empty or absent folder.
        notes: How many notes.
        samples: A vault whose words are used.
        seed: The same seed writes the same bytes.
    """
    chance = random.Random(seed)
    language = Language.learn([prose(path.read_text(encoding="utf-8")) for path in sorted(samples.rglob("*.md"))])
    titles = [title(language, chance, number) for number in range(notes)]
    tags = [
        f"{term(chance)}/{term(chance)}" if chance.random() < 0.3 else term(chance) for _ in range(40 + notes // 50)
    ]
    for number, name in enumerate(titles):
        folder = root / chance.choice(FOLDERS)
        folder.mkdir(parents=True, exist_ok=True)
        text = note(language, chance, number, titles, tags)
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def title(language: Language, chance: random.Random, number: int) -> str:
    """Compose a unique title."""
    words = language.sentence(chance).rstrip(".").split()[: chance.randint(1, 4)]
    return " ".join([*words, str(number)])


def note(language: Language, chance: random.Random, number: int, titles: list[str], tags: list[str]) -> str:
    """Compose one note with properties, headings, links, tags, lists and tasks."""
    size = chance.lognormvariate(0, 0.8) * (AVERAGE_BYTES - 300) / 1.377
    lines = []
    if chance.random() < 0.5:
        lines += ["---", f"created: 20{chance.randint(15, 25)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"]
        lines += [f"tags: [{', '.join(chance.sample(tags, 2))}]", f"status: {chance.choice(('draft', 'done'))}", "---"]
    lines += [f"# {titles[number]}", ""]
    while sum(map(len, lines)) + len(lines) < size:
        lines += block(language, chance, titles, tags)
    return "\n".join([*lines, ""])


def block(language: Language, chance: random.Random, titles: list[str], tags: list[str]) -> list[str]:
    """Compose one block of a note."""
    # Old notes are linked to more than young ones.
    other = titles[int(len(titles) * chance.random() ** 2)]
    match chance.randrange(16):
        case 0:
            return [f"{'#' * chance.randint(2, 3)} {language.sentence(chance)[:40].rstrip('.')}", ""]
        case 2:
            return [*(f"- {language.sentence(chance)}" for _ in range(chance.randint(2, 5))), ""]
        case 3:
            return [f"- [{chance.choice(' x')}] {language.sentence(chance)} #{chance.choice(tags)}", ""]
        case 4:
            return [f"> [!note] {language.sentence(chance)}", f"> {language.sentence(chance)}", ""]
        case 5 | 6 | 7 | 8:
            return [f"{language.sentence(chance)} See [[{other}]] and {language.sentence(chance).lower()}", ""]
        case _:
            return [" ".join(language.sentence(chance) for _ in range(chance.randint(2, 5))), ""]
