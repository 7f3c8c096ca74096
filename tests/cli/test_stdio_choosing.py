"""Which vault an agent means, and what sets it up."""

import json
import os
from pathlib import Path

import orjson
import pytest

from bridge.cli.stdio.find import choose_vault
from bridge.data_folder import Folders, add_to_vault_list, vault_id
from bridge.errors import NoSuchVault
from bridge.server.runtime_file import Runtime, write_runtime
from tests.features.served import command


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    made = Folders(tmp_path / "data")
    made.make()
    return made


@pytest.fixture
def vaults(tmp_path: Path, folders: Folders) -> dict[str, Path]:
    """Return three vaults that were opened, the last of them last."""
    made = {name: tmp_path / name for name in ("Brot & Käse", "笔记", "Zuletzt")}
    for when, path in enumerate(made.values()):
        path.mkdir()
        state = folders.state(vault_id(path))
        state.parent.mkdir(parents=True)
        state.touch()
        os.utime(state, (when, when))
    add_to_vault_list(folders, {vault_id(path): path for path in made.values()})
    return made


def serve(folders: Folders, vault: Path) -> None:
    """Leave what a bridge that serves a vault leaves."""
    write_runtime(folders.runtime(vault_id(vault)), Runtime("http://127.0.0.1:1", "", os.getpid(), ""))


def test_a_vault_is_chosen_by_path_name_and_id(folders: Folders, vaults: dict[str, Path], tmp_path: Path) -> None:
    for name, path in vaults.items():
        assert choose_vault(folders, str(path), tmp_path) == path
        assert choose_vault(folders, name, tmp_path) == path
        assert choose_vault(folders, vault_id(path), tmp_path) == path


def test_without_a_name_it_is_the_one_around_the_folder_then_the_served_one_then_the_last(
    folders: Folders, vaults: dict[str, Path], tmp_path: Path
) -> None:
    assert choose_vault(folders, None, tmp_path) == vaults["Zuletzt"]
    serve(folders, vaults["笔记"])
    assert choose_vault(folders, None, tmp_path) == vaults["笔记"]
    (vaults["Brot & Käse"] / ".obsidian").mkdir()
    inside = vaults["Brot & Käse"] / "Deep" / "down"
    inside.mkdir(parents=True)
    assert choose_vault(folders, None, inside) == vaults["Brot & Käse"]


def test_among_several_that_are_served_none_is_guessed(
    folders: Folders, vaults: dict[str, Path], tmp_path: Path
) -> None:
    serve(folders, vaults["笔记"])
    serve(folders, vaults["Zuletzt"])
    with pytest.raises(NoSuchVault, match="choose one") as refused:
        choose_vault(folders, None, tmp_path)
    assert "`笔记`" in refused.value.hint


def test_a_vault_that_does_not_exist_is_refused_with_a_way_out(folders: Folders, tmp_path: Path) -> None:
    for wanted in ("nowhere", None):
        with pytest.raises(NoSuchVault) as refused:
            choose_vault(folders, wanted, tmp_path)
        assert "vaultside mcp" in refused.value.hint


@pytest.mark.parametrize("agent", ["claude-code", "claude-desktop", "cursor", "vscode"])
async def test_the_configuration_of_an_agent_starts_the_entry_for_the_vault(
    agent: str, vaults: dict[str, Path], tmp_path: Path
) -> None:
    data, models = tmp_path / "data", tmp_path / "models"
    ran = await command(
        *("mcp", "笔记", "--print-config", agent, "--client", "My agent", "--preset", "read-only"),
        data=data,
        models=models,
    )
    (server,) = ran.json["servers" if agent == "vscode" else "mcpServers"].values()
    assert Path(server["command"]).is_absolute()
    assert Path(server["command"]).exists()
    asked = ["mcp", str(vaults["笔记"]), "--client", "My agent", "--preset", "read-only"]
    assert server["args"][-10:] == [*asked, "--data-dir", str(data), "--models-dir", str(models)]
    assert server.get("type") == (None if agent == "claude-desktop" else "stdio")
    assert ("claude mcp add" in ran.err) == (agent == "claude-code")
    assert orjson.loads(ran.out) == json.loads(ran.out)


async def test_each_vault_has_a_server_of_its_own_name(tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "models"
    roots = [tmp_path / place for place in ("a/My Notes", "b/my notes", "笔记", "An archive of very many long years")]
    names: list[str] = []
    for root in roots:
        root.mkdir(parents=True)
    folders = Folders(data)
    folders.make()
    add_to_vault_list(folders, {vault_id(root): root for root in roots})
    for root in roots:
        ran = await command("mcp", str(root), "--print-config", "cursor", data=data, models=models)
        names += ran.json["mcpServers"]
    ids = [vault_id(root)[:4] for root in roots]
    assert names == [
        "vaultside-my-notes",
        f"vaultside-my-notes-{ids[1]}",
        f"vaultside-{ids[2]}",
        f"vaultside-an-archive-of-very-m-{ids[3]}",
    ]
    # A tool is called mcp__NAME__wait_until_indexed, of 64 letters at most.
    assert all(len(f"mcp__{name}__wait_until_indexed") <= 64 for name in names)
