import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from watchfiles import _rust_notify

from bridge.errors import VaultUnreadable
from bridge.vault import watch as watching_module
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.watch import watch
from tests.vault.trees import grow

DEADLINE_S = 300

MODES = pytest.mark.parametrize("mode", ["auto", "poll"])


class Watching:
    """A watcher that has begun, and what it told so far."""

    def __init__(self, sets: AsyncGenerator[frozenset[str], None], stop: asyncio.Event) -> None:
        self.sets = sets
        self.stop = stop
        self.told: set[str] = set()

    async def until(self, enough: Callable[[set[str]], bool]) -> int:
        """Listen until enough was told; return in how many sets."""
        count = 0
        async with asyncio.timeout(DEADLINE_S):
            while not enough(self.told):
                self.told |= await anext(self.sets)
                count += 1
        return count


@asynccontextmanager
async def watching(root: Path, mode: Literal["auto", "poll"] = "auto") -> AsyncIterator[Watching]:
    stop = asyncio.Event()
    sets = watch(root, mode, stop)
    try:
        assert await anext(sets) == frozenset()
        yield Watching(sets, stop)
    finally:
        await sets.aclose()


@pytest.fixture(autouse=True)
def _quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching_module, "EVERY_S", 0.05)


@MODES
async def test_an_edit_is_told_once_it_settled(tmp_path: Path, mode: Literal["auto", "poll"]) -> None:
    grow(tmp_path, "A/a.md")
    async with watching(tmp_path, mode) as heard:
        (tmp_path / "A/a.md").write_text("changed")
        await heard.until(lambda told: "A/a.md" in told)
    assert heard.told == {"A/a.md"}


@pytest.mark.skipif(sys.platform != "linux", reason="only there a name may be no text")
@MODES
async def test_a_folder_whose_name_is_no_text_keeps_nobody_from_listening(
    tmp_path: Path, mode: Literal["auto", "poll"]
) -> None:
    grow(tmp_path, "A/a.md")
    async with watching(tmp_path, mode) as heard:
        for root in (tmp_path, tmp_path / "A"):
            (root / os.fsdecode(b"no \xff text")).mkdir()
        grow(tmp_path, "B/b.md")
        # Where the system's notifications cannot say the name, the whole vault is named.
        await heard.until(lambda told: bool({"", "B", "B/b.md"} & told))
    async with watching(tmp_path, mode) as heard:
        (tmp_path / "B/b.md").write_text("changed")
        await heard.until(lambda told: "B/b.md" in told)


@MODES
async def test_new_and_deleted_files_are_told(tmp_path: Path, mode: Literal["auto", "poll"]) -> None:
    vault = Vault(grow(tmp_path, "a.md"), Rules())
    async with watching(tmp_path, mode) as heard:
        (tmp_path / "a.md").unlink()
        await heard.until(lambda told: "a.md" in told)
        grow(tmp_path, "New/deep/b.md")
        # Of folders made in one go the outermost may be all that is told.
        await heard.until(lambda told: "New/deep/b.md" in vault.look(told).files)
    assert heard.told <= {"a.md", "New", "New/deep", "New/deep/b.md"}


@MODES
async def test_a_renamed_folder_is_told_by_both_names(tmp_path: Path, mode: Literal["auto", "poll"]) -> None:
    vault = Vault(grow(tmp_path, "Old/a.md", "Old/B/b.md", "c.md"), Rules())
    async with watching(tmp_path, mode) as heard:
        (tmp_path / "Old").rename(tmp_path / "New")
        await heard.until({"Old", "New"}.issubset)
        found = vault.look(heard.told)
        assert set(found.files) == {"New/a.md", "New/B/b.md"}
        heard.told.clear()
        (tmp_path / "New/B/b.md").write_text("changed")
        await heard.until(lambda told: "New/B/b.md" in told)


@MODES
async def test_hidden_files_are_not_told(tmp_path: Path, mode: Literal["auto", "poll"]) -> None:
    grow(tmp_path, ".obsidian/workspace.json", ".git/index", "A/")
    async with watching(tmp_path, mode) as heard:
        grow(tmp_path, ".obsidian/new.json", ".git/index", ".trash/a.md", "A/.b.md.swp")
        grow(tmp_path, "A/last.md")
        await heard.until(lambda told: "A/last.md" in told)
    assert heard.told == {"A/last.md"}


async def test_names_are_told_composed(tmp_path: Path) -> None:
    async with watching(tmp_path) as heard:
        grow(tmp_path, "e\u0301.md")
        await heard.until(lambda told: "é.md" in told)


@MODES
async def test_a_burst_of_thousands_comes_in_few_sets(tmp_path: Path, mode: Literal["auto", "poll"]) -> None:
    grow(tmp_path, *(f"F{n}/" for n in range(20)))
    paths = [f"F{n % 20}/{n}.md" for n in range(2000)]
    async with watching(tmp_path, mode) as heard:
        # All at once: what is written slowly, as on a busy machine, comes in as many sets as it takes time.
        await asyncio.to_thread(grow, tmp_path, *paths)
        sets = await heard.until(set(paths).issubset)
    assert sets < len(paths) / 20


