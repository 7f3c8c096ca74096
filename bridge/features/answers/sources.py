"""Finds the excerpts from which a question is answered: of mentioned notes first, then of those that a search finds."""

import asyncio
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_names import find_place, no_such_note
from bridge.api.note_text import cut_found, open_hits, open_note, select_lines
from bridge.errors import AmbiguousHeading, HeadingNotFound, NoteNotFound
from bridge.features.answers.prompt import Source, Turn
from bridge.features.injections.public import find_withheld, reader_of
from bridge.markdown.links import inside_wiki
from bridge.markdown.note import Note
from bridge.records import Record
from bridge.search.answerability import MIN_TERMS, Answerability
from bridge.search.excerpts import Excerpts, cut_excerpts
from bridge.search.model import SearchAnswer, SearchRequest, ShownPassage
from bridge.search.pack import PackedItem, pack
from bridge.search.pipeline import search
from bridge.text.counts import count_of
from bridge.text.days import asked_days, days_in
from bridge.text.function_words import content_words
from bridge.text.invisible import visible_text
from bridge.text.words import words_of
from bridge.types import Among, VaultPath, lies_in

_MENTION = re.compile(
    rf'@(?:\[\[(?P<link>{inside_wiki()}+)\]\]|"(?P<quoted>[^"\n]+/)"|(?P<folder>[^\s@"\[\]]+/)(?=[\s?!.,;:]|$))'
)
_ALIAS = re.compile(r"\|.*$")


class MentioningQuestion(Record):
    """A question as it reads without its marks, and what they name: links such as `Note#Heading`, and folders."""

    text: str
    links: tuple[str, ...]
    folders: tuple[str, ...]


def parse_mentions(question: str) -> MentioningQuestion:
    """Return the notes and folders that a question mentions, and how it reads without the marks."""
    links: list[str] = []
    folders: list[str] = []

    def read(found: re.Match[str]) -> str:
        if found["link"] is not None:
            target = _ALIAS.sub("", found["link"]).strip()
            links.append(target)
            return re.sub(r"[#^]+", " ", target.rpartition("/")[2])
        folder = (found["quoted"] or found["folder"]).strip("/")
        folders.append(folder)
        return folder

    text = _MENTION.sub(read, question)
    return MentioningQuestion(text.strip(), tuple(dict.fromkeys(links)), tuple(dict.fromkeys(folders)))


_REFERS = re.compile(
    r"\b(?:it|its|they|them|their|he|him|his|she|her|this|these|those|er|ihn|ihm|ihre?n?|sie|es|dies\w*|davon|damit|dort"
    r"|elles?|ils|cela|ça|él|ella|ellos|ellas|eso|esto|lui|lei|loro|quest[oa]|ele|ela|eles|elas|isso|hij|zij|ervan"
    r"|он|она|оно|они|его|её|их|это)\b|[它他她这]|それ|これ|彼",
    re.IGNORECASE,
)


def add_subject(question: str, history: Sequence[Turn]) -> str:
    """Return a question with the words of those before it, as long as each refers to what was asked before."""
    words, earlier = question, [turn.question for turn in history]
    while earlier and (_REFERS.search(question) or len(content_words(words_of(question))) < MIN_TERMS):
        question = parse_mentions(earlier.pop()).text
        words = " ".join([words, *content_words(words_of(question))])
    return words


MAX_FOUND_NOTES = 12
"""Maximum number of notes that a search may add."""

MENTIONED_SHARE = 0.5
"""Share of the budget that mentioned notes may take; the search gets the rest."""


class Places(Record):
    """Where excerpts may come from, apart from mentioned notes; what is in `without` may not even then."""

    paths: Sequence[VaultPath]
    folder: str | None
    without: Sequence[VaultPath]
    among: Among

    def leaves_out(self, path: VaultPath) -> bool:
        return lies_in(path, self.without)

    def includes(self, path: VaultPath) -> bool:
        """Return whether a note may be looked up; which notes are searched is not considered."""
        within = (not self.paths or lies_in(path, self.paths)) and (not self.folder or lies_in(path, [self.folder]))
        return within and not self.leaves_out(path)


class FoundSources(Record):
    """The excerpts, the notes in which they stand, and how relevant these are."""

    sources: tuple[Source, ...]
    scores: Mapping[int, float]
    """By the number of the excerpt."""
    notes: Mapping[VaultPath, Note]
    notices: tuple[str, ...]
    answerability: Answerability | None
    closest: str | None
    """Title of the best note that was searched for."""
    asked: Mapping[str, float]
    """The content words of the question, each with how rare it is in the vault."""
    named: frozenset[VaultPath]
    unread: tuple[str, ...] = ()
    """Why none of the notes that the question names can be read; then no other is."""


async def find_sources(
    call: Call, question: MentioningQuestion, where: Places, budget: int, missing: Sequence[str] = ()
) -> FoundSources:
    cut, unknown = await asyncio.to_thread(_cut_mentioned, call, question)
    unknown = [*missing, *unknown]
    names_folder = len(missing) < len(question.folders)
    if (question.links or missing) and not names_folder and not any(map(_has_text, (one for one, _ in cut))):
        unread = (*unknown, *_no_room([one for one, _ in cut], set()))
        return FoundSources((), {}, {}, (), None, None, {}, frozenset(), unread)
    mentioned = [one for one, _ in cut if not where.leaves_out(one.path)]
    named = pack(mentioned, round(MENTIONED_SHARE * budget))
    own = {one.path for one in mentioned}
    searched = await search_excerpts(call, question.text, where, budget - named.tokens, own)
    sources = number_sources([*named.items, *searched.items])
    best = max((one.score for one in searched.items), default=1.0)
    scores = [one.score for one in (*named.items, *searched.items) if one.excerpt.form != "outline"]
    return FoundSources(
        sources,
        {source.number: best if source.path in own else score for source, score in zip(sources, scores, strict=True)},
        {note.path: note for note in (*searched.notes.values(), *(note for _, note in cut))},
        (
            *unknown,
            *searched.answer.notices,
            *_explain_backlog(call, searched),
            *_no_room(mentioned, {one.path for one in sources}),
        ),
        # What the user points to may answer it, whatever its words are.
        None if mentioned else searched.answer.answerability,
        searched.answer.hits[0].title if searched.answer.hits else None,
        searched.answer.asked,
        frozenset(own),
    )


