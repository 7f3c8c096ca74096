"""Tells whether llama.cpp can be used, and whether `scripts/run` is still fetching the model."""

import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any, Literal

from bridge.errors import BridgeError, ModelUnusable, NotReady
from bridge.models.llama_api import has_llama
from bridge.private_files import is_locked
from bridge.records import Record

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
    how = f"`{install_command('llama-cpp-python')}` compiles it, which takes a C++ compiler and some minutes."
    return ModelSetup("missing", "llama.cpp is not installed.", how)


def install_command(package: str) -> str:
    """Return the command that adds a package to the environment that this program runs in."""
    if (Path(sys.prefix) / "pipx_metadata.json").exists():
        return f"pipx inject vaultside {package}"
    if (Path(sys.prefix) / "uv-receipt.toml").exists():
        return f"uv tool install --with {package} vaultside"
    return shlex.join([sys.executable, "-m", "pip", "install", package])


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
