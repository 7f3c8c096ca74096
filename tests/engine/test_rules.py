"""What the rules deny seems missing at once, and is erased from all that is kept."""

import asyncio
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.link_graph import ResolvedLinks
from bridge.errors import NoteNotFound, RulesUnknown
from bridge.index.index import Denies, Index
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.settings.file import load_settings, save_settings
from bridge.settings.schema import Settings
from bridge.types import VaultPath
from tests.engine.conftest import PATIENCE_S, Opened, settled, until

pytestmark = pytest.mark.model

SECRET = VaultPath("Private/Yellowtwine/Zanzibarquux.md")
FIRST = "# Wolvertonia\n\nThe earlier codeword is grimblethorpe. [[Rye]]\n"
TEXT = "# Wolvertonia\n\nThe codeword is marzipanskew. #velvetgnu [[Rye]]\n"
TRACES = (b"ellowtwine", b"olvertonia", b"arzipanskew", b"elvetgnu", b"rimblethorpe")


@pytest.fixture
def secretive(vault: Path) -> Path:
    """The vault with a private folder."""
    (vault / SECRET).parent.mkdir(parents=True)
    (vault / SECRET).write_text(TEXT)
    (vault / "Private/Zanzibarquux map.png").write_bytes(b"png")
    (vault / "Bread/Loaf.md").write_text("See [[Zanzibarquux]] and [[Zanzibarquux map.png]].\n")
    return vault


def only(bridge: Bridge) -> Host:
    return bridge.find(None)


async def found(host: Host, words: str, mode: str = "hybrid") -> list[str]:
    answer = await search(host.vault.sources(), SearchRequest(query=words, mode=mode))  # type: ignore[arg-type]
    return [hit.path for hit in answer.hits]


def traces(data: Path, *also: bytes) -> set[bytes]:
    """Return the words of the secret note, and other bytes, that stand somewhere in the data folder."""
    held = b""
    # Files and folders go while one looks.
    for folder, _, names in os.walk(data):
        held += folder.encode()
        for name in names:
            with suppress(FileNotFoundError):
                held += name.encode() + Path(folder, name).read_bytes()
    return {trace for trace in (*TRACES, *also) if trace in held}


def digests(host: Host, path: VaultPath) -> tuple[bytes, ...]:
    """Return the digests of a note's texts, which stand beside their vectors."""
    entry = host.vault.index._opened.catalogue.entry(path)
    assert entry is not None
    held = host.vault.index._opened.digests[entry.key]
    return (held.title, *(digest for digest in held.passages if digest))


def vectors(host: Host) -> dict[VaultPath, bytes]:
    """Return every note's vector."""
    found = {path: host.vault.index.vector_of(path) for path in host.vault.index.notes}
    return {path: vector.tobytes() for path, vector in found.items() if vector is not None}


async def versions(host: Host) -> set[int]:
    import lancedb

    database = await lancedb.connect_async(str(host.folders.index(host.id)))
    names = (await database.list_tables()).tables
    return {len(await (await database.open_table(name)).list_versions()) for name in names}


async def assert_missing(host: Host) -> None:
    """Check that nothing tells the secret note from one that never was."""
    assert SECRET not in host.vault.index.notes
    assert SECRET not in host.vault.names
    assert host.vault.names.resolve("Zanzibarquux", VaultPath("Bread/Loaf.md")).path is None
    assert host.vault.names.closest("Private/Zanzibarquu.md") == host.vault.names.closest("Nowhere/Zanzibarquu.md")
    for mode in ("keyword", "hybrid", "semantic"):
        assert SECRET not in await found(host, "marzipanskew wolvertonia grimblethorpe", mode)
    for path in (SECRET, VaultPath("Private/Zanzibarquux map.png")):
        assert replace(host.vault.inspect(path), path=VaultPath("Nowhere.md")) == host.vault.inspect(
            VaultPath("Nowhere.md")
        )
    progress = host.progress()
    assert [path for path in (*progress.skipped, *progress.failed) if "Private" in path] == []
    assert host.vault.graph is None or not host.vault.graph.neighbours(SECRET)


