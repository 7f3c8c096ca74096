"""Returns docstrings, which describe operations and errors, also where Python was told to leave them out (`-OO`)."""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any


def docstring_of(documented: type | Callable[..., Any]) -> str:
    """Return the docstring of a class or function, without indentation."""
    written = source_docstrings(documented.__module__).get(documented.__qualname__) if sys.flags.optimize > 1 else None
    return written or inspect.getdoc(documented) or ""


@cache
def source_docstrings(module: str) -> Mapping[str, str]:
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return {}
    return dict(walk_docstrings(ast.parse(source)))


def walk_docstrings(part: ast.AST, prefix: str = "") -> Iterator[tuple[str, str]]:
    for one in ast.iter_child_nodes(part):
        if isinstance(one, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + one.name, ast.get_docstring(one) or ""
        if isinstance(one, ast.ClassDef):
            yield from walk_docstrings(one, f"{prefix}{one.name}.")
