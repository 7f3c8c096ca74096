"""Lets the chat model summarise notes part by part, and keeps the sentences that the notes support."""

import asyncio
import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence

import orjson
from msgspec import Struct
from msgspec.structs import replace

from bridge.api.call import Call, StreamEvent, ignore
from bridge.api.schemas import encode
from bridge.errors import ModelUnusable
from bridge.features.answers.public import (
    CUTS,
    CheckedSentence,
    Source,
    check_sentences,
    deadline,
    summary_grammar,
    write_summary_prompt,
    write_text,
)
from bridge.features.summaries.records import SENTENCES, Length, Summary, SummarySentence, SummarySettings
from bridge.markdown.note import Note, PieceKind
from bridge.markdown.sections import Outline
from bridge.models.generator import ChatRequest, Generator, PromptTooLong
from bridge.records import Record
from bridge.text.budget import ASCII_PER_TOKEN, estimate_tokens, fit_words, share_room
from bridge.text.counts import count_of
from bridge.text.invisible import visible_text
from bridge.types import Digest, Lines, VaultPath

MIN_EXCERPT_TOKENS = 40
"""Tokens below which an excerpt is not worth reading."""

_SKIPPED_KINDS: frozenset[PieceKind] = frozenset({"heading", "fence", "html", "math", "rule"})


class _Block(Record):
    lines: Lines
    text: str
    tokens: int


class _Section(Record):
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
        if piece.kind not in _SKIPPED_KINDS and (text := visible_text(note.text[slice(*piece.span)]).strip()):
            blocks.append(_Block(piece.lines, text, estimate_tokens(text)))
    if blocks:
        yield _Section(note.path, heading, tuple(blocks))


RECIPE_VERSION = 1
"""Version of how summaries are written; increased so that older ones are not used any more."""

PART_SHARE = 0.6
"""Share of the model's window that the excerpts of one part take; the rest is for the rules and the answer."""

PART_SENTENCES = 3
"""Sentences that each of several parts is summarised in."""

TOKENS_A_SENTENCE = 60


async def write_summary(call: Call, generator: Generator, notes: Sequence[Note], length: Length, focus: str) -> Summary:
    """Let the chat model summarise notes, unless it did before."""
    key = _key(call, generator, notes, length, focus)
    stored = call.vault.index.summaries
    if (found := await asyncio.to_thread(stored.find, key)) is not None:
        return _restore(found)
    writer = _SummaryWriter(call, generator, {note.path: note for note in notes}, focus, deadline(call))
    summary = await writer.write(SENTENCES[length])
    if writer.is_late and not summary.sentences:
        raise ModelUnusable(CUTS["time"], hint="Give it more, or fewer notes.")
    if summary.sentences and not writer.is_late:
        await asyncio.to_thread(stored.store, key, encode(summary).decode())
    return summary


def _key(call: Call, generator: Generator, notes: Sequence[Note], length: Length, focus: str) -> Digest:
    file = generator.path.stat()
    model = generator.path.name, file.st_size, file.st_mtime_ns
    texts = [(note.path, note.digest) for note in notes]
    read = call.vault.settings.section(SummarySettings).read_tokens
    # Not as JSON, which has no names of files that are not valid Unicode.
    return Digest(hashlib.sha256(repr((RECIPE_VERSION, model, read, length, focus, texts)).encode()).hexdigest())


def _restore(stored: str) -> Summary:
    facts = orjson.loads(stored)
    sentences = tuple(
        SummarySentence(one["text"], VaultPath(one["path"]), (one["lines"][0], one["lines"][1]))
        for one in facts["sentences"]
    )
    return Summary(**{**facts, "sentences": sentences, "notices": tuple(facts["notices"]), "cached": True})


