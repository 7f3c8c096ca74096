"""Vaults written for one test, and what must never change in them."""

import hashlib
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TEXT = (
    "amber anchor apple autumn barrel basket beacon birch blanket boat bottle branch bread bridge bucket candle canvas "
    "carpet castle cedar cellar chapel cherry chimney clay cliff clock cloud coast copper cotton creek crown curtain "
    "daisy dawn desert drawer dust eagle earth engine evening feather fence ferry field flame flour forest fountain "
    "garden garlic gate glacier glass grain granite grass gravel harbour harvest hazel hedge hill honey horizon horse "
    "island ivory jacket journey kettle kitchen ladder lake lantern leather lemon letter light lime linen lumber maple "
    "market meadow mill mirror moss mountain mustard needle oak oats ocean olive orchard oven paper path pearl pebble "
    "pepper pine plough pond potato quarry quilt rain raven reed ribbon river road roof rope saddle sail salt sand saw"
)
WORDS = TEXT.split()


@dataclass(frozen=True, slots=True)
class Kept:
    """A saved copy of a folder, for tests that each damage it; its path stays, since an index belongs to a path."""

    folder: Path
    copy: Path

    @classmethod
    def of(cls, folder: Path) -> "Kept":
        """Copy what is in a folder now."""
        return cls(folder, Path(shutil.copytree(folder, folder.with_name(f"{folder.name} kept"), symlinks=True)))

    def restored(self) -> Path:
        """Restore everything, including modification times."""
        shutil.rmtree(self.folder)
        return Path(shutil.copytree(self.copy, self.folder, symlinks=True))


def generate(root: Path, notes: int, *, seed: int = 1, sections: int = 3) -> dict[str, str]:
    """Write a vault of linked notes in folders.

    Returns:
        For each path, a word that no other note has.
    """
    chance = random.Random(seed)
    marks = {}
    for number in range(notes):
        path = f"{chance.choice(('Journal', 'Projects/Active', 'People', 'Reading'))}/Note {number:04}.md"
        marks[path] = f"mark{number:04}zq"
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(note(chance, number, notes, marks[path], sections), encoding="utf-8")
    return marks


def note(chance: random.Random, number: int, notes: int, mark: str, sections: int) -> str:
    """Compose one note."""
    lines = [
        "---",
        f"aliases: [Alias {number:04}]",
        f"tags: [{chance.choice(WORDS)}]",
        "---",
        f"# Subject {number}",
        "",
    ]
    lines += [f"{prose(chance, 2)} {mark}.", ""]
    for part in range(sections):
        lines += [f"## {chance.choice(WORDS).title()} {part}", "", prose(chance), ""]
        lines += [f"See [[Note {chance.randrange(notes):04}]].", ""]
    return "\n".join(lines)


def prose(chance: random.Random, sentences: int = 10) -> str:
    """Compose a paragraph, by default about one passage."""
    return " ".join(" ".join(chance.choices(WORDS, k=12)).capitalize() + "." for _ in range(sentences))


def fingerprint(root: Path) -> dict[str, tuple[str, int, int]]:
    """Return the digest, time and mode of everything in a vault."""
    return {str(path.relative_to(root)): facts(path) for path in everything(root)}


def everything(root: Path) -> Iterator[Path]:
    """Yield the folder itself and everything in it."""
    yield root
    yield from sorted(root.rglob("*"))


def facts(path: Path) -> tuple[str, int, int]:
    """Return the facts that a write would change."""
    stat = path.stat()
    return (hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "", stat.st_mtime_ns, stat.st_mode)
