"""Finding notes in every served vault at once."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Annotated, Final

from annotated_types import MaxLen

from bridge.api.call import Call
from bridge.api.hints import Limit, Query
from bridge.api.redact import redact_denied
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.engine.host import Host
from bridge.errors import BridgeError, InvalidArguments, ModelMissing, NotReady
from bridge.features.search.operations import Hit, SearchResult, build_search_result
from bridge.records import dataclass
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.search.query import parse_query
from bridge.text.invisible import inline
from bridge.types import NoteKind, SearchMode

DEADLINE_S = 0.5
"""Seconds that a vault has for its answer, once another has answered."""

PATIENCE_S: Final = 10.0
"""Seconds for the first answer, as after a start, when every vault is slow."""

Answers = Mapping["Host", SearchResult | BridgeError]


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultHit(Hit):
    """A note of one of several vaults.

    Attributes:
        vault: The vault that holds it, by name.
    """

    vault: str


@dataclass(frozen=True, slots=True)
class FoundEverywhere:
    """Hits of all vaults, best first, one per note.

    Attributes:
        hits: The best matches.
        mode_used: The mode used; `keyword` if no vault had a model.
        took_ms: Duration in milliseconds.
        vaults: The vaults that answered.
        notices: Vaults that did not answer, and why; and remarks of single vaults.
        total: How many notes match, in all vaults that answered.
    """

    hits: tuple[VaultHit, ...]
    mode_used: SearchMode
    took_ms: float
    vaults: tuple[str, ...]
    notices: tuple[str, ...]
    total: int


@operation(
    example={"query": "sourdough starter", "limit": 3},
    vault=False,
    quotes=True,
    tasks=(
        "search all vaults at once",
        "find notes in every vault",
        "in which vault did I write about a topic",
        "which of my vaults has something about this",
        "look something up across several vaults",
    ),
)
async def search_everywhere(
    call: Call,
    query: Query,
    limit: Limit = 10,
    mode: SearchMode = "hybrid",
    tags: tuple[str, ...] = (),
    types: tuple[NoteKind, ...] = (),
    vaults: Annotated[tuple[str, ...], MaxLen(100)] = (),
) -> FoundEverywhere:
    """Find notes by words and meaning in all served vaults at once.

    A vault that is slow or not ready is left out, and named in `notices`.

    Args:
        query: What to look for, as for `search`.
        limit: Maximum hits.
        mode: Match words, meaning or both.
        tags: Only notes with all these tags; `a` matches `a/b`.
        types: Only these file types.
        vaults: Only these vaults, by name or id.

    Raises:
        ModelMissing: The mode is `semantic` and no model is installed.
        InvalidArguments: The query is empty.
        NotReady: No vault is ready.
    """
    started = time.perf_counter()
    if not query.strip():
        raise InvalidArguments("`query` is empty.", hint="Use `find_notes` to list the notes of a vault.")
    bridge = call.bridge
    named = list(dict.fromkeys(map(bridge.find, vaults))) if vaults else list(bridge.vaults.values())
    request = SearchRequest(query, limit=limit, mode=mode, tags=tags, types=types)
    await _embed_query(call, named, request)
    answers = await ask_all(named, lambda host: _search(replace(call, vault_name=host.id), request))
    # A rule may have been added while others were still answering.
    found = {
        host: redact_denied(answer, host.files.rules)
        for host, answer in answers.items()
        if isinstance(answer, SearchResult)
    }
    notices = tuple(_notices(named, answers))
    if not found:
        raise _refusal(answers, notices)
    return FoundEverywhere(
        hits=tuple(merge_hits(found, limit)),
        mode_used="keyword" if all(one.mode_used == "keyword" for one in found.values()) else mode,
        took_ms=round((time.perf_counter() - started) * 1000, 1),
        vaults=tuple(host.name for host in found),
        notices=notices,
        total=sum(one.total for one in found.values()),
    )


def merge_hits(found: Mapping[Host, SearchResult], limit: int) -> Iterable[VaultHit]:
    """Return the best hits of several vaults, the best first.

    Their scores are comparable: full-text scores count by the share of the query's words that a note says, and cosines
    by their model's curve. Merging by ranks was measured, and is worse (docs/measurements.md).
    """
    hits = [
        VaultHit(**{field.name: getattr(hit, field.name) for field in fields(Hit)}, vault=host.name)
        for host, answer in found.items()
        for hit in answer.hits
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.vault, hit.path))[:limit]


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


async def _search(call: Call, request: SearchRequest) -> SearchResult:
    started, vault = time.perf_counter(), call.vault
    await vault.first_answers.prepare(request)
    sources = await vault.sources_among(choose_among(vault, None, (), request.query))
    try:
        return build_search_result(call, await search(sources, request), started)
    except ModelMissing:
        raise vault.why_not_by_meaning() from None


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
