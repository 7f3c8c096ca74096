"""Runs the tests that failed once more, alone and in their own order, and says which failed by chance."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PYTEST = Path(sys.executable).with_name("pytest")
MAX_BY_CHANCE = 2
"""With more, something is wrong that is no test's own."""


def main() -> int:
    """Read failures from a file, and return whether they were more than chance."""
    first = read_failures(Path(sys.argv[1]))
    if len(first) > MAX_BY_CHANCE:
        print(f"{len(first)} tests failed; up to {MAX_BY_CHANCE} are tried once more.")
        return 1
    again = subprocess.run([PYTEST, "-p", "no:randomly", "-p", "no:cacheprovider", *first], check=False)
    if again.returncode != 0:
        return 1
    for test, text in first.items():
        print(f"\nFailed by chance, and passed alone: {test}\n{text}")
    return 0


def read_failures(file: Path) -> Mapping[str, str]:
    """Return what the tests told that failed, by test."""
    found: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        failure = json.loads(line)
        found[failure["test"]] = "\n".join(filter(None, [found.get(failure["test"]), failure["text"]]))
    return found


if __name__ == "__main__":
    sys.exit(main())
