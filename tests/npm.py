"""Node programs that test the bridge from outside, each locked in a folder of its own."""

import shutil
import subprocess
import sys
from pathlib import Path


def installed(folder: Path, *options: str) -> Path:
    """Install the packages of a folder's lock unless that is already done, and return their folder.

    Args:
        folder: The folder of `package-lock.json`.
        options: Further options of `npm ci`.

    Raises:
        RuntimeError: There is no npm.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("Node 20 with npm is needed: install it from nodejs.org or with your package manager.")
    packages = folder / "node_modules"
    done, wanted = packages / ".done", [*options, (folder / "package-lock.json").read_text(encoding="utf-8")]
    if not done.is_file() or done.read_text(encoding="utf-8") != "\n".join(wanted):
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", *options]
        subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)
        done.write_text("\n".join(wanted), encoding="utf-8")
    return packages


if __name__ == "__main__":
    for place in sys.argv[1:]:
        installed(Path(place))
