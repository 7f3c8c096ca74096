"""Imports LanceDB without what it brings along for services that nothing here calls."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import threading
from abc import ABC
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

REQUESTS = "lance_namespace_urllib3_client"
"""The package of the types of requests to a service, and of the code that sends them."""

ANSWER = "ListTablesResponse"
"""The only one of these types that a database on the disk uses."""


COMPILED_MODULE = "lancedb._lancedb"

_loading: Final = threading.Lock()


def load_lancedb() -> None:
    """Import LanceDB, with the settings that it reads only once; several vaults may be opened at the same time."""
    with _loading:
        _load()


def _limit_threads() -> None:
    # It reserves two cores for the disk, which on many machines is all of them.
    os.environ.setdefault("LANCE_CPU_THREADS", str(os.cpu_count() or 1))


def _load() -> None:
    _limit_threads()
    if "lancedb" in sys.modules:
        return
    # Half of its import builds the types of requests, and a quarter checks again that methods override others.
    for name in (REQUESTS, f"{REQUESTS}.models"):
        if name not in sys.modules and (spec := importlib.util.find_spec(name)) is not None:
            package = importlib.util.module_from_spec(spec)
            package.__getattr__ = request_type  # type: ignore[method-assign]
            sys.modules[name] = package
    with unchecked_overrides():
        importlib.import_module("lancedb")


def load_compiled() -> Any:
    """Return the compiled part of LanceDB, whose import alone takes a fortieth of the time."""
    with _loading:
        _limit_threads()
        if COMPILED_MODULE not in sys.modules:
            package = importlib.util.find_spec("lancedb")
            places = package and package.submodule_search_locations
            spec = importlib.machinery.PathFinder.find_spec(COMPILED_MODULE, places) if places else None
            if spec is None or spec.loader is None:
                raise ImportError(f"{COMPILED_MODULE} is not installed")
            compiled = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(compiled)
            # The whole of LanceDB, imported later, takes it from here: it can be loaded only once.
            sys.modules[COMPILED_MODULE] = compiled
        return sys.modules[COMPILED_MODULE]


def request_type(name: str) -> type:
    """Return a type of requests or responses; all but one are only named in annotations."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name == ANSWER:
        found: type = importlib.import_module(f"{REQUESTS}.models.list_tables_response").ListTablesResponse
        return found
    return type(name, (), {})


@contextmanager
def unchecked_overrides() -> Iterator[None]:
    """Replace the package `overrides` while a library is imported: it disassembles the caller of each decorator."""

    def override(method: Callable[..., object]) -> Callable[..., object]:
        return method

    before = sys.modules.get("overrides")
    stand_in = ModuleType("overrides")
    vars(stand_in).update(override=override, EnforceOverrides=ABC)
    sys.modules["overrides"] = stand_in
    try:
        yield
    finally:
        del sys.modules["overrides"]
        if before is not None:
            sys.modules["overrides"] = before
