"""Finds llama.cpp: llama-cpp-python where it was compiled, else a prebuilt one; and tells why it cannot be used."""

import importlib
import importlib.metadata
import importlib.util
import json
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal

from bridge.errors import BridgeError, ModelUnusable, NotReady
from bridge.models import prebuilt_api
from bridge.private_files import is_locked
from bridge.records import Record

PREBUILT = ("xllamacpp==2026.10.11549", "llama-cpp-py-sync==0.11548")
"""The packages whose library `prebuilt_api` describes: for Linux and macOS, and for Windows."""

_WINDOWS = sys.platform == "win32"


def has_llama() -> bool:
    """Say whether llama-cpp-python or a prebuilt library is there to be used. Imports neither."""
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
    """Return the library in the prebuilt package for this system, if that is of the known version."""
    package, version = PREBUILT[_WINDOWS].split("==")
    origin = _origin(package.replace("-", "_"))
    if origin is None or importlib.metadata.version(package) != version:
        return None
    return next(origin.parent.glob("llama.dll" if _WINDOWS else "xllamacpp*.so"), None)


def _origin(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    # A folder that an uninstallation left behind has no origin.
    return Path(found.origin) if found is not None and found.origin is not None else None


_RECORD, _LOCK = "model-setup.json", "model-setup.lock"
"""What `scripts/lib/setup/llama_setup.py` writes into the environment; the lock is held while it runs."""


class ModelSetup(Record):
    """The set-up of llama.cpp, without which no model can be used.

    Attributes:
        state: `running` or `missing`.
        message: What it does, or what is wrong.
        hint: What to do.
        done: How much of the step is done, of `total`.
        total: 0 where that is not known.
        seconds: How long it has run.
    """

    state: Literal["running", "missing"]
    message: str
    hint: str
    done: int = 0
    total: int = 0
    seconds: int = 0

    @property
    def notice(self) -> str:
        """What to say beside an answer that was found without a model."""
        if self.state == "running":
            return f"{self.message} Until that is done, only words, links and tags count."
        return f"{self.message} So only words, links and tags count; `vaultside doctor` says what to do."

    def error(self) -> BridgeError:
        """Return it as the error of a call that needs a model."""
        kind = NotReady if self.state == "running" else ModelUnusable
        return kind(self.message, hint=self.hint)


def read_model_setup(environment: Path | None = None) -> ModelSetup | None:
    """Return why llama.cpp cannot be used; None when it can."""
    folder = environment or Path(sys.prefix)
    if (facts := _read(folder / _RECORD)) and is_locked(folder / _LOCK):
        return _progress_of(facts)
    if has_llama():
        return None
    how = f"`{install_command(PREBUILT[_WINDOWS])}` brings it; no compiler is needed."
    return ModelSetup("missing", "llama.cpp is not installed.", how)


def install_command(package: str) -> str:
    """Return the command that adds a package to the environment that this program runs in."""
    if (Path(sys.prefix) / "pipx_metadata.json").exists():
        return f"pipx inject vaultside {package}"
    if (Path(sys.prefix) / "uv-receipt.toml").exists():
        return f"uv tool install --with {package} vaultside"
    quote = subprocess.list2cmdline if _WINDOWS else shlex.join
    return quote([sys.executable, "-m", "pip", "install", package])


def require_llama() -> None:
    """Raise unless llama.cpp is installed."""
    if not has_llama() and (setup := read_model_setup()) is not None:
        raise setup.error()


def _progress_of(facts: dict[str, Any]) -> ModelSetup:
    step, done, total = facts.get("step", "Preparing llama.cpp"), facts.get("done", 0), facts.get("total", 0)
    seconds = max(0, int(time.time() - facts.get("since", time.time())))
    counted = f": {done} of {total}" if total else ""
    minutes = f", {seconds // 60} min so far" if seconds >= 60 else ""
    message = f"{step}{counted}{minutes}."
    return ModelSetup("running", message, "Search by words works meanwhile; meaning follows.", done, total, seconds)


def _read(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}
