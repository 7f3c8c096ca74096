"""Makes what is published from the checkout, in `dist`; `scripts/release` builds the plugin first."""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.lib.release.man_page import man_page
from scripts.lib.setup.lockfile import ROOT

PLUGIN = ROOT / "obsidian-plugin"
IN_PACKAGE = Path("bridge", "obsidian_plugin")
ICON = ROOT / "bridge" / "mcp" / "icon.png"
MAN_PAGE = Path("docs", "vaultside.1")
PACKAGED = ("CHANGELOG.md", "LICENSE", "README.md", "bridge", "docs", "pyproject.toml")
BUILT = ("main.js", "manifest.json", "styles.css")
SOURCES = (
    "esbuild.config.mjs",
    "eslint.config.mjs",
    "manifest.json",
    "package-lock.json",
    "package.json",
    "src",
    "styles",
    "tsconfig.json",
    "versions.json",
)
"""What the community directory needs to build the plugin and compare."""

FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can say, so that all are the same."""

WORKFLOW = """name: Release
on:
  push:
    tags: ["*"]
permissions:
  attestations: write
  contents: write
  id-token: write
jobs:
  release:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
      - run: npm ci --ignore-scripts && npm run build
      - uses: actions/attest-build-provenance@v2
        with:
          subject-path: |
            main.js
            styles.css
      - run: gh release create "$GITHUB_REF_NAME" main.js manifest.json styles.css
        env:
          GH_TOKEN: ${{ github.token }}
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Make everything anew."""
    parser = argparse.ArgumentParser(prog="scripts/release", description=__doc__)
    parser.add_argument(
        "--repository",
        metavar="OWNER/NAME",
        type=repository,
        help="where this is on GitHub: for links in the package, and the entry in the MCP registry",
    )
    parser.add_argument("--email", help="the address of the authors, for the package")
    parser.add_argument(
        "--to", type=Path, default=ROOT / "dist", help="the folder, which is emptied; by default `dist`"
    )
    given = parser.parse_args(argv)
    dist: Path = given.to.absolute()
    if dist != ROOT / "dist" and dist.is_dir() and any(dist.iterdir()) and not (dist / "SHA256SUMS").is_file():
        parser.error(f"{dist} has files that are not those of a release; give an empty folder")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    build_packages(dist, project, given.repository, given.email)
    lay_out_plugin(dist / "plugin")
    pack_bundle(dist, project)
    lay_out_claude_code(dist / "claude-code", project)
    if given.repository is not None:
        write_json(dist / "server.json", registry_entry(project, given.repository))
    files = sorted(path for path in dist.rglob("*") if path.is_file())
    sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(dist)}\n" for path in files)
    (dist / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    print(f"{len(files)} files are in {dist}.", file=sys.stderr)
    return 0


def repository(written: str) -> str:
    if re.fullmatch(r"[\w.-]+/[\w.-]+", written) is None:
        raise argparse.ArgumentTypeError("it is given as OWNER/NAME")
    return written


def build_packages(dist: Path, project: Mapping[str, Any], place: str | None, email: str | None) -> None:
    """Build the wheel and the source distribution from a copy of what git knows, with what only a release has in it."""
    listed = read_git("ls-files", "-z", "--", *PACKAGED).split("\0")
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary)
        for name in filter(None, listed):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
        (copy / IN_PACKAGE).mkdir()
        for name in BUILT:
            shutil.copyfile(PLUGIN / name, copy / IN_PACKAGE / name)
        (copy / MAN_PAGE).write_text(man_page(project["description"]), encoding="utf-8")
        rewrite(copy / "pyproject.toml", lambda text: describe_release(text, place, email))
        if place is not None:
            rewrite(copy / "README.md", lambda text: publish_readme(text, project, place))
        env = {**os.environ, "SOURCE_DATE_EPOCH": read_git("log", "-1", "--format=%ct").strip()}
        command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(dist)]
        subprocess.run(command, cwd=copy, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def rewrite(file: Path, change: Callable[[str], str]) -> None:
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")


def describe_release(text: str, place: str | None, email: str | None) -> str:
    """Add to the description of the package what a checkout does not know: its manual page, and where it is from."""
    text += f'\n[tool.hatch.build.targets.wheel.shared-data]\n"{MAN_PAGE}" = "share/man/man1/{MAN_PAGE.name}"\n'
    if place is not None:
        address = f"https://github.com/{place}"
        links = {"Homepage": "", "Issues": "/issues", "Changelog": "/blob/HEAD/CHANGELOG.md"}
        text += "\n[project.urls]\n" + "".join(f'{name} = "{address}{path}"\n' for name, path in links.items())
    if email is not None:
        text = re.sub(r"(?m)^(authors = \[\{ name = \"[^\"]*\")", rf"\1, email = {json.dumps(email)}", text, count=1)
    return text


def publish_readme(text: str, project: Mapping[str, Any], place: str) -> str:
    """Give links and pictures addresses that hold where the package is shown, and name the entry in the registry."""
    pages, files = f"https://github.com/{place}/blob/HEAD/", f"https://raw.githubusercontent.com/{place}/HEAD/"
    text = re.sub(r"(!?)(\[[^]\[]*\])\((?![a-z]+:|#)", lambda m: f"{m[1]}{m[2]}({files if m[1] else pages}", text)
    return f"{text}\n<!-- mcp-name: {registry_name(project, place)} -->\n"


def read_git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def lay_out_plugin(folder: Path) -> None:
    """Lay out the plugin's own repository, as the community directory wants one, with what it was built to."""
    for name in SOURCES:
        source = PLUGIN / name
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    for name in BUILT:
        shutil.copyfile(PLUGIN / name, folder / name)
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")
    text = (ROOT / "docs" / "plugin.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(text.replace("# The plugin", "# Vaultside", 1), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "images", folder / "images")
    workflow = folder / ".github" / "workflows" / "release.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(WORKFLOW, encoding="utf-8")


def pack_bundle(dist: Path, project: Mapping[str, Any]) -> None:
    """Pack the bundle that desktop agents install by a click: a manifest and the wheel, which uv runs."""
    (wheel,) = dist.glob("*.whl")
    run = ["tool", "run", "--from", f"${{__dirname}}/{wheel.name}", project["name"]]
    manifest = {
        "manifest_version": "0.4",
        "name": project["name"],
        "display_name": "Vaultside",
        "version": project["version"],
        "description": project["description"],
        "author": {"name": project["authors"][0]["name"]},
        "license": project["license"],
        "keywords": project["keywords"],
        "server": {
            "type": "uv",
            "entry_point": wheel.name,
            "mcp_config": {"command": "uv", "args": [*run, "mcp", "${user_config.vault}"]},
        },
        "user_config": {
            "vault": {
                "type": "directory",
                "title": "Vault",
                "description": "The folder of your notes.",
                "required": True,
            }
        },
        "icon": "icon.png",
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": project["requires-python"]},
        },
    }
    with zipfile.ZipFile(dist / f"{project['name']}-{project['version']}.mcpb", "w") as bundle:
        files = {"manifest.json": to_json(manifest), "icon.png": ICON.read_bytes(), wheel.name: wheel.read_bytes()}
        for name, data in files.items():
            bundle.writestr(zipfile.ZipInfo(name, FIRST_DAY), data, zipfile.ZIP_DEFLATED)