async def test_a_large_burst_names_the_whole_vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # So few that some are together, however slowly they are told.
    monkeypatch.setattr(watching_module, "OVERFLOW_PATHS", 10)
    async with watching(tmp_path) as heard:
        await asyncio.to_thread(grow, tmp_path, *(f"{n}.md" for n in range(500)))
        await heard.until(lambda told: "" in told)


@MODES
async def test_a_vanished_vault_is_an_error(tmp_path: Path, mode: Literal["auto", "poll"]) -> None:
    root = grow(tmp_path / "vault", "a.md")
    async with watching(root, mode) as heard:
        shutil.rmtree(root)
        with pytest.raises(VaultUnreadable):
            await heard.until(lambda _: False)
    with pytest.raises(VaultUnreadable):
        await anext(watch(root, mode, asyncio.Event()))


async def test_another_folder_in_its_place_is_an_error(tmp_path: Path) -> None:
    root = grow(tmp_path / "vault", "a.md")
    grow(tmp_path / "other", "b.md")
    async with watching(root) as heard:
        root.rename(tmp_path / "away")
        (tmp_path / "other").rename(root)
        with pytest.raises(VaultUnreadable):
            await heard.until(lambda _: False)


@MODES
async def test_it_ends_when_told_to(tmp_path: Path, mode: Literal["auto", "poll"]) -> None:
    async with watching(tmp_path, mode) as heard:
        waiting = asyncio.ensure_future(anext(heard.sets))
        heard.stop.set()
        with pytest.raises(StopAsyncIteration):
            await asyncio.wait_for(waiting, DEADLINE_S)


@MODES
async def test_it_can_be_cancelled(tmp_path: Path, mode: Literal["auto", "poll"]) -> None:
    async with watching(tmp_path, mode) as heard:
        waiting = asyncio.ensure_future(anext(heard.sets))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(waiting, DEADLINE_S)
    assert not heard.stop.is_set()


async def test_a_linked_vault_is_watched(tmp_path: Path) -> None:
    grow(tmp_path, "real/a.md")
    (tmp_path / "vault").symlink_to("real")
    async with watching(tmp_path / "vault") as heard:
        grow(tmp_path, "real/b.md")
        await heard.until(lambda told: "b.md" in told)


async def test_where_the_system_cannot_tell_the_vault_is_polled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Full:
        def __init__(self, *_: object) -> None:
            raise OSError('OS file watch limit reached. about ["/home/me/Notes/Private diary"]')

    monkeypatch.setattr(_rust_notify, "RustNotify", Full)
    async with watching(tmp_path) as heard:
        grow(tmp_path, "a.md")
        await heard.until(lambda told: "a.md" in told)
    assert "(OS file watch limit reached.): the vault is polled instead" in caplog.text
    assert "diary" not in caplog.text


async def test_when_the_system_stops_telling_the_whole_vault_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def __init__(self, *_: object) -> None:
            pass

        def close(self) -> None:
            pass

        def watch(self, *_: object) -> set[tuple[int, str]]:
            raise _rust_notify.WatchfilesRustInternalError("no room for another watch")

    monkeypatch.setattr(_rust_notify, "RustNotify", Failing)
    async with watching(tmp_path) as heard:
        await heard.until(lambda told: told == {""})
        grow(tmp_path, "a.md")
        await heard.until(lambda told: "a.md" in told)


LISTENING = """
import asyncio, os, sys
from contextlib import suppress
from pathlib import Path
from bridge.vault.watch import watch

def listening():
    found = 0
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            found += "inotify" in os.readlink(f"/proc/self/fd/{descriptor}")
    return found

async def main():
    assert not listening()
    for _ in range(3):
        sets = watch(Path(sys.argv[1]), "auto", asyncio.Event())
        assert await anext(sets) == frozenset()
        assert listening()
        await sets.aclose()
    while listening():
        await asyncio.sleep(0.02)

asyncio.run(asyncio.wait_for(main(), 300))
"""


@pytest.mark.process
def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    # In a process of its own: bridges of other tests may listen in this one, or end only now.
    command = [sys.executable, "-c", LISTENING, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr


LIMITED_WATCHES = """
import asyncio, sys
from pathlib import Path
from bridge.vault.watch import watch

Path("/proc/sys/user/max_inotify_watches").write_text("3")
root = Path(sys.argv[1])

async def main():
    stop = asyncio.Event()
    async for changed in watch(root, "auto", stop):
        if not changed:
            (root / "F7/a.md").write_text("new")
        if "F7/a.md" in changed:
            stop.set()

asyncio.run(asyncio.wait_for(main(), 300))
"""


@pytest.mark.process
def test_with_too_few_watches_the_vault_is_polled(tmp_path: Path) -> None:
    namespace = ("unshare", "--user", "--map-root-user")
    if not shutil.which("unshare") or subprocess.run([*namespace, "true"], check=False).returncode:
        pytest.skip("this system does not give out user namespaces, where the limit could be lowered")
    grow(tmp_path, *(f"F{n}/" for n in range(9)))
    command = [*namespace, sys.executable, "-c", LIMITED_WATCHES, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert "OS file watch limit reached" in done.stderr
