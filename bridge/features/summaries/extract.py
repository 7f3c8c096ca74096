"""Sums up notes by their own sentences: one by its first ones, several by one each."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, islice, zip_longest
from operator import attrgetter

from msgspec.structs import replace

from bridge.api.note_text import open_content
from bridge.changes.link_text import write_link
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.answers.public import say_value
from bridge.features.summaries.records import NOTES, SENTENCES, Length, Summary, SummarySentence
from bridge.graph.graph import Graph
from bridge.index.note import IndexedNote, day_in_name
from bridge.markdown.names import note_name
from bridge.markdown.note import Note, PieceKind, Value, texts_of
from bridge.search.content import MAX_LINE_CHARS, is_index, is_unfilled
from bridge.search.sentences import Sentence
from bridge.search.snippet import clean_text, cut_snippet
from bridge.search.summary import FOCUS_SHARE, JOINED_WORTH, FocusLine, FocusLines, choose_sentences_of, names_subject
from bridge.text.content_terms import terms_of
from bridge.text.counts import count_of
from bridge.text.cues import is_summary
from bridge.text.invisible import inline, quote_path
from bridge.text.lines import LineIndex
from bridge.text.words import count_words
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

MAX_NOTES = 200
"""Notes that one summary reads."""

NOT_READ = "Not readable:"

MAX_DAYS, MAX_MONTHS_DAYS = 14, 731
"""Days of a period whose notes are told day by day, or month by month, and not year by year."""

MAX_NAMED_NOTES = 3
"""Notes without content that are named."""

MIN_DESCRIPTION_WORDS = 2
"""Words of a property from which an author sums up a note in it."""

MIN_PROPERTIES, MAX_PROPERTIES = 2, 4
"""Properties by which a note without text is summed up; one alone, such as `type: Person`, sums up nothing."""

MIN_REPEATED_SHARE = 0.8
"""Share of the words of a sentence from which it repeats a description that says them too."""

MIN_COVER, MIN_COVER_AND_NEARNESS, MIN_PART_COVER = 0.5, 0.75, 0.4
"""Share of the words of a focus from which a line may be about it, the same with its nearness in meaning where a
model reads it, and the share from which it tells a part of the focus that no other line says."""

MIN_FACTS = 3
"""Properties that are told before a text which does not say a word of its title."""

MIN_HEADINGS_ABOVE = 2
"""Headings above the first sentence, besides the title, from which on sections without a sentence come before it."""

_DESCRIBES = frozenset({"desc", "about", "purpose", "scopo", "作用", "用途"})
"""Properties in which authors say what a thing is for, besides those that sum up."""

_OF_THE_FILE = re.compile(
    r"tags?|alias(?:es)?|cssclass(?:es)?|title|publish|permalink|sticker|icon|colou?r|cover|banner|.*(?:creat|modif|updat).*"
    r"|linter-.*|sr-.*|uid|id",
    re.IGNORECASE,
)
_NOTHING_SAID = re.compile(r".*(?://|#[0-9a-f]{6}\b)|\d{5,}\Z|\d{4}-\d\d-\d\dT|\W*\Z", re.IGNORECASE | re.DOTALL)
"""A value that says nothing to a reader: an address, an icon, a colour, a number that identifies."""


def group_notes(
    notes: Sequence[IndexedNote], graph: Graph | None, *, by_time: bool, ranked: bool = False
) -> dict[str, list[IndexedNote]]:
    """Group notes by time or folder; unless they are ranked, the newest or the most linked come first."""
    named = {note.path: day for note in notes if (day := day_in_name(note.path))}
    labels = {note.path: note.path.rpartition("/")[0] for note in notes}
    links = {note.path: len(graph.linked_from(note.path)) if graph else 0 for note in notes}
    if not ranked:
        notes = sorted(notes, key=lambda note: (labels[note.path], -links[note.path], note.path))
    if notes and (by_time or 2 * len(named) > len(notes)):
        days = {note.path: datetime.fromtimestamp(note.mtime).astimezone().date() for note in notes}
        days |= {} if by_time else named
        span = (max(days.values()) - min(days.values())).days
        letters = 10 if span <= MAX_DAYS else 7 if span <= MAX_MONTHS_DAYS else 4
        labels = {path: str(day)[:letters] for path, day in days.items()}
        notes = sorted(notes, key=lambda note: days[note.path], reverse=True)
    groups: dict[str, list[IndexedNote]] = {}
    for note in notes:
        groups.setdefault(labels[note.path], []).append(note)
    return groups


def sum_up_notes(
    vault: OpenVault,
    groups: Mapping[str, Sequence[IndexedNote]],
    length: Length,
    focus: str,
    about: FocusLines | None,
    *,
    is_list: bool,
) -> Summary:
    """Sum up a note by its own sentences or those about a focus, or several by one each, of each group in turn."""
    turns = [one.path for one in filter(None, chain.from_iterable(zip_longest(*groups.values())))][:MAX_NOTES]
    reader = _Reader(vault)
    if is_list and about:
        found = reader.tell_of_focus(about, NOTES[length], focus)
    elif is_list:
        found = reader.tell_in_turn(turns, NOTES[length])
    else:
        found = reader.tell_one(turns[0], length, focus, about) if turns else {}
    places = {path: at for at, path in enumerate(found)}
    shown = [
        SummarySentence(inline(cut_snippet(each.text, ())), each.path, each.lines, group)
        if is_list
        else SummarySentence(inline(each.text), each.path, each.lines)
        for group, notes in groups.items()
        for one in (sorted(notes, key=lambda one: places.get(one.path, 0)) if about else notes)
        for each in found.get(one.path, ())
    ]
    return Summary(
        text="\n".join(_as_list(vault, shown)) if is_list else " ".join(one.text for one in shown),
        sentences=tuple(shown),
        notes=len(found) + len(reader.nothing),
        left_out=0,
        notices=(
            *reader.notices,
            *name_notes("There is nothing to sum up yet in", reader.nothing),
            *name_notes(NOT_READ, reader.unreadable),
        ),
    )


class _Reader:
    """Reads notes and tells what they say, and keeps what is to be said about those that say nothing."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self.nothing, self.unreadable = list[VaultPath](), list[VaultPath]()
        self.notices: tuple[str, ...] = ()

    def _read(self, path: VaultPath) -> Note | None:
        try:
            return open_content(self._vault, path)
        except BridgeError:
            self.unreadable.append(path)
            return None

    def tell_one(
        self, path: VaultPath, length: Length, focus: str, lines: FocusLines | None
    ) -> dict[VaultPath, list[Sentence]]:
        if (note := self._read(path)) is None:
            return {}
        about = lines.choose(SENTENCES[length]) if lines else []
        sentences = about or list(_begin(note, length))
        if not sentences:
            self.nothing.append(path)
        elif focus and not about:
            before = f"Nothing is said of \u201c{inline(focus)}\u201d, so here is the beginning of"
            self.notices = tuple(name_notes(before, [path]))
        elif is_unfilled(note) and sentences[0].kind == "table" and not sentences[-1].words:
            self.notices = tuple(name_notes("Only the properties are filled in yet in", [path]))
        return {path: sentences} if sentences else {}

    def tell_in_turn(self, paths: Iterable[VaultPath], most: int) -> dict[VaultPath, list[Sentence]]:
        """Tell one sentence each; of notes that only link to others where there are not enough that say something."""
        found, indexes = dict[VaultPath, list[Sentence]](), dict[VaultPath, list[Sentence]]()
        for path in paths:
            if len(found) == most:
                break
            if (note := self._read(path)) is None:
                continue
            if sentences := list(_begin(note, "line")):
                (indexes if is_index(note, sentences[0]) else found)[path] = sentences
            else:
                self.nothing.append(path)
        often = Counter(said[0].text for said in found.values())
        alike = (path for path, said in found.items() if often[said[0].text] > 1)
        found |= {note.path: own for note in map(self._read, alike) if note and (own := choose_sentences_of([note], 1))}
        return found | dict(islice(indexes.items(), most - len(found)))

    def tell_of_focus(self, about: FocusLines, most: int, focus: str) -> dict[VaultPath, list[Sentence]]:
        """Tell of each note the line that is most about a focus, the best first; of one that it names, its own line."""
        best = [about.best_of(said) for said in about.lines.values() if said]
        best.sort(key=attrgetter("note_worth"), reverse=True)
        nearest = max((one.near for one in best), default=0.0)
        least = MIN_COVER_AND_NEARNESS if nearest else MIN_COVER
        alike = about.find_alike(best)
        likely = [one for one in best if one.cover + one.near >= least or one in alike]
        found = [
            one
            for one in likely
            if (one.own >= JOINED_WORTH and not (one.is_weak and one.sentence.words))
            or one.note_worth >= FOCUS_SHARE * likely[0].note_worth
            or one in alike
        ]
        told = frozenset[str]().union(*(one.said for one in found))
        parts = best if found else ()
        found += [one for one in parts if one.cover >= MIN_PART_COVER and one.near >= nearest / 2 and one.said - told]
        if not found:
            self.notices = (f"No note says \u201c{inline(focus)}\u201d.",)
        elif not about.is_said or all(one.cover < 1 for one in found):
            part = "these say part of it" if any(one.cover for one in found) else "these are near it in meaning"
            self.notices = (f"No note says all of \u201c{inline(focus)}\u201d; {part}.",)
        return {one.sentence.path: self._tell_line(one, about.lines[one.sentence.path]) for one in found[:most]}

    def _tell_line(self, line: FocusLine, said: Sequence[FocusLine]) -> list[Sentence]:
        """Return a line about a focus or its block, a property with others, or the beginning of a note of that name."""
        if line.block:
            told, end = list[Sentence](), 0
            for one in (each.sentence for each in said if each.block == line.block):
                if one.lines[0] > end and (
                    not told or sum(len(each.text) + 1 for each in (*told, one)) <= MAX_LINE_CHARS
                ):
                    told, end = [*told, one], one.lines[1]
            return [replace(told[0], text=" ".join(one.text for one in told), lines=(told[0].lines[0], end))]
        own, is_begun = line.sentence, line.is_named
        note = self._read(own.path) if is_begun or not own.words else None
        begun = list(_begin(note, "line")) if note and is_begun else []
        others = [one.text for one in read_properties(note) if one.text != own.text] if note else []
        text = ", ".join([own.text, *others][:MAX_PROPERTIES])
        return begun or [replace(own, text=f"{line.above}: {text}" if line.above else text)]


