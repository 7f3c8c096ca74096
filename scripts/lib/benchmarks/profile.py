"""Profiles the sidecars that measurements start, and prints which functions and packages take their time."""

import pstats
import sys
from collections import defaultdict
from pathlib import Path

SHOWN = 20
"""Functions and packages that are printed."""

ROOT = Path(__file__).resolve().parents[3]


def profile_command(folder: Path) -> list[str]:
    """Return the command that runs the next sidecar and writes its profile to the folder when it stops.

    Worker processes are not profiled: their time shows as waiting.
    """
    folder.mkdir(parents=True, exist_ok=True)
    number = sum(1 for _ in folder.iterdir())
    return [sys.executable, "-m", "cProfile", "-o", str(folder / f"{number}.profile")]


def print_profiles(folder: Path) -> None:
    """Print for each start the functions with the most time of their own, and the same by package."""
    for path in sorted(folder.glob("*.profile"), key=lambda path: int(path.stem)):
        own: defaultdict[str, float] = defaultdict(float)
        packages: defaultdict[str, float] = defaultdict(float)
        for (file, line, name), row in pstats.Stats(str(path)).stats.items():  # type: ignore[attr-defined]
            place = _place(file)
            own[f"{place}:{line} {name}" if line else name] += row[2]
            packages[place.rpartition("/")[0] or place] += row[2]
        print(f"\nProfile of start {path.stem}: {sum(own.values()):.2f} s of its main thread, waiting included")
        for title, times in (("function", own), ("package", packages)):
            print(f"  seconds by {title}")
            for what, seconds in sorted(times.items(), key=lambda item: -item[1])[:SHOWN]:
                print(f"  {seconds:8.3f}  {what}")


def _place(file: str) -> str:
    """Return a file relative to the repository, its packages or the standard library."""
    path = Path(file)
    if "site-packages" in path.parts:
        return Path(*path.parts[path.parts.index("site-packages") + 1 :]).as_posix()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
