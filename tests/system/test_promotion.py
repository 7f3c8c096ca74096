"""Notes that are copied between real vaults: the bridge is killed between the two writes, or a vault is renamed."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.system.sidecar import Sidecar, request, serving, settled

TRIES = 10
"""Notes of which one is caught between its two writes; nearly always the first."""


@pytest.fixture
def vaults(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Return two projects and the global vault."""
    home, work, main = (tmp_path / name for name in ("home", "work", "main"))
    for folder in (home, work, main):
        folder.mkdir()
        (folder / "Start.md").write_text(f"# Start\nThe beginning of {folder.name}.\n")
    for number in range(TRIES):
        words = " ".join(f"word{number}of{place}" for place in range(30))
        (home / f"Lesson {number}.md").write_text(f"# Lesson {number}\n{words} in [[Start {number}]].\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/settings.toml").write_text('global_vault = "main"\n')
    return home, work, main


def ready(bridge: Sidecar) -> bool:
    """Say whether every vault is in its index."""
    return all(settled(vault, vectors=False) for vault in bridge.call("status")["vaults"])


def is_caught(bridge: Sidecar, home: Path, main: Path, number: int) -> bool:
    """Promote a note, kill the bridge as soon as there is a copy, and say whether the note itself is unchanged."""
    path, copy = f"Lesson {number}.md", main / "Patterns" / f"Lesson {number}.md"

    def promote() -> None:
        with suppress(OSError, HTTPException, ValueError):
            request(bridge.ready["url"], bridge.ready["token"], "promote_note", {"vault": "home", "path": path})

    thread = threading.Thread(target=promote)
    thread.start()
    while not copy.exists() and thread.is_alive():
        pass
    bridge.kill()
    thread.join()
    return copy.exists() and "promoted" not in (home / path).read_text()


def caught_notes(vaults: tuple[Path, Path, Path], data: Path) -> Iterator[int]:
    """Yield the notes that were caught."""
    home, _, main = vaults
    for number in range(TRIES):
        bridge = Sidecar.start(*vaults, data_dir=data, models_dir=data / "none")
        try:
            bridge.wait_ready()
            bridge.until(lambda bridge=bridge: ready(bridge), "all is read")  # type: ignore[misc]
            if is_caught(bridge, home, main, number):
                yield number
        finally:
            bridge.close()


def test_a_bridge_killed_between_the_two_writes_is_mended_by_the_next_call(
    vaults: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    home, _, main = vaults
    number = next(caught_notes(vaults, tmp_path / "data"))
    copy = main / "Patterns" / f"Lesson {number}.md"
    before = copy.read_bytes()
    with serving(*vaults, data_dir=tmp_path / "data", models_dir=tmp_path / "none") as bridge:
        bridge.until(lambda: ready(bridge), "all is read")
        made = bridge.call("promote_note", vault="home", path=f"Lesson {number}.md")
        again = bridge.call("promote_note", vault="home", path=f"Lesson {number}.md")
    assert (made["outcome"], made["change_ids"]) == ("unchanged", [made["original"]["change_id"]])
    assert (again["outcome"], again["change_ids"]) == ("unchanged", [])
    assert "promoted: true" in (home / f"Lesson {number}.md").read_text()
    assert copy.read_bytes() == before
    assert [file.name for file in (main / "Patterns").iterdir() if file.name.startswith(f"Lesson {number}")] == [
        copy.name
    ]


def test_a_project_that_was_renamed_is_known_by_its_copies(vaults: tuple[Path, Path, Path], tmp_path: Path) -> None:
    home, work, main = vaults
    with serving(home, main, data_dir=tmp_path / "data", models_dir=tmp_path / "none") as bridge:
        bridge.until(lambda: ready(bridge), "all is read")
        assert bridge.call("promote_note", vault="home", path="Lesson 0.md")["outcome"] == "copied"
        former = bridge.vault(0)["id"]
    renamed = home.rename(home.with_name("house"))
    # The flag goes too, so that only the former id tells.
    lines = (renamed / "Lesson 0.md").read_text().splitlines(keepends=True)
    (renamed / "Lesson 0.md").write_text("".join(line for line in lines if "promoted" not in line and line != "---\n"))
    with serving(renamed, work, main, data_dir=tmp_path / "data", models_dir=tmp_path / "none") as bridge:
        bridge.until(lambda: ready(bridge), "all is read")
        again = bridge.call("promote_note", vault="house", path="Lesson 0.md")
        now = bridge.vault(0)["id"]
        copy = bridge.call("read_note", vault="main", path="Patterns/Lesson 0.md")["properties"]
        found = bridge.call("search", vault="main", query="beginning", mode="keyword", everywhere=True)
        while (late := 3 - len({hit["vault"] for hit in found["hits"]})) > 0:
            # A slow machine leaves a vault out, and says so.
            assert len(found["notices"]) >= late
            found = bridge.call("search", vault="main", query="beginning", mode="keyword", everywhere=True)
    assert now != former
    assert (again["outcome"], again["copy"]["path"]) == ("unchanged", "Patterns/Lesson 0.md")
    assert (copy["promoted_from"], copy["project"]) == (f"{now}/Lesson 0.md", "house")
    assert {(hit["vault"], hit["path"]) for hit in found["hits"]} == {
        (name, "Start.md") for name in ("house", "work", "main")
    }
