"""Random plans that fit a vault, and the content of a vault after a plan, computed from the meaning of steps only."""

import random
from collections.abc import Callable, Mapping, Sequence

from bridge.types import Digest
from bridge.vault.plan import Plan, Step
from tests.vault.write.plans import folder, move, no_folder, put, remove, together

NAMES = ["a.md", "b.md", "é.md", "Folder/a.md", "Folder/c.md", "Folder/Deep/d.md", "Other/e.md", "New/f.md", "g.png"]
FOLDERS = ["Folder", "Folder/Deep", "Other", "New", "Far"]
MAX_STEPS = 4

Tree = dict[str, bytes | None]
"""Every file of a vault with its bytes, and every folder."""


def is_note(path: str) -> bool:
    """Say whether a path is one of the user's files."""
    return path.endswith((".md", ".png")) and not path.startswith(".")


def drawn_plan(draw: random.Random, now: Tree, text: Callable[[], bytes]) -> Plan:
    """Generate a random plan."""
    parts: list[Plan] = []
    for _ in range(draw.randrange(1, MAX_STEPS + 1)):
        part = drawn_step(draw, now, text)
        if part is not None:
            parts.append(part)
            now = after(now, part.steps, part.blobs)
    return together(*parts)


def drawn_step(draw: random.Random, now: Tree, text: Callable[[], bytes]) -> Plan | None:  # noqa: PLR0911 - one a kind
    """Generate a step that fits the vault; None if the random choice does not fit."""
    files = sorted(path for path, data in now.items() if data is not None and is_note(path))
    path, name, place = draw.choice(files or [""]), draw.choice(NAMES), draw.choice(FOLDERS)
    data = now.get(path) or b""
    match draw.randrange(10):
        case 0 | 1 | 2 if path:
            return put(path, data, text())
        case 3 | 4 if name not in now:
            return put(name, None, text())
        case 5 if path and name not in now:
            return move(path, name, draw.choice([data, None]))
        case 6 if path:
            return remove(path, data, kept=draw.random() < 0.7)
        case 7 if now.get(place, b"") is None and f"Moved {place}" not in now:
            return move(place, f"Moved {place}")
        case 7 if place not in now:
            return folder(place)
        case 8:
            return no_folder(place)
        case 9:
            return drawn_swap(draw, now)
        case _:
            return None


def drawn_swap(draw: random.Random, now: Tree) -> Plan | None:
    """Generate a swap of two folders; None if there are none that do not contain each other."""
    there = [place for place in FOLDERS if now.get(place, b"") is None]
    one, other = draw.choices(there or [""], k=2)
    if f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/") or "Between" in now:
        return None
    return together(move(one, "Between"), move(other, one), move("Between", other))


def after(before: Tree, steps: Sequence[Step], blobs: Mapping[Digest, bytes]) -> Tree:  # noqa: C901 - one case a kind
    """Return the content of a vault after steps."""
    now = dict(before)
    for step in steps:
        match step.kind:
            case "put":
                now[step.path] = blobs[step.after or Digest("")]
            case "remove":
                data = now.pop(step.path)
                now |= {} if step.to is None else {step.to: data}
            case "move":
                old, new = step.path, step.to or ""
                now = {new + p[len(old) :] if f"{p}/".startswith(f"{old}/") else p: data for p, data in now.items()}
            case "make_folder":
                now.setdefault(step.path, None)
            case "remove_folder":
                if not any(path.startswith(f"{step.path}/") for path in now):
                    now.pop(step.path, None)
    for path in list(now):
        for end, letter in enumerate(path):
            if letter == "/":
                now.setdefault(path[:end], None)
    return now
