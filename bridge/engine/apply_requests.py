"""Applies requests to change the vault, with the context that they need."""

import contextlib
import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from itertools import chain
from pathlib import Path

from msgspec import field
from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect, Reference, merge_effects
from bridge.changes.link_check import LinkCheck, check_links, find_lost
from bridge.changes.requests.base import Request, RequestContext
from bridge.changes.requests.move_note import stale_name_warnings
from bridge.changes.view import LinkSources, VaultView
from bridge.engine.indexer import Indexer
from bridge.engine.planned_change import PlannedChange, VaultCounter
from bridge.engine.read_cache import ReadCache
from bridge.engine.transactions import Author, ChangeOutcome, ChangeWriter
from bridge.errors import BridgeError
from bridge.index.note import IndexedNote
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.state.change_records import ChangeFacts
from bridge.state.store import Store
from bridge.types import Digest, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.vault import Vault


class ChangeLimits(Record):
    """What requests may not do."""

    may_touch: Callable[[VaultPath], bool]
    """Returns whether a file may be changed."""
    may_break: Callable[[VaultPath], bool]
    """Returns whether links in a note may lead nowhere afterwards."""
    seconds: float = math.inf
    """Seconds of processor time after which no further ones are tried."""


class RequestSelection(Record):
    """The choice of those of some requests that can be applied to a draft, and may be."""

    requests: Sequence[Request]
    draft: Draft
    """Without steps at first."""
    context: RequestContext
    """What requests need."""
    limits: ChangeLimits
    lost: Callable[[Draft, int, RequestContext], Sequence[Reference]]
    """Returns the links to headings and blocks that the steps from a number on remove."""
    is_read_only: Callable[[VaultPath], bool]
    refused: dict[int, str] = field(default_factory=dict)
    """Gets the reason of each that cannot be applied, by its number."""
    breaking: set[int] = field(default_factory=set)
    """Gets the numbers of those after which links would lead nowhere."""
    locked: dict[int, VaultPath] = field(default_factory=dict)
    """Gets the read-only file of each that would change one."""
    untried: set[int] = field(default_factory=set)
    """Gets the numbers of those for which there was no time."""

    def make(self) -> Effect:
        """Apply the requests that can be applied, and return their effect."""
        effects: list[Effect] = []
        ends = time.thread_time() + self.limits.seconds
        for number, request in enumerate(self.requests):
            if time.thread_time() >= ends:
                self.refused[number] = "There was no time left to try it."
                self.untried.add(number)
                continue
            done = len(self.draft.steps)
            try:
                effect = request.plan(self.draft, self.context)
                why = self._refusal(number, effect, done)
            except BridgeError as error:
                why = error.message
            if why is None:
                effects.append(effect)
            else:
                self.refused[number] = why
                # One that is refused may leave steps behind.
                self.draft.rewind(done)
        return merge_effects(effects)

    def _refusal(self, number: int, effect: Effect, since: int) -> str | None:
        steps = self.draft.steps[since:]
        touched = {place for step in steps for place in (step.path, step.to) if place is not None}
        if kept := next((path for path in sorted(touched) if not self.limits.may_touch(path)), None):
            return f"`{kept}` would have to change, and is to be left alone."
        if locked := next(filter(self.is_read_only, sorted(touched)), None):
            self.locked[number] = locked
            return f"`{locked}` would have to change, and is read-only."
        lost = (*effect.broken, *self.lost(self.draft, since, self.context))
        if broken := [link for link in lost if not self.limits.may_break(link.path)]:
            self.breaking.add(number)
            first = broken[0]
            more = f", and {len(broken) - 1} more links" if len(broken) > 1 else ""
            return f"`[[{first.text}]]` in `{first.path}:{first.line}` would lead nowhere{more}."
        return None


BOOKMARKS = Path(".obsidian", "bookmarks.json")


