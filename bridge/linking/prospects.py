"""Names worth a note that has none: what several notes call by name, and no note is called."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bridge.linking.folding import fold
from bridge.types import VaultPath

ProspectKind = Literal["stub", "name", "camel case", "acronym", "quoted", "ticket"]

LEAST_NOTES: Final = 2
EXAMPLES: Final = 3
"""Notes that are named for each prospect."""

BASE: Final[Mapping[ProspectKind, float]] = {
    "stub": 0.6,
    "ticket": 0.5,
    "camel case": 0.45,
    "name": 0.4,
    "quoted": 0.35,
    "acronym": 0.3,
}
"""How sure one is of a prospect of two notes; each doubling of the notes halves what is missing to 1."""

ORDINARY: Final = 0.2
"""Share of a word's uses in small letters from which on it is an ordinary word."""

_MARKUP: Final = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|!?\[\[[^\]\n]*\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|<[^>\n]*>|https?://\S+"
    r"|\$\$.*?\$\$|%%.*?%%|^\#{1,6}[ \t].*?$|^[\w ]{1,40}::.*?$|\|",
    re.DOTALL | re.MULTILINE,
)
# None begins with `\b`, but with a set of characters, for which a text is searched three times as fast.
_PATTERNS: Final[tuple[tuple[ProspectKind, re.Pattern[str]], ...]] = (
    ("ticket", re.compile(r"[A-Z][A-Z]{1,9}-\d{1,6}\b")),
    ("camel case", re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+){1,4}\b")),
    ("acronym", re.compile(r"[A-Z][A-Z]{2,5}\b")),
    ("quoted", re.compile(r"[“「『《]([^\W_][^“”「」『』《》\n]{1,40}[^\W_])[”」』》]")),
    (
        "name",
        re.compile(r"[A-Z\u00c0-\u00de\u0410-\u042f][^\W\d_]+(?:[ -][A-Z\u00c0-\u00de\u0410-\u042f][^\W\d_]+){0,3}\b"),
    ),
)
EVERYWHERE: Final = 0.04
"""Share of all notes from which on a name is rather part of a template."""

TEMPLATED: Final = 0.5
NOUNS: Final = 0.08
"""Share of a text's words that begin with a capital in mid-sentence where all nouns do, as in German."""

FEW_NOUNS: Final = 3
LONGEST_WORD: Final = 24
MOST_CAPITALS: Final = 2

_WITHIN: Final = re.compile(r"\w{2,}")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:…>*\-–—\d)\]\"“”(]|\n)\s*$")
_EVERYDAY: Final = re.compile(
    "(mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    "|november|december|todo|notes?|english|i"
)


@dataclass(frozen=True, slots=True)
class Prospect:
    """A name that several notes say and that no note has."""

    name: str
    kind: ProspectKind
    notes: int
    confidence: float
    examples: tuple[VaultPath, ...]


def prospects(
    texts: Mapping[VaultPath, str], known: Container[str], stubs: Mapping[str, Collection[VaultPath]], limit: int
) -> list[Prospect]:
    """Return the names most worth a note.

    Args:
        texts: What each note says.
        known: The folded names that notes have.
        stubs: Targets of links that lead nowhere, with the notes that link there.
        limit: Most prospects to return.
    """
    said: dict[str, dict[VaultPath, None]] = defaultdict(dict)
    written: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: dict[str, ProspectKind] = {}
    small: Counter[str] = Counter()
    for target, paths in stubs.items():
        form = fold(target)
        kinds[form] = "stub"
        written[form][target] += 1
        said[form] |= dict.fromkeys(paths)
    for path, text in texts.items():
        prose = prose_of(text)
        words = _WORD.findall(prose)
        small.update(word for word in set(words) if word.islower())
        for kind, name in proper(list(found(prose)), len(words)):
            form = fold(name)
            kinds.setdefault(form, kind)
            written[form][name] += 1
            said[form][path] = None
    likely = [
        Prospect(
            name=written[form].most_common(1)[0][0],
            kind=kinds[form],
            notes=len(paths),
            confidence=round(sure(kinds[form], len(paths), len(texts)), 3),
            examples=tuple(sorted(paths)[:EXAMPLES]),
        )
        for form, paths in said.items()
        if len(paths) >= LEAST_NOTES and form not in known and not ordinary(form, len(paths), kinds[form], small)
    ]
    return sorted(likely, key=lambda one: (-one.confidence, -one.notes, one.name))[:limit]


def prose_of(text: str) -> str:
    """Return a text with a line break for each piece of markup."""
    # Match by match, since other threads stand still while one pattern runs over a whole text.
    kept: list[str] = []
    at = 0
    for match in _MARKUP.finditer(text):
        kept.append(text[at : match.start()])
        at = match.end()
    return "\n".join([*kept, text[at:]])


def found(prose: str) -> Iterator[tuple[ProspectKind, str]]:
    """Yield what in a text looks like a name; a word at the start of a sentence does not."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in _PATTERNS:
        for match in beginning_words(pattern, prose):
            start, end = match.span()
            if any(start < last and first < end for first, last in taken[-50:]):
                continue
            if kind == "name" and " " not in match[0] and (garbled(match[0]) or begins_sentence(prose, start)):
                continue
            taken.append((start, end))
            yield kind, match[match.lastindex or 0]


def beginning_words(pattern: re.Pattern[str], prose: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begin where a word does."""
    at = 0
    while (match := pattern.search(prose, at)) is not None:
        start, at = match.span()
        word = _WITHIN.match(prose, start - 1) if start else None
        if word is not None:
            # On from the end of the word: another match may begin inside this one.
            at = word.end()
        else:
            yield match


def begins_sentence(prose: str, start: int) -> bool:
    """Say whether a word stands where every word has a capital."""
    return _SENTENCE_START.search(prose, max(0, start - 12), start) is not None


def garbled(word: str) -> bool:
    """Say whether a word mixes capitals as no name does."""
    return not word[1:].islower() and sum(map(str.isupper, word)) > MOST_CAPITALS and not word.isupper()


def proper(names: list[tuple[ProspectKind, str]], words: int) -> list[tuple[ProspectKind, str]]:
    """Leave out single words of a text in which every noun has a capital."""
    single = sum(kind == "name" and " " not in name for kind, name in names)
    if single <= max(FEW_NOUNS, NOUNS * words):
        return names
    return [(kind, name) for kind, name in names if kind != "name" or " " in name]


def sure(kind: ProspectKind, notes: int, everything: int) -> float:
    """Return how sure one is of a name that so many notes say, of so many in all."""
    confidence = 1 - (1 - BASE[kind]) * LEAST_NOTES / notes
    return confidence * TEMPLATED if notes > max(10, EVERYWHERE * everything) and kind != "stub" else confidence


def ordinary(form: str, notes: int, kind: ProspectKind, small: Mapping[str, int]) -> bool:
    """Say whether a name is an ordinary word: the vault writes it small, or everybody uses it."""
    if kind in {"stub", "ticket"}:
        return False
    if max(map(len, form.split())) > LONGEST_WORD:
        return True
    return _EVERYDAY.fullmatch(form) is not None or (" " not in form and small.get(form, 0) > ORDINARY * notes)
