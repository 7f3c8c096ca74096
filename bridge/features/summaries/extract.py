"""Sums up notes by their own sentences: one by its first ones, several by one each."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, zip_longest

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
from bridge.markdown.note import Note, property_of, texts_of
from bridge.search.sentences import Sentence
from bridge.search.snippet import clean_text, cut_snippet
from bridge.search.summary import choose_sentences_of, find_sentences_about, names_subject, read_content
from bridge.text.content_terms import terms_of
from bridge.text.counts import count_of
from bridge.text.invisible import inline, quote_path
from bridge.text.lines import LineIndex
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

MAX_NOTES = 200
"""Notes that one summary reads."""

NOT_READ = "Not readable:"

MAX_DAYS, MAX_MONTHS_DAYS = 14, 731
"""Days of a period whose notes are told day by day, or month by month, and not year by year."""

NAMED = 3
"""Notes without content that are named."""

_DESCRIPTIONS = ("description", "desc", "abstract")
"""Properties in which an author sums up a note."""

MIN_PROPERTIES, MAX_PROPERTIES = 2, 4
"""Properties by which a note without text is summed up; one alone, such as `type: Person`, sums up nothing."""

REPEATED = 0.8
"""Share of the words of a sentence from which it repeats a description that says them too."""

MIN_FACTS = 3
"""Properties that are told before a text which does not say a word of its title."""

MIN_HEADINGS_ABOVE = 2
"""Headings above the first sentence, besides the title, from which on sections without a sentence come before it."""

_OF_THE_FILE = re.compile(
    r"tags?|alias(?:es)?|cssclass(?:es)?|title|publish|icon|colou?r|cover|banner|.*(?:creat|modif|updat).*",
    re.IGNORECASE,
)
_NOTHING_SAID = re.compile(r".*(?://|#[0-9a-f]{6}\b)|\d{5,}\Z|\W*\Z", re.IGNORECASE | re.DOTALL)
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
        notes = notes if ranked else sorted(notes, key=lambda note: days[note.path], reverse=True)
    groups: dict[str, list[IndexedNote]] = {}
    for note in notes:
        groups.setdefault(labels[note.path], []).append(note)
    return groups


def sum_up_notes(vault: OpenVault, groups: Mapping[str, Sequence[IndexedNote]], length: Length, focus: str) -> Summary:
    """Sum up a note by its first sentences or those about a focus, or several by one each, of each group in turn."""
    turns = list(filter(None, chain.from_iterable(zip_longest(*groups.values()))))
    is_list = len(turns) > 1
    own: Length = "line" if is_list else length
    found: dict[VaultPath, list[Sentence]] = {}
    on_focus = set[VaultPath]()
    nothing, silent, unreadable = list[VaultPath](), list[VaultPath](), list[VaultPath]()
    for one in turns[:MAX_NOTES]:
        if len(found) == NOTES[length]:
            break
        try:
            note = open_content(vault, one.path)
        except BridgeError:
            unreadable.append(one.path)
            continue
        about = find_sentences_about([note], [read_content(note)], SENTENCES[own], focus)
        if sentences := about or list(_begin(note, own)):
            found[one.path] = sentences
            on_focus.update([one.path] if about else ())
            silent += [one.path] if focus and not about and not is_list else []
        else:
            nothing.append(one.path)
    if is_list and on_focus:
        # Others are near it in meaning at most, and what they begin with says nothing of it.
        found = {path: sentences for path, sentences in found.items() if path in on_focus}
    shown = [
        SummarySentence(inline(cut_snippet(each.text, ())), each.path, each.lines, group)
        if is_list
        else SummarySentence(inline(each.text), each.path, each.lines)
        for group, notes in groups.items()
        for one in notes
        for each in found.get(one.path, ())
    ]
    return Summary(
        text="\n".join(_as_list(vault, shown)) if is_list else " ".join(one.text for one in shown),
        sentences=tuple(shown),
        notes=len(found) + len(nothing),
        left_out=0,
        notices=(
            *name_notes(f"Nothing is said of \u201c{inline(focus)}\u201d, so here is the beginning of", silent),
            *name_notes("There is nothing to sum up yet in", nothing),
            *name_notes(NOT_READ, unreadable),
        ),
    )


def name_notes(before: str, paths: Sequence[VaultPath]) -> Iterator[str]:
    if paths:
        named = ", ".join(map(quote_path, paths[:NAMED]))
        more = f" and {count_of(len(paths) - NAMED, 'other note')}" if len(paths) > NAMED else ""
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
    described = next((text for name in _DESCRIPTIONS for text in texts_of(property_of(note.properties, name))), "")
    most = SENTENCES[length] - bool(described)
    sentences = choose_sentences_of([note], most) if most else []
    if described:
        yield _in_frontmatter(note, clean_text(described))
        yield from choose_sentences_of([note], most + 1)[1:] if _repeats(sentences, described) else sentences
    elif sentences:
        # What the text does not name, as in quotes of a book, the properties do.
        is_named = length == "line" or names_subject(note, sentences)
        facts = [] if is_named else [*_tell_properties(note, MIN_FACTS)]
        yield from [*facts, *_with_heading(note, sentences)][: max(len(sentences), len(facts))]
    else:
        yield from _tell_properties(note, MIN_PROPERTIES)


def _repeats(sentences: Sequence[Sentence], described: str) -> bool:
    """Return whether the first of some sentences says little more than a description."""
    own = set(terms_of(sentences[0].text, None)) if sentences else set[str]()
    return len(own.difference(terms_of(described, None))) < (1 - REPEATED) * len(own)


def _with_heading(note: Note, sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """Return sentences, the first with its heading if it stands below empty sections: it may refer to that."""
    first, *rest = sentences
    above = [one.text for one in note.headings if one.line < first.lines[0] and one.text != note.title]
    if len(above) < MIN_HEADINGS_ABOVE or first.text.startswith(above[-1]):
        return sentences
    return replace(first, text=f"{clean_text(above[-1])}: {first.text}"), *rest


def _tell_properties(note: Note, least: int) -> Iterator[Sentence]:
    said = [
        f"{name}: {clean_text(value)}"
        for name, own in note.properties.items()
        if not _OF_THE_FILE.fullmatch(name) and (value := say_value(own)) and not _NOTHING_SAID.match(value)
    ]
    if len(said) >= least:
        yield _in_frontmatter(note, ", ".join(said[:MAX_PROPERTIES]))


def _in_frontmatter(note: Note, text: str) -> Sentence:
    return Sentence(note.path, text, LineIndex(note.text).over((0, max(1, note.body - 1))), "paragraph", 0)