class RequestExecutor:
    """Executes change requests on the current vault."""

    def __init__(self, indexer: Indexer, writing: ChangeWriter, store: Store, recent: ReadCache) -> None:
        self._indexer = indexer
        self._writing = writing
        self._store = store
        self._recent = recent
        self._counter = VaultCounter(indexer)

    async def execute(
        self,
        requests: Sequence[Request],
        author: Author,
        *,
        dry_run: bool = False,
        expect: Mapping[str, int] | None = None,
        finish: Callable[[Draft], None] | None = None,
        forecast: Mapping[str, int] | bool = False,
    ) -> ChangeOutcome:
        indexer = self._indexer
        indexer.require_complete()
        if unread := [request.path for request in requests if request.relinks and self._is_unread(request.path)]:
            await indexer.look_at(unread)

        def planner(draft: Draft) -> PlannedChange:
            # Only now: an earlier change may have written other links while this one waited.
            context = request_context(
                indexer.vault, indexer.names, indexer.index.notes, self._read_before, self._agents
            )
            planned = apply_requests(requests, draft, context)
            if finish is not None:
                finish(draft)
            if forecast is not False:
                planned = self._counter.forecast(draft, planned, None if forecast is True else forecast)
            if all(request.relinks for request in planned.requests):
                # They check every link themselves, but not those that cannot follow a heading in which they write.
                names = context.view(draft).names
                found = LinkCheck(tuple(find_lost(draft, 0, names, indexer.index.notes, self._sources, headings=True)))
            elif planned.keeps_structure:
                return planned
            else:
                found = check_links(draft, indexer.names, indexer.index.notes, self._sources)
            effect = planned.effect
            return replace(
                planned,
                effect=replace(
                    effect, broken=(*effect.broken, *found.lost), warnings=(*effect.warnings, *found.warnings)
                ),
            )

        # A forecast tells what the change does to the links of other notes too.
        paths = touched_paths(requests) if forecast is False else None
        return await self._writing.make(planner, paths, author, dry_run=dry_run, expect=expect)

    async def execute_each(
        self,
        requests: Sequence[Request],
        author: Author,
        *,
        limits: ChangeLimits,
        dry_run: bool = False,
    ) -> tuple[ChangeOutcome, RequestSelection]:
        """Apply those of some requests that can be applied, as one change with a forecast that is checked."""
        indexer = self._indexer
        indexer.require_complete()
        tries: list[RequestSelection] = []

        def planner(draft: Draft) -> PlannedChange:
            notes = indexer.index.notes
            context = request_context(indexer.vault, indexer.names, notes, self._read_before, self._agents)

            def lost(draft: Draft, since: int, context: RequestContext) -> Sequence[Reference]:
                return list(find_lost(draft, since, context.view(draft).names, notes, self._sources))

            selection = RequestSelection(requests, draft, context, limits, lost, indexer.vault.is_read_only)
            tries.append(selection)
            effect = selection.make()
            effect = replace(effect, warnings=(*effect.warnings, *stale_name_warnings(draft)))
            chosen = [request for number, request in enumerate(requests) if number not in selection.refused]
            path = (chosen or requests)[-1].result_path
            facts = ChangeFacts(forecast=True, renames=renames_of(chosen))
            planned = PlannedChange(path, effect, facts=facts, requests=chosen)
            return self._counter.forecast(draft, planned, None)

        return await self._writing.make(planner, None, author, dry_run=dry_run), tries[-1]

    @property
    def _agents(self) -> str:
        return self._indexer.index.kept_apart.path

    def _is_unread(self, path: VaultPath) -> bool:
        names = self._indexer.names
        known = path in names or any(name.startswith(f"{path}/") for name in names)
        return not known and self._indexer.vault.has(path)

    def _sources(self, path: VaultPath) -> Collection[VaultPath]:
        link_resolver = self._indexer.link_resolver
        resolved_links = link_resolver.resolved_links if link_resolver.is_settled else None
        return list(self._indexer.index.notes) if resolved_links is None else resolved_links.sources(path)

    def _read_before(self, digest: Digest) -> bytes | None:
        data = self._recent.get(digest)
        if data is None:
            with contextlib.suppress(BridgeError):
                data = self._store.snapshots.read(digest)
        return data


def touched_paths(requests: Sequence[Request]) -> frozenset[VaultPath] | None:
    """Return the notes that requests can change; None when it may be any note."""
    found = [request.paths for request in requests]
    return None if None in found else frozenset(path for paths in found for path in paths or ())


def renames_of(requests: Iterable[Request]) -> tuple[tuple[str, str], ...]:
    return tuple(chain.from_iterable(one.renames for one in requests))


def apply_requests(requests: Sequence[Request], draft: Draft, context: RequestContext) -> PlannedChange:
    effects: list[Effect] = []
    for number, request in enumerate(fill_digests(requests)):
        try:
            effects.append(request.plan(draft, context))
        except BridgeError as error:
            if len(requests) > 1:
                error.locate(f"edits[{number}]")
            raise
    effect = merge_effects(effects)
    effect = replace(effect, warnings=(*effect.warnings, *stale_name_warnings(draft)))
    return PlannedChange(
        requests[-1].result_path,
        effect,
        facts=ChangeFacts(
            renames=renames_of(requests),
            sources=tuple(draft.sources),
            agreement=next((request.agreement for request in requests if request.agreement), None),
        ),
        requests=[part for request in requests for part in request.parts],
        keeps_structure=all(request.keeps_structure for request in requests),
    )


def fill_digests(requests: Sequence[Request]) -> Iterator[Request]:
    """Yield the requests; one without a digest gets that of an earlier request for the same note."""
    digests: dict[VaultPath, Digest] = {}
    for request in requests:
        if not hasattr(request, "digest"):
            yield request
            continue
        if request.digest is not None:
            digests[request.path] = request.digest
        yield replace(request, digest=digests.get(request.path))
        if request.path in digests:
            digests[request.result_path] = digests.pop(request.path)


def request_context(
    vault: Vault,
    names: Names,
    notes: Mapping[VaultPath, IndexedNote],
    read_before: Callable[[Digest], bytes | None],
    agents: str = "",
) -> RequestContext:
    """Return the context of requests; its parts are read when first needed, since most requests need few of them."""

    @cache
    def links(draft: Draft) -> LinkSources:
        return LinkSources(draft, names.copy(), notes, vault.rules)

    bookmarks = cache(partial(read_bookmarks, vault.root))

    def view(draft: Draft) -> VaultView:
        sources = links(draft)
        sources.follow()
        return VaultView(sources.names, notes, sources, draft.read, vault.rules, bookmarks(), agents)

    settings = cache(partial(read_obsidian_settings, vault.root))
    return RequestContext(view, settings, datetime.now().astimezone(), read_before)


def read_bookmarks(root: Path) -> bytes:
    try:
        return (root / BOOKMARKS).read_bytes()
    except OSError:
        return b""