async def test_a_rule_that_comes_while_running_erases_at_once(secretive: Path, opened: Opened, tmp_path: Path) -> None:
    (secretive / SECRET).write_text(FIRST)
    async with opened(secretive) as bridge:
        host = only(bridge)
        await settled(host)
        marks = digests(host, SECRET)
        (secretive / SECRET).write_text(TEXT)
        await until(lambda: host.vault.index.notes[SECRET].size == len(TEXT))
        await settled(host)
        marks += digests(host, SECRET)
        host.store.failures.add(SECRET, host.vault.index.notes[SECRET].digest, "It was damaged.")
        assert SECRET in await found(host, "marzipanskew")
        before = host.progress()
        known = vectors(host)
        assert traces(tmp_path / "data", *marks) == {*TRACES, *marks}

        with bridge.events.subscribe() as queue:
            await bridge.use(save_settings(bridge.settings_path, {"deny": ["private/**"]}))
            told = [queue.get_nowait() for _ in range(queue.qsize())]
        await assert_missing(host)
        assert b"Private" not in b"".join(str(message.event).encode() for message in (*told, *bridge.events.since(0)))
        assert traces(tmp_path / "data", *marks) == set()
        assert await versions(host) == {1}
        after = host.progress()
        assert (after.notes, after.pending_vectors) == (before.notes - 1, 0)
        assert after.embedded_total == before.embedded_total
        assert {**vectors(host), SECRET: known[SECRET]} == known
    assert traces(tmp_path / "data", *marks) == set()


async def test_a_rule_in_the_file_is_taken_up(secretive: Path, opened: Opened, tmp_path: Path) -> None:
    async with opened(secretive) as bridge:
        await settled(only(bridge))
        bridge.settings_path.write_text('deny = ["Private"]\n')
        await until(lambda: SECRET not in only(bridge).vault.index.notes)
        await until(lambda: not traces(tmp_path / "data"))
        await assert_missing(only(bridge))


async def test_a_rule_that_came_while_the_bridge_was_down_holds_from_the_first_moment(
    secretive: Path, opened: Opened, tmp_path: Path
) -> None:
    async with opened(secretive) as bridge:
        await settled(only(bridge))
        only(bridge).store.failures.add(SECRET, only(bridge).vault.index.notes[SECRET].digest, "It was damaged.")
        total = only(bridge).progress().embedded_total
    bridge.settings_path.write_text('deny = ["Private/**"]\n')
    async with opened(secretive) as bridge:
        host = only(bridge)
        while not host.progress().ready_keyword:
            assert not host.progress().failed
            assert host._vault is None or SECRET not in host.vault.index.notes
            await asyncio.sleep(0)
        await until(lambda: host.vault.index.folder.cleansed_globs == {"Private/**"})
        await settled(host)
        await assert_missing(host)
        assert traces(tmp_path / "data") == set()
        assert host.progress().embedded_total == total


