"""Searches while a vault is read for the first time."""

import asyncio
import os
from pathlib import Path

import pytest

from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.parser_pool import MAX_NOTES_WITHOUT_POOL
from bridge.errors import NotReady
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.types import VaultPath
from tests.engine.conftest import Opened, settled, until
from tests.holding import hold_reading

pytestmark = pytest.mark.process

MANY = MAX_NOTES_WITHOUT_POOL + 50
OLDEST = VaultPath("Oldest.md")
TWIN = VaultPath("Twin.md")


@pytest.fixture
def many(vault: Path) -> Path:
    """Return a vault with so many notes that its oldest one is read long after the first."""
    for number in range(MANY):
        (vault / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Paragraph {number} of a harvest diary.\n\n" * 20)
    (vault / OLDEST).write_text("# Lighthouse\n\nThe keeper winds the clockwork of the lamp twice a night.\n")
    (vault / TWIN).write_text("# Tower\n\nA church clock: its clockwork weighs more than the bell.\n")
    for path in (OLDEST, TWIN):
        os.utime(vault / path, (0, 0))
    return vault


@pytest.fixture(autouse=True)
def may_read(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    return hold_reading(monkeypatch)


async def only_words_known(bridge: Bridge) -> Host:
    """Wait until the words of all files are known; no note was read then."""
    host = bridge.find(None)
    await until(lambda: host.progress().ready_words)
    assert not host.progress().ready_keyword
    assert OLDEST not in host.vault.index.notes
    return host


async def ask(host: Host, request: SearchRequest) -> list[str]:
    await host.vault.first_answers.prepare(request)
    return [hit.path for hit in (await search(host.vault.sources(), request)).hits]


async def test_the_notes_that_a_query_asks_for_are_read_first(many: Path, opened: Opened, tmp_path: Path) -> None:
    async with opened(many, models=tmp_path / "none") as bridge:
        host = await only_words_known(bridge)
        request = SearchRequest("winding clockwork", mode="keyword")
        await host.vault.first_answers.prepare(request)
        answer = await search(host.vault.sources(), request)
        assert {hit.path for hit in answer.hits} == {OLDEST, TWIN}
        assert answer.hits[0].snippet == "The keeper ==winds== the ==clockwork== of the lamp twice a night."
        assert answer.hits[0].lines == (1, 3)
        assert answer.notices[0].startswith("The vault is being read for the first time")
        # Nothing can be said yet of what the vault lacks.
        assert answer.answerability is None
        assert not host.progress().ready_keyword


async def test_a_file_is_found_by_its_name(many: Path, opened: Opened, tmp_path: Path) -> None:
    async with opened(many, models=tmp_path / "none") as bridge:
        host = await only_words_known(bridge)
        assert (await ask(host, SearchRequest("twin", mode="keyword")))[0] == TWIN


async def test_what_was_read_first_is_indexed_once(
    many: Path, opened: Opened, tmp_path: Path, may_read: asyncio.Event
) -> None:
    async with opened(many, models=tmp_path / "none") as bridge:
        host = await only_words_known(bridge)
        await ask(host, SearchRequest("clockwork", mode="keyword"))
        assert host.vault.index.notes.keys() == {OLDEST, TWIN}
        may_read.set()
        await until(lambda: host.progress().ready_keyword)
        assert len(host.vault.index.notes) == MANY + 6
        assert set(await ask(host, SearchRequest("clockwork", mode="keyword"))) == {OLDEST, TWIN}


async def test_what_depends_on_more_than_words_waits(many: Path, opened: Opened, tmp_path: Path) -> None:
    requests = [
        SearchRequest("clockwork tag:#lamp"),
        SearchRequest('"the clockwork"'),
        SearchRequest("clockwork", folder="Bread"),
        SearchRequest("clockwork", mode="semantic"),
        SearchRequest(""),
    ]
    async with opened(many, models=tmp_path / "none") as bridge:
        host = await only_words_known(bridge)
        for request in requests:
            with pytest.raises(NotReady):
                await host.vault.first_answers.prepare(request)


async def test_a_denied_note_is_not_read_first(many: Path, opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.toml").write_text(f'deny = ["{OLDEST}"]\n')
    async with opened(many, models=tmp_path / "none") as bridge:
        host = await only_words_known(bridge)
        assert await ask(host, SearchRequest("clockwork", mode="keyword")) == [TWIN]


async def test_a_note_that_changes_meanwhile_is_found_as_it_is(
    many: Path, opened: Opened, tmp_path: Path, may_read: asyncio.Event
) -> None:
    async with opened(many, models=tmp_path / "none") as bridge:
        host = await only_words_known(bridge)
        await ask(host, SearchRequest("clockwork", mode="keyword"))
        (many / OLDEST).write_text("# Lighthouse\n\nAn electric motor turns the lamp.\n")
        may_read.set()
        await settled_words(host)
        assert await ask(host, SearchRequest("electric motor", mode="keyword")) == [OLDEST]
        assert await ask(host, SearchRequest("clockwork", mode="keyword")) == [TWIN]


async def settled_words(host: Host) -> None:
    """Wait until every note is indexed as it is on disk."""
    digests = {path: host.files.read(path)[1] for path in host.files.scan().files}

    def current() -> bool:
        notes = host.vault.index.notes
        return host.progress().ready_keyword and all(
            path in notes and notes[path].mtime_ns == stat.mtime_ns for path, stat in digests.items()
        )

    await until(current)


async def test_an_interrupted_first_index_answers_by_words_too(many: Path, opened: Opened, tmp_path: Path) -> None:
    async with opened(many, models=tmp_path / "none") as bridge:
        await only_words_known(bridge)
    async with opened(many, models=tmp_path / "none") as bridge:
        host = await only_words_known(bridge)
        assert set(await ask(host, SearchRequest("clockwork", mode="keyword"))) == {OLDEST, TWIN}


async def test_few_notes_are_read_at_once(vault: Path, opened: Opened, may_read: asyncio.Event) -> None:
    may_read.set()
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await settled(host)
        assert host.progress().ready_words
        assert await ask(host, SearchRequest("frost", mode="keyword")) == ["Garden/Beans.md"]
