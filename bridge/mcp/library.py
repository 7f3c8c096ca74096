"""Imports the MCP library without its client and its framework for servers, which nothing here uses."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

PACKAGES = ("mcp", "mcp.server")
"""Packages that import far more than the modules of theirs that are used; the first is around the second."""

WEB_SERVER = "uvicorn.main"
"""A web server, which the library of event streams imports only to notice that it stops."""


def load_mcp() -> None:
    """Make the library's modules importable one by one; a package is completed if anything else of it is asked for."""
    for name in PACKAGES:
        if name not in sys.modules and (spec := importlib.util.find_spec(name)) is not None:
            package = importlib.util.module_from_spec(spec)
            sys.modules[name] = package
            complete_later(package)
            around, _, own_name = name.rpartition(".")
            if around:
                setattr(sys.modules[around], own_name, package)
    if WEB_SERVER not in sys.modules:
        # An import of it then fails as if it were not installed.
        sys.modules[WEB_SERVER] = None  # type: ignore[assignment]
        try:
            with suppress(ImportError):
                importlib.import_module("sse_starlette.sse")
        finally:
            del sys.modules[WEB_SERVER]


@contextmanager
def postpone_models() -> Iterator[None]:
    """Let pydantic build models that are defined meanwhile when they are first used: of the library's, few are."""
    from pydantic import BaseModel, ConfigDict

    before = BaseModel.model_config
    BaseModel.model_config = ConfigDict(**before, defer_build=True)
    try:
        yield
    finally:
        BaseModel.model_config = before


def complete_later(package: ModuleType) -> None:
    """Run the package's own code when a name is asked for that is no module of it."""

    def find(name: str) -> Any:
        if name.startswith("__") or importlib.util.find_spec(f"{package.__name__}.{name}") is not None:
            raise AttributeError(name)
        del package.__getattr__
        if package.__spec__ is not None and package.__spec__.loader is not None:
            package.__spec__.loader.exec_module(package)
        return getattr(package, name)

    package.__getattr__ = find  # type: ignore[method-assign]
