"""Model files opened in a worker of their own before anybody relies on them."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.errors import ModelUnusable
from bridge.models.frames import Frame, request, unpacked
from bridge.models.job import Work, command, surroundings, work
from bridge.models.known import ModelSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WITHIN_S = 120
_MEMORY = 4 << 30
_HINT = "Give a whole GGUF file of an embedding model; fetch it again if this one was cut short."


def facts_of(file: Path) -> dict[str, Any]:
    """Ask a worker with bounded memory and time what a GGUF file says of itself.

    Raises:
        ModelUnusable: llama.cpp cannot read it; the message says why.
    """
    bounded = Work(str(file), memory=_MEMORY + 2 * file.stat().st_size, cpu_seconds=_WITHIN_S)
    facts: dict[str, Any] = _ask(bounded, b"")[0].head["facts"]
    return facts


def vectors_of(file: Path, spec: ModelSpec, texts: Sequence[str]) -> "NDArray[np.float32]":
    """Embed some texts in a worker with bounded memory and time, as unit vectors.

    Raises:
        ModelUnusable: The model does not embed, or not into as many dimensions as said.
    """
    import numpy as np

    bounded = work(file, spec, memory=_MEMORY + 2 * file.stat().st_size, cpu_seconds=_WITHIN_S)
    ready, *answers = _ask(bounded, request(texts).packed())
    if ready.head["dimensions"] != spec.dimensions:
        raise ModelUnusable(
            f"{file.name} has {ready.head['dimensions']} dimensions instead of {spec.dimensions}.", hint=_HINT
        )
    if not answers:
        raise ModelUnusable(f"{file.name} was read, but embedding a sentence with it failed.", hint=_HINT)
    vectors = np.frombuffer(answers[0].body, dtype="<f4").reshape(len(texts), spec.dimensions)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(vectors).all() or not norms.all():
        raise ModelUnusable(f"{file.name} answers a sentence with numbers that are none.", hint=_HINT)
    unit: NDArray[np.float32] = (vectors / norms).astype(np.float32)
    return unit


def _ask(task: Work, questions: bytes) -> list[Frame]:
    name = Path(task.path).name
    surrounding = surroundings(task)
    surrounding.pop("stdin")
    try:
        done = subprocess.run(
            command(task),
            input=questions,
            stderr=subprocess.DEVNULL,
            timeout=_WITHIN_S,
            check=False,
            **surrounding,
        )
    except subprocess.TimeoutExpired:
        raise ModelUnusable(f"{name} was not read within {_WITHIN_S} s.", hint=_HINT) from None
    frames = unpacked(done.stdout)
    if not frames:
        raise ModelUnusable(f"llama.cpp ended while it read {name}.", hint=_HINT)
    if "failed" in frames[0].head:
        raise ModelUnusable(f"llama.cpp cannot use {name}: {frames[0].head['failed']}", hint=_HINT)
    return frames
