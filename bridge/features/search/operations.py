"""Finding notes by words, by meaning and by their surroundings, in one vault or in all."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Final

from msgspec import Meta, to_builtins
from msgspec.structs import asdict, replace

from bridge.api.call import Call
from bridge.api.hints import Limit, Query
from bridge.api.moments import iso
from bridge.api.note_names import no_such_note
from bridge.api.note_text import cut_found, open_hits
from bridge.api.note_times import NoteTimes
from bridge.api.redact import redact_denied
from bridge.api.registry import operation
from bridge.api.where import FilterArguments, NoteFilter, Where, choose_among, notes_where
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments, ModelMissing, NotReady
from bridge.features.answers.public import keep_question
from bridge.features.injections.public import find_withheld, publish_injection, reader_of, record_injection
from bridge.features.search.results import FoundBlocks, Freshness, Hit, SearchResult, make_hit
from bridge.features.shared_index.public import SharedAnswer, search_stores
from bridge.features.topics.public import shared_topics
from bridge.search.block_search import search_blocks as find_blocks
from bridge.search.model import SearchAnswer, SearchRequest, ShownPassage, Sources
from bridge.search.pack import OmittedNote, pack
from bridge.search.pipeline import search as find
from bridge.search.query import parse_query
from bridge.search.related import find_related
from bridge.state.injection_log import InjectedNote
from bridge.text.budget import estimate_tokens
from bridge.text.counts import count_of
from bridge.text.fold import fold_case
from bridge.text.invisible import inline
from bridge.types import SHORT_DIGEST, Among, BlockOrder, NoteOrFolder, SearchDepth, SearchMode, VaultPath, lies_in
from bridge.vault.obsidian_settings import read_obsidian_settings

DEADLINE_S = 0.5
"""Seconds that a vault has for its answer, once another has answered."""

PATIENCE_S: Final = 10.0
"""Seconds for the first answer, as after a start, when every vault is slow."""

Answers = Mapping[Host, SearchResult | BridgeError]


async def search_vaults(
    call: Call, request: SearchRequest, search: Callable[[Call], Awaitable[SearchResult]], *, shared: bool
) -> SearchResult:
    """Search every served vault, and what others `shared`."""
    started, hosts = time.perf_counter(), list(call.bridge.vaults.values())
    await _embed_query(call, hosts, request)
    answers, others = await asyncio.gather(
        ask_all(hosts, lambda host: search(replace(call, vault_name=host.id))),
        search_stores(call, request, plain=shared),
    )
    # A rule may have been added while others were still answering.
    found = {
        host: redact_denied(answer, host.files.rules)
        for host, answer in answers.items()
        if isinstance(answer, SearchResult)
    }
    notices = (*_notices(hosts, answers), *others.notices)
    if not found:
        raise _refusal(answers, notices)
    modes = {one.mode_used for one in found.values()}
    return SearchResult(
        hits=tuple(merge_hits(found, others, request.limit)),
        mode_used=next((mode for mode in (request.mode, *modes) if mode in modes), "keyword"),
        took_ms=round((time.perf_counter() - started) * 1000, 1),
        freshness=Freshness(
            sum(one.freshness.pending_keyword for one in found.values()),
            sum(one.freshness.pending_vectors for one in found.values()),
        ),
        notices=notices,
        total=sum(one.total for one in found.values()) + len(others.hits),
    )


def merge_hits(found: Mapping[Host, SearchResult], others: SharedAnswer, limit: int) -> Iterable[Hit]:
    """Return the best hits of several vaults and stores, the best first.

    Their scores are comparable: full-text scores count by the share of the query's words that a note says, and cosines
    by their model's curve. Merging by ranks was measured, and is worse (docs/measurements.md).
    """
    hits = [(host.name, hit) for host, answer in found.items() for hit in answer.hits]
    hits += [(name, make_hit(hit)) for name, hit in others.hits]
    best = sorted(hits, key=lambda each: (-each[1].score, each[0], each[1].path))[:limit]
    return (replace(hit, vault=name) for name, hit in best)


async def ask_all(hosts: Sequence[Host], ask: Callable[[Host], Awaitable[SearchResult]]) -> Answers:
    async def answer(host: Host) -> SearchResult | BridgeError:
        try:
            return await ask(host)
        except InvalidArguments:
            raise
        except BridgeError as error:
            return error

    tasks = {asyncio.ensure_future(answer(host)): host for host in hosts}
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=DEADLINE_S)
        if not any(task.done() and isinstance(task.result(), SearchResult) for task in tasks):
            await _first_answer(tasks)
        return {host: task.result() for task, host in tasks.items() if task.done()}
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _first_answer(tasks: Iterable[asyncio.Future[SearchResult | BridgeError]]) -> None:
    ends = time.monotonic() + PATIENCE_S
    late = {task for task in tasks if not task.done()}
    while late and time.monotonic() < ends:
        done, late = await asyncio.wait(late, timeout=ends - time.monotonic(), return_when=asyncio.FIRST_COMPLETED)
        if any(isinstance(task.result(), SearchResult) for task in done):
            return


async def _embed_query(call: Call, hosts: Iterable[Host], request: SearchRequest) -> None:
    """Embed the query for all vaults, since a model that has to be loaded first would make them all late."""
    embedders = call.bridge.embedders
    if embedders is not None and request.mode != "keyword":
        text = parse_query(request.query).text
        models = {key for host in hosts for key in host.model_keys()}
        await asyncio.gather(*(embedders.embed_query(key, text) for key in models if text.strip()))


def _notices(hosts: Sequence[Host], answers: Answers) -> Iterable[str]:
    said: defaultdict[str, list[str]] = defaultdict(list)
    for host in hosts:
        match answers.get(host):
            case None:
                yield f"{inline(host.name)} did not answer in time; search it by itself."
            case BridgeError() as error:
                yield f"{inline(host.name)} was not searched: {error.message}"
            case SearchResult() as answer:
                for notice in answer.notices:
                    said[notice].append(inline(host.name))
    for notice, names in said.items():
        yield notice if len(names) == len(hosts) else f"{', '.join(names)}: {notice}"


def _refusal(answers: Answers, notices: Sequence[str]) -> BridgeError:
    errors = [answer for answer in answers.values() if isinstance(answer, BridgeError)]
    if len(errors) == 1 or len({error.code for error in errors}) == 1:
        return errors[0]
    return NotReady(" ".join(notices) or "No vault is served.")


PassageTokens = Annotated[int, Meta(ge=0, le=32_000)]
Score = Annotated[float, Meta(ge=0, le=1)]


@operation(
    early=True,
    example={"query": "sourdough starter", "limit": 3},
    tasks=(
        "what have I written",
        "look something up in the notes",
        "find notes about a topic",
        "notes about a topic that do not link to a note",
        "what do my notes say about something",
        "look for words, a phrase or an idea",
        "search by meaning",
        "full text search",
        "search all vaults at once",
        "in which vault did I write about a topic",
        "gather context about a topic within a token budget",
        "collect the relevant passages and sections for a question",
        "collect sections within a number of tokens",
        "background knowledge from the notes",
    ),
)
async def search(
    call: Call,
    query: Query,
    limit: Limit = 10,
    mode: SearchDepth = "hybrid",
    criteria: FilterArguments = NoteFilter(),
    explain: bool = False,
    passage_tokens: PassageTokens = 0,
    paths: tuple[NoteOrFolder, ...] = (),
    min_score: Score = 0.0,
    where: Where = "",
    everywhere: bool = False,
) -> SearchResult:
    """Find notes by words and meaning.

    Queries take `"a phrase"`, `-not`, `AND`, `OR`, `()`, `a*`, `path:`, `file:`, `title:`, `tag:#a` and
    `[property:value]`; `notices` says what is unclear.

    Args:
        query: What to look for.
        limit: Maximum hits.
        mode: Words, meaning or both; `deep` reranks.
        explain: Add ranking details.
        passage_tokens: Tokens of passages to add.
        paths: Only these notes, or those in these folders.
        min_score: Drop hits with a lower score.
        where: Only notes for which this Bases expression holds, such as `rating > 3`.
        everywhere: Search all served vaults and shared stores.

    Raises:
        ModelMissing: The mode is `semantic` and no model is installed.
        InvalidArguments: The query is empty, or `where` cannot be read.
    """
    started = time.perf_counter()
    if not query.strip():
        raise InvalidArguments("`query` is empty.", hint="Use `find_notes` to list notes by folder, tag or property.")
    request = criteria.request(
        query,
        limit=limit,
        mode="hybrid" if mode == "deep" else mode,
        deep=mode == "deep",
        paths=paths,
        min_score=min_score,
        explain=explain,
        passage_tokens=passage_tokens,
    )

    async def search_vault(one: Call) -> SearchResult:
        if where or criteria.among:
            one.vault.require_keyword()
        await one.vault.first_answers.prepare(request)
        found = await find_among(one, find, request, criteria.among, where)
        if passage_tokens:
            found = await pack_passages(one, found, request, criteria.among)
        return build_search_result(one, found, started)

    if everywhere:
        return await search_vaults(call, request, search_vault, shared=not (where or criteria.among))
    found = await search_vault(call)
    if not call.is_user:
        # A person's search is sent with each letter that is typed.
        keep_question(call, query, found.answerability)
    return found


async def find_among(
    call: Call,
    find: Callable[[Sources, SearchRequest], Awaitable[SearchAnswer]],
    request: SearchRequest,
    among: Among | None,
    where: str,
) -> SearchAnswer:
    """Find what a request asks for among the notes or the agents' folder, where an expression holds."""
    vault = call.vault
    side = choose_among(vault, among, (request.folder, *request.paths), request.query)
    only, unknown = await notes_where(vault, vault.index.view(side).notes, where)
    try:
        found = await find(await vault.sources_among(side), replace(request, only=only))
    except ModelMissing:
        raise vault.why_not_by_meaning() from None
    return replace(found, notices=(*unknown, *found.notices)) if unknown else found


