"""What a shell offers at a Tab."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli.completion import SCRIPTS, candidates, describe_command, strip_quotes
from bridge.cli.parser import build_parser, command_names
from bridge.data_folder import Folders, add_to_vault_list, vault_id
from tests.features.served import write_vault
from tests.system.test_imports import HEAVY

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that is known by name, from elsewhere."""
    root = write_vault(
        tmp_path / "Notes", {"Bread/Rye.md": "x", "Bread/Wheat/Emmer.md": "x", "Daily Notes/A b.md": "x"}
    )
    folders = Folders(tmp_path / "data")
    folders.make()
    add_to_vault_list(folders, {vault_id(root): root})
    monkeypatch.setenv("VAULTSIDE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return root


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sea"], ["search", "search-blocks"]),
        (["search", "x", "--mod"], ["--models-dir", "--mode", "--modified-after", "--modified-before"]),
        (["search", "x", "--mode", ""], ["hybrid", "keyword", "semantic", "deep"]),
        (["search", "x", "--mode", "k"], ["keyword"]),
        (["models", "in"], ["install"]),
        (["mcp", "--preset", "r"], ["read-only"]),
        (["completion", ""], ["bash", "zsh", "fish", "powershell"]),
        (["search", "x", "--limit", ""], []),
        (["search", ""], []),
        (["nothing", ""], []),
        (["mcp", ""], ["Notes"]),
        (["search", "x", "--vault", "n"], ["Notes"]),
        (["read-note", "--vault", "Notes", "Bread/"], ["Bread/Rye.md", "Bread/Wheat/"]),
        (["read-note", "--vault", "Notes", "Bread/r"], ["Bread/Rye.md"]),
        (["read_note", "--vault", "notes", "D"], ["Daily Notes/"]),
        (["find-notes", "--vault", "Notes", "Bread/"], ["Bread/Wheat/"]),
        (["search", "x", "--vault", "Notes", "--folder", "B"], ["Bread/"]),
        (["serve", "No"], ["Notes/"]),
        (["serve", "Notes", "No"], ["Notes/"]),
        (["read-note", "./No"], ["./Notes/"]),
    ],
)
def test_what_may_follow_is_offered(words: list[str], offered: list[str], root: Path) -> None:
    assert root.exists()
    assert candidates(words) == offered


def test_notes_are_offered_from_the_vault_or_from_the_present_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "Bread")
    for typed, offered in (("B", "Bread/"), ("R", "Rye.md"), ("./R", "./Rye.md"), ("../D", "../Daily Notes/")):
        assert candidates(["read-note", typed]) == [offered]
    assert candidates(["read-note", f"{root}/Bread/R"]) == [f"{root}/Bread/Rye.md"]


def test_every_command_is_known() -> None:
    for name in command_names():
        assert "--help" in describe_command(name)["options"]
        with pytest.raises(SystemExit) as left:
            build_parser((name,)).parse_args([name, "--help"])
        assert left.value.code == 0
    assert describe_command("read-note")["places"] == ["note"]
    assert describe_command("move-note")["places"] == ["note", "note"]


@pytest.mark.parametrize(
    ("word", "meant"), [("Daily\\ No", "Daily No"), ('"Daily No', "Daily No"), ("'Daily No'", "Daily No"), ("a", "a")]
)
def test_quotes_are_taken_off(word: str, meant: str) -> None:
    assert strip_quotes(word) == meant


TRIES = {
    "bash": """
source {script}
COMP_WORDS=(vaultside read-note --vault Notes {typed}) COMP_CWORD=4
_vaultside
printf '%s\\n' "${{COMPREPLY[@]}}"
""",
    "zsh": """
compdef() {{ }}
source {script}
compadd() {{ while [ "$1" != -- ]; do shift; done; shift; print -l -- "$@" }}
words=(vaultside read-note --vault Notes {typed}) CURRENT=5
_vaultside
""",
    "fish": """
source {script}
complete -C 'vaultside read-note --vault Notes {typed}'
""",
    "powershell": """
Get-Content -Raw {script} | Invoke-Expression
$line = 'vaultside read-note --vault Notes {typed}'
(TabExpansion2 $line $line.Length).CompletionMatches | ForEach-Object {{ $_.ListItemText }}
""",
}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_shells_ask_and_offer(shell: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = "pwsh" if shell == "powershell" else shell
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")
    program = tmp_path / "bin" / "vaultside"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bridge.cli "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    script = subprocess.run([program, "completion", shell], capture_output=True, text=True, check=True).stdout
    (tmp_path / "script").write_text(script)
    for typed, offered in (("Bread/", ["Bread/Rye.md", "Bread/Wheat/"]), ("Da", ["Daily Notes/"]), ("x", [])):
        text = TRIES[shell].format(script=tmp_path / "script", typed=typed)
        ran = subprocess.run([command, "-c", text], capture_output=True, text=True, check=False, cwd=tmp_path)
        found = sorted(line.replace("\\ ", " ") for line in ran.stdout.splitlines() if line)
        assert (found, ran.stderr) == (offered, "")
    assert root.exists()


def test_nothing_heavy_is_loaded_to_answer() -> None:
    code = "import sys; from bridge.cli.main import main;main(['__complete', 'read-note', 'A']);print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not set(ran.stdout.split()) & {*HEAVY, "rich", "bridge.features", "bridge.engine.host"}
