"""Links are there as soon as a note was taken up; the graph follows, at the latest when somebody asks for it."""

import asyncio
from pathlib import Path

from bridge.engine.bridge import Bridge
from bridge.engine.host import VaultEngine
from bridge.types import VaultPath
from tests.engine.conftest import Opened, settled, until

RYE, BEANS = VaultPath("Bread/Rye.md"), VaultPath("Garden/Beans.md")


def only(bridge: Bridge) -> VaultEngine:
    return bridge.find(None)


def sources(engine: VaultEngine, path: VaultPath) -> set[str]:
    resolved_links = engine.indexer.link_resolver.resolved_links
    return {*(resolved_links.sources(path) if resolved_links else ())}


async def test_whoever_reports_an_edit_finds_its_links_at_once(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        engine = only(bridge)
        await settled(engine)
        before = (await engine.waiting.graph_snapshot()).graph
        (vault / BEANS).write_text("# Beans\n\nEaten with [[Rye]].\n")
        await engine.report([BEANS])
        assert sources(engine, RYE) == {BEANS, "Bread/Sourdough.md"}
        assert before.linked_from(RYE) == {"Bread/Sourdough.md"}
        assert (await engine.waiting.graph_snapshot()).graph.linked_from(RYE) == {BEANS, "Bread/Sourdough.md"}


async def test_the_graph_that_ranks_follows_without_being_asked_for(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        engine = only(bridge)
        await settled(engine)
        (vault / BEANS).write_text("# Beans\n\nEaten with [[Rye]].\n")
        await until(lambda: engine.graph is not None and BEANS in engine.graph.linked_from(RYE))


async def test_the_graph_follows_though_changes_never_pause(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        engine = only(bridge)
        await settled(engine)
        async with asyncio.timeout(60):
            turn = 0
            while engine.graph is None or BEANS not in engine.graph.linked_from(RYE):
                (vault / BEANS).write_text(f"# Beans\n\nEaten with [[Rye]], {(turn := turn + 1)} times.\n")
                await engine.report([BEANS])


async def test_links_to_an_attachment_follow_too(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        engine = only(bridge)
        await settled(engine)
        (vault / BEANS).write_text("![[row.png]] and [[row.png]] and [[Beans]]\n")
        await engine.report([BEANS])
        plan = VaultPath("Garden/row.png")
        assert sources(engine, plan) == set()
        (vault / plan).write_bytes(b"")
        await engine.report([plan])
        assert engine.indexer.link_resolver.settled
        assert sources(engine, plan) == {BEANS}
        # A link to oneself makes nobody a source.
        assert sources(engine, BEANS) == set()
