"""Who may import what, where import-linter cannot see it."""

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.system.conftest import BRIDGE
from tests.system.sidecar import COMMAND, PATIENCE_S

HEAVY = {
    "lancedb",
    "pyarrow",
    "llama_cpp",
    "igraph",
    "numkong",
    "numpy",
    "aiohttp",
    "gguf",
    "pypdfium2",
    "pydantic",
    "mcp",
    "starlette",
}
PACKAGES = sorted(path.parent.name for path in BRIDGE.glob("*/__init__.py"))


def imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield what a module imports, wherever the statement stands, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((name.name, node.lineno) for name in names)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield from ((f"{module}.{name.name}", node.lineno) for name in names)


def test_only_the_server_serves(trees: Mapping[Path, ast.Module]) -> None:
    serving = {
        path.relative_to(BRIDGE).parts[0]
        for path, tree in trees.items()
        for name, _ in imports(tree)
        if name.startswith("aiohttp.web")
    }
    assert serving == {"server"}


def test_packages_hold_only_a_docstring_and_features_themselves(trees: Mapping[Path, ast.Module]) -> None:
    roots = {BRIDGE / "__init__.py", BRIDGE / "features" / "__init__.py"}
    code = {
        path.relative_to(BRIDGE).as_posix()
        for path in set(BRIDGE.rglob("__init__.py")) - roots - set((BRIDGE / "features").glob("*/__init__.py"))
        if len(trees[path].body) != 1
    }
    assert code == set()


def test_each_name_is_imported_from_where_it_is_defined(trees: Mapping[Path, ast.Module]) -> None:
    modules = {
        ".".join(("bridge", *path.relative_to(BRIDGE).with_suffix("").parts)): tree
        for path, tree in trees.items()
        if path.name not in {"__init__.py", "public.py"}
    }
    imported = {
        module: {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bridge")
            for alias in node.names
        }
        for module, tree in modules.items()
    }
    passed_on = [
        f"{module} imports {alias.name} from {node.module}"
        for module, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in imported.get(node.module or "", ())
    ]
    assert passed_on == []


def test_features_are_used_by_their_doors(trees: Mapping[Path, ast.Module]) -> None:
    """What another package takes from a feature, it takes from its module `public`, which offers nothing else."""
    taken: dict[str, set[str]] = defaultdict(set)
    inner = set()
    for path, tree in trees.items():
        own = path.relative_to(BRIDGE / "features").parts[0] if path.is_relative_to(BRIDGE / "features") else None
        for name, line in imports(tree):
            match name.split("."):
                case ["bridge", "features", feature, "public", taken_name] if feature != own:
                    taken[feature].add(taken_name)
                case ["bridge", "features", feature, _, _] if feature != own:
                    inner.add(f"{path.relative_to(BRIDGE)}:{line} {name}")
    offered = {
        door.parent.name: {name.rpartition(".")[2] for name, _ in imports(trees[door])}
        for door in BRIDGE.glob("features/*/public.py")
    }
    assert inner == set()
    assert offered == taken


def test_records_are_no_dataclasses(trees: Mapping[Path, ast.Module]) -> None:
    """What `dataclasses` offers fails on a struct when it is called, and a checker does not say so."""
    using = {
        path.relative_to(BRIDGE).as_posix()
        for path, tree in trees.items()
        for name, _ in imports(tree)
        if name.partition(".")[0] == "dataclasses"
    }
    assert using == {"index/segment.py", "vault/rules.py"}


LATE = {
    "cli/main.py",  # an interrupt before this ends the process quietly
    "cli/run_command.py",
    "cli/run_operation.py",  # a command that a running bridge answers takes less time than the bridge's modules
    "cli/serve.py",  # nothing is collected as garbage while this is loaded
    "cli/stdio/endpoint.py",
    "cli/stdio/entry.py",  # loads while the bridge that it started does
    "cli/stdio/find.py",
    "models/worker.py",  # the heavy library behind it
}
"""Modules in which functions import others, and why."""


def test_own_modules_are_imported_at_the_top(trees: Mapping[Path, ast.Module]) -> None:
    late = Counter(
        path.relative_to(BRIDGE).as_posix()
        for path, tree in trees.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bridge")
    )
    assert set(late) <= LATE
    assert late.total() <= 20


LATE_LIBRARIES = HEAVY - {"numpy", "aiohttp", "pydantic", "starlette"} | {"anyio", "httpx2", "mcp_types", "rich"}
"""Libraries that the functions that use them import, since they take long to load."""

SELDOM = {
    # A command that a running bridge answers does without these, and takes a tenth less time.
    "cli/console.py": {"datetime", "logging", "unicodedata"},
    "cli/run_command.py": {"traceback"},
    "data_folder.py": {"hashlib", "platformdirs"},
    "docstrings.py": {"ast", "inspect"},
    "priority.py": {"psutil"},  # on Windows only
    "server/runtime_file.py": {"psutil"},
    "cli/serve.py": {"resource"},  # not on Windows
    "models/worker.py": {"resource"},
    "vault/watch.py": {"watchfiles"},  # commands read a vault without watching it
}
"""Further ones, by the module of which few uses need them."""


def test_other_libraries_are_imported_at_the_top(trees: Mapping[Path, ast.Module]) -> None:
    late: defaultdict[str, set[str]] = defaultdict(set)
    for path, tree in trees.items():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                names = {name.partition(".")[0] for name, _ in imports(ast.Module(function.body, []))}
                late[path.relative_to(BRIDGE).as_posix()] |= names - LATE_LIBRARIES - {"bridge"}
    assert {module: names for module, names in late.items() if names} == SELDOM


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_what_it_offers(package: str, trees: Mapping[Path, ast.Module]) -> None:
    assert ast.get_docstring(trees[BRIDGE / package / "__init__.py"])


def loaded_by(*arguments: str) -> set[str]:
    """Return the names of the packages a Python process has loaded at its end."""
    answer = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    names = (line.rpartition("|")[2].strip() for line in answer.stderr.splitlines() if line.startswith("import time:"))
    return {name.partition(".")[0] for name in names}


def test_help_loads_nothing_heavy() -> None:
    assert loaded_by(str(COMMAND), "--help") & HEAVY == set()


def test_reading_a_vault_loads_nothing_heavy() -> None:
    assert loaded_by("-c", "import bridge.vault.vault, bridge.markdown.parse") & HEAVY == set()


def test_everything_can_be_imported_without_opening_the_heavy_libraries() -> None:
    opened_later = HEAVY - {"numpy", "aiohttp"}
    assert (
        loaded_by("-c", "import bridge.engine.bridge, bridge.server.serve, bridge.cli.serve, bridge.export.openapi")
        & opened_later
        == set()
    )


def test_the_trap_would_catch_a_heavy_import() -> None:
    assert loaded_by("-c", "import numpy") & HEAVY == {"numpy"}
