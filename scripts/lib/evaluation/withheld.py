"""Judged sets from real vaults: facts are removed from notes and become the questions about them.

Neither questions nor judgements come from links, so that following links is not rewarded for finding them again.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.markdown.note import Note, Value
from bridge.markdown.parse import parse
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from scripts.lib.evaluation.sets import JudgedSet, Question

EVERYTHING: Final = Rules(exclude=(), max_file_bytes=50_000_000, ignored=())

MAX_QUESTIONS: Final = 300
"""Most questions of one kind."""

TAGGED: Final = range(3, 31)
"""How many notes must share a tag for it to become a question."""

LONG: Final = 6
"""Fewest words of a sentence that becomes a question; in scripts without spaces, two characters count as a word."""

MIN_WORD_CHARS: Final = 4
"""Words of a sentence that are used in a shorter question."""

_BLOCK: Final = re.compile(r"\A---[ \t]*\r?\n(.*?\n)---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_TAG: Final = re.compile(r"(?<!\S)#[^\s#]+")
_NO_PROSE: Final = re.compile(r"\s*(?:[|#<$]|```|\[\^|!\[)|.*(?:://|\$\$|`|\{[%{])")
_SENTENCE: Final = re.compile(r"(?:\[\[.*?\]\]|[^.!?。！？])+[.!?。！？]+")
_LINK: Final = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_MARKS: Final = re.compile(r"^[\s>*+\-\d.]+|[*_=]{2}|\^\S+$")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

Notes = Mapping[VaultPath, Note]


@dataclass(frozen=True, slots=True)
class WithheldQuestion:
    """A question, the notes that answer it, and how its text is removed from them."""

    text: str
    notes: Sequence[VaultPath]
    gone: str = ""


def make_judged_set(root: Path, kind: str) -> JudgedSet:
    """Make a judged set from a vault.

    Args:
        root: The vault.
        kind: What is withheld, one of `KINDS`.
    """
    vault = Vault(root, EVERYTHING)
    notes = {path: parse(path, vault.read(path)[0]) for path in vault.scan().files if path.endswith(".md")}
    ask, without = KINDS[kind]
    asked = list(ask(notes))
    chosen = sorted(random.Random(len(asked)).sample(range(len(asked)), min(MAX_QUESTIONS, len(asked))))
    gone: defaultdict[str, list[str]] = defaultdict(list)
    for at in chosen:
        for path in asked[at].notes:
            gone[path].append(asked[at].gone)
    questions = (Question(str(at), asked[at].text, "", dict.fromkeys(asked[at].notes, 1.0)) for at in chosen)
    documents = []
    for path, note in notes.items():
        text = without(note)
        for said in gone[path]:
            text = text.replace(said, "") if said else text
        documents.append((str(path), note.title, text))
    return JudgedSet(f"{root.name} {kind}", root, tuple(questions), tuple(documents))


def write_notes(judged: JudgedSet, out: Path) -> dict[VaultPath, str]:
    """Write the documents as notes; return the document of each note."""
    for path, _, text in judged.documents:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, encoding="utf-8", errors="replace", newline="")
    return {VaultPath(path): path for path, _, _ in judged.documents}


def _aliases(notes: Notes) -> Iterator[WithheldQuestion]:
    """Ask for each note by its first alias that is neither a title nor the text of a link."""
    shown = {_fold(link.shown) for note in notes.values() for link in note.links if link.shown}
    names = Counter(_fold(name) for note in notes.values() for name in (note.title, *note.aliases))
    for path, note in notes.items():
        own = f"{_fold(path.rpartition('/')[2].removesuffix('.md'))} {_fold(note.title)}"
        for alias in note.aliases:
            bare = _fold(alias)
            if len(bare) > 1 and bare not in own and bare not in shown and names[bare] == 1:
                yield WithheldQuestion(alias, [path])
                break


def _descriptions(notes: Notes) -> Iterator[WithheldQuestion]:
    """Ask for each note by its `description` property."""
    said = {path: _as_text(note.properties.get("description")) for path, note in notes.items()}
    often = Counter(said.values())
    for path, text in said.items():
        if often[text] == 1 and _count_words(text) >= LONG / 2:
            yield WithheldQuestion(_strip_markup(text), [path], text)


def _as_text(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _tags(notes: Notes) -> Iterator[WithheldQuestion]:
    """Ask for the notes of each tag by the tag's words."""
    tagged: defaultdict[str, list[VaultPath]] = defaultdict(list)
    for path, note in notes.items():
        for tag in {tag.name for tag in note.tags}:
            tagged[tag].append(path)
    for tag, paths in sorted(tagged.items()):
        if len(paths) in TAGGED:
            yield WithheldQuestion(re.sub(r"[/_-]+", " ", tag), paths)


