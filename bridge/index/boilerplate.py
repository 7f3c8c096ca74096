"""What a note says that is no content: lines and labels that recur across notes, code that is run or drawn, fields.

Recurring lines are learnt once, frozen and not embedded; none of it counts for a search, a snippet or a quote.
"""

import json
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Final, Self

from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.text.fold import fold_word
from bridge.text.word_lists import every_word
from bridge.types import Span, VaultPath, lies_in

MIN_NOTES = 8
"""A line in fewer notes is never boilerplate, so that small vaults keep what they repeat."""

MIN_NOTE_SHARE = 0.03
"""Neither is a line in a smaller share of the notes."""

MIN_KIND_SHARE = 0.5
"""But one in most notes of a folder or of a type is."""

MIN_TEMPLATE_NOTES = 2
"""And so is a line of a template that this many other notes kept."""

MIN_PROMPT_BYTES = 18
"""Bytes of such a line in UTF-8: shorter ones are names of sections."""

RARER_VALUE = 0.5
"""Share of the notes with a label up to which the whole line, with its value, is none: `Race: Elf`."""

MIN_LINE_CHARS = 3
"""Shorter lines carry no information and cost nothing."""

MAX_LINE_CHARS = 2_000
"""Longer lines are divided among passages, so that none of them is ever whole in one."""

_LINE = re.compile(rf"^.{{{MIN_LINE_CHARS},{MAX_LINE_CHARS}}}$", re.MULTILINE)
_MARKS = re.compile(r"^[\s>#*+\-]*(?:\[.\]\s)?")
_DIGITS = re.compile(r"\d\d*")
"""Numbers; written so that the search skips to the first digit, which it does not for `\\d+`."""

_TYPE = re.compile(r"^type:[ \t]*[\"'\[]*([^\s\"'\]#][^\n\"'\]]{0,60})", re.MULTILINE)
_LABEL = re.compile(
    r"\|[ \t]*[*_]{0,2}([^|\n]{2,40}?)[*_]{0,2}[ \t]*\|"
    r"|[*_]{0,2}([^\W\d_][^|:*_\n\[\]`]{1,38}?)[*_]{0,2}::?[*_]{0,2}(?=\s|$)"
)
"""The first cell of a row, or what stands before a colon, without the marks of a line."""

PROGRAMS = frozenset({"dataview", "dataviewjs", "tasks", "query", "button", "buttons", "base", "meta-bind", "tracker"})
"""Languages of code blocks that a plugin runs, so that readers do not see their text."""

DIAGRAMS = frozenset({"mermaid", "plantuml", "puml", "dot", "graphviz", "d2", "tikz"})
"""Languages of code blocks that are drawn."""

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w-]*)")
_PLACEHOLDER = re.compile(
    r"(?:this (?:section|page|note) is )?(?:currently empty|to be written|tb[ad])[.!…]*\s*\Z"
    r"|this (?:section|page|note) is (?:currently|still) empty\b|[\s-]*🚧",
    re.IGNORECASE,
)
_FILLER = frozenset(every_word("placeholder"))
"""Words of text that only fills a page; in a note with *lorem ipsum*, a line of mostly these is none."""

_LETTERS = re.compile(r"[a-z]+")
_NEEDED_LINE = re.compile(r"[ \t>]*(?:#|\||\d{1,9}[.)][ \t])|.*[.!?:。！？।]\s*\Z")
_SIGNS = ("<%", "{{", "`", "://")
_FIELD = re.compile(
    # Code and targets of links are kept, but for code that Dataview runs.
    r"(?P<kept>`(?!\$?=[ \t])[^`\n]+`|\]\([^)\n]{0,500}\)|<https?:[^>\s]{0,500}>)"
    r"|`\$?=[ \t][^`\n]*`|<%(?:[^%\n]|%(?!>)){0,300}%>|\{\{[^{}\n]{0,200}\}\}"
    r"|(?P<address>\bhttps?://(?:www\.)?)(?P<host>[^\s/?#<>)\]]{1,80})[^\s<>)\]]*"
)

_FRONTMATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)


