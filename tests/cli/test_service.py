"""The service is described as each system wants it, and its manager is called."""

import configparser
import os
import plistlib
import shlex
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bridge.cli.main import main
from bridge.cli.service import describe, service_manager

COMMAND = ["/opt/my tools/vaultside", "serve", "/home/me/Notes 100% $HOME", '/home/me/"quoted"\\back']


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put programs of the system's manager first on the path, which record how they are called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    calls = tmp_path / "calls"
    calls.touch()
    for name in ("systemctl", "journalctl"):
        (folder / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {shlex.quote(str(calls))}\nexit ${{ANSWER:-0}}\n')
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return calls


def test_a_unit_says_the_command_word_by_word() -> None:
    unit = configparser.RawConfigParser()
    unit.optionxform = str  # type: ignore[method-assign,assignment]
    unit.read_string(describe("linux", COMMAND, Path("log")).decode())
    assert (unit["Service"]["Restart"], unit["Install"]["WantedBy"]) == ("on-failure", "default.target")
    words = shlex.split(unit["Service"]["ExecStart"])
    assert [word.replace("%%", "%").replace("$$", "$") for word in words] == COMMAND


def test_an_agent_and_a_task_say_it_too() -> None:
    agent = plistlib.loads(describe("darwin", COMMAND, Path("/logs/service.log")))
    assert (agent["ProgramArguments"], agent["KeepAlive"]) == (COMMAND, {"SuccessfulExit": False})
    task = ET.fromstring(describe("win32", COMMAND, Path("log")).decode("utf-16"))
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    assert task.findtext(f".//{space}Command") == COMMAND[0]
    assert task.findtext(f".//{space}Arguments") == subprocess.list2cmdline(COMMAND[1:])


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_each_system_has_a_place_for_one_service_a_user(system: str, tmp_path: Path) -> None:
    manager = service_manager(system, tmp_path, tmp_path / "log")
    assert manager.file.is_relative_to(tmp_path if system == "win32" else Path.home())
    assert manager.start
    assert manager.stop


@pytest.mark.skipif(os.name != "posix", reason="systemd")
def test_a_service_is_installed_told_and_removed(
    manager: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, where = tmp_path / "Notes", ["--data-dir", str(tmp_path / "data")]
    notes.mkdir()
    unit = tmp_path / "config" / "systemd" / "user" / "vaultside.service"
    assert main(["service", "install", str(notes), *where]) == 1
    assert "Repeat this with `--yes`." in capsys.readouterr().err
    assert (unit.exists(), manager.read_text()) == (False, "")
    assert main(["service", "status", *where]) == 1
    assert "not installed" in capsys.readouterr().err

    assert main(["service", "install", str(notes), "--yes", *where]) == 0
    assert f'"serve" "{notes}" "--data-dir"' in unit.read_text()
    assert manager.read_text().splitlines() == [
        "systemctl --user daemon-reload",
        "systemctl --user enable --now vaultside.service",
    ]
    assert main(["service", "status", *where]) == 0
    assert main(["service", "logs", *where]) == 0
    assert manager.read_text().splitlines()[-1].startswith("journalctl --user --unit vaultside.service")

    assert main(["service", "remove", *where]) == 0
    assert not unit.exists()
    assert "systemctl --user disable --now vaultside.service" in manager.read_text()
    monkeypatch.setenv("ANSWER", "1")
    assert main(["service", "install", str(notes), "--yes", *where]) == 1
    assert "`systemctl --user daemon-reload` failed." in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="systemd")
def test_a_system_without_a_manager_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "Notes").mkdir()
    assert main(["service", "install", str(tmp_path / "Notes"), "--yes", "--data-dir", str(tmp_path / "data")]) == 1
    assert "This system has no `systemctl`." in capsys.readouterr().err
