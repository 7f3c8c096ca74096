"""Searches every served vault at once."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.redact import redact_denied
from bridge.engine.host import Host
from bridge.errors import BridgeError, InvalidArguments, NotReady
from bridge.features.search.results import Freshness, Hit, SearchResult, make_hit
from bridge.features.shared_index.public import SharedAnswer, search_stores
from bridge.search.model import SearchRequest
from bridge.search.query import parse_query
from bridge.text.invisible import inline

DEADLINE_S = 0.5
"""Seconds that a vault has for its answer, once another has answered."""

PATIENCE_S: Final = 10.0
"""Seconds for the first answer, as after a start, when every vault is slow."""

Answers = Mapping["Host", SearchResult | BridgeError]


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
