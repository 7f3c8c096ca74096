"""Agents are set up in one step, by their own command or by an edit of their settings that is shown first."""

import json
import os
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.cli.parser import AGENTS
from bridge.cli.stdio import install as agents
from bridge.cli.stdio.install import add_entry, write_config

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the places and programs are those of Linux and macOS")

FILES = {"cursor": "mcpServers", "claude-desktop": "mcpServers", "gemini": "mcpServers", "zed": "context_servers"}
OTHER = json.dumps({"theme": "Größe", "mcpServers": {"other": {"command": "x"}}}, indent=4, ensure_ascii=False) + "\n"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault, and a home of its own for the settings of agents."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    folder = tmp_path / "Notes"
    folder.mkdir()
    return folder


def install(agent: str, vault: Path, *options: str) -> int:
    data = str(vault.parent / "data")
    return main(["mcp", str(vault), "--install", agent, "--data-dir", data, "--models-dir", data, *options])


def settings_of(agent: str) -> Path:
    file = agents.AGENTS[agent].file
    assert file is not None
    return file()


def test_the_command_offers_each_agent() -> None:
    assert tuple(agents.AGENTS) == AGENTS


@pytest.mark.parametrize("agent", FILES)
def test_settings_are_shown_and_edited_once_and_nothing_else_changes(
    agent: str, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = settings_of(agent)
    file.parent.mkdir(parents=True)
    file.write_text(OTHER, encoding="utf-8")
    file.chmod(0o640)
    assert install(agent, vault) == 1
    assert '+        "vaultside-notes": {' in capsys.readouterr().err.replace("    +", "+")
    assert file.read_text(encoding="utf-8") == OTHER
    assert install(agent, vault, "--yes") == 0
    written = file.read_text(encoding="utf-8")
    settings = json.loads(written)
    entry = settings[FILES[agent]].pop("vaultside-notes")
    assert entry["args"][:2] == ["mcp", str(vault)] or entry["args"][3:5] == ["mcp", str(vault)]
    assert {key: value for key, value in settings.items() if value} == json.loads(OTHER)
    assert written.startswith('{\n    "theme": "Größe"')
    assert file.stat().st_mode & 0o777 == 0o640
    capsys.readouterr()
    assert install(agent, vault, "--yes") == 0
    assert "has this entry already" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == written


def test_settings_that_are_not_there_yet_and_those_behind_a_link_are_written(vault: Path, tmp_path: Path) -> None:
    assert install("cursor", vault, "--yes") == 0
    file = settings_of("cursor")
    kept = tmp_path / "dotfiles.json"
    kept.write_bytes(file.read_bytes().replace(b"vaultside-notes", b"other"))
    file.unlink()
    file.symlink_to(kept)
    assert install("cursor", vault, "--yes") == 0
    assert file.is_symlink()
    assert set(json.loads(kept.read_text())["mcpServers"]) == {"other", "vaultside-notes"}


@pytest.mark.parametrize("text", ['// mine\n{"a": 1}', "[]", '{"mcpServers": []}', '{"mcpServers": {"x": '])
def test_settings_that_are_no_plain_json_stay_as_they_are(
    text: str, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = settings_of("cursor")
    file.parent.mkdir()
    file.write_text(text)
    assert install("cursor", vault, "--yes") == 1
    said = capsys.readouterr().err
    assert f"{file} is no plain JSON" in said
    assert "`--print-config cursor`" in said
    assert file.read_text() == text


def test_an_entry_of_the_former_name_for_the_same_vault_is_replaced() -> None:
    entry = {"command": "/new/vaultside", "args": ["mcp", "/notes"]}
    former = {"command": "/old/vault-bridge", "args": ["mcp", "/notes"]}
    other = {"command": "/old/vault-bridge", "args": ["mcp", "/others"]}
    text = json.dumps({"mcpServers": {"vault-bridge-notes": former, "vault-bridge-others": other, "x": former}})
    servers = json.loads(add_entry(text, ("mcpServers", "vaultside-notes"), entry))["mcpServers"]
    assert servers == {"vault-bridge-others": other, "x": former, "vaultside-notes": entry}
    with pytest.raises(ValueError, match="Expecting"):
        add_entry("{", ("mcpServers", "vaultside-notes"), entry)


@pytest.mark.parametrize("agent", ["claude-code", "vscode", "codex", "opencode"])
def test_an_agent_with_a_command_of_its_own_is_told_by_it(
    agent: str, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert install(agent, vault, "--yes") == 2
    assert f"`--print-config {agent}`" in capsys.readouterr().err
    add = agents.AGENTS[agent].add
    assert add is not None
    program, told = tmp_path / "bin" / add("", [""])[0], tmp_path / "told"
    program.parent.mkdir()
    script = f"import sys\nopen({str(told)!r}, 'w').write(repr(sys.argv[1:]))\nsys.exit(len(sys.argv) < 2)\n"
    program.write_text(f"#!{sys.executable}\n{script}")
    program.chmod(0o755)
    assert install(agent, vault) == 1
    assert not told.exists()
    assert install(agent, vault, "--yes") == 0
    assert str(vault) in told.read_text()
    program.write_text(f"#!{sys.executable}\nraise SystemExit(3)\n")
    assert install(agent, vault, "--yes") == 1
    assert "failed with status 3" in capsys.readouterr().err


def test_each_configuration_is_what_its_agent_reads() -> None:
    command = ["/bin/vaultside", "mcp", '/home/Ärger "x"']
    entry = {"command": command[0], "args": command[1:]}
    assert tomllib.loads(write_config("codex", "notes", command)) == {"mcp_servers": {"notes": entry}}
    assert json.loads(write_config("zed", "notes", command)) == {"context_servers": {"notes": entry}}
    opened = json.loads(write_config("opencode", "notes", command))
    assert opened == {"mcp": {"servers": {"notes": {"type": "local", "command": command}}}}


def test_a_link_is_printed_where_the_agent_has_one(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for agent, scheme in (("cursor", "cursor://"), ("vscode", "vscode:mcp/install?"), ("zed", None)):
        assert main(["mcp", str(vault), "--print-config", agent, "--data-dir", str(vault.parent / "data")]) == 0
        said = capsys.readouterr().err
        assert ("Or open: " in said) == (scheme is not None)
        assert scheme is None or scheme in said


def test_words_of_a_command_are_passed_as_they_are() -> None:
    add = agents.AGENTS["claude-code"].add
    assert add is not None
    assert shlex.split(shlex.join(add("n", ["/a b/vaultside", "mcp", "$HOME"])))[-3:] == [
        "/a b/vaultside",
        "mcp",
        "$HOME",
    ]
