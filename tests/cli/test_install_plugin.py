"""The plugin is put into a vault and taken out, after a question."""

from pathlib import Path

import pytest

from bridge.cli import install_plugin
from bridge.cli.main import main


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plugin that was built; whether one is depends on Node."""
    place = tmp_path / "built"
    place.mkdir()
    for name in install_plugin.FILES:
        (place / name).write_text(f"{name} of today")
    monkeypatch.setattr(install_plugin, "PLACES", (tmp_path / "nowhere", place))
    return place


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """The folder of a vault's plugins."""
    folder = tmp_path / "Notes" / ".obsidian" / "plugins"
    folder.mkdir(parents=True)
    return folder


def files_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def call(vault: Path, *options: str) -> int:
    return main(["install-plugin", str(vault), *options])


def test_it_asks_writes_three_files_and_removes_them(
    built: Path, plugins: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault, folder = plugins.parents[1], plugins / "vaultside"
    assert call(vault) == 1
    assert "Repeat this with `--yes`." in capsys.readouterr().err
    assert list(plugins.iterdir()) == []
    assert call(vault, "--yes") == 0
    assert "Community plugins" in capsys.readouterr().err
    assert files_of(folder) == files_of(built)
    (built / "main.js").write_text("main.js of tomorrow")
    (folder / "data.json").write_text("{}")
    assert call(vault, "--yes") == 0
    assert files_of(folder) == {**files_of(built), "data.json": "{}"}
    assert call(vault, "--remove", "--yes") == 0
    assert files_of(folder) == {"data.json": "{}"}
    assert call(vault, "--remove", "--yes") == 2
    assert "There is no plugin" in capsys.readouterr().err


@pytest.mark.usefixtures("built")
def test_of_the_first_plugin_nothing_is_left(plugins: Path) -> None:
    vault = plugins.parents[1]
    plugins.rmdir()
    for other, left in ((False, []), (True, ["plugins"])):
        assert call(vault, "--yes") == 0
        if other:
            (plugins / "other").mkdir()
        assert call(vault, "--remove", "--yes") == 0
        assert [path.name for path in plugins.parent.iterdir()] == left


@pytest.mark.usefixtures("built")
def test_settings_of_the_former_name_are_taken_over_once(plugins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    former, own = plugins / "vault-bridge", plugins / "vaultside" / "data.json"
    former.mkdir()
    (former / "data.json").write_text('{"results": 7}')
    assert call(plugins.parents[1], "--yes") == 0
    assert own.read_text() == '{"results": 7}'
    assert "Switch that plugin off" in capsys.readouterr().err
    own.write_text('{"results": 9}')
    assert call(plugins.parents[1], "--yes") == 0
    assert own.read_text() == '{"results": 9}'


@pytest.mark.usefixtures("built")
def test_what_is_no_vault_or_a_link_is_refused_with_a_way_out(
    plugins: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(tmp_path / "gone", "--yes") == 1
    assert call(tmp_path, "--yes") == 1
    assert "Open it in Obsidian once" in capsys.readouterr().err
    target = tmp_path / "elsewhere"
    target.mkdir()
    (plugins / "vaultside").symlink_to(target)
    assert call(plugins.parents[1], "--yes") == 2
    assert "Delete the link first." in capsys.readouterr().err
    assert list(target.iterdir()) == []


def test_a_copy_without_a_built_plugin_says_how_to_build_it(
    plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install_plugin, "PLACES", (tmp_path / "nowhere",))
    assert call(plugins.parents[1], "--yes") == 2
    assert "npm run build" in capsys.readouterr().err
