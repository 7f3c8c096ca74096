import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from watchfiles import _rust_notify

from bridge.errors import VaultUnreadable
from bridge.vault import watch as ears
from bridge.vault.watch import (
    EACH_FOLDER,
    Notifier,
    StopSignal,
    WatchUnavailable,
    folders_of,
    is_real_folder,
    visible_paths,
)
from tests.vault.trees import apart, grow, without_rights

DEADLINE_S = 300

WAYS = pytest.mark.parametrize("each_folder", [True, False] if EACH_FOLDER else [False])


@contextmanager
def listening(root: Path, *, each_folder: bool = EACH_FOLDER) -> Iterator[Notifier]:
    ear = Notifier(root, StopSignal(asyncio.Event()), each_folder=each_folder)
    try:
        yield ear
    finally:
        ear.close()


def until(ear: Notifier, enough: Callable[[set[str]], bool]) -> set[str]:
    told: set[str] = set()
    deadline = time.monotonic() + DEADLINE_S
    while not enough(told):
        assert time.monotonic() < deadline, f"only {told} was told"
        told |= ear.listen(50) or set()
    return told


def until_edit(ear: Notifier, root: Path, path: str, *, again: bool) -> set[str]:
    """Edit a file until that is told, and return all that was told; `again` where a first edit may come too early."""
    edits = 0

    def is_told(told: set[str]) -> bool:
        nonlocal edits
        if path not in told and (again or not edits):
            edits += 1
            (root / path).write_text(f"Edit {edits}.")
        return path in told

    return until(ear, is_told)


@WAYS
def test_an_edit_in_a_folder_is_told(tmp_path: Path, each_folder: bool) -> None:
    grow(tmp_path, "A/B/a.md")
    with listening(tmp_path, each_folder=each_folder) as ear:
        (tmp_path / "A/B/a.md").write_text("changed")
        assert until(ear, bool) == {"A/B/a.md"}


@WAYS
def test_an_edit_in_a_new_folder_is_told(tmp_path: Path, each_folder: bool) -> None:
    with listening(tmp_path, each_folder=each_folder) as ear:
        grow(tmp_path, "A/B/C/")
        until(ear, lambda told: ("A/B/C" if each_folder else "A") in told)
        # Where the system finds new folders itself, nobody knows when it has; the folders may be told once more.
        told = until_edit(ear, tmp_path, "A/B/C/a.md", again=not each_folder)
        assert told <= {"A", "A/B", "A/B/C", "A/B/C/a.md"}


@pytest.mark.skipif(not EACH_FOLDER, reason="elsewhere the system finds new folders itself")
def test_folders_made_in_one_go_are_all_told(tmp_path: Path) -> None:
    with listening(tmp_path) as ear:
        grow(tmp_path, "A/B/C/", "A/D/", "A/.h/")
        assert until(ear, lambda told: len(told) >= 4) == {"A", "A/B", "A/B/C", "A/D"}


@WAYS
def test_a_folder_made_anew_is_listened_to(tmp_path: Path, each_folder: bool) -> None:
    grow(tmp_path, "A/")
    with listening(tmp_path, each_folder=each_folder) as ear:
        (tmp_path / "A").rmdir()
        (tmp_path / "A").mkdir()
        until(ear, lambda told: "A" in told)
        # That it was made may be told after it was deleted.
        assert until_edit(ear, tmp_path, "A/a.md", again=True) <= {"A", "A/a.md"}


@pytest.mark.skipif(not EACH_FOLDER, reason="elsewhere the system does not walk through links")
def test_nothing_outside_the_vault_is_listened_to(tmp_path: Path) -> None:
    grow(tmp_path / "outside", "a.md", "B/")
    vault = grow(tmp_path / "vault", "A/", ".git/objects/")
    (vault / "link").symlink_to(tmp_path / "outside")
    (vault / "A/up").symlink_to(vault)
    assert folders_of(str(vault)) == [str(vault), str(vault / "A")]
    with listening(vault) as ear:
        grow(tmp_path / "outside", "a.md", "B/b.md")
        grow(vault, ".git/objects/x", "A/a.md")
        assert until(ear, bool) == {"A/a.md"}


def test_a_folder_without_rights_stops_nothing() -> None:
    with without_rights() as root:
        grow(root, "Locked/a.md", "Open/b.md")
        (root / "Locked").chmod(0)
        with listening(root) as ear:
            grow(root, "Open/c.md")
            assert until(ear, bool) == {"Open/c.md"}