async def test_erasing_that_was_broken_off_is_done_at_the_next_start(
    secretive: Path, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(secretive) as bridge:
        await settled(only(bridge))
    bridge.settings_path.write_text('deny = ["Private/**"]\n')

    class Crash(BaseException):
        pass

    may_crash, crashed = asyncio.Event(), asyncio.Event()

    async def crash(*_: object) -> None:
        # Before the words are ready, they would never be.
        await may_crash.wait()
        crashed.set()
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(Index, "erase", crash)
        async with opened(secretive) as bridge:
            await until(lambda: only(bridge).progress().ready_keyword)
            await assert_missing(only(bridge))
            may_crash.set()
            await crashed.wait()
    assert traces(tmp_path / "data") != set()
    async with opened(secretive):
        await until(lambda: not traces(tmp_path / "data"))


async def test_a_note_that_moves_to_a_denied_place_is_erased_and_one_that_leaves_it_is_indexed(
    secretive: Path, opened: Opened, tmp_path: Path
) -> None:
    (secretive / SECRET).rename(secretive / "Zanzibarquux.md")
    shutil.rmtree(secretive / "Private")
    moved = VaultPath("Zanzibarquux.md")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/settings.toml").write_text('deny = ["Private/**"]\n')
    async with opened(secretive) as bridge:
        host = only(bridge)
        await settled(host)
        await until(lambda: host.vault.indexer.watching)
        marks = digests(host, moved)
        assert moved in await found(host, "marzipanskew")
        assert set(marks) <= traces(tmp_path / "data", *marks)
        (secretive / SECRET).parent.mkdir(parents=True)
        (secretive / moved).rename(secretive / SECRET)
        await until(lambda: moved not in host.vault.index.notes)
        await until(lambda: not traces(tmp_path / "data", *marks))
        await assert_missing(host)
        (secretive / SECRET).rename(secretive / moved)
        await until(lambda: moved in host.vault.index.notes)
        await settled(host)
        assert moved in await found(host, "marzipanskew")


async def test_a_note_that_moved_while_the_bridge_was_down_is_erased(
    secretive: Path, opened: Opened, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/settings.toml").write_text('deny = ["Hidden/**"]\n')
    async with opened(secretive) as bridge:
        await settled(only(bridge))
    (secretive / "Private").rename(secretive / "Hidden")
    async with opened(secretive):
        await until(lambda: not traces(tmp_path / "data"))


async def test_a_rule_that_is_lifted_lets_its_notes_in_and_holds_when_it_is_back(
    secretive: Path, opened: Opened, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/settings.toml").write_text('deny = ["Private/**", "Other/**"]\n')
    async with opened(secretive) as bridge:
        host = only(bridge)
        await settled(host)
        assert traces(tmp_path / "data") == set()
        await bridge.use(save_settings(bridge.settings_path, {"deny": ["Other/**"]}))
        assert host.vault.index.folder.cleansed_globs == {"Other/**"}
        assert host.vault.names.resolve("Zanzibarquux", VaultPath("Bread/Loaf.md")).path == SECRET
        await settled(host)
        assert SECRET in await found(host, "marzipanskew")
        assert traces(tmp_path / "data") != set()
        await bridge.use(save_settings(bridge.settings_path, {"deny": ["Private/**"]}))
        await assert_missing(host)
        assert traces(tmp_path / "data") == set()


async def test_a_rule_that_comes_during_the_first_indexing_holds(
    secretive: Path, opened: Opened, tmp_path: Path
) -> None:
    for number in range(60):
        (secretive / f"Private/Zanzibarquux {number}.md").write_text(TEXT)
        (secretive / f"Bread/{number}.md").write_text(f"Crumb {number}.\n")
    async with opened(secretive) as bridge:
        host = only(bridge)
        await until(lambda: host._vault is not None and bool(host.vault.indexer.pending))
        using = asyncio.create_task(bridge.use(save_settings(bridge.settings_path, {"deny": ["Private/**"]})))
        await until(lambda: host.files.rules.deny != ())
        while not using.done():
            assert not [p for p in (*host.vault.index.notes, *host.vault.names) if p.startswith("Private/")]
            await asyncio.sleep(0)
        await settled(host)
        await assert_missing(host)
        await until(lambda: not traces(tmp_path / "data"))
        assert len([path for path in host.vault.index.notes if path.startswith("Bread/")]) == 63


@pytest.mark.parametrize("step", ["_look", "resolve", "graph"])
async def test_what_was_begun_under_other_rules_is_done_again(
    secretive: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    async with opened(secretive) as bridge:
        host = only(bridge)
        await settled(host)
        indexer = host.vault.indexer
        part: Any = {"_look": indexer, "resolve": indexer.link_resolver._links, "graph": ResolvedLinks}[step]
        begun, go_on, real = threading.Event(), threading.Event(), getattr(part, step)

        def slowly(*given: object) -> object:
            result = real(*given)
            begun.set()
            assert go_on.wait(PATIENCE_S)
            return result

        monkeypatch.setattr(part, step, slowly)
        (secretive / "Fresh.md").write_text("Fresh.\n")
        looking = asyncio.create_task(host.vault.indexer.reconcile())
        await until(begun.is_set)
        using = asyncio.create_task(bridge.use(save_settings(bridge.settings_path, {"deny": ["Private/**"]})))
        await until(lambda: SECRET not in host.vault.index.notes)
        go_on.set()
        while not using.done():
            assert SECRET not in host.vault.names
            assert host.vault.graph is None or not host.vault.graph.neighbours(SECRET)
            await asyncio.sleep(0)
        await looking
        assert "Fresh.md" in host.vault.index.notes


async def test_lines_that_only_denied_notes_repeat_are_unlearnt(secretive: Path, opened: Opened) -> None:
    for number in range(40):
        (secretive / f"Private/{number}.md").write_text(f"Weather today\nSecret ritual\nWords {number}.\n")
        (secretive / f"Garden/{number}.md").write_text(f"Weather today\nBeds {number}.\n")
    (secretive / "Garden/Ritual.md").write_text("Secret ritual\n\nOf the beans.\n")
    async with opened(secretive) as bridge:
        host = only(bridge)
        await settled(host)
        assert {"Weather today", "Secret ritual"} <= {
            line for line in ("Weather today", "Secret ritual") if line in host.vault.index.boilerplate
        }
        assert host.vault.inspect(VaultPath("Garden/Ritual.md")).left_out == ("Secret ritual",)
        total = host.progress().embedded_total
        await bridge.use(save_settings(bridge.settings_path, {"deny": ["Private/**"]}))
        assert "Weather today" in host.vault.index.boilerplate
        assert "Secret ritual" not in host.vault.index.boilerplate
        await settled(host)
        assert host.vault.inspect(VaultPath("Garden/Ritual.md")).left_out == ()
        # Only the one note that is read otherwise now.
        assert host.progress().embedded_total == total + 1


async def test_lines_of_notes_that_are_not_indexed_yet_are_kept(secretive: Path, opened: Opened) -> None:
    for number in range(40):
        (secretive / f"Garden/{number}.md").write_text(f"Weather today\nBeds {number}.\n")
    async with opened(secretive) as bridge:
        host = only(bridge)
        await settled(host)
        index = host.vault.index
        version = index.boilerplate.version
        # As at a first start, at which the rules are obeyed while most notes wait to be read.
        await index.write([], [path for path in index.notes if path != "Garden/1.md"])
        await bridge.use(save_settings(bridge.settings_path, {"deny": ["Private/**"]}))
        assert "Weather today" in index.boilerplate
        assert index.boilerplate.version == version


async def test_two_vaults_are_closed_at_once(
    secretive: Path, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "Other"
    (other / SECRET).parent.mkdir(parents=True)
    (other / SECRET).write_text(TEXT)
    (other / "Open.md").write_text("Open.\n")
    async with opened(secretive, other) as bridge:
        for host in bridge.vaults.values():
            await settled(host)
        go_on, erase = asyncio.Event(), Index.erase

        async def erase_later(index: Index, denies: Denies) -> None:
            await go_on.wait()
            await erase(index, denies)

        monkeypatch.setattr(Index, "erase", erase_later)
        using = asyncio.create_task(bridge.use(save_settings(bridge.settings_path, {"deny": ["Private/**"]})))
        await until(lambda: all(host.files.rules.deny for host in bridge.vaults.values()))
        assert not using.done()
        assert [SECRET in host.vault.index.notes for host in bridge.vaults.values()] == [False, False]
        go_on.set()
        await using
        assert traces(tmp_path / "data") == set()


@pytest.mark.parametrize("text", ['deny = "Private/**"\n', 'deny = ["Private/**"\n'])
async def test_a_rule_that_cannot_be_understood_is_not_taken_for_none(
    secretive: Path, opened: Opened, text: str
) -> None:
    async with opened(secretive) as bridge:
        await settled(only(bridge))
    bridge.settings_path.write_text(text)
    async with opened(secretive) as bridge:
        host = only(bridge)
        with pytest.raises(RulesUnknown):
            host.vault.require_keyword()
        for path in (SECRET, VaultPath("Bread/Rye.md")):
            with pytest.raises(NoteNotFound):
                host.files.read(path)
        progress = host.progress()
        assert (progress.notes, progress.ready_keyword) == (0, False)
        assert "deny" in (progress.trouble or "")
        bridge.settings_path.write_text('deny = ["Private/**"]\n')
        await settled(host)
        await assert_missing(host)
        # Nothing was lost meanwhile, and what is open was not embedded again.
        assert host.progress().embedded_total == 6
        # While running, what held goes on to hold.
        bridge.settings_path.write_text(text)
        await until(lambda: bridge.setting_problems != ())
        await bridge.reload()
        await assert_missing(host)
        assert host.progress().ready_keyword


async def test_a_file_that_is_empty_for_a_moment_lifts_nothing(
    secretive: Path, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.bridge.LOOK_AT_SETTINGS_S", 0.05)
    (tmp_path / "data").mkdir()
    rules = tmp_path / "data/settings.toml"
    rules.write_text('deny = ["Private/**"]\n')
    async with opened(secretive) as bridge:
        await settled(only(bridge))
        looks: list[Settings] = []
        read = bridge._read

        async def counted() -> Settings:
            looks.append(await read())
            if is_moment and looks[-1].deny == ():
                rules.write_text('deny = ["Private/**"]\n')
            return looks[-1]

        is_moment = True
        monkeypatch.setattr(bridge, "_read", counted)
        rules.write_text("")
        await until(lambda: any(look.deny == () for look in looks))
        seen = len(looks)
        await until(lambda: len(looks) > seen + 2)
        await assert_missing(only(bridge))
        is_moment = False
        rules.write_text("")
        await until(lambda: SECRET in only(bridge).vault.index.notes)


async def test_settings_hold_until_the_file_changes(
    secretive: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.bridge.LOOK_AT_SETTINGS_S", 0.01)
    async with opened(secretive) as bridge:
        await settled(only(bridge))
        looks: list[Settings] = []
        read = bridge._read

        async def counted() -> Settings:
            looks.append(await read())
            return looks[-1]

        monkeypatch.setattr(bridge, "_read", counted)
        await bridge.use(Settings(exclude=("Private/**",)))
        seen = len(looks)
        await until(lambda: len(looks) > seen + 3)
        assert bridge.settings.exclude == ("Private/**",)


async def test_a_rule_made_while_the_settings_are_being_read_is_not_lifted(
    secretive: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.bridge.LOOK_AT_SETTINGS_S", 0.05)
    async with opened(secretive) as bridge:
        await settled(only(bridge))
        has_read, may_answer = threading.Event(), threading.Event()
        looks = 0

        def read_slowly(path: Path) -> Any:
            nonlocal looks
            looks += 1
            read = load_settings(path)
            has_read.set()
            assert may_answer.wait(PATIENCE_S)
            return read

        monkeypatch.setattr("bridge.engine.bridge.load_settings", read_slowly)
        assert await asyncio.to_thread(has_read.wait, PATIENCE_S)
        await bridge.use(save_settings(bridge.settings_path, {"deny": ["Private/**"]}))
        seen = looks
        denied = []
        may_answer.set()
        while looks < seen + 2:
            denied.append(bridge.settings.deny)
            await asyncio.sleep(0.001)
        assert {*denied} == {("Private/**",)}
        await assert_missing(only(bridge))