class Boilerplate(Record):
    """The recurring lines of a vault. Version 0 is empty; each time they are learnt, the version changes."""

    version: int = 0
    recurring: frozenset[int] = frozenset()

    @classmethod
    def learn(
        cls, notes: Iterable[tuple[VaultPath, str]], version: int = 1, *, template_folders: Collection[str] = ()
    ) -> Self:
        """Find the recurring lines, and labels of lines that say different things."""
        learner = _Learner(template_folders)
        for path, text in notes:
            learner.read(path, text)
        return cls(version, learner.choose())

    def among(self, texts: Iterable[str]) -> Self:
        """Keep only what also recurs among these texts, in however small a share of them."""
        seen: Counter[int] = Counter()
        for text in texts:
            lines = set(_lines(text))
            seen.update({*map(line_hash, lines), *map(line_hash, filter(None, map(_label, lines)))} & self.recurring)
        recurring = frozenset(line for line, count in seen.items() if count >= MIN_NOTES)
        return type(self)(self.version, recurring)

    def __contains__(self, line: object) -> bool:
        if not self.recurring or not isinstance(line, str) or not MIN_LINE_CHARS <= len(line) <= MAX_LINE_CHARS:
            return False
        bare = _normalise_words(_strip_marks(line))
        return has_letters(bare) and line_hash(bare) in self.recurring

    def labels(self, text: str) -> tuple[Span, ...]:
        """Return where recurring labels stand in a text, such as `Race` in `| Race | Elf |`."""
        if not self.recurring or ("|" not in text and ":" not in text):
            return ()
        found = []
        for at, line in _with_places(text):
            bare = _strip_marks(line)
            start = at + len(line) - len(bare)
            label = _LABEL.match(bare)
            if label and line_hash(_label_form(label[1] or label[2])) in self.recurring:
                found.append((start, start + label.end()))
        return tuple(found)

    def blank(self, text: str, *, whole: bool = False) -> str:
        """Return a text with spaces in place of boilerplate: its length, and so all offsets, stay the same."""
        kept: list[str] = []
        fence, runs = "", False
        has_filler = "lorem ipsum" in text.lower()
        has_fences, has_fields = "```" in text or "~~~" in text, any(sign in text for sign in _SIGNS)
        for line in text.split("\n"):
            mark = _FENCE.match(line) if has_fences and ("```" in line or "~~~" in line) else None
            if fence:
                kept.append(" " * len(line) if runs else line)
                if mark and mark[1].startswith(fence) and not mark[2]:
                    fence = ""
            elif mark:
                fence, runs = mark[1], mark[2].casefold() in (PROGRAMS if whole else PROGRAMS | DIAGRAMS)
                kept.append(" " * len(line) if runs else line)
            elif (
                _PLACEHOLDER.match(_strip_marks(line))
                or (has_filler and _is_filler(line))
                or (line in self and not (whole and _NEEDED_LINE.match(line)))
            ):
                kept.append(" " * len(line))
            else:
                kept.append(_blank_fields(line, whole=whole) if has_fields else line)
        return "\n".join(kept)

    def dumps(self) -> str:
        """Serialise the lines' fingerprints."""
        return json.dumps({"version": self.version, "recurring": sorted(self.recurring)})

    @classmethod
    def loads(cls, data: str) -> Self:
        """Read the output of `dumps`."""
        try:
            found = json.loads(data)
            return cls(int(found["version"]), frozenset(int(each) for each in found["recurring"]))
        except (KeyError, TypeError) as error:
            raise ValueError("not a list of recurring lines") from error


class _Learner:
    """Counts lines and labels in all notes, in those of each folder and in those of each type."""

    def __init__(self, template_folders: Collection[str] = ()) -> None:
        self._template_folders = template_folders
        self._in_templates = Counter[int]()
        self._seen: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
        self._notes = Counter[str]()
        self._label_of: dict[int, int] = {}

    def read(self, path: VaultPath, text: str) -> None:
        front = _FRONTMATTER.match(text)
        kind = _TYPE.search(front.group()) if front else None
        lines = {line: line_hash(line) for line in _lines(text, front.end() if front else 0) if has_letters(line)}
        labels = {line: label for line in lines if (label := _label(line))}
        hashes = {label: line_hash(label) for label in labels.values()}
        self._label_of.update((lines[line], hashes[label]) for line, label in labels.items())
        for group in (_VAULT, f"in {path.rpartition('/')[0]}", *((f"type {kind[1].strip()}",) if kind else ())):
            self._notes[group] += 1
            self._seen[group].extend((*lines.values(), *hashes.values()))
        if is_template_path(path, self._template_folders):
            self._in_templates.update(one for line, one in lines.items() if len(line.encode()) >= MIN_PROMPT_BYTES)

    def choose(self) -> frozenset[int]:
        """Return what recurs, without lines that give a recurring label different values."""
        counts = {group: Counter(seen) for group, seen in self._seen.items()}
        labels = set(self._label_of.values())
        found = set[int]()
        for group, count in counts.items():
            share = MIN_NOTE_SHARE if group == _VAULT else MIN_KIND_SHARE
            least = max(MIN_NOTES, share * self._notes[group])
            found.update(one for one, seen in count.items() if seen >= least and (group != _VAULT or one not in labels))
        every = counts.get(_VAULT, Counter())
        found.update(one for one, seen in self._in_templates.items() if every[one] - seen >= MIN_TEMPLATE_NOTES)
        return frozenset(
            one
            for one in found
            if (label := self._label_of.get(one)) not in found or every[one] > RARER_VALUE * every[label or 0]
        )


