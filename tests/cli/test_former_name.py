"""What was kept while the product was called Vault Bridge is taken over once."""

import json
import os
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.data_folder import resolve_data_dir, resolve_models_dir


@pytest.fixture
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of all programs' data, with a token made before the name changed."""
    for name in ("VAULTSIDE_DATA_DIR", "VAULTSIDE_MODELS_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["tokens", "create", "Cursor", "--data-dir", str(tmp_path / "vault-bridge")]) == 0
    return tmp_path


def test_the_data_folder_is_taken_over_and_told_once(share: Path, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    assert main(["tokens", "list"]) == 0
    first = capfd.readouterr()
    assert "Cursor" in first.out
    assert first.err.startswith(f"vaultside: {share / 'vault-bridge'}, of Vault Bridge")
    assert [path.name for path in share.iterdir()] == ["vaultside"]
    assert main(["tokens", "list"]) == 0
    again = capfd.readouterr()
    assert (again.out, again.err) == (first.out, "")


def test_a_folder_of_today_is_never_replaced(share: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (share / "vaultside").mkdir()
    assert main(["tokens", "list"]) == 0
    assert "Cursor" not in capfd.readouterr().out
    assert (share / "vault-bridge" / "tokens.json").is_file()


def test_a_bridge_that_still_runs_keeps_its_folder(share: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = share / "vault-bridge" / "run"
    run.mkdir(parents=True, exist_ok=True)
    told = {"url": "http://127.0.0.1:9", "token": "x", "pid": os.getpid(), "version": "0.1.0", "schema": 1}
    (run / "0123456789abcdef.json").write_text(json.dumps(told), encoding="utf-8")
    assert main(["tokens", "list"]) == 1
    assert f"still runs as process {os.getpid()}" in capfd.readouterr().err
    assert [path.name for path in share.iterdir()] == ["vault-bridge"]


def test_another_folder_has_nothing_to_do_with_it(share: Path) -> None:
    assert main(["tokens", "list", "--data-dir", str(share / "mine" / "vaultside")]) == 0
    assert (share / "vault-bridge").is_dir()


def test_variables_of_the_former_name_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATA_DIR", "MODELS_DIR"):
        monkeypatch.delenv(f"VAULTSIDE_{name}", raising=False)
        monkeypatch.setenv(f"VAULT_BRIDGE_{name}", str(tmp_path / name))
    assert (resolve_data_dir(), resolve_models_dir()) == (tmp_path / "DATA_DIR", tmp_path / "MODELS_DIR")
    monkeypatch.setenv("VAULTSIDE_DATA_DIR", str(tmp_path / "now"))
    assert resolve_data_dir() == tmp_path / "now"