def name_notes(before: str, paths: Sequence[VaultPath]) -> Iterator[str]:
    if paths:
        named = ", ".join(map(quote_path, paths[:MAX_NAMED_NOTES]))
        more = f" and {count_of(len(paths) - MAX_NAMED_NOTES, 'other note')}" if len(paths) > MAX_NAMED_NOTES else ""
        yield f"{before} {named}{more}."


def _as_list(vault: OpenVault, sentences: Iterable[SummarySentence]) -> Iterator[str]:
    style, group = read_obsidian_settings(vault.root), ""
    for one in sentences:
        if one.group != group:
            yield from (*(("",) if group else ()), f"**{one.group}**", "")
            group = one.group
        name = note_name(one.path)
        yield f"- {write_link(name, one.path, VaultPath(''), vault.names, style) or name}: {one.text}"


def _begin(note: Note, length: Length) -> Iterator[Sentence]:
    """Yield what the author says a note is about, then its first sentences, or its properties."""
    described = next((text for name, own in note.properties.items() if (text := _describe(name, own))), "")
    most = SENTENCES[length]
    sentences = choose_sentences_of([note], most)
    lead = sentences[0].text if sentences else ""
    says_less = most == 1 and (len(lead) < len(described) or lead.endswith("…"))
    if described and (says_less or not _repeats(described, lead)):
        yield _in_frontmatter(note, clean_text(described), "paragraph")
        rest = [one for one in sentences if not _repeats(one.text, described)]
        yield from choose_sentences_of([note], most - 1) if len(rest) == most > 1 else rest[: most - 1]
    elif sentences:
        # What the text does not name, as in quotes of a book, the properties do.
        is_named = length == "line" or names_subject(note, sentences)
        facts = [] if is_named else [*_tell_properties(note, MIN_FACTS)]
        yield from [*facts, *_with_heading(note, sentences)][:most]
    else:
        yield from _tell_properties(note, MIN_PROPERTIES)