_VAULT = "all"


def _label(line: str) -> str:
    found = _LABEL.match(line) if "|" in line or ":" in line else None
    return _label_form(found[1] or found[2]) if found else ""


def _label_form(label: str) -> str:
    """Return a label so that it equals no line."""
    return f"{_normalise_words(label)}\n"


def _with_places(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _is_filler(line: str) -> bool:
    words = _LETTERS.findall(line.lower())
    return 2 * sum(word in _FILLER for word in words) > len(words) > 1


def _blank_fields(line: str, *, whole: bool) -> str:
    if not any(sign in line for sign in _SIGNS):
        return line

    def blank(found: re.Match[str]) -> str:
        if found["kept"] or (whole and found["host"]):
            return found.group()
        shown = f"{' ' * len(found['address'])}{found['host']}" if found["host"] else ""
        return shown.ljust(len(found.group()))

    return _FIELD.sub(blank, line)


def _lines(text: str, start: int = 0) -> Iterator[str]:
    """Yield normalised lines one by one, because a note may have a million of them, or one of a million words."""
    return (_normalise_words(_strip_marks(found[0])) for found in _LINE.finditer(text, start))


def _strip_marks(line: str) -> str:
    # Most lines begin with a letter, so without markers.
    return line if line[:1].isalpha() or not (marks := _MARKS.match(line)) else line[marks.end() :]


def _normalise_words(line: str) -> str:
    bare = " ".join(line.split()).casefold()
    return bare if bare.isalpha() else _DIGITS.sub("0", bare)


def has_letters(line: str) -> bool:
    if len(line) <= MIN_LINE_CHARS:
        return len(line) == MIN_LINE_CHARS and line.isalpha()
    # Nearly every line starts with enough letters.
    return (
        line[:MIN_LINE_CHARS].isalpha()
        or sum(map(str.isalpha, line[:8])) >= MIN_LINE_CHARS
        or sum(map(str.isalpha, line[:200])) >= MIN_LINE_CHARS
    )


def line_hash(line: str) -> int:
    return int.from_bytes(blake2b(line.encode("utf-8", "replace"), digest_size=8).digest(), "little")


FOLDERS: Final = frozenset(
    fold_word(name)
    for name in (
        *("template", "templates", "vorlage", "vorlagen", "modèles", "plantillas", "modelli", "modelos"),
        *("sjablonen", "szablony", "шаблоны", "模板", "范本", "テンプレート", "템플릿"),
    )
)
"""Names of folders that hold templates, without case, accents, numbers and signs."""

_TEMPLATE_SIGNS: Final = re.compile(r"[\W\d_]+")
_TEMPLATE_FIELD: Final = re.compile(r"(?<!`)(?:\{\{[ \t]*(?:title|date|time)\b[^{}\n]*\}\}|<%.*?%>)", re.IGNORECASE)
"""A field of Obsidian's templates or a command of Templater, unless it is quoted as code."""


def is_template(note: IndexedNote, folders: Collection[str]) -> bool:
    """Return whether a note is a template: by its folder, or by fields in its headings or properties."""
    if is_template_path(note.path, folders):
        return True
    said = (note.packed_headings, *map(str, note.properties.values()))
    return any(_TEMPLATE_FIELD.search(text) for text in said if "{{" in text or "<%" in text)


def is_template_path(path: VaultPath, folders: Collection[str]) -> bool:
    return lies_in(path, folders) or _holds_templates(path.rpartition("/")[0])


@lru_cache(maxsize=10_000)
def _holds_templates(folder: str) -> bool:
    return any(_TEMPLATE_SIGNS.sub("", fold_word(name)) in FOLDERS for name in folder.split("/"))
