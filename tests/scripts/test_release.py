"""What is published is complete, says what it is, and has the same bytes each time."""

import json
import re
import shutil
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.parser import command_names
from scripts.lib.release import __main__ as release
from scripts.lib.release.man_page import command_helps
from scripts.lib.setup.lockfile import ROOT

pytestmark = pytest.mark.process
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
WHEEL = f"vaultside-{VERSION}-py3-none-any.whl"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Publish twice, with a plugin that stands for the built one."""
    folder = tmp_path_factory.mktemp("release")
    shutil.copytree(ROOT / "obsidian-plugin", folder / "plugin", ignore=shutil.ignore_patterns("node_modules"))
    for name in ("main.js", "styles.css"):
        (folder / "plugin" / name).write_text(f"/* {name} */\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "PLUGIN", folder / "plugin")
        for name in ("one", "two"):
            options = ("--repository", "example/notes", "--email", "authors@example.org")
            assert release.main(["--to", str(folder / name), *options]) == 0
    return folder / "one", folder / "two"


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def test_two_runs_give_the_same_bytes(published: tuple[Path, Path]) -> None:
    one, two = (path / "SHA256SUMS" for path in published)
    assert one.read_text() == two.read_text()
    assert WHEEL in one.read_text()


def test_a_folder_of_other_files_is_not_emptied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "Note.md"
    kept.write_text("Mine.\n", encoding="utf-8")
    with pytest.raises(SystemExit):
        release.main(["--to", str(tmp_path)])
    assert "give an empty folder" in capsys.readouterr().err
    assert kept.read_text(encoding="utf-8") == "Mine.\n"


def test_the_wheel_brings_the_plugin_and_needs_no_compiler(published: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(published[0] / WHEEL) as wheel:
        names = wheel.namelist()
        about = Parser().parsestr(wheel.read(f"vaultside-{VERSION}.dist-info/METADATA").decode())
        entry = wheel.read(f"vaultside-{VERSION}.dist-info/entry_points.txt").decode()
    assert {f"bridge/obsidian_plugin/{name}" for name in ("main.js", "manifest.json", "styles.css")} <= set(names)
    assert "bridge/cli/catalogue.json" in names
    assert not [name for name in names if not name.startswith(("bridge/", "vaultside-"))]
    needed = [line for line in about.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert any(line.startswith("xllamacpp==") and "!= 'win32'" in line for line in needed)
    assert any(line.startswith("llama-cpp-py-sync==") and "== 'win32'" in line for line in needed)
    assert not any("llama-cpp-python" in line for line in needed)
    assert entry.split() == ["[console_scripts]", "vaultside", "=", "bridge.cli.main:main"]


def test_the_plugin_has_a_repository_of_its_own(published: tuple[Path, Path]) -> None:
    folder = published[0] / "plugin"
    manifest = read(folder / "manifest.json")
    assert (manifest["id"], manifest["name"]) == ("vaultside", "Vaultside")
    assert str(manifest["version"]) in read(folder / "versions.json")
    there = ("LICENSE", "README.md", "main.js", "styles.css", "src/main.ts", ".github/workflows/release.yml")
    assert [name for name in there if not (folder / name).is_file()] == []
    assert "127.0.0.1" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_bundle_starts_the_wheel_that_is_in_it(published: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(published[0] / f"vaultside-{VERSION}.mcpb") as bundle:
        assert bundle.namelist() == ["manifest.json", "icon.png", WHEEL]
        server = json.loads(bundle.read("manifest.json"))["server"]
    assert (server["type"], server["entry_point"]) == ("uv", WHEEL)
    assert server["mcp_config"]["args"][-2:] == ["mcp", "${user_config.vault}"]


def test_the_entry_in_the_registry_keeps_its_limits(published: tuple[Path, Path]) -> None:
    entry = read(published[0] / "server.json")
    assert entry["name"] == "io.github.example/vaultside"
    assert len(str(entry["description"])) <= 100
    assert entry["version"] == VERSION


def test_the_package_says_where_it_is_from_and_its_readme_holds_there(published: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(published[0] / WHEEL) as wheel:
        about = Parser().parsestr(wheel.read(f"vaultside-{VERSION}.dist-info/METADATA").decode())
    assert about["Author-email"] == "The Vaultside authors <authors@example.org>"
    assert "Homepage, https://github.com/example/notes" in about.get_all("Project-URL", [])
    readme = about.get_payload()
    assert isinstance(readme, str)
    assert readme.endswith("<!-- mcp-name: io.github.example/vaultside -->\n")
    links = re.findall(r"\]\(([^)]*)\)", readme)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert "https://raw.githubusercontent.com/example/notes/HEAD/docs/images/search-light.png" in links
    assert "https://github.com/example/notes/blob/HEAD/docs/agents.md" in links


def test_the_manual_page_has_the_help_of_each_command(published: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(published[0] / WHEEL) as wheel:
        page = wheel.read(f"vaultside-{VERSION}.data/data/share/man/man1/vaultside.1").decode()
    assert page.startswith('.TH VAULTSIDE 1 "" "vaultside ')
    shown = page.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    for name, text in command_helps().items():
        assert f".SS {name}\n.nf\n{text}\n.fi\n" in shown, name
    assert command_helps().keys() == set(command_names())
    # A line that begins so would be read as a command of the formatter.
    known = (".TH", ".SH", ".SS", ".B ", ".IR", ".nf", ".fi")
    assert [line for line in page.split("\n") if line.startswith((".", "'")) and not line.startswith(known)] == []


def test_the_plugin_of_claude_code_has_tools_hooks_and_a_skill(published: tuple[Path, Path]) -> None:
    folder = published[0] / "claude-code"
    (entry,) = read(folder / ".claude-plugin" / "marketplace.json")["plugins"]
    plugin = folder / entry["source"]
    assert read(plugin / ".mcp.json") == {"mcpServers": {"vaultside": {"command": "vaultside", "args": ["mcp"]}}}
    assert set(read(plugin / "hooks" / "hooks.json")["hooks"]) == {"SessionStart", "PreCompact", "SessionEnd"}
    skill = (plugin / "skills" / "vaultside" / "SKILL.md").read_text(encoding="utf-8")
    assert skill.startswith("---\nname: vaultside\ndescription: ")