def _describe(name: str, value: Value) -> str:
    """Return the text of a property in which an author sums up a note; empty if it is another."""
    text = next(iter(texts_of(value)), "") if name.casefold() in _DESCRIBES or is_summary(name) else ""
    return text if count_words(text) >= MIN_DESCRIPTION_WORDS else ""


def _repeats(text: str, other: str) -> bool:
    """Return whether a text says little more than another."""
    own = {*terms_of(text, None)}
    return len(own.difference(terms_of(other, None))) < (1 - MIN_REPEATED_SHARE) * len(own)


def _with_heading(note: Note, sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """Return sentences, the first with its heading if it stands below empty sections: it may refer to that."""
    first, *rest = sentences
    above = [one.text for one in note.headings if one.line < first.lines[0] and one.text != note.title]
    if len(above) < MIN_HEADINGS_ABOVE or first.text.startswith(above[-1]):
        return sentences
    return replace(first, text=f"{clean_text(above[-1])}: {first.text}"), *rest


def read_properties(note: Note) -> Iterator[Sentence]:
    """Yield those properties that say something to a reader."""
    for name, own in note.properties.items():
        value = "" if _OF_THE_FILE.fullmatch(name) else say_value(own)
        if described := _describe(name, own):
            yield replace(_in_frontmatter(note, clean_text(described), "paragraph"), words=count_words(described))
        elif value and not _NOTHING_SAID.match(value):
            yield _in_frontmatter(note, f"{name}: {clean_text(value)}")


def _tell_properties(note: Note, least: int) -> Iterator[Sentence]:
    said = [one.text for one in read_properties(note)]
    if len(said) >= least:
        yield _in_frontmatter(note, ", ".join(said[:MAX_PROPERTIES]))


def _in_frontmatter(note: Note, text: str, kind: PieceKind = "table") -> Sentence:
    return Sentence(note.path, text, LineIndex(note.text).over((0, max(1, note.body - 1))), kind, 0)
