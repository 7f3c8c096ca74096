"""Gathering excerpts of the notes that answer a question."""

import asyncio
from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Limit, Query
from bridge.api.markup import Document, Element, Line, notice, notices, path_of
from bridge.api.note_text import cut_found, open_hits
from bridge.api.registry import operation
from bridge.api.where import FilterArguments, NoteFilter, choose_among
from bridge.errors import InvalidArguments, ModelMissing
from bridge.features.answers.public import answerability_notice
from bridge.features.injections.public import find_withheld, publish_injection, reader_of, record_injection
from bridge.records import Record
from bridge.search.pack import OmittedNote, pack
from bridge.search.pipeline import search
from bridge.state.injection_log import InjectedNote
from bridge.text.budget import estimate_tokens
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import Exact, Lines, NoteOrFolder, SearchMode, VaultPath

Budget = Annotated[int, Meta(ge=100, le=32_000)]
Shape = Literal["text", "items"]


class ContextItem(Record):
    """An excerpt of a note, cut only between blocks.

    Attributes:
        number: Its number in the text, by which an answer can cite it.
        path: The note.
        heading: Its heading path; may be empty.
        lines: First and last line.
        form: `note` for the whole note, `section`, `passage`, or `outline` for the headings only.
        tokens: Tokens it takes.
        score: The note's score, as in `search`.
        text: The excerpt; null if `text` has them all.
    """

    number: int
    path: VaultPath
    heading: str
    lines: Lines
    form: Literal["note", "section", "passage", "outline"]
    tokens: int
    score: float
    text: str | None


class GatheredContext(Record):
    """Excerpts of relevant notes, within the budget.

    Attributes:
        text: All excerpts with their numbers and places; empty with `form=items`.
        items: The excerpts, best note first.
        left_out: Relevant notes that did not fit.
        tokens: Tokens of all excerpts, estimated.
        mode_used: The mode used; `keyword` without a model.
        notices: Remarks, such as on a misunderstood part of the query.
    """

    text: Exact
    items: tuple[ContextItem, ...]
    left_out: tuple[OmittedNote, ...]
    tokens: int
    mode_used: SearchMode
    notices: tuple[str, ...]


@operation(
    early=True,
    example={"query": "feeding a sourdough starter", "budget": 600},
    tasks=(
        "gather context about a topic within a token budget",
        "collect the relevant passages and sections for a question",
        "pack the best notes into a number of tokens",
        "background knowledge from the notes",
    ),
)
async def gather_context(
    call: Call,
    query: Query = "",
    paths: tuple[NoteOrFolder, ...] = (),
    budget: Budget = 4_000,
    limit: Limit = 20,
    form: Shape = "text",
    mode: SearchMode = "hybrid",
    criteria: FilterArguments = NoteFilter(),
) -> GatheredContext:
    """Gather the notes, sections and passages that matter for a question, within a budget of tokens.

    The best notes come whole where they are short, others by section, passage or outline; no fence, table or list item
    is cut.

    Args:
        query: The question, as for `search`; without one, `paths` are packed.
        paths: Only these notes, or those in these folders.
        budget: Maximum tokens of all excerpts.
        limit: Maximum notes.
        form: `items` returns each excerpt's text by itself.
        mode: Match words, meaning or both.

    Raises:
        ModelMissing: The mode is `semantic` and no model is installed.
    """
    if not query.strip() and not paths:
        raise InvalidArguments("Give a `query` or `paths`.")
    vault = call.vault
    request = criteria.request(query, limit=limit, mode=mode, paths=paths, passage_tokens=budget)
    if criteria.among:
        vault.require_keyword()
    await vault.first_answers.prepare(request)
    try:
        sources = await vault.sources_among(choose_among(vault, criteria.among, (criteria.folder, *paths), query))
        found = await search(sources, request)
    except ModelMissing:
        raise vault.why_not_by_meaning() from None
    is_withheld = await asyncio.to_thread(find_withheld, vault, reader_of(call))
    hits = [hit for hit in found.hits if not is_withheld(hit.path)]
    notes = await asyncio.to_thread(open_hits, vault, hits)
    packed = pack(await cut_found(sources, request, hits, notes), budget)
    # Not the question itself, which is nowhere kept.
    why = ("fits the question" if query.strip() else "was asked for",)
    brought_in = [InjectedNote(one.path, why, estimate_tokens(one.text)) for one in packed.items]
    await asyncio.to_thread(record_injection, call, "gather_context", brought_in)
    publish_injection(call)
    verdict = answerability_notice(found.answerability, hits[0].title if hits else None)
    return GatheredContext(
        text=packed.text if form == "text" else "",
        items=tuple(
            ContextItem(
                one.number,
                one.path,
                one.excerpt.heading,
                one.excerpt.lines,
                one.excerpt.form,
                estimate_tokens(one.text),
                one.score,
                one.excerpt.text if form == "items" else None,
            )
            for one in packed.items
        ),
        left_out=packed.left_out,
        tokens=packed.tokens,
        mode_used=found.mode_used,
        notices=(*found.notices, *((verdict,) if verdict else ())),
    )


def context_view(gathered: GatheredContext) -> Iterable[Element]:
    """Show the excerpts, each after its number and place."""
    yield from notices(gathered.notices)
    if left := gathered.left_out:
        yield notice(f"{count_of(len(left), 'relevant note')} did not fit: {sum(one.tokens for one in left):,} tokens.")
    if not gathered.items and not gathered.notices:
        yield notice("No note found.")
    if gathered.text:
        yield Document(gathered.text, "excerpts")
        return
    for item in gathered.items:
        first, last = item.lines
        yield Line(f"[{item.number}] ", path_of(item.path, f":{first}-{last}"), f" · {inline(item.heading)}")
        yield item.text or ""
        yield Line()
