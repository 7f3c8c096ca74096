"""Finding blocks: the lines of journals and chats, and other parts of notes, that answer a question."""

import asyncio
import time

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.hints import Limit, Query
from bridge.api.registry import operation
from bridge.api.where import FilterArguments, NoteFilter, Where
from bridge.errors import InvalidArguments
from bridge.features.injections.public import find_withheld, reader_of
from bridge.features.search.operations import PassageTokens, build_search_result, find_among
from bridge.features.search.results import Freshness, Hit
from bridge.records import Record
from bridge.search.block_search import search_blocks as find
from bridge.types import BlockOrder, NoteOrFolder, SearchMode


class FoundBlocks(Record):
    """Blocks, best first; several may be of one note.

    Attributes:
        hits: The best matches, each with the lines of its block.
        mode_used: The mode used; `keyword` without a model.
        took_ms: Duration in milliseconds.
        freshness: What is not indexed yet.
        notices: Remarks, such as on a misunderstood part of the query.
        total: How many blocks were compared and match.
    """

    hits: tuple[Hit, ...]
    mode_used: SearchMode
    took_ms: float
    freshness: Freshness
    notices: tuple[str, ...]
    total: int


@operation(
    example={"query": "when to feed the starter", "paths": ["Bread"], "limit": 3},
    tasks=(
        "find what was said in a chat",
        "find the line of a journal or log",
        "find the paragraph or list item about something",
        "search inside a long note",
        "which of several statements is the latest",
        "search within earlier sessions and conversations",
    ),
)
async def search_blocks(
    call: Call,
    query: Query,
    paths: tuple[NoteOrFolder, ...] = (),
    limit: Limit = 10,
    order: BlockOrder = "relevance",
    mode: SearchMode = "hybrid",
    criteria: FilterArguments = NoteFilter(),
    passage_tokens: PassageTokens = 0,
    where: Where = "",
) -> FoundBlocks:
    """Find blocks by words and meaning: list items, paragraphs and other parts, as many of a note as match.

    For journals, chats, logs and long notes, where `search` would show one passage of each. A block counts for more if
    the next one matches too, as an answer does after its question. What the user withholds from you is left out.

    Args:
        query: What to look for, as for `search`.
        paths: Only these notes, or those in these folders.
        limit: Maximum hits.
        order: `latest` puts the latest first of blocks that say similar things; in a note, what stands below is later.
        mode: Match words, meaning or both.
        passage_tokens: Tokens of whole blocks to add.
        where: Only notes for which this expression of Obsidian's Bases is true, such as `rating > 3`.

    Raises:
        ModelMissing: The mode is `semantic` and no model is installed.
        InvalidArguments: The query is empty, or `where` cannot be read.
    """
    started = time.perf_counter()
    if not query.strip():
        raise InvalidArguments("`query` is empty.", hint="Use `read_note` to read a note.")
    vault = call.vault
    vault.require_keyword()
    request = criteria.request(query, limit=limit, mode=mode, paths=paths, passage_tokens=passage_tokens, order=order)
    found = await find_among(call, find, request, criteria.among, where)
    is_withheld = await asyncio.to_thread(find_withheld, vault, reader_of(call))
    shown = tuple(hit for hit in found.hits if not is_withheld(hit.path))
    result = build_search_result(call, replace(found, hits=shown), started)
    total = result.total - len(found.hits) + len(shown)
    return FoundBlocks(result.hits, found.mode_used, result.took_ms, result.freshness, result.notices, total)