def test_silence_is_told_as_nothing_and_the_end_as_none(tmp_path: Path) -> None:
    stop = asyncio.Event()
    ear = Notifier(tmp_path, StopSignal(stop))
    assert ear.listen(1) == set()
    stop.set()
    assert ear.listen(1000) is None
    ear.close()


def test_leaving_ends_whatever_the_event_says() -> None:
    ending = StopSignal(asyncio.Event())
    assert not ending.is_set()
    ending.leave()
    assert ending.is_set()


def test_a_vanished_vault_is_told(tmp_path: Path) -> None:
    with pytest.raises(VaultUnreadable):
        Notifier(tmp_path / "gone", StopSignal(asyncio.Event()))
    root = grow(tmp_path / "vault", "A/")
    with listening(root) as ear:
        (root / "A").rmdir()
        root.rmdir()
        with pytest.raises(VaultUnreadable):
            until(ear, lambda _: False)


def test_a_vault_that_goes_while_it_is_tuned_to_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = grow(tmp_path / "vault", "A/")

    class Late:
        def __init__(self, *_: object) -> None:
            (root / "A").rmdir()
            root.rmdir()
            raise FileNotFoundError

    monkeypatch.setattr(_rust_notify, "RustNotify", Late)
    with pytest.raises(VaultUnreadable):
        Notifier(root, StopSignal(asyncio.Event()))


def test_a_folder_that_goes_while_it_is_tuned_to_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "A/", "B/")
    real = folders_of
    stale = [[str(tmp_path), str(tmp_path / "gone")]]
    monkeypatch.setattr(ears, "folders_of", lambda top: stale.pop() if stale else real(top))
    with listening(tmp_path, each_folder=True) as ear:
        grow(tmp_path, "A/a.md")
        assert until(ear, bool) == {"A/a.md"}


def test_a_folder_that_comes_while_it_is_tuned_to_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(tmp_path, "A/B/")
    real = folders_of
    # As if `A/B` had been made after each of the first looks.
    early = [
        [str(tmp_path), str(tmp_path / "A")] if n % 2 else real(str(tmp_path)) for n in range(2 * ears.WATCH_TRIES)
    ]
    monkeypatch.setattr(ears, "folders_of", lambda top: early.pop() if early else real(top))
    with listening(tmp_path, each_folder=True) as ear:
        assert until(ear, bool) == {"A/B"}
        grow(tmp_path, "A/B/a.md")
        assert until(ear, bool) == {"A/B/a.md"}


def test_a_change_just_before_another_ear_listens_is_told_though_its_thread_is_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "A/")
    real = folders_of

    class Late:
        """The system's notifications, collected by a thread that gets its turn only after a while."""

        def __init__(self, *given: Any) -> None:
            self._notify = RustNotify(*given)

        def watch(self, longest_ms: int, step_ms: int, timeout_ms: int, ending: Any) -> object:
            return "timeout" if timeout_ms < 40 else self._notify.watch(longest_ms, step_ms, timeout_ms, ending)

        def close(self) -> None:
            self._notify.close()

    def change_meanwhile(top: str) -> list[str]:
        monkeypatch.setattr(ears, "folders_of", real)
        grow(tmp_path, "A/a.md")
        return real(top)

    RustNotify = _rust_notify.RustNotify  # noqa: N806
    monkeypatch.setattr(_rust_notify, "RustNotify", Late)
    with listening(tmp_path, each_folder=True) as ear:
        monkeypatch.setattr(ears, "folders_of", change_meanwhile)
        grow(tmp_path, "B/")
        assert until(ear, lambda told: len(told) > 1) == {"B", "A/a.md"}


def test_folders_that_never_stay_make_it_deaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ears, "folders_of", lambda top: [top, f"{top}/gone"])
    with pytest.raises(WatchUnavailable):
        Notifier(tmp_path, StopSignal(asyncio.Event()), each_folder=True)


def test_names_are_told_composed_and_inside(tmp_path: Path) -> None:
    top = str(tmp_path)
    paths = [f"{top}/{apart('é.md')}", f"{top}x/a.md", f"{top}/.h/b.md", top]
    assert visible_paths(top, paths) == {"é.md", ""}


def test_a_link_to_a_folder_is_no_folder(tmp_path: Path) -> None:
    grow(tmp_path, "A/")
    (tmp_path / "L").symlink_to("A")
    assert is_real_folder(str(tmp_path / "A"))
    assert not is_real_folder(str(tmp_path / "L"))
    assert not is_real_folder(str(tmp_path / "gone"))