def _sentences(notes: Notes) -> Iterator[WithheldQuestion]:
    """Ask for each note by one of its sentences."""
    prose = {path: [*_prose(note)] for path, note in notes.items()}
    often = Counter(sentence for sentences in prose.values() for sentence in sentences)
    chance = random.Random(0)
    for path, sentences in prose.items():
        own = [
            sentence for sentence in sentences if often[sentence] == 1 and _count_words(_strip_markup(sentence)) >= LONG
        ]
        if len(sentences) > 2 and own:
            gone = chance.choice(own)
            yield WithheldQuestion(_strip_markup(gone), [path], gone)


def _some_words(notes: Notes) -> Iterator[WithheldQuestion]:
    """Ask for each note by a few words of one of its sentences."""
    chance = random.Random(0)
    for asked in _sentences(notes):
        words = [word for word in re.findall(r"\w+", asked.text) if len(word) >= MIN_WORD_CHARS]
        unspaced = [word for word in words if _UNSPACED.match(word) and len(word) > 2 * MIN_WORD_CHARS]
        if unspaced:
            word = chance.choice(unspaced)
            start = chance.randrange(len(word) - 2 * MIN_WORD_CHARS)
            yield WithheldQuestion(word[start : start + 2 * MIN_WORD_CHARS], asked.notes, asked.gone)
        elif len(words) >= MIN_WORD_CHARS:
            some = sorted(chance.sample(range(len(words)), MIN_WORD_CHARS))
            yield WithheldQuestion(" ".join(words[at] for at in some), asked.notes, asked.gone)


def _prose(note: Note) -> Iterator[str]:
    """Yield the sentences of the lines that contain only prose."""
    for line in note.text[note.body :].split("\n"):
        if not _NO_PROSE.match(line):
            yield from (match.group() for match in _SENTENCE.finditer(line))


def _count_words(text: str) -> float:
    return len(_UNSPACED.findall(text)) / 2 or len(text.split())


def _strip_markup(text: str) -> str:
    """Return a text without Markdown marks, with links replaced by their text."""
    return _MARKS.sub("", _LINK.sub(r"\1", text)).strip()


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _without_property(*names: str) -> Callable[[Note], str]:
    """Return a function that removes properties from a note."""
    held = re.compile(rf"^(?:{'|'.join(names)})[ \t]*:.*\n(?:[ \t]+.*\n|-.*\n)*", re.IGNORECASE | re.MULTILINE)

    def without(note: Note) -> str:
        block = _BLOCK.match(note.text)
        if block is None:
            return note.text
        start, end = block.span(1)
        return note.text[:start] + held.sub("", note.text[start:end]) + note.text[end:]

    return without


def _without_tags(note: Note) -> str:
    head = _without_property("tags?")(note).removesuffix(note.text[note.body :])
    return head + _TAG.sub("", note.text[note.body :])


def _whole_text(note: Note) -> str:
    return note.text


KINDS: Final[Mapping[str, tuple[Callable[[Notes], Iterator[WithheldQuestion]], Callable[[Note], str]]]] = {
    "aliases": (_aliases, _without_property("alias", "aliases")),
    "descriptions": (_descriptions, _without_property("description")),
    "tags": (_tags, _without_tags),
    "sentences": (_sentences, _whole_text),
    "words": (_some_words, _whole_text),
}