async def pack_passages(call: Call, found: SearchAnswer, request: SearchRequest, among: Among | None) -> SearchAnswer:
    """Give hits the passages that best fill the budget: the best notes whole where they are short, others in part.

    What is withheld from the caller's session is left out, and what is brought into it recorded.
    """
    vault = call.vault
    is_withheld = await asyncio.to_thread(find_withheld, vault, reader_of(call))
    hits = [hit for hit in found.hits if not is_withheld(hit.path)]
    sources = await vault.sources_among(choose_among(vault, among, (request.folder, *request.paths), request.query))
    notes = await asyncio.to_thread(open_hits, vault, hits)
    packed = await asyncio.to_thread(pack, await cut_found(sources, request, hits, notes), request.passage_tokens)
    passages: defaultdict[VaultPath, list[ShownPassage]] = defaultdict(list)
    for one in packed.items:
        passages[one.path].append(one.excerpt)
    # Not the question itself, which is nowhere kept.
    brought_in = [InjectedNote(one.path, ("fits the question",), estimate_tokens(one.text)) for one in packed.items]
    await asyncio.to_thread(record_injection, call, "search", brought_in)
    publish_injection(call)
    return replace(
        found,
        hits=tuple(replace(hit, passages=tuple(passages[hit.path])) for hit in hits),
        total=found.total - len(found.hits) + len(hits),
        notices=(*found.notices, *_omission_notices(packed.left_out)),
    )


