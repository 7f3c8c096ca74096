import asyncio
import hashlib
import os
import shutil
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path

import pytest

from bridge.changes.requests.create_note import CreateNote
from bridge.data_folder import add_to_vault_list, read_vault_list
from bridge.engine.bridge import Bridge
from bridge.engine.hooks import Hooks
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.engine.parser_pool import Outcome, ParserPool, ReadOptions, read_all
from bridge.engine.transactions import run_to_completion
from bridge.errors import IndexUnusable, ModelUnusable, NoSuchVault, NoteNotFound, VaultHeld
from bridge.features.status.indexing import wait_for_note
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.folder import find_model
from bridge.models.install import use_file
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.types import Digest, VaultPath
from tests.engine.conftest import PATIENCE_S, Opened, settled, until
from tests.engine.test_writing import RYE, append, make

LONG = VaultPath("Long.md")


def only(bridge: Bridge) -> Host:
    return bridge.find(None)


async def found(host: Host, words: str, mode: str = "keyword") -> list[str]:
    answer = await search(host.vault.sources(), SearchRequest(query=words, mode=mode))  # type: ignore[arg-type]
    return [hit.path for hit in answer.hits]


@pytest.mark.model
async def test_a_vault_is_found_by_words_and_by_meaning(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        assert await found(host, "starter flour") == ["Bread/Sourdough.md"]
        assert (await found(host, "collecting rainfall", "semantic"))[0] == "Garden/Rain.md"


async def test_the_graph_follows_the_links(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        graph = (await host.vault.graph_snapshot()).graph
        assert graph.links_to(VaultPath("Bread/Sourdough.md")) == {"Bread/Rye.md"}


@pytest.mark.model
async def test_restart_touch_rename_and_move_embed_no_passage(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
        total = only(bridge).progress().embedded_total
        assert total == 4
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        os.utime(vault / "Garden/Beans.md")
        (vault / "Garden/Rain.md").rename(vault / "Rain butt.md")
        (vault / "Bread").rename(vault / "Baking")
        await until(lambda: {"Rain butt.md", "Baking/Rye.md", "Baking/Sourdough.md"} <= host.vault.index.notes.keys())
        await until(lambda: not {"Bread/Rye.md", "Garden/Rain.md"} & host.vault.index.notes.keys())
        await settled(host)
        assert host.progress().embedded_total == total
        assert (await found(host, "collecting rainfall", "semantic"))[0] == "Rain butt.md"


@pytest.mark.model
async def test_what_was_embedded_is_counted_from_the_first_moment_on(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
    async with opened(vault) as bridge:
        assert only(bridge).progress().embedded_total == 4


async def test_edits_while_the_bridge_was_down_are_taken_up(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
    (vault / "Garden/Beans.md").unlink()
    (vault / "Garden/Peas.md").write_text("Peas like a trellis.\n")
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        assert await found(host, "trellis") == ["Garden/Peas.md"]
        assert await found(host, "frost") == []


async def test_a_saved_edit_is_found_without_being_reported(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        await until(lambda: host.vault.indexer.watching)
        text = "# Beans\n\nClimbing xylophones.\n"
        (vault / "Garden/Beans.md").write_text(text)
        digest = Digest(hashlib.sha256(text.encode()).hexdigest())
        await until(lambda: host.vault.index.notes[VaultPath("Garden/Beans.md")].digest == digest)
        assert await found(host, "xylophones") == ["Garden/Beans.md"]


def replace_unseen(place: Path, old: str, new: str) -> None:
    """Change a note so that neither its size nor its time tells."""
    times = place.stat()
    place.write_text(place.read_text().replace(old, new))
    os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (place.stat().st_mtime_ns, place.stat().st_size) == (times.st_mtime_ns, times.st_size)


async def test_an_edit_of_equal_size_and_time_is_taken_up(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        await until(lambda: host.vault.indexer.watching)
        replace_unseen(vault / "Garden/Beans.md", "frost", "grass")
        before = host.vault.index.notes[VaultPath("Garden/Beans.md")].digest
        await until(lambda: host.vault.index.notes[VaultPath("Garden/Beans.md")].digest != before)
        assert await found(host, "grass") == ["Garden/Beans.md"]


@pytest.mark.skipif(os.name == "nt", reason="Windows does not tell when a file changed")
async def test_an_edit_of_equal_size_and_time_while_the_bridge_was_down_is_taken_up(
    vault: Path, opened: Opened
) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
    replace_unseen(vault / "Garden/Beans.md", "frost", "grass")
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        assert await found(host, "grass") == ["Garden/Beans.md"]


async def test_hints_are_idempotent_and_the_disk_decides(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        assert await host.vault.indexer.look_at(["Garden/Beans.md", "Nowhere.md"]) == 0
        (vault / "Fresh.md").write_text("A fresh note.\n")
        assert await host.vault.indexer.look_at(["Fresh.md"]) <= 1
        assert await wait_for_note(host, VaultPath("Fresh.md"), None, "keyword", PATIENCE_S)
        assert await host.vault.indexer.look_at(["Fresh.md"]) == 0


async def test_waiting_for_a_note_that_is_nowhere_is_an_error(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
        with pytest.raises(NoteNotFound) as missing:
            await wait_for_note(only(bridge), VaultPath("Bread/Sourdogh.md"), None, "keyword", PATIENCE_S)
        assert "Bread/Sourdough.md" in missing.value.facts["closest"]  # type: ignore[operator]


@pytest.mark.model
async def test_waiting_for_vectors_ends_when_they_are_there(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        (vault / "Fresh.md").write_text("A fresh note about cheese.\n")
        assert await wait_for_note(host, VaultPath("Fresh.md"), None, "vectors", PATIENCE_S)
        assert [p.embedded for p in host.vault.inspect(VaultPath("Fresh.md")).passages] == [True]
        assert (await found(host, "dairy product, cheddar", "semantic"))[0] == "Fresh.md"


async def test_without_a_model_words_still_work(vault: Path, opened: Opened, tmp_path: Path) -> None:
    async with opened(vault, models=tmp_path / "no models") as bridge:
        host = only(bridge)
        await until(lambda: host.progress().ready_keyword)
        assert await found(host, "frost", "hybrid") == ["Garden/Beans.md"]
        progress = host.progress()
        assert not progress.ready_semantic
        assert progress.trouble is not None or progress.model is None


async def test_why_meaning_does_not_count_is_told(
    vault: Path, opened: Opened, models_dir: Path, tmp_path: Path
) -> None:
    models = tmp_path / "models"
    async with opened(vault, models=models) as bridge:
        host = only(bridge)
        await until(lambda: host.progress().ready_keyword and bridge.embedders is not None)
        assert bridge.embedders is not None
        # Before the model is looked for as after it.
        bridge.embedders.trouble = None
        assert host.vault.why_not_by_meaning().code == "model_missing"
        await until(lambda: bridge.embedders is not None and bridge.embedders.trouble is not None)
        assert host.vault.why_not_by_meaning().code == "model_missing"
    shutil.copytree(models_dir, models)
    weights = find_model(models, DEFAULT_MODEL).path
    weights.write_bytes(bytes(weights.stat().st_size))
    async with opened(vault, models=models) as bridge:
        host = only(bridge)
        await until(lambda: host.progress().trouble is not None)
        assert isinstance(host.vault.why_not_by_meaning(), ModelUnusable)


@pytest.mark.model
async def test_while_another_model_fills_up_the_old_one_answers(
    vault: Path, opened: Opened, models_dir: Path, tmp_path: Path
) -> None:
    both = tmp_path / "models"
    shutil.copytree(models_dir, both)
    first = find_model(both, DEFAULT_MODEL)
    padded = tmp_path / "other.gguf"
    padded.write_bytes(first.path.read_bytes() + bytes(64))
    second = await asyncio.to_thread(use_file, both, padded, lambda *_: None)
    async with opened(vault, models=both) as bridge:
        host = only(bridge)
        await settled(host)
        old = host.vault.index.answering_model
        host.pause()
        bridge.settings_path.write_text(f'model = "{second.spec.id}"\n')
        await until(lambda: host.progress().pending_vectors == 4)
        assert host.vault.index.answering_model == old
        assert (await found(host, "collecting rainfall", "semantic"))[0] == "Garden/Rain.md"
        host.resume()
        await settled(host)
        await until(lambda: host.vault.index.answering_model != old)
        assert (await found(host, "collecting rainfall", "semantic"))[0] == "Garden/Rain.md"
        assert host.progress().embedded_total == 8


@pytest.mark.model
async def test_pausing_keeps_vectors_waiting_and_resuming_fills_them(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        host.pause()
        (vault / "Fresh.md").write_text("A fresh note about cheese.\n")
        assert await wait_for_note(host, VaultPath("Fresh.md"), None, "keyword", PATIENCE_S)
        assert host.progress().pending_vectors == 1
        assert not await wait_for_note(host, VaultPath("Fresh.md"), None, "vectors", 0.5)
        host.resume()
        assert await wait_for_note(host, VaultPath("Fresh.md"), None, "vectors", PATIENCE_S)


async def test_why_a_note_is_missing_can_be_read(vault: Path, opened: Opened) -> None:
    copy = VaultPath("Garden/Beans.sync-conflict-20260101-120000-ABCDEFG.md")
    (vault / copy).write_text("x")
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        assert host.vault.inspect(VaultPath("Bread/Rye.md")).state == "indexed"
        assert host.vault.inspect(copy).state == "skipped"
        assert "conflict copy" in str(host.vault.inspect(copy).reason)
        assert host.vault.inspect(VaultPath("None.md")).state == "unknown"


async def test_excluding_a_folder_takes_its_notes_out_at_once(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        bridge.settings_path.write_text('exclude = ["Garden/**"]\n')
        await until(lambda: set(host.vault.index.notes) == {"Bread/Rye.md", "Bread/Sourdough.md"})
        assert await found(host, "frost") == []


async def test_a_second_bridge_on_the_same_vault_is_refused(vault: Path, opened: Opened) -> None:
    async with opened(vault):
        with pytest.raises(VaultHeld):
            async with opened(vault):
                pass


async def test_a_folder_that_is_none_is_refused(tmp_path: Path, opened: Opened) -> None:
    with pytest.raises(NoSuchVault):
        async with opened(tmp_path / "nothing"):
            pass


async def test_vaults_are_remembered_from_the_start(vault: Path, tmp_path: Path) -> None:
    bridge = Bridge(tmp_path / "data", tmp_path / "no models", [vault])
    await bridge.hold()
    assert list(read_vault_list(bridge.folders).values()) == [vault.resolve()]
    await bridge.stop()


async def test_a_moved_vault_keeps_its_index(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
        total = only(bridge).progress().embedded_total
    moved = vault.rename(vault.with_name("Moved"))
    async with opened(moved) as bridge:
        await settled(only(bridge))
        assert only(bridge).progress().embedded_total == total


async def test_a_vanished_vault_keeps_its_index_until_it_is_back(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        away = vault.rename(vault.with_name("Unplugged"))
        await until(lambda: host.progress().trouble is not None)
        assert len(host.vault.index.notes) == 4
        away.rename(vault)
        await until(lambda: host.progress().trouble is None)
        assert len(host.vault.index.notes) == 4


@pytest.mark.model
async def test_two_vaults_do_not_mix(vault: Path, tmp_path: Path, opened: Opened) -> None:
    other = tmp_path / "other" / "Notes"
    other.mkdir(parents=True)
    (other / "Elephants.md").write_text("Elephants remember.\n")
    async with opened(vault, other) as bridge:
        with pytest.raises(NoSuchVault):
            bridge.find(None)
        first, second = bridge.find("Notes"), bridge.find("Notes (2)")
        await settled(first)
        await settled(second)
        assert await found(first, "elephants") == []
        assert await found(second, "elephants") == ["Elephants.md"]
        assert await found(second, "bread", "semantic") in ([], ["Elephants.md"])


@pytest.mark.model
async def test_an_index_deleted_under_a_running_bridge_is_built_again(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        lost = host.vault.index
        host.pause()
        # At once: what is being written into a folder while it is emptied would keep it from going.
        shutil.rmtree(bridge.folders.index(host.id).rename(vault.with_name("gone")))
        await until(lambda: host.progress().ready_keyword and host.vault.index is not lost)
        assert await found(host, "starter flour") == ["Bread/Sourdough.md"]
        assert host.progress().paused
        host.resume()
        await settled(host)
        assert (await found(host, "collecting rainfall", "semantic"))[0] == "Garden/Rain.md"
        assert host.progress().trouble is None


async def test_damage_that_a_search_meets_is_told_and_mended(vault: Path, opened: Opened, tmp_path: Path) -> None:
    async with opened(vault, models=tmp_path / "no models") as bridge:
        host = only(bridge)
        await until(lambda: host.progress().ready_keyword)
        lost = host.vault.index
        for file in bridge.folders.index(host.id).glob("passages.lance/data/*.lance"):
            file.write_bytes(bytes(file.stat().st_size))
        with pytest.raises(IndexUnusable, match="damaged"):
            await found(host, "starter flour")
        await until(lambda: host.progress().ready_keyword and host.vault.index is not lost)
        assert await found(host, "starter flour") == ["Bread/Sourdough.md"]
        assert host.progress().trouble is None


@pytest.mark.model
async def test_what_breaks_off_is_begun_again(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        broken = host.vault.indexer

        async def fail(*_: object, **__: object) -> int:
            raise ZeroDivisionError("Sow after the last frost")

        monkeypatch.setattr(broken, "_take_up", fail)
        (vault / "New.md").write_text("a zebra\n")
        await until(lambda: "New.md" in host.vault.indexer.index.notes if host.progress().ready_keyword else False)
        assert host.vault.indexer is not broken
    assert "ZeroDivisionError at test_host.py" in caplog.text
    assert "frost" not in caplog.text


async def test_an_index_that_cannot_be_adopted_keeps_no_vault_from_opening(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
        index = bridge.folders.index(only(bridge).id)
        add_to_vault_list(bridge.folders, {only(bridge).id: vault})
    (index / "index.json").write_text('{"version": 999}')
    moved = vault.with_name("Moved")
    vault.rename(moved)
    async with opened(moved) as bridge:
        await settled(only(bridge))
        assert await found(only(bridge), "starter flour") == ["Bread/Sourdough.md"]


def days(vault: Path) -> None:
    for number in range(40):
        (vault / f"Day {number}.md").write_text(
            f"How was the weather\n\n{chr(97 + number % 26) * 4}{chr(97 + number // 26) * 4} was here.\n"
        )


@pytest.mark.model
async def test_leaving_recurring_lines_out_can_be_switched_off_and_on(vault: Path, opened: Opened) -> None:
    days(vault)
    async with opened(vault) as bridge:
        host = only(bridge)

        async def embedded(boilerplate: str, left_out: tuple[str, ...]) -> int:
            bridge.settings_path.write_text(f"boilerplate = {boilerplate}\n")
            await until(lambda: {n.left_out for p, n in host.vault.index.notes.items() if "Day" in p} == {left_out})
            await settled(host)
            return host.progress().embedded_total

        await settled(host)
        total = await embedded("true", ("How was the weather",))
        assert await embedded("false", ()) == total + 40
        assert await embedded("true", ("How was the weather",)) == total + 40


async def test_recurring_lines_are_learnt_when_that_is_switched_on_later(
    vault: Path, opened: Opened, tmp_path: Path
) -> None:
    days(vault)
    (tmp_path / "data").mkdir()
    (tmp_path / "data/settings.toml").write_text("boilerplate = false\n")
    async with opened(vault, models=tmp_path / "none") as bridge:
        host = only(bridge)
        await until(lambda: host.progress().ready_keyword)
        assert host.vault.index.notes[VaultPath("Day 7.md")].left_out == ()
        bridge.settings_path.write_text("")
        await until(lambda: host.vault.index.notes[VaultPath("Day 7.md")].left_out == ("How was the weather",))


async def test_a_bridge_with_another_data_folder_is_warned_of(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    one, two = (Bridge(tmp_path / name, tmp_path / "models", [vault]) for name in ("one", "two"))
    await one.start()
    try:
        assert only(one).rival == ""
        await two.start()
        assert f"has this vault open with the data folder `{tmp_path / 'one'}`" in only(two).rival
        assert only(two).rival in caplog.text
        await two.stop()
        shutil.rmtree(tmp_path / "two")
        (tmp_path / "two").mkdir()
        (tmp_path / "two" / "settings.toml").symlink_to(tmp_path / "one" / "settings.toml")
        await two.start()
        assert only(two).rival == "", "it is a bridge of the same data folder, for a while"
    finally:
        await two.stop()
        await one.stop()
    assert not list(vault.rglob("*lock*"))


async def test_a_vault_that_fails_while_it_is_closed_stays_closed(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail_when_cancelled(*_: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise IndexUnusable("The index is gone.")

    monkeypatch.setattr("bridge.engine.open_vault.watch_index", fail_when_cancelled)
    async with asyncio.timeout(PATIENCE_S):
        async with opened(vault) as bridge:
            await settled(bridge.find(None))


async def test_a_stop_waits_neither_for_an_index_nor_for_a_feature_that_takes_long(
    vault: Path, tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.bridge.STOP_S", 0)
    monkeypatch.setattr("bridge.engine.hooks.STOP_S", 0.01)
    free = asyncio.Event()

    async def finish(_: OpenVault) -> None:
        await run_to_completion(free.wait())

    bridge = Bridge(tmp_path / "data", tmp_path / "no models", [vault], Hooks(on_stop=(finish,)))
    await bridge.start()
    await settled(host := only(bridge))
    (vault / "New.md").write_text("hollyhock\n")
    await host.vault.indexer.look_at(["New.md"])
    async with host.vault.index._writing.lock, asyncio.timeout(PATIENCE_S):
        await bridge.stop()
    free.set()
    async with opened(vault) as bridge:
        await settled(host := only(bridge))
        assert "New.md" in host.vault.index.notes
        assert host.vault.index.document_frequency("hollyhock") == 1


async def test_changes_are_made_and_kept_while_everything_is_read_again(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, made, read = asyncio.Event(), asyncio.Event(), ParserPool.read

    async def read_with_a_pause(
        pool: ParserPool, reading: ReadOptions, files: Mapping[VaultPath, int]
    ) -> AsyncGenerator[list[Outcome], None]:
        async for outcomes in read(pool, reading, files):
            # Others read what changed meanwhile.
            if pool is not host.vault.indexer._readers:
                begun.set()
                await made.wait()
            yield outcomes

    async with opened(vault) as bridge:
        await settled(host := only(bridge))
        monkeypatch.setattr(ParserPool, "read", read_with_a_pause)
        monkeypatch.setattr("bridge.engine.indexer.WRITE_AGAIN_AT", 1)
        first = host.reindex((), full=True)
        assert host.reindex((), full=True) is first
        async with asyncio.timeout(PATIENCE_S):
            await begun.wait()
            await make(host, append(RYE, "hollyhock"))
        assert await found(host, "hollyhock") == [RYE]
        second = host.reindex((), full=True)
        assert second is not first
        assert host.reindex((), full=True) is second
        made.set()
        await until(lambda: second.state == "done")
        assert (first.state, first.done, second.done) == ("done", len(host.vault.index.notes), first.done)
        assert host.vault.indexer.pending == set()
        assert await found(host, "hollyhock") == [RYE]


async def test_a_long_note_is_read_in_nobodys_way_and_again_if_it_changed(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, free, read, times = asyncio.Event(), threading.Event(), read_all, list[int]()
    loop, text = asyncio.get_running_loop(), "Sown in spring.\n" * 10_000

    def read_slowly(reading: ReadOptions, paths: Sequence[VaultPath]) -> list[Outcome]:
        found = read(reading, paths)
        if LONG in paths:
            times.append(len(paths))
            loop.call_soon_threadsafe(begun.set)
            free.wait(PATIENCE_S)
        return found

    monkeypatch.setattr("bridge.engine.indexer.read_all", read_slowly)
    async with opened(vault) as bridge:
        await settled(host := only(bridge))
        creating = asyncio.create_task(make(host, CreateNote(LONG, text=text)))
        async with asyncio.timeout(PATIENCE_S):
            await begun.wait()
            await make(host, append(RYE, "hollyhock"))
        assert await found(host, "hollyhock") == [RYE]
        (vault / LONG).write_text(f"{text}foxglove\n")
        free.set()
        await creating
        assert await found(host, "foxglove") == [LONG]
        assert times == [1]
