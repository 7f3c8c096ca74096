"""Nothing is computed twice: what the vault already said is never embedded again."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.system.sidecar import serving
from tests.system.vaults import Kept, generate

NOTES = 40

Change = Callable[[Path], None]


def nothing(_: Path) -> None:
    """Only restart."""


def rename_a_note(vault: Path) -> None:
    note = next(vault.glob("People/*.md"))
    note.rename(note.with_name("Renamed.md"))


def move_a_note(vault: Path) -> None:
    note = next(vault.glob("People/*.md"))
    (vault / "Elsewhere" / "Deep").mkdir(parents=True)
    note.rename(vault / "Elsewhere" / "Deep" / note.name)


def rename_a_folder(vault: Path) -> None:
    (vault / "Journal").rename(vault / "Diary")


def touch_everything(vault: Path) -> None:
    for number, note in enumerate(sorted(vault.rglob("*.md"))):
        os.utime(note, (1_700_000_000 + number, 1_700_000_000 + number))


def edit_a_property(vault: Path) -> None:
    note = next(vault.glob("Reading/*.md"))
    note.write_text(note.read_text().replace("---\n", "---\nrating: 5\n", 1))


def copy_a_note(vault: Path) -> None:
    note = next(vault.glob("Reading/*.md"))
    shutil.copy2(note, note.with_name("Copy.md"))


CHANGES: list[Change] = [
    nothing,
    rename_a_note,
    move_a_note,
    rename_a_folder,
    touch_everything,
    edit_a_property,
    copy_a_note,
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> tuple[Kept, int]:
    """Index a vault completely, once; with how many passages were embedded."""
    folder = tmp_path_factory.mktemp("indexed") / "work"
    generate(folder / "vault", NOTES, sections=1)
    with serving(folder / "vault", data_dir=folder / "data", models_dir=models_dir) as bridge:
        total = bridge.wait_indexed()["embedded_total"]
    return Kept.of(folder), total


@pytest.fixture
def indexed(kept: tuple[Kept, int]) -> tuple[Path, Path, int]:
    """Return a vault, a data folder with its whole index, and how many passages were embedded for it."""
    folder = kept[0].restored()
    return folder / "vault", folder / "data", kept[1]


def paths(vault: Path) -> set[str]:
    """Return every note on disk."""
    return {path.relative_to(vault).as_posix() for path in vault.rglob("*.md")}


@pytest.mark.model
def test_changes_while_the_bridge_is_down_embed_nothing(indexed: tuple[Path, Path, int], models_dir: Path) -> None:
    vault, data, total = indexed
    assert total >= NOTES
    for change in CHANGES:
        change(vault)
        with serving(vault, data_dir=data, models_dir=models_dir) as bridge:
            status = bridge.wait_indexed()
            held = {note["path"] for note in bridge.call("find_notes", limit=500)["notes"]}
        assert (change.__name__, status["embedded_total"], held) == (change.__name__, total, paths(vault))


@pytest.mark.model
def test_changes_while_the_bridge_watches_embed_nothing(indexed: tuple[Path, Path, int], models_dir: Path) -> None:
    vault, data, total = indexed
    with serving(vault, data_dir=data, models_dir=models_dir) as bridge:
        bridge.wait_indexed()
        for change in CHANGES[1:]:
            change(vault)
            bridge.until(
                lambda: {n["path"] for n in bridge.call("find_notes", limit=500)["notes"]} == paths(vault),
                f"the index shows {change.__name__}",
            )
            status = bridge.wait_indexed()
            assert (change.__name__, status["embedded_total"]) == (change.__name__, total)


@pytest.mark.model
def test_new_words_are_embedded_once(indexed: tuple[Path, Path, int], models_dir: Path) -> None:
    vault, data, total = indexed
    with serving(vault, data_dir=data, models_dir=models_dir) as bridge:
        bridge.wait_indexed()
        (vault / "New.md").write_text("A sentence about glaciers that no other note has.\n")
        bridge.until(lambda: bridge.vault()["embedded_total"] > total, "the new note is embedded")
        status = bridge.wait_indexed()
        assert (status["embedded_total"], status["notes"]) == (total + 1, NOTES + 1)
