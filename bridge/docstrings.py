"""Returns docstrings, which describe operations and errors, also where Python was told to leave them out (`-OO`)."""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any


def docstring_of(documented: type | Callable[..., Any]) -> str:
    """Return the docstring of a class or function, without indentation."""
    import inspect

    written = source_docstrings(documented.__module__).get(documented.__qualname__) if sys.flags.optimize > 1 else None
    return written or inspect.getdoc(documented) or ""


@cache
def source_docstrings(module: str) -> Mapping[str, str]:
    import ast
    import inspect

    def walk(part: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
        for one in ast.iter_child_nodes(part):
            if isinstance(one, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + one.name, ast.get_docstring(one) or ""
            if isinstance(one, ast.ClassDef):
                yield from walk(one, f"{prefix}{one.name}.")

    try:
        return dict(walk(ast.parse(inspect.getsource(sys.modules[module])), ""))
    except (OSError, TypeError):
        return {}
