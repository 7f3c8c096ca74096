"""Cuts notes into excerpts that are spread evenly over what is too long to be read whole."""

from collections.abc import Iterator, Sequence

from bridge.features.answers.public import Source
from bridge.markdown.note import Note, PieceKind
from bridge.markdown.sections import Outline
from bridge.records import dataclass
from bridge.text.budget import ASCII_PER_TOKEN, estimate_tokens, fit_words
from bridge.text.invisible import visible_text
from bridge.types import Lines, VaultPath

MIN_EXCERPT_TOKENS = 40
"""Tokens below which an excerpt is not worth reading."""

_SKIPPED: frozenset[PieceKind] = frozenset({"heading", "fence", "html", "math", "rule"})


@dataclass(frozen=True, slots=True)
class _Block:
    lines: Lines
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class _Section:
    path: VaultPath
    heading: str
    blocks: tuple[_Block, ...]

    @property
    def tokens(self) -> int:
        return sum(one.tokens for one in self.blocks)


def spread_excerpts(notes: Sequence[Note], room: int) -> list[Source]:
    """Return the beginning of each section of some notes, all of it where there is room."""
    split = [list(_sections(note)) for note in notes]
    chosen = [
        excerpt
        for sections, own in zip(
            split, share_room([sum(one.tokens for one in each) for each in split], room), strict=True
        )
        for section, left in _evenly(sections, own)
        for excerpt in _begin(section, left)
    ]
    return [Source(number, *rest) for number, rest in enumerate(chosen, 1)]


def share_room(sizes: Sequence[int], room: int) -> list[int]:
    """Return how much room each gets: a small one as much as it needs, the larger ones equal shares of the rest."""
    shares = [0] * len(sizes)
    for done, at in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[at] = min(sizes[at], room // (len(sizes) - done))
        room -= shares[at]
    return shares


def _evenly(sections: Sequence[_Section], room: int) -> Iterator[tuple[_Section, int]]:
    most = max(1, room // MIN_EXCERPT_TOKENS)
    fits = sum(one.tokens for one in sections) <= room or len(sections) <= most
    kept = sections if fits else [sections[at * len(sections) // most] for at in range(most)]
    return zip(kept, share_room([one.tokens for one in kept], room), strict=True)


def _begin(section: _Section, room: int) -> Iterator[tuple[VaultPath, str, Lines, str]]:
    """Yield the first blocks of a section that fit; of a single longer one, its first words."""
    taken: list[_Block] = []
    for block in section.blocks:
        if block.tokens > room:
            break
        taken.append(block)
        room -= block.tokens
    if taken:
        lines = taken[0].lines[0], taken[-1].lines[1]
        yield section.path, section.heading, lines, "\n\n".join(one.text for one in taken)
    elif room >= MIN_EXCERPT_TOKENS and section.blocks:
        first = section.blocks[0]
        yield section.path, section.heading, first.lines, fit_words(first.text, round(room * ASCII_PER_TOKEN))


def _sections(note: Note) -> Iterator[_Section]:
    outline = Outline(note)
    heading, blocks = "", list[_Block]()
    for piece in note.pieces:
        if piece.kind == "heading":
            if blocks:
                yield _Section(note.path, heading, tuple(blocks))
            heading, blocks = outline.at(piece.span[0]), []
        if piece.kind not in _SKIPPED and (text := visible_text(note.text[slice(*piece.span)]).strip()):
            blocks.append(_Block(piece.lines, text, estimate_tokens(text)))
    if blocks:
        yield _Section(note.path, heading, tuple(blocks))
