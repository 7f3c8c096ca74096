"""Several vaults in one process: each by its own name, and nothing of one in another."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.sidecar import CallFailed, Sidecar, serving, settled
from tests.system.vaults import generate


@pytest.fixture
def vaults(tmp_path: Path) -> tuple[Path, Path]:
    """Return two vaults with the same names of notes and different words."""
    home, work = tmp_path / "home", tmp_path / "work"
    for folder, word in ((home, "homemadeword"), (work, "workplaceword")):
        folder.mkdir()
        (folder / "Plan.md").write_text(f"---\ntags: [{word}]\n---\n# Plan\nThe {word} of [[Other]].\n")
        (folder / "Other.md").write_text(f"# Other\nMore about the {word}.\n")
    (work / "Only here.md").write_text("# Only here\nA note about glaciers.\n")
    return home, work


def ready(bridge: Sidecar, *, vectors: bool = False) -> bool:
    """Say whether every vault is in its index."""
    return all(settled(vault, vectors=vectors) for vault in bridge.call("status")["vaults"])


@pytest.mark.model
def test_no_data_crosses(vaults: tuple[Path, Path], tmp_path: Path, models_dir: Path) -> None:
    with serving(*vaults, data_dir=tmp_path / "data", models_dir=models_dir) as bridge:
        bridge.until(lambda: ready(bridge, vectors=True), "all is in")
        for own, other, notes in (("home", "workplaceword", 2), ("work", "homemadeword", 3)):
            hits = bridge.call("search", vault=own, query=other, mode="keyword")["hits"]
            assert hits == []
            meant = bridge.call("search", vault=own, query="glaciers", mode="semantic", limit=100)["hits"]
            held = bridge.call("find_notes", vault=own)["notes"]
            tags = bridge.call("list_tags", vault=own)["tags"]
            assert {hit["path"] for hit in meant} <= {note["path"] for note in held}
            assert (len(held), [tag["tag"] for tag in tags]) == (
                notes,
                [f"{own}{'madeword' if own == 'home' else 'placeword'}"],
            )
            assert other not in bridge.call("read_note", vault=own, path="Plan.md")["text"]
            assert [link["path"] for link in bridge.call("note_links", vault=own, path="Plan.md")["links"]] == [
                "Other.md"
            ]


def test_a_vault_must_be_named_when_there_are_two(vaults: tuple[Path, Path], tmp_path: Path) -> None:
    with serving(*vaults, data_dir=tmp_path / "data", models_dir=tmp_path / "none") as bridge:
        bridge.until(lambda: ready(bridge), "both are read")
        with pytest.raises(CallFailed) as unnamed:
            bridge.call("search", query="plan")
        with pytest.raises(CallFailed) as unknown:
            bridge.call("search", query="plan", vault="nowhere")
        by_id = [bridge.call("find_notes", vault=vault["id"])["total"] for vault in bridge.call("status")["vaults"]]
    assert {unnamed.value.error["code"], unknown.value.error["code"]} == {"no_such_vault"}
    assert by_id == [2, 3]


def test_two_vaults_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for year in ("2020", "2021"):
        (tmp_path / year / "Notes").mkdir(parents=True)
        (tmp_path / year / "Notes" / f"{year}.md").write_text(f"Written in {year}.\n")
    with serving(
        tmp_path / "2020" / "Notes", tmp_path / "2021" / "Notes", data_dir=tmp_path / "data", models_dir=tmp_path / "x"
    ) as bridge:
        bridge.until(lambda: ready(bridge), "both are read")
        names = [vault["name"] for vault in bridge.call("status")["vaults"]]
        held = [bridge.call("find_notes", vault=name)["notes"][0]["path"] for name in names]
    assert len(set(names)) == 2
    assert held == ["2020.md", "2021.md"]


def test_a_vault_that_moved_keeps_its_index(tmp_path: Path) -> None:
    old, new, data = tmp_path / "old", tmp_path / "new", tmp_path / "data"
    generate(old, 20, sections=1)
    with serving(old, data_dir=data, models_dir=tmp_path / "none") as bridge:
        bridge.wait_indexed(vectors=False)
    old.rename(new)
    with serving(new, data_dir=data, models_dir=tmp_path / "none") as bridge:
        status = bridge.wait_indexed(vectors=False)
    assert status["notes"] == 20
    assert len([folder for folder in (data / "vaults").iterdir() if (folder / "index").exists()]) == 1


def test_the_same_folder_given_twice_is_one_vault(vaults: tuple[Path, Path], tmp_path: Path) -> None:
    home, _ = vaults
    (tmp_path / "alias").symlink_to(home)
    with serving(home, tmp_path / "alias", data_dir=tmp_path / "data", models_dir=tmp_path / "none") as bridge:
        assert len(bridge.call("status")["vaults"]) == 1


def test_the_status_of_all_is_told_without_naming_one(vaults: tuple[Path, Path], tmp_path: Path) -> None:
    with serving(*vaults, data_dir=tmp_path / "data", models_dir=tmp_path / "none"):
        told = subprocess.run(
            [sys.executable, "-m", "bridge.cli", "status", "--json", "--data-dir", str(tmp_path / "data")],
            capture_output=True,
            check=True,
            cwd=tmp_path,
        )
    assert [vault["name"] for vault in json.loads(told.stdout)["vaults"]] == ["home", "work"]
