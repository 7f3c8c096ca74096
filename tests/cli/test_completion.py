"""What a shell offers at a Tab."""

import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from argcomplete.finders import CompletionFinder
from argcomplete.lexers import split_line

from bridge.cli.completion import OPTIONS, find_parser, main
from bridge.cli.parser import SHELLS, build_parser, command_names
from bridge.data_folder import Folders, add_to_vault_list, vault_id
from tests.features.served import write_vault

ROOT = Path(__file__).resolve().parents[2]


def candidates(line: str) -> list[str]:
    """Return what is offered behind a line, without the forms in which a shell takes it."""
    finder = CompletionFinder(find_parser(split_line(line)[3]), **OPTIONS)
    finder.rl_complete(line, 0)
    return [one for one in finder.get_display_completions() if "\\" not in one]


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
    ("line", "offered"),
    [
        ("sea", ["search", "search-blocks"]),
        ("search x --mod", ["--models-dir", "--mode", "--modified-after", "--modified-before"]),
        ("search x --mode ", ["hybrid", "keyword", "semantic", "deep"]),
        ("search x --mode k", ["keyword"]),
        ("models in", ["install"]),
        ("mcp --preset r", ["read-only"]),
        ("completion ", ["bash", "zsh", "fish", "powershell"]),
        ("search x --limit ", []),
        ("search ", []),
        ("nothing ", []),
        ("mcp ", ["Notes"]),
        ("search x --vault n", ["Notes"]),
        ("read-note --vault Notes Bread/", ["Bread/Rye.md", "Bread/Wheat/"]),
        ("read-note --vault Notes Bread/r", ["Bread/Rye.md"]),
        ("read_note --vault notes D", ["Daily Notes/"]),
        ("find-notes --vault Notes Bread/", ["Bread/Wheat/"]),
        ("search x --vault Notes --folder B", ["Bread/"]),
        ("serve No", ["Notes/"]),
        ("serve Notes No", ["Notes/"]),
        ("read-note ./No", ["./Notes/"]),
    ],
)
def test_what_may_follow_is_offered(line: str, offered: list[str], root: Path) -> None:
    assert root.exists()
    assert candidates(line) == offered


def test_notes_are_offered_from_the_vault_or_from_the_present_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "Bread")
    for typed, offered in (("B", "Bread/"), ("R", "Rye.md"), ("./R", "./Rye.md"), ("../D", "../Daily Notes/")):
        assert candidates(f"read-note {typed}") == [offered]
    assert candidates(f"read-note {root}/Bread/R") == [f"{root}/Bread/Rye.md"]


def test_every_command_is_known() -> None:
    for name in command_names():
        assert "--help" in candidates(f"{name} --he")
        with pytest.raises(SystemExit) as left:
            build_parser((name,)).parse_args([name, "--help"])
        assert left.value.code == 0


@pytest.mark.parametrize("typed", ["Daily\\ No", '"Daily No', "'Daily No", "DAILY\\ n", "Daily"])
def test_quotes_are_taken_off(typed: str, root: Path) -> None:
    assert candidates(f"read-note --vault {root} {typed}") == ["Daily Notes/"]


def test_a_second_note_is_offered_like_the_first(root: Path) -> None:
    assert candidates(f"move-note --vault {root} Bread/Rye.md Bread/W") == ["Bread/Wheat/"]


TRIES = {
    "bash": """
source {script}
COMP_LINE='vaultside read-note --vault Notes {typed}' COMP_POINT=${{#COMP_LINE}}
_python_argcomplete vaultside
printf '%s\\n' "${{COMPREPLY[@]}}"
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
"""How each shell is asked; zsh only where somebody presses Tab."""


@pytest.mark.parametrize("shell", TRIES)
def test_the_shells_ask_and_offer(shell: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = "pwsh" if shell == "powershell" else shell
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")
    program = tmp_path / "bin" / "vaultside"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m bridge.cli "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=":")
    script = subprocess.run([program, "completion", shell], capture_output=True, text=True, check=True).stdout
    (tmp_path / "script").write_text(script)
    for typed, offered in (("Bread/", ["Bread/Rye.md", "Bread/Wheat/"]), ("Da", ["Daily Notes/"]), ("x", [])):
        text = TRIES[shell].format(script=tmp_path / "script", typed=typed)
        ran = subprocess.run([command, "-c", text], capture_output=True, text=True, check=False, cwd=tmp_path)
        lines = (line.partition("\t")[0].replace("\\ ", " ").replace("` ", " ") for line in ran.stdout.splitlines())
        assert (sorted(filter(None, lines)), ran.stderr) == (offered, "")
    assert root.exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(Namespace(shell=shell)) == 0
    assert "vaultside" in capsys.readouterr().out
