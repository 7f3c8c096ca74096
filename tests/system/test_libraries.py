"""Other libraries are used by their public interface, and none is changed."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from tests.system.conftest import BRIDGE

PRIVATE_IMPORTS = {
    "watchfiles._rust_notify.RustNotify",  # the public functions cannot watch folders one by one
    "_thread",  # documented by Python; `threading` would triple the start of the process around a server
}

PRIVATE_ATTRIBUTES = {
    "cli/parser.py": {"_actions", "_option_string_actions"},  # argparse tells them nowhere else
}

PUBLIC = {"_asdict", "_exit", "_replace"}
"""Documented names that begin so, lest they be taken for others."""

PRIVATE_MODULE = re.compile(r"[a-z]\w*(?:\.\w+)*\._\w+(?:\.\w+)*")

PATCHES = {"library.py"}  # docs/decisions/0011-lancedb-in-parts.md


def is_private(name: str) -> bool:
    return any(part.startswith("_") and part != "__future__" for part in name.split("."))


def foreign_names(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each name that stands for something of another library, with what that is."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    module = alias.name if alias.asname else alias.name.partition(".")[0]
                    yield alias.asname or module, module
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield from ((alias.asname or alias.name, f"{module}.{alias.name}") for alias in names)


def private_imports(tree: ast.AST) -> set[str]:
    """Return the private modules and names that are imported from other libraries."""
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names = modules | {name for _, name in foreign_names(tree)}
    return {name for name in names if is_private(name) and name.partition(".")[0] != "bridge"}


def own_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module defines or gives to its objects."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name


def private_attributes(tree: ast.AST, own: Collection[str]) -> set[str]:
    """Return the private attributes that are neither the module's nor, of its own objects, among some names."""
    here = {*own_names(tree), *PUBLIC}
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and re.match("_(?!_)", node.attr) and node.attr not in here
        if not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"} and node.attr in own)
    }


def private_modules(tree: ast.AST) -> set[str]:
    """Return the private modules that are named by a string."""
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {text for text in texts if isinstance(text, str) and PRIVATE_MODULE.fullmatch(text)}


def changed(node: ast.AST) -> list[ast.expr]:
    """Return what a statement or call assigns to or deletes."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return [target]
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[target, *_]):
            return [ast.Attribute(target, "")]
        case ast.Call(func=ast.Attribute(value=target, attr="update" | "setdefault" | "pop" | "__setitem__")):
            return [ast.Subscript(target, ast.Constant(""))] if "sys.modules" in ast.unparse(target) else []
    return []


def patches(tree: ast.AST) -> Iterator[str]:
    """Yield each assignment to an attribute or item of a module or class of another library."""
    foreign = {name for name, origin in foreign_names(tree) if origin.partition(".")[0] != "bridge"}
    for node in ast.walk(tree):
        for target in changed(node):
            base = target
            while isinstance(base, ast.Attribute | ast.Subscript):
                base = base.value
            if base is not target and isinstance(base, ast.Name) and base.id in foreign:
                yield ast.unparse(node)


def test_private_parts_of_other_libraries_are_not_imported(trees: Mapping[Path, ast.Module]) -> None:
    assert set().union(*map(private_imports, trees.values())) == PRIVATE_IMPORTS


def test_private_attributes_of_other_libraries_are_not_read(trees: Mapping[Path, ast.Module]) -> None:
    own = {name for tree in trees.values() for name in own_names(tree)} - set().union(*PRIVATE_ATTRIBUTES.values())
    read = {path.relative_to(BRIDGE).as_posix(): private_attributes(tree, own) for path, tree in trees.items()}
    assert {module: names for module, names in read.items() if names} == PRIVATE_ATTRIBUTES


def test_private_modules_are_not_loaded_by_name(trees: Mapping[Path, ast.Module]) -> None:
    named = {path.name for path, tree in trees.items() if private_modules(tree)}
    assert named == PATCHES


def test_no_other_library_is_patched(trees: Mapping[Path, ast.Module]) -> None:
    assert {path.name for path, tree in trees.items() for _ in patches(tree)} == PATCHES


@pytest.mark.parametrize(
    "patch",
    [
        "import sys\nsys.modules['overrides'] = None",
        "import sys\nsys.modules.setdefault('overrides', None)",
        "import sys\ndel sys.modules['overrides']",
        "from pydantic import BaseModel\nBaseModel.model_config = {}",
        "import ssl\nsetattr(ssl.SSLContext, 'load_default_certs', print)",
        "import ssl as tls\ntls.SSLContext.load_default_certs = print",
    ],
)
def test_the_scan_sees_patches(patch: str) -> None:
    assert len([*patches(ast.parse(patch))]) == 1


def test_the_scan_sees_private_attributes_and_modules() -> None:
    tree = ast.parse("class Own:\n    _mine = 1\nOwn._mine\nsession._theirs\nself._base\nload('yaml._yaml')")
    assert private_attributes(tree, {"_base"}) == {"_theirs"}
    assert private_modules(tree) == {"yaml._yaml"}


def test_the_scan_sees_private_imports() -> None:
    tree = ast.parse("import lancedb._lancedb\nfrom yaml._yaml import CParser\nfrom yaml import CBaseLoader, _yaml")
    assert private_imports(tree) == {"lancedb._lancedb", "yaml._yaml.CParser", "yaml._yaml"}
