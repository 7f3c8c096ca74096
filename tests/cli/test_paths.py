"""A path is taken as a shell completes it."""

import os
import unicodedata
from functools import partial
from pathlib import Path

import pytest

from bridge.cli.run_operation import vault_path
from bridge.errors import OutsideVault
from tests.features.served import Served, command, write_vault


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_vault(
        tmp_path / "Notes", {"Top.md": "x", "Bread/Rye.md": "x", "Bread/Café.md": "x", "A.md": "x", "Bread/A.md": "x"}
    )


@pytest.mark.parametrize(
    ("typed", "here", "path"),
    [
        ("Bread/Rye.md", "", "Bread/Rye.md"),
        ("Bread/Rye.md", "Bread", "Bread/Rye.md"),
        ("Rye.md", "Bread", "Bread/Rye.md"),
        ("Rye", "Bread", "Bread/Rye"),
        ("./New.md", "Bread", "Bread/New.md"),
        ("./Old/", "Bread", "Bread/Old/"),
        ("New.md", "Bread", "New.md"),
        ("../Top.md", "Bread", "Top.md"),
        (".", "Bread", "Bread"),
        ("..", "Bread", ""),
        ("", "Bread", ""),
        ("Gone.md", "Bread", "Gone.md"),
    ],
)
def test_a_relative_path_is_one_from_the_vault_or_else_from_the_present_folder(
    typed: str, here: str, path: str, root: Path
) -> None:
    assert vault_path(typed, root, root / here) == path


def test_an_absolute_path_is_the_note_that_it_names(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    for base in (root, tmp_path / "link"):
        assert vault_path(str(base / "Bread/Rye.md"), root, tmp_path) == "Bread/Rye.md"
        assert vault_path(str(base / "Bread/New.md"), root, tmp_path) == "Bread/New.md"


@pytest.mark.parametrize("typed", ["../../elsewhere.md", "/elsewhere.md", "../.."])
def test_a_path_outside_the_vault_is_refused(typed: str, root: Path) -> None:
    with pytest.raises(OutsideVault, match="is outside the vault"):
        vault_path(typed, root, root / "Bread")


def test_letters_may_be_composed_in_any_way(tmp_path: Path) -> None:
    apart, joined = (unicodedata.normalize(form, "Café") for form in ("NFD", "NFC"))
    root = write_vault(tmp_path / apart, {"Rye.md": "x"})
    assert vault_path(str(tmp_path / joined / "Rye.md"), root, tmp_path) == "Rye.md"


def test_what_can_mean_two_notes_is_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert vault_path("A.md", root, root / "Bread") == "A.md"
    assert capsys.readouterr().err == "`A.md` is taken from the top of the vault; `./A.md` means Bread/A.md.\n"
    assert vault_path("./A.md", root, root / "Bread") == "Bread/A.md"
    assert capsys.readouterr().err == ""


async def test_commands_take_such_paths(served: Served) -> None:
    root = served.bridge.find(None).root
    rye = (root / "Bread/Rye.md").read_text()
    for typed in ("Rye.md", "./Rye.md", str(root / "Bread/Rye.md"), "Bread/Rye.md"):
        read = await served.command("read-note", typed, cwd=root / "Bread")
        assert (read.status, read.out) == (0, rye), read.err
    found = await served.command("find-notes", ".", "--json", cwd=root / "Bread")
    assert {note["path"] for note in found.json["notes"]} == {"Bread/Rye.md"}
    moved = await served.command("move-note", "Rye.md", "./Roggen.md", "--json", cwd=root / "Bread")
    assert (moved.status, moved.err) == (0, "")
    assert (root / "Bread/Roggen.md").exists()
    outside = await served.command("read-note", os.fspath(root.parent / "x.md"), cwd=root)
    assert (outside.status, outside.out) == (1, "")


async def test_a_vault_is_meant_whatever_the_case_of_its_name(served: Served, tmp_path: Path) -> None:
    root = served.bridge.find(None).root
    (tmp_path / "elsewhere").mkdir()
    for name in ("notes", "NOTES"):
        ran = await served.command("list-folders", "--vault", name, "--json", cwd=tmp_path / "elsewhere")
        assert (ran.status, len(ran.json["folders"])) == (0, 2)
    away = await command("search", "frost", "--vault", "notes", data=tmp_path / "new", models=tmp_path / "m", cwd=root)
    assert (away.status, "There is no folder and no served vault `notes`" in away.err) == (1, True)


async def test_a_known_vault_around_the_present_folder_is_meant(tmp_path: Path) -> None:
    root = write_vault(tmp_path / "Plain", {"Bread/Rye.md": "Frost."})
    (root / ".obsidian").rmdir()
    run = partial(command, data=tmp_path / "data", models=tmp_path / "m")
    unknown = await run("search", "frost", cwd=root / "Bread")
    assert unknown.status == 1
    assert "has `.obsidian`" in unknown.err
    assert "--vault" in unknown.err
    assert (await run("index", str(root))).status == 0
    known = await run("search", "frost", "--json", cwd=root / "Bread")
    assert [hit["path"] for hit in known.json["hits"]] == ["Bread/Rye.md"]
