"""Links are there as soon as a note was taken up; the graph follows, at the latest when somebody asks for it."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.link_graph import LinkTable
from bridge.types import VaultPath
from tests.engine.conftest import PATIENCE_S, Opened, settled, until

RYE, BEANS = VaultPath("Bread/Rye.md"), VaultPath("Garden/Beans.md")


def only(bridge: Bridge) -> Host:
    return bridge.find(None)


def sources(host: Host, path: VaultPath) -> set[str]:
    resolved_links = host.vault.indexer.link_resolver.resolved_links
    return {*(resolved_links.sources(path) if resolved_links else ())}


async def test_whoever_reports_an_edit_finds_its_links_at_once(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        before = (await host.vault.graph_snapshot()).graph
        (vault / BEANS).write_text("# Beans\n\nEaten with [[Rye]].\n")
        await host.vault.indexer.look_at([BEANS])
        assert sources(host, RYE) == {BEANS, "Bread/Sourdough.md"}
        assert before.linked_from(RYE) == {"Bread/Sourdough.md"}
        assert (await host.vault.graph_snapshot()).graph.linked_from(RYE) == {BEANS, "Bread/Sourdough.md"}


async def test_links_are_not_settled_while_they_are_resolved(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, free = threading.Event(), threading.Event()
    resolve = LinkTable.resolve

    def resolve_slowly(*given: Any) -> None:
        begun.set()
        free.wait(PATIENCE_S)
        resolve(*given)

    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        resolver = host.vault.indexer.link_resolver
        await until(lambda: resolver.is_settled)
        monkeypatch.setattr(LinkTable, "resolve", resolve_slowly)
        resolver.mark_changed({BEANS})
        resolving = asyncio.create_task(resolver.resolve())
        await asyncio.to_thread(begun.wait, PATIENCE_S)
        assert not resolver.is_settled
        free.set()
        await resolving
        # A task of the vault may resolve as well.
        await until(lambda: resolver.is_settled)


async def test_the_graph_that_ranks_follows_without_being_asked_for(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        (vault / BEANS).write_text("# Beans\n\nEaten with [[Rye]].\n")
        await until(lambda: host.vault.graph is not None and BEANS in host.vault.graph.linked_from(RYE))


async def test_the_graph_follows_though_changes_never_pause(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        async with asyncio.timeout(PATIENCE_S):
            turn = 0
            while host.vault.graph is None or BEANS not in host.vault.graph.linked_from(RYE):
                (vault / BEANS).write_text(f"# Beans\n\nEaten with [[Rye]], {(turn := turn + 1)} times.\n")
                await host.vault.indexer.look_at([BEANS])


async def test_links_to_an_attachment_follow_too(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        (vault / BEANS).write_text("![[row.png]] and [[row.png]] and [[Beans]]\n")
        await host.vault.indexer.look_at([BEANS])
        plan = VaultPath("Garden/row.png")
        assert sources(host, plan) == set()
        (vault / plan).write_bytes(b"")
        await host.vault.indexer.look_at([plan])
        assert host.vault.indexer.link_resolver.is_settled
        assert sources(host, plan) == {BEANS}
        # A link to oneself makes nobody a source.
        assert sources(host, BEANS) == set()
