"""Finds llama.cpp: llama-cpp-python where it was compiled, else the wheel of xllamacpp."""

import importlib
import importlib.metadata
import importlib.util
from pathlib import Path
from typing import Any

from bridge.models import prebuilt_api

PREBUILT_VERSION = "2026.10.11549"
"""The version of xllamacpp whose C structures `prebuilt_api` describes."""


def has_llama() -> bool:
    """Say whether llama-cpp-python or xllamacpp is there to be used. Imports neither."""
    importlib.invalidate_caches()
    return bool(_origin("llama_cpp") or _prebuilt_library())


def load_llama() -> Any:
    """Load llama.cpp's C API as a module with its functions, structures and constants."""
    library = _prebuilt_library()
    try:
        import llama_cpp
    except (ImportError, OSError, RuntimeError):
        # It is not there, or is being installed at this moment.
        if library is None:
            raise
    else:
        return llama_cpp
    prebuilt_api.open_library(library)
    return prebuilt_api


def _prebuilt_library() -> Path | None:
    """Return the library in xllamacpp's wheel: of the known version, and on a system where it exports the C API."""
    origin = _origin("xllamacpp")
    if origin is None or importlib.metadata.version("xllamacpp") != PREBUILT_VERSION:
        return None
    return next(origin.parent.glob("xllamacpp*.so"), None)


def _origin(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    # A folder that an uninstallation left behind has no origin.
    return Path(found.origin) if found is not None and found.origin is not None else None