def _omission_notices(left_out: Sequence[OmittedNote]) -> Iterable[str]:
    if left_out:
        tokens = sum(note.tokens for note in left_out)
        yield f"Passages of {count_of(len(left_out), 'relevant note')} did not fit: {tokens:,} tokens."


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "limit": 3},
    tasks=(
        "notes like this one",
        "more notes on the same subject",
        "find similar notes",
        "what else is close to this text",
    ),
)
async def related_notes(
    call: Call,
    path: VaultPath | None = None,
    line: Annotated[int, Meta(ge=1)] | None = None,
    text: Annotated[str, Meta(max_length=100_000)] | None = None,
    limit: Limit = 10,
    among: Among | None = None,
) -> SearchResult:
    """Find notes similar to a note or text, in meaning and by links.

    Args:
        path: The note; give this or `text`.
        line: Only the passage at this line.
        text: The text; give this or `path`.
        limit: Maximum hits.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        NoteNotFound: No such note in the index; the message names the closest.
    """
    started = time.perf_counter()
    if (path is None) == (text is None or not text.strip()):
        raise InvalidArguments("Give either `path` or `text`, not empty.")
    if line is not None and path is None:
        raise InvalidArguments("`line` needs the `path` of its note.")
    call.vault.require_keyword()
    if path is not None and path not in call.vault.index.notes:
        raise no_such_note(call.vault, path)
    sources = await call.vault.sources_among(choose_among(call.vault, among, (path,)))
    settings = await asyncio.to_thread(read_obsidian_settings, call.vault.root)
    found = await find_related(
        sources, path=path, line=line, text=text, limit=limit, templates=settings.template_folders
    )
    if path is not None:
        topics = await shared_topics(call.vault, path, [hit.path for hit in found.hits])
        said = ((hit, topics.get(hit.path)) for hit in found.hits)
        hits = (replace(hit, why=(*hit.why, f"same topic *{topic}*")) if topic else hit for hit, topic in said)
        found = replace(found, hits=tuple(hits))
    return build_search_result(call, found, started)


