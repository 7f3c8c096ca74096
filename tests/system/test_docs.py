"""What README.md and docs say can be typed, opened and followed."""

import argparse
import ast
import contextlib
import io
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from bridge.cli.parser import build_parser, command_first
from tests.system.test_names import docstrings

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
GENERATED = {ROOT / "docs" / "errors.md", ROOT / "docs" / "settings.md", *(ROOT / "docs" / "reference").iterdir()}
MAX_WORDS = 1_200
MAX_FIGURES_WORDS = 1_500
"""Words of `measurements.md`, which is tables."""
PICTURES = sorted((ROOT / "docs" / "images").iterdir())

BLOCK = re.compile(r"^( *)```(sh|console)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
FENCED = re.compile(r"^( *)```.*?^ *```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`")
NAMED = re.compile(r"`(vaultside [^`]+)`")
UNFINISHED = re.compile(r"arguments are required|needs a value|there is no `(?:[A-Z]+|<\w+>)`")
"""What the command line has against a command of which a sentence names only the beginning, or with `NAME` in it."""
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FOLDERS = (
    "bridge",
    "docs",
    "scripts",
    "tests",
    "obsidian-plugin/src",
    "obsidian-plugin/tests",
    "obsidian-plugin/styles",
)
SOURCE = re.compile(r"`((?:bridge|docs|scripts|tests|obsidian-plugin)/[\w./-]+|[a-z_-]+/|[\w/-]+\.(?:py|ts))`")
"""A file or folder of the repository, in full or as the pages on the code name it."""
NAME = re.compile(r"`([A-Za-z_]\w*(?:\.\w+)*)`")
"""A name of the code alone, with or without its owner."""
WORD = re.compile(r"\w+")
SPELLED_AS_CODE = re.compile(r"_|[a-z][A-Z]")
"""What tells a name of the code from an example's words, on a page."""
EXAMPLES = {
    *("IT", "PoS", "Race", "attendance", "attendant", "getForecast", "insan", "react", "turbopump"),
    *("AWS_ACCESS_KEY_ID", "IvfPq"),
}
"""Words that docstrings and pages quote from notes or of other programs."""
SEPARATORS = {"&&", "||", "|", ";"}

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def typed_lines(page: Path) -> Iterator[str]:
    """Yield the command lines of a page's shell blocks; of a `console` block those behind the prompt."""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        lines = [line.removeprefix(block[1]) for line in block[3].splitlines()]
        yield from (line.removeprefix("$ ") for line in lines if block[2] == "sh" or line.startswith("$ "))


def commands(line: str) -> Iterator[list[str]]:
    """Yield the commands of a line, each as its words."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    found: list[str] = []
    for word in words:
        if word in SEPARATORS:
            yield found
            found = []
        else:
            found.append(word)
    yield found


@cache
def sources() -> frozenset[str]:
    """Return how files and folders of the repository may be named: by the end of their path from any folder on."""
    found = {path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*")}
    folders = {folder for path in found for folder in path.parents}
    return frozenset("/".join(path.parts[start:]) for path in found | folders for start in range(len(path.parts)))


def names_of(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines, imports or uses but for local variables, and the words of its strings."""
    described = {id(one.value) for one in docstrings(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name):
                yield from WORD.findall(name)
            case ast.Constant(value=str(text)) if id(node) not in described:
                yield from WORD.findall(text)
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from (
                target.id
                for line in node.body
                for target in getattr(line, "targets", [getattr(line, "target", None)])
                if isinstance(target, ast.Name)
            )


@pytest.fixture(scope="module")
def code_names(trees: Mapping[Path, ast.Module]) -> frozenset[str]:
    """Return the names of the program's code, and of what is beside it."""
    beside = [ROOT / "pyproject.toml", *(ROOT / "obsidian-plugin" / "src").rglob("*.ts")]
    return frozenset(
        {
            *(name for tree in trees.values() for name in names_of(tree)),
            *(word for path in beside for word in WORD.findall(path.read_text(encoding="utf-8"))),
            *(word for path in sources() for word in WORD.findall(path)),
        }
    )


@pytest.fixture(scope="module")
def names_of_tests() -> frozenset[str]:
    """Return the names of the tests' code, which pages mention as well."""
    paths = sorted((ROOT / "tests").rglob("*.py"))
    return frozenset(name for path in paths for name in names_of(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)]
    return frozenset(
        f"{name}-{before}" if (before := names[:at].count(name)) else name for at, name in enumerate(names)
    )


@cache
def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands and operations."""
    return build_parser()


def refusal(words: list[str]) -> str:
    """Return what the command line has against words; nothing when it takes them."""
    said = io.StringIO()
    words = [*command_first(words)]
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            parser().parse_args(words)
        except SystemExit as left:
            return said.getvalue() if left.code else ""
    return ""


@every_page
def test_every_shell_block_parses(page: Path) -> None:
    script = "\n".join(typed_lines(page))
    parsed = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert parsed.stderr == ""


@every_page
def test_the_command_line_takes_every_command_of_a_block(page: Path) -> None:
    refused = {
        line: said
        for line in typed_lines(page)
        for words in commands(line)
        if words and Path(words[0]).name == "vaultside" and (said := refusal(words[1:]))
    }
    assert refused == {}


@every_page
def test_the_command_line_takes_every_command_in_a_sentence(page: Path) -> None:
    refused = {
        line: said
        for line in NAMED.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
        if (said := refusal(shlex.split(line)[1:])) and not UNFINISHED.search(said)
    }
    assert refused == {}


@every_page
def test_every_path_of_the_repository_exists(page: Path) -> None:
    named = {path.rstrip("/") for path in SOURCE.findall(page.read_text(encoding="utf-8"))}
    assert named - sources() == set()


@every_page
def test_every_script_that_is_typed_exists(page: Path) -> None:
    typed = {words[0] for line in typed_lines(page) for words in commands(line) if words}
    assert [path for path in sorted(typed) if path.startswith("scripts/") and not (ROOT / path).is_file()] == []


@every_page
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
    broken = []
    for target in LINK.findall(text):
        place, _, anchor = unquote(target).partition("#")
        file = (page.parent / place).resolve() if place else page
        if not re.match(r"\w+:", target) and (
            not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file))
        ):
            broken.append(target)
    assert broken == []


def test_every_name_in_a_docstring_exists(trees: Mapping[Path, ast.Module], code_names: frozenset[str]) -> None:
    unknown = [
        f"{path.relative_to(ROOT)}:{one.lineno} {name}"
        for path, tree in trees.items()
        for one in docstrings(tree)
        if isinstance(one.value, ast.Constant)
        for name in NAME.findall(str(one.value.value))
        if set(name.split(".")) - code_names - EXAMPLES
    ]
    assert unknown == []


def test_every_name_on_a_page_exists(code_names: frozenset[str], names_of_tests: frozenset[str]) -> None:
    unknown = [
        f"{page.relative_to(ROOT)}: {word}"
        for page in PAGES
        for name in NAME.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
        for word in name.split(".")
        if SPELLED_AS_CODE.search(word) and word not in code_names | names_of_tests | EXAMPLES
    ]
    assert unknown == []


def test_no_page_is_longer_than_people_read() -> None:
    words = {page: len(page.read_text(encoding="utf-8").split()) for page in PAGES if page not in GENERATED}
    long = {
        page.name: count
        for page, count in words.items()
        if count > (MAX_FIGURES_WORDS if page.name == "measurements.md" else MAX_WORDS)
    }
    assert long == {}


def test_every_picture_is_shown_on_a_page() -> None:
    shown = {(page.parent / target).resolve() for page in PAGES for target in LINK.findall(page.read_text("utf-8"))}
    assert [picture.name for picture in PICTURES if picture not in shown] == []


def test_a_command_that_does_not_exist_is_refused() -> None:
    assert "there is no `serch`" in refusal(["serch", "bread"])
    assert "there is no option `--limits`" in refusal(["search", "bread", "--limits", "3"])
