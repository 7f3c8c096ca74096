"""The stores that the user searches beside the own vaults."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from bridge.api.call import Call
from bridge.data_folder import Folders
from bridge.errors import BridgeError
from bridge.index.shared_store import ADDRESS, Publication, Row, SharedStore, check_uri
from bridge.records import Record
from bridge.search.calibrate import calibrate_cosines, model_calibration, model_trust, scale_by_coverage
from bridge.search.fuse import WEIGHTS, RetrieverResult, drop_irrelevant, fuse
from bridge.search.model import SearchHit, SearchRequest
from bridge.search.query import Query, parse_query
from bridge.search.retrievers import MIN_COVERED_SHARE, RETRIEVER_NOTES
from bridge.search.snippet import clean_text, cut_snippet, drop_headings
from bridge.settings.schema import Setting
from bridge.text.invisible import inline
from bridge.text.match import Matcher, compile_matcher
from bridge.types import VaultPath

DEADLINE_S, COMMAND_DEADLINE_S = 1.0, 10.0
"""Seconds that a store has for its answer; a command without a bridge has to load LanceDB first."""


class SharedIndexSettings(Record):
    """The settings of shared indexes."""

    stores: Annotated[
        tuple[str, ...],
        Setting(
            "Stores that `search --everywhere` asks as well: folders, or object stores such as `s3://bucket/team`.",
            pattern=ADDRESS,
            wanted="must list full paths of folders, or addresses such as s3://bucket/team without credentials",
        ),
    ] = ()


class SharedStores:
    """The open stores of all vaults."""

    def __init__(self, folders: Folders) -> None:  # noqa: ARG002  # as every part of a bridge
        self._stores: dict[str, asyncio.Task[SharedStore]] = {}

    async def open(self, uri: str) -> SharedStore:
        """Return the store at an address; it stays open."""
        place = check_uri(uri)
        is_away = "://" not in place and not await asyncio.to_thread(Path(place).is_dir)
        if (task := self._stores.get(place)) is None or is_away or (task.done() and task.exception() is not None):
            task = self._stores[place] = asyncio.create_task(SharedStore.open(place), name="shared store")
        return await asyncio.shield(task)

    async def close(self) -> None:
        for task in self._stores.values():
            task.cancel()
        await asyncio.gather(*self._stores.values(), return_exceptions=True)


class SharedAnswer(Record):
    """What the stores found: hits, each with the name of the vault that published it, and remarks."""

    hits: Sequence[tuple[str, SearchHit]] = ()
    notices: tuple[str, ...] = ()


async def search_stores(call: Call, request: SearchRequest, *, plain: bool) -> SharedAnswer:
    """Search every store of the settings by words and meaning; a store that is away costs a notice."""
    stores = call.bridge.settings.section(SharedIndexSettings).stores
    if not stores:
        return SharedAnswer()
    query = parse_query(request.query)
    unfiltered = SearchRequest(
        request.query, limit=request.limit, mode=request.mode, deep=request.deep, min_score=request.min_score
    )
    if not plain or query.condition is not None or request != unfiltered:
        return SharedAnswer(notices=("Shared stores are asked only for plain words, without filters and `explain`.",))
    answers = await asyncio.gather(*(_ask(call, uri, query, request) for uri in dict.fromkeys(stores)))
    hits = [hit for answer in answers for hit in answer.hits]
    return SharedAnswer(hits, tuple(notice for answer in answers for notice in answer.notices))


async def _ask(call: Call, uri: str, query: Query, request: SearchRequest) -> SharedAnswer:
    try:
        async with asyncio.timeout(COMMAND_DEADLINE_S if call.transport == "command" else DEADLINE_S):
            store = await call.bridge.part(SharedStores).open(uri)
            found = await asyncio.gather(
                *(
                    _search(call, store, name, publication, query, request)
                    for name, publication in (await store.publications()).items()
                )
            )
    except TimeoutError:
        return SharedAnswer(notices=(f"The shared store {inline(uri)} did not answer in time.",))
    except BridgeError as error:
        return SharedAnswer(notices=(f"A shared store was not searched: {error.message}",))
    return SharedAnswer([hit for hits in found for hit in hits])


async def _search(
    call: Call, store: SharedStore, name: str, publication: Publication, query: Query, request: SearchRequest
) -> list[tuple[str, SearchHit]]:
    vector, embedders = None, call.bridge.embedders
    if request.mode != "keyword" and embedders is not None and publication.model is not None:
        vector = await embedders.embed_query(publication.model, query.text)
    words, near = await store.search(name, " ".join(query.content), vector, RETRIEVER_NOTES)
    if request.mode == "semantic":
        words = ()
    matcher = compile_matcher(query.words, query.phrases)
    rows = {row["id"]: row for row in (*near, *words)}
    by_words = _by_words(words, matcher, query)
    ranked, _ = drop_irrelevant(fuse([by_words, _by_meaning(near, publication.model, query)]), by_words.calibrated)
    best: dict[str, SearchHit] = {}
    for path, score in ranked:
        row = rows[path]
        best.setdefault(row["note"], _hit(row, score, publication, matcher))
    label = f"{publication.publisher}: {publication.vault}"
    return [(label, hit) for hit in best.values() if hit.score >= request.min_score][: request.limit]


def _by_words(rows: Sequence[Row], matcher: Matcher, query: Query) -> RetrieverResult:
    raw = {VaultPath(row["id"]): float(row["_score"]) for row in rows}
    wanted = {*query.content}
    cover = {
        VaultPath(row["id"]): len({match.word for match in matcher.find(row["text"])} & wanted) / max(1, len(wanted))
        for row in rows
    }
    return RetrieverResult(WEIGHTS["stems"], raw, scale_by_coverage(raw, cover, MIN_COVERED_SHARE))


def _by_meaning(rows: Sequence[Row], model: str | None, query: Query) -> RetrieverResult:
    known = model_calibration(model)
    raw = {VaultPath(row["id"]): 1.0 - float(row["_distance"]) for row in rows}
    trust = model_trust(query.text, known)
    return RetrieverResult(WEIGHTS["meaning"] * trust, raw, calibrate_cosines(raw, known))


def _hit(row: Row, score: float, publication: Publication, matcher: Matcher) -> SearchHit:
    text = row["text"][row["start"] :]
    plain = clean_text(text)
    snippet = drop_headings(text.lstrip(), plain, matcher.find(plain))
    day = time.strftime("%Y-%m-%d", time.localtime(publication.time))
    return SearchHit(
        path=VaultPath(row["path"]),
        title=row["title"],
        heading=row["heading"],
        lines=(row["first"], row["last"]),
        snippet=cut_snippet(*snippet),
        score=round(score, 4),
        why=(f"published {day} by {publication.publisher}",),
        tags=tuple(row["tags"]),
        modified=row["modified"],
        digest=row["digest"],
    )