class _SummaryWriter(Struct):
    """Writes one summary."""

    call: Call
    generator: Generator
    notes: Mapping[VaultPath, Note]
    focus: str
    until: float
    is_late: bool = False
    """Whether the model was stopped because its time was over."""
    tokens_read: int = 0
    tokens_written: int = 0
    unsupported: int = 0
    requests: int = 0

    async def write(self, most: int) -> Summary:
        """Summarise the notes in parts, and the sentences of all parts again, until there are few enough."""
        room = self.call.vault.settings.section(SummarySettings).read_tokens
        sources = await asyncio.to_thread(spread_excerpts, list(self.notes.values()), room)
        kept = await self._summarise(sources, most)
        while len(kept) > most:
            fewer = await self._summarise([_as_source(at, one) for at, one in enumerate(kept, 1)], most)
            evenly = [kept[at * len(kept) // most] for at in range(most)]
            kept = fewer if 0 < len(fewer) < len(kept) else evenly
        sentences = tuple(SummarySentence(one.text, *_place(one)) for one in kept)
        unsupported = count_of(self.unsupported, "sentence")
        left_out = f"Left out: {unsupported} of the chat model that the notes do not support."
        return Summary(
            text=" ".join(one.text for one in sentences),
            sentences=sentences,
            notes=len(self.notes),
            left_out=0,
            notices=(*((CUTS["time"],) if self.is_late else ()), *((left_out,) if self.unsupported else ())),
            mode_used="chat",
            tokens_read=self.tokens_read,
            tokens_written=self.tokens_written,
        )

    async def _summarise(self, sources: Sequence[Source], most: int) -> list[CheckedSentence]:
        parts = deque(_split(sources, round(PART_SHARE * self.call.vault.settings.chat_window)))
        each = most if len(parts) == 1 else PART_SENTENCES
        kept: list[CheckedSentence] = []
        done = 0
        while parts and not self.is_late:
            part = parts.popleft()
            self._report(done, done + 1 + len(parts))
            try:
                text = await self._write_part(part, each)
            except PromptTooLong as long:
                parts.extendleft(reversed(_halve(part, long)))
                continue
            done += 1
            checked = await asyncio.to_thread(check_sentences, text, part, self.notes)
            supported = [one for one in checked if one.supported]
            self.unsupported += len(checked) - len(supported)
            kept += supported
        return kept

    async def _write_part(self, sources: Sequence[Source], most: int) -> str:
        request = ChatRequest(
            write_summary_prompt(sources, most, self.focus),
            most=most * TOKENS_A_SENTENCE,
            grammar=summary_grammar([one.number for one in sources], most),
        )
        silent = replace(self.call, say=ignore, progress=ignore)
        written = await write_text(silent, self.generator, request, self.until)
        self.tokens_read += written.tokens_in
        self.tokens_written += written.tokens_out
        self.is_late = written.end == "time"
        return written.text

    def _report(self, done: int, parts: int) -> None:
        """Say which part is read; one that is read later counts on, since progress only grows."""
        told = f"Part {done + 1} of {parts} is read."
        self.call.say(StreamEvent("status", told))
        self.call.progress(self.requests, self.requests + parts - done, told)
        self.requests += 1


def _as_source(number: int, sentence: CheckedSentence) -> Source:
    path, lines = _place(sentence)
    return Source(number, path, "", lines, sentence.text)


def _place(sentence: CheckedSentence) -> tuple[VaultPath, Lines]:
    if sentence.quotes:
        found = sentence.quotes[0].sentence
        return found.path, found.lines
    return sentence.cites[0].path, sentence.cites[0].lines


def _split(sources: Sequence[Source], room: int) -> list[list[Source]]:
    """Split excerpts into parts of so many estimated tokens; a longer excerpt is a part of its own."""
    parts: list[list[Source]] = []
    left = 0
    for source in sources:
        tokens = estimate_tokens(source.text)
        if not parts or tokens > left:
            parts.append([])
            left = room
        parts[-1].append(source)
        left -= tokens
    return parts


def _halve(part: Sequence[Source], long: PromptTooLong) -> list[list[Source]]:
    """Split a part that does not fit the window; of a single excerpt keep the first half."""
    if len(part) > 1:
        middle = len(part) // 2
        return [list(part[:middle]), list(part[middle:])]
    text = fit_words(part[0].text, len(part[0].text) // 2)
    if estimate_tokens(text) < MIN_EXCERPT_TOKENS:
        raise ModelUnusable(
            f"The chat model reads {long.window} tokens, and the shortest excerpt with the rules has {long.tokens}.",
            hint="Raise `chat_window`.",
        )
    return [[replace(part[0], text=text)]]