def lay_out_claude_code(folder: Path, project: Mapping[str, Any]) -> None:
    """Lay out a marketplace with one plugin for Claude Code: the tools, hooks that brief and save, and a skill."""
    name, about = project["name"], {"name": project["name"], "description": project["description"]}
    author = {"name": project["authors"][0]["name"]}
    entry = {**about, "source": f"./plugins/{name}", "version": project["version"]}
    write_json(folder / ".claude-plugin" / "marketplace.json", {"name": name, "owner": author, "plugins": [entry]})
    plugin = folder / "plugins" / name
    whole = {**about, "version": project["version"], "author": author, "license": project["license"]}
    write_json(plugin / ".claude-plugin" / "plugin.json", whole)
    write_json(plugin / ".mcp.json", {"mcpServers": {name: {"command": name, "args": ["mcp"]}}})
    brief, save = (
        {"type": "command", "command": f"{name} {word} --hook", "timeout": 5} for word in ("brief", "save-session")
    )
    hooks = {
        "SessionStart": [{"matcher": "startup|resume|clear|compact", "hooks": [brief]}],
        "PreCompact": [{"hooks": [save]}],
        "SessionEnd": [{"hooks": [save]}],
    }
    write_json(plugin / "hooks" / "hooks.json", {"hooks": hooks})
    skill = plugin / "skills" / name / "SKILL.md"
    skill.parent.mkdir(parents=True)
    shutil.copyfile(Path(__file__).with_name("SKILL.md"), skill)


def registry_name(project: Mapping[str, Any], place: str) -> str:
    """Return the name in the MCP registry, which looks for it in the package's README too."""
    return f"io.github.{place.partition('/')[0]}/{project['name']}"


def registry_entry(project: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the entry in the MCP registry."""
    vault = {"type": "positional", "valueHint": "vault", "description": "The folder of the notes.", "isRequired": True}
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": registry_name(project, place),
        "title": "Vaultside",
        "description": "Search, links, safe writing and memory for an Obsidian vault, offline.",
        "version": project["version"],
        "repository": {"url": f"https://github.com/{place}", "source": "github"},
        "packages": [
            {
                "registryType": "pypi",
                "identifier": project["name"],
                "version": project["version"],
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [{"type": "positional", "value": "mcp"}, vault],
            }
        ],
    }


def to_json(facts: Mapping[str, Any]) -> bytes:
    return (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode()


def write_json(file: Path, facts: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(to_json(facts))


if __name__ == "__main__":
    sys.exit(main())
