"""Reads the lock files and checks that they fit `pyproject.toml`; standard library only."""

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
LOCKS = {
    "run": ROOT / "scripts" / "requirements.txt",
    "dev": ROOT / "scripts" / "requirements-dev.txt",
    "build": ROOT / "scripts" / "requirements-build.txt",
}

PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)")
WANTED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*(?:==\s*(?P<version>[^\s,;]+))?")
FOREIGN = re.compile(r"https?://|file:|^\s*-(?!-hash)|\s/\w|\\\w", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pin:
    """One locked version with the hashes of its files."""

    name: str
    version: str
    text: str


def normalize_name(name: str) -> str:
    """Normalize a distribution's name as package indexes do."""
    return re.sub(r"[-_.]+", "-", name).lower()


def parse_pins(text: str) -> Iterator[Pin]:
    """Yield the requirements of a lock; a package with separate pins for old and new Pythons occurs twice."""
    for block in re.split(r"\n(?=\S)", text):
        if found := PINNED.match(block):
            yield Pin(normalize_name(found["name"]), found["version"], block.rstrip() + "\n")


def read_lock(kind: str) -> tuple[Pin, ...]:
    """Return the requirements of one of the lock files."""
    return tuple(parse_pins(LOCKS[kind].read_text(encoding="utf-8")))


def wanted_requirements(project: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the requirements of `pyproject.toml` by the lock that must contain them."""
    groups = project["dependency-groups"]
    extras = project["project"]["optional-dependencies"]
    run = [*project["project"]["dependencies"], *extras["llama"]]
    run += [*project["build-system"]["requires"], *groups["install"]]
    return {"run": run, "dev": [*run, *extras["dev"]], "build": groups["build"]}


def find_misfits(wants: Mapping[str, list[str]], locks: Mapping[str, str]) -> list[str]:
    """Return a sentence for each mismatch between the locks and the requirements."""
    found = []
    for kind, requirements in wants.items():
        held: dict[str, set[str]] = {}
        for pin in parse_pins(locks[kind]):
            held.setdefault(pin.name, set()).add(pin.version)
            if "--hash=sha256:" not in pin.text:
                found.append(f"{pin.name} has no hash in the {kind} lock")
        for requirement in requirements:
            if (want := WANTED.match(requirement)) is None:
                found.append(f"{requirement!r} cannot be read")
            elif (versions := held.get(normalize_name(want["name"]))) is None:
                found.append(f"{want['name']} is not in the {kind} lock")
            elif want["version"] and versions != {want["version"]}:
                found.append(f"{want['name']} is {want['version']}, the {kind} lock has {', '.join(sorted(versions))}")
        found += [
            f"the {kind} lock names a place: {match.group().strip()!r}" for match in FOREIGN.finditer(locks[kind])
        ]
    return found


def main() -> int:
    """Print the mismatches."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = find_misfits(
        wanted_requirements(project), {kind: path.read_text(encoding="utf-8") for kind, path in LOCKS.items()}
    )
    for sentence in found:
        print(f"lock: {sentence}", file=sys.stderr)
    if found:
        print("Run scripts/lock and commit what it writes.", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