def build_search_result(call: Call, answer: SearchAnswer, started: float) -> SearchResult:
    times, found = NoteTimes(call.vault.root), ((hit, call.vault.index.notes.get(hit.path)) for hit in answer.hits)
    return SearchResult(
        hits=tuple(make_hit(hit, created=times.creation_text(note) if note else None) for hit, note in found),
        mode_used="deep" if answer.deep else answer.mode_used,
        took_ms=round((time.perf_counter() - started) * 1000, 1),
        freshness=Freshness(len(call.vault.indexer.pending), call.vault.index.pending_vectors()),
        notices=tuple(answer.notices),
        explain=None if answer.explain is None else to_builtins(answer.explain),
        total=answer.total,
        answerability=answer.answerability,
    )


MIN_GUESSED_LETTERS = 3
"""Fewer letters are not taken for the beginning of a name, or of words that were chosen before."""


@operation(
    example={"words": "feeding the starter", "path": "Welcome.md", "limit": 3},
    tasks=("choose the note that a link should lead to", "find a link target for some words"),
)
async def pick_link(
    call: Call, words: Query, path: VaultPath | None = None, limit: Limit = 10, mode: SearchMode = "hybrid"
) -> SearchResult:
    """Find notes that a link may lead to, by name and content.

    A note chosen earlier for these words, or for words that start with them, as recorded by `judge_link`, comes first.

    Args:
        words: The words to link, or the subject of the note.
        path: The note that will contain the link; excluded from the results.
        limit: Maximum notes.
        mode: Match words, meaning or both.

    Raises:
        ModelMissing: The mode is `semantic` and no model is installed.
    """
    found = await search(call, words, min(limit + 1, 100), mode)
    times = times_chosen(call.vault, words)
    hits = {hit.path: hit for hit in found.hits}
    first = []
    for note, count in times.items():
        hit, why = hits.get(note) or named_hit(call.vault, note), "chosen before"
        first.append(replace(hit, score=1.0, why=(f"chosen {count} times before" if count > 1 else why, *hit.why)))
    folders = read_obsidian_settings(call.vault.root).template_folders
    # Words that are being typed are the beginning of a name; otherwise a template is hardly ever meant.
    others = sorted(
        (hit for hit in found.hits if hit.path not in times),
        key=lambda hit: (not begins_name(call.vault, hit.path, words), lies_in(hit.path, folders)),
    )
    shown = tuple([hit for hit in (*first, *others) if hit.path != path][:limit])
    return replace(found, hits=shown, answerability=None)


def begins_name(vault: OpenVault, path: VaultPath, words: str) -> bool:
    form, note = fold_case(words).strip(), vault.index.notes[path]
    return len(form) >= MIN_GUESSED_LETTERS and any(
        fold_case(name).startswith(form) for name in (note.title, PurePosixPath(path).stem, *note.aliases)
    )


def times_chosen(vault: OpenVault, words: str) -> Mapping[VaultPath, int]:
    form = fold_case(words).strip()
    counts = Counter[VaultPath]()
    for entry in vault.store.feedback.all():
        if entry.form == form or (len(form) >= MIN_GUESSED_LETTERS and entry.form.startswith(form)):
            counts[entry.target] += entry.accepted - entry.declined + entry.by_agents
    return {note: count for note, count in counts.most_common() if count > 0 and note in vault.index.notes}


def named_hit(vault: OpenVault, path: VaultPath) -> Hit:
    note = vault.index.notes[path]
    return Hit(path, note.title, "", (1, 1), "", 1.0, (), note.tags, iso(note.mtime), note.digest[:SHORT_DIGEST])


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
    found = await find_among(call, find_blocks, request, criteria.among, where)
    is_withheld = await asyncio.to_thread(find_withheld, vault, reader_of(call))
    shown = tuple(hit for hit in found.hits if not is_withheld(hit.path))
    result = build_search_result(call, replace(found, hits=shown), started)
    total = result.total - len(found.hits) + len(shown)
    return FoundBlocks(**asdict(replace(result, total=total)))
