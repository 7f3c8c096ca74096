"""Packs excerpts of relevant notes into a budget of tokens, which is never exceeded."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from bridge.markdown.note import Note
from bridge.records import Record
from bridge.search.block_search import search_blocks
from bridge.search.excerpts import Excerpts, cut_excerpts
from bridge.search.model import Form, SearchRequest, ShownPassage, Sources
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import one_line, quote_path
from bridge.text.lines import lines_overlap
from bridge.types import VaultPath

CLOSE_SCORE, FAIR_SCORE, WEAK_SCORE = 0.9, 0.7, 0.2
"""Shares of the best score: from the first on a note is shown whole, from the second in passages, from the third by its
headings; below, not at all."""

MIN_NOTE_SHARE = 0.1
"""Share of the budget that a relevant note may take before others are heard; more by its score."""

MAX_OUTLINES = 10
"""Maximum number of notes shown by their headings only."""


class PackedItem(Record):
    """An excerpt with its number and size as shown."""

    number: int
    path: VaultPath
    score: float
    excerpt: ShownPassage
    text: str
    """Its number, place and text."""


class OmittedNote(Record):
    """A relevant note for which there was no room.

    Attributes:
        path: The note.
        tokens: Tokens that its shortest form takes.
        score: Its score.
    """

    path: VaultPath
    tokens: int
    score: float


class PackedNotes(Record):
    """What fits."""

    items: tuple[PackedItem, ...] = ()
    left_out: tuple[OmittedNote, ...] = ()
    text: str = ""
    tokens: int = 0


def pack(notes: Sequence[Excerpts], budget: int) -> PackedNotes:
    least = WEAK_SCORE * _best_score(notes)
    return _Selection([note for note in notes if note.score >= least], budget).fill()


def find_long(notes: Sequence[Excerpts], budget: int) -> list[VaultPath]:
    """Return the notes of which only parts would be shown."""
    least, shares = FAIR_SCORE * _best_score(notes), _shares(notes, budget)
    return [
        note.path
        for note, share in zip(notes, shares, strict=True)
        if note.score >= least and (note.note is None or estimate_tokens(note.note.text) > share)
    ]


def _best_score(notes: Sequence[Excerpts]) -> float:
    return max((note.score for note in notes), default=0.0)


def _shares(notes: Sequence[Excerpts], budget: int) -> list[float]:
    whole = sum(note.score for note in notes) or 1.0
    return [budget * max(MIN_NOTE_SHARE, note.score / whole) for note in notes]


class _Selection:
    """The excerpts chosen so far, by the rank of their note."""

    def __init__(self, notes: Sequence[Excerpts], budget: int) -> None:
        self._notes = notes
        self._shares = _shares(notes, budget)
        self._budget = budget
        self._chosen: dict[int, tuple[ShownPassage, ...]] = {}

    def fill(self) -> PackedNotes:
        """Give each note its share, first the close ones their longest form; then spend the rest on more of each."""
        best = _best_score(self._notes)
        ranks = range(len(self._notes))
        fair = [at for at in ranks if self._notes[at].score >= FAIR_SCORE * best]
        others = [at for at in ranks if at not in fair]
        for at in fair:
            note = self._notes[at]
            longest = (note.note, note.section) if note.score >= CLOSE_SCORE * best else ()
            self._choose_first(at, (*self._within_share(at, longest), *_shortest(note)))
        self._add_passages(fair, within_share=True)
        for at in [at for at in ranks if at not in self._chosen][:MAX_OUTLINES]:
            note = self._notes[at]
            self._choose_first(at, (*self._within_share(at, _shortest(note)), note.outline))
        self._add_passages(ranks)
        # Room that is left is better spent on text than not at all.
        for at in others:
            if not any(one.form == "passage" for one in self._chosen.get(at, ())):
                self._choose_first(at, _shortest(self._notes[at]))
        self._add_passages(ranks)
        self._add_passages(ranks, beside="section")
        return self._pack()

    def _within_share(self, at: int, forms: Sequence[ShownPassage | None]) -> list[ShownPassage]:
        return [one for one in forms if one and self._size(one) <= self._shares[at]]

    def _choose_first(self, at: int, forms: Sequence[ShownPassage | None]) -> None:
        any(self._fits(at, (form,)) for form in forms if form is not None)

    def _add_passages(self, ranks: Sequence[int], *, beside: Form = "passage", within_share: bool = False) -> None:
        most = max((len(self._notes[at].passages) for at in ranks), default=0)
        for place in range(1, most):
            for at in ranks:
                chosen, passages = self._chosen.get(at, ()), self._notes[at].passages
                if not chosen or chosen[0].form != beside or place >= len(passages):
                    continue
                new = passages[place]
                more = (*chosen, new)
                # Two passages of one paragraph may share its line.
                is_new = new not in chosen and not (beside == "section" and lines_overlap(chosen[0].lines, new.lines))
                if is_new and (not within_share or sum(map(self._size, more)) <= self._shares[at]):
                    self._fits(at, more)

    def _fits(self, at: int, excerpts: tuple[ShownPassage, ...]) -> bool:
        before = self._chosen
        self._chosen = {**before, at: excerpts}
        if estimate_tokens(_join(self._items())) <= self._budget:
            return True
        self._chosen = before
        return False

    def _items(self) -> tuple[PackedItem, ...]:
        return tuple(_number(self._notes, self._chosen))

    def _size(self, excerpt: ShownPassage) -> int:
        return estimate_tokens(excerpt.text)

    def _pack(self) -> PackedNotes:
        items = self._items()
        text = _join(items)
        left = [
            OmittedNote(note.path, self._size(form), note.score)
            for at, note in enumerate(self._notes)
            if at not in self._chosen
            for form in [one for one in (*_shortest(note), note.outline) if one is not None][:1]
        ]
        return PackedNotes(items, tuple(left), text, estimate_tokens(text))


def _shortest(note: Excerpts) -> Sequence[ShownPassage | None]:
    return note.passages[:1] or (note.note,)


def _number(notes: Sequence[Excerpts], chosen: Mapping[int, Sequence[ShownPassage]]) -> Iterator[PackedItem]:
    number = 0
    for at in sorted(chosen):
        for excerpt in sorted(chosen[at], key=lambda one: one.lines):
            number += 1
            first, last = excerpt.lines
            place = f"[{number}] {quote_path(notes[at].path)}:{first}-{last}"
            heading = f" · {one_line(excerpt.heading)}" if excerpt.heading else ""
            note = " · headings only" if excerpt.form == "outline" else ""
            shown = f"{place}{heading}{note}\n{excerpt.text}"
            yield PackedItem(number, notes[at].path, notes[at].score, excerpt, shown)


def _join(items: Sequence[PackedItem]) -> str:
    return "\n\n".join(item.text for item in items)


MIN_BLOCKS = 5
"""Blocks, headings among them, that a note must have; one of fewer is as well cut to passages."""

MAX_BLOCKS = 60
"""Blocks of all notes together."""

SPARE_FACTOR = 3
"""How many times the budget is read, to fill the room that blocks leave which do not fit."""


async def cut_long_notes(
    sources: Sources, request: SearchRequest, cut: Sequence[Excerpts], notes: Mapping[VaultPath, Note]
) -> list[Excerpts]:
    """Return excerpts, those of long notes with the blocks that match in place of whole passages."""
    long = find_long(cut, request.passage_tokens)
    paths = tuple(path for path in long if path in notes and len(notes[path].pieces) >= MIN_BLOCKS)
    if not paths:
        return [*cut]
    wanted = replace(request, paths=paths, limit=MAX_BLOCKS, passage_tokens=SPARE_FACTOR * request.passage_tokens)
    blocks: dict[VaultPath, list[ShownPassage]] = {}
    for hit in (await search_blocks(sources, wanted)).hits:
        blocks.setdefault(hit.path, []).extend(hit.passages)

    def cut_again() -> list[Excerpts]:
        return [
            cut_excerpts(notes[one.path], one.score, blocks[one.path], request.query) if blocks.get(one.path) else one
            for one in cut
        ]

    return await asyncio.to_thread(cut_again)