def _explain_backlog(call: Call, searched: "SearchedExcerpts") -> Iterator[str]:
    waiting = call.vault.index.pending_vectors()
    if waiting and searched.answer.mode_used != "keyword":
        yield (
            f"{count_of(waiting, 'passage')} cannot be found by meaning yet: `vaultside index` finishes that, `status`"
            " tells how far it is."
        )


class SearchedExcerpts(Record):
    """What a search found, and the excerpts of it that fit."""

    items: Sequence[PackedItem]
    notes: Mapping[VaultPath, Note]
    answer: SearchAnswer


async def search_excerpts(
    call: Call, query: str, where: Places, budget: int, known: Collection[VaultPath] = ()
) -> SearchedExcerpts:
    vault = call.vault
    is_withheld = await asyncio.to_thread(find_withheld, vault, reader_of(call))
    days = asked_days(query)
    request = SearchRequest(
        " ".join([query, *sorted(day for day in days if day not in query)]),
        limit=MAX_FOUND_NOTES + len(where.without),
        folder=where.folder,
        paths=tuple(where.paths),
        passage_tokens=max(budget, 1),
    )
    searched = await vault.sources_among(where.among)
    found = await search(searched, request)
    called = ((path, f"{path} {note.title}") for path, note in searched.index.notes.items() if days)
    if of_day := tuple(path for path, name in called if where.includes(path) and not days.isdisjoint(days_in(name))):
        first = (await search(searched, replace(request, paths=of_day, folder=None))).hits
        found = replace(found, hits=(*first, *(hit for hit in found.hits if hit.path not in of_day)))
    hits = [hit for hit in found.hits if not (hit.path in known or is_withheld(hit.path) or where.leaves_out(hit.path))]
    notes = await asyncio.to_thread(open_hits, vault, hits)
    cut = [_or_properties(one, notes.get(one.path)) for one in await cut_found(searched, request, hits, notes)]
    packed = pack(cut, budget)
    return SearchedExcerpts(packed.items, notes, found)


def number_sources(items: Iterable[PackedItem], first: int = 1) -> tuple[Source, ...]:
    said = (one for one in items if one.excerpt.form != "outline")
    return tuple(
        Source(number, one.path, one.excerpt.heading, one.excerpt.lines, one.excerpt.text)
        for number, one in enumerate(said, first)
    )


def cut_place(call: Call, path: VaultPath, heading: str | None) -> tuple[Excerpts, Note]:
    note = open_note(call.vault, path)
    if heading is None or heading.startswith("^"):
        first = [ShownPassage("", piece.lines, note.text[slice(*piece.span)]) for piece in note.pieces[:4]]
        return (cut_excerpts(note, 1.0, first) if first else cut_properties(note)), note
    lines = select_lines(note, heading, None)
    text = "\n".join(note.text.split("\n")[lines[0] - 1 : lines[1]]).strip()
    return Excerpts(path, 1.0, passages=(ShownPassage(heading, lines, text, "section"),)), note


def cut_properties(note: Note) -> Excerpts:
    last, text = note.text[: note.body].count("\n"), visible_text(note.text[: note.body]).strip()
    passages = (ShownPassage("", (1, max(1, last)), text),) if text else ()
    return Excerpts(note.path, 1.0, passages=passages)


def locate_folders(call: Call, folders: Sequence[str]) -> tuple[list[VaultPath], list[str]]:
    """Return mentioned folders, and why others are not searched."""
    found: list[VaultPath] = []
    missing: list[str] = []
    for folder in folders:
        try:
            path = find_place(call.host.files, call.vault.names, folder, folders=True)[0]
            if not any(lies_in(note, (path,)) for note in call.vault.index.view("all").notes):
                raise no_such_note(call.vault, path)
            found.append(path)
        except NoteNotFound as error:
            missing.append(f"`@{folder}/` is not searched: {error.message} {error.hint}")
    return found, missing


def _or_properties(cut: Excerpts, note: Note | None) -> Excerpts:
    if note is None or cut.note is not None or cut.passages:
        return cut
    return replace(cut_properties(note), score=cut.score)


def _cut_mentioned(call: Call, question: MentioningQuestion) -> tuple[list[tuple[Excerpts, Note]], list[str]]:
    cut: list[tuple[Excerpts, Note]] = []
    unknown: list[str] = []
    for link in question.links:
        try:
            cut.append(cut_place(call, *find_place(call.host.files, call.vault.names, link)))
        except (NoteNotFound, HeadingNotFound, AmbiguousHeading) as error:
            unknown.append(f"`@[[{link}]]` is not read: {error.message} {error.hint}")
    return cut, unknown


def _has_text(one: Excerpts) -> bool:
    return one.note is not None or bool(one.passages)


def _no_room(mentioned: Sequence[Excerpts], shown: set[VaultPath]) -> Iterator[str]:
    for one in mentioned:
        if one.path not in shown:
            yield (
                f"There was no room for the mentioned note `{one.path}`."
                if _has_text(one)
                else f"The mentioned note `{one.path}` has no text."
            )
