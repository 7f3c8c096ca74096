"""What each path holds after each step of a plan: by this one sees how far a change came that a crash broke off."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from bridge.types import Digest
from bridge.vault.plan import Blobs, Plan, Step
from bridge.vault.write.file_ops import Hands
from bridge.vault.write.guard import guarded
from bridge.vault.write.handle import CHUNK, Place
from bridge.vault.write.trash import Trash, in_trash

SOMETHING: Final = "something"
"""A folder, or a file whose bytes the plan does not name."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, by the number that the disk gives it."""

    inode: int


Held = Digest | Folder | str | None
"""The digest of a file, a folder, `SOMETHING`, or None for nothing."""

State = Mapping[str, Held]
"""What is at some paths; at paths that it lacks there is nothing."""

OF_FILES = ("put", "move", "remove")


def states(steps: Sequence[Step]) -> Iterator[State]:
    """Yield what the plan's paths hold before its first step and after each; folders that are made do not count."""
    return accumulate(steps, after, initial=beginning(steps))


def beginning(steps: Iterable[Step]) -> State:
    """Return what the paths hold that a plan finds, by the names that they have before its first step."""
    *_, found = beginnings(steps)
    return found


def beginnings(steps: Iterable[Step]) -> Iterator[State]:
    """Yield, for the plan without any step and with ever more of them, its beginning: one mapping that grows."""
    first: dict[str, Held] = {}
    known: State = {}
    yield first
    for step, moves in moving(steps):
        for path, held in wanted(step):
            # A file that is moved without a word of its bytes may be known by what a later step says of it.
            if held is not None and (path not in known or (known[path] == SOMETHING and held != SOMETHING)):
                before = origin(path, moves)
                first[before] = held if first.get(before) in {None, SOMETHING} else first[before]
                known = {**known, path: held}
        known = after(known, step)
        if step.kind == "make_folder":
            known = {step.path: SOMETHING, **known}
        yield first


def moving(steps: Iterable[Step]) -> Iterator[tuple[Step, Sequence[Step]]]:
    """Yield each step with the moves before it: one list that grows."""
    moves: list[Step] = []
    for step in steps:
        yield step, moves
        if step.kind == "move":
            moves.append(step)


def wanted(step: Step) -> list[tuple[str, Held]]:
    """Return what a step wants at which path."""
    match step.kind:
        case "put" | "remove":
            return [(step.path, step.before)]
        case "move":
            folder = SOMETHING if step.inode is None else Folder(step.inode)
            return [(step.path, step.before or folder), (step.to or "", None)]
        case _:
            return []


def after(state: State, step: Step) -> State:
    """Return a state after a step."""
    match step.kind:
        case "put":
            return {**state, step.path: step.after}
        case "remove":
            rest = {path: held for path, held in state.items() if path != step.path}
            return rest if step.to is None else {**rest, step.to: step.before}
        case "move":
            return {moved(path, step.path, step.to or ""): held for path, held in state.items()}
        case _:
            return state


def origin(path: str, moves: Sequence[Step]) -> str:
    """Return where a file was before some moves."""
    for step in reversed(moves):
        path = moved(path, step.to or "", step.path)
    return path


def moved(path: str, old: str, new: str) -> str:
    """Return a path after a move of it or of a folder that holds it."""
    return new + path[len(old) :] if path == old or path.startswith(f"{old}/") else path


def progress(found: Sequence[State], look: Callable[[str], Held]) -> tuple[int | None, bool]:
    """Say after which step a disk is, the last of several that fit.

    Args:
        found: The states of a plan.
        look: Says what is at a path.

    Returns:
        The number of steps done, and whether everything fits; else as much as with any other number. None when folders
        that trade their names cannot be told apart.
    """
    seen = looked_at(found, look)
    fits = [sum(fit(state.get(path), held) for path, held in seen.items()) for state in found]
    best = [number for number, count in enumerate(fits) if count == max(fits)]
    sure = [
        number for number in best if all(seen[path] == held for path, held in found[number].items() if is_known(held))
    ]
    last = (sure or best)[-1]
    if not (sure and SOMETHING not in found[last].values()) and is_ambiguous(found, sure or best):
        return None, False
    return last, is_at(found[last], seen)


def is_known(held: Held) -> bool:
    """Say whether what a path holds is a folder that can be told from others."""
    return isinstance(held, Folder)


def is_ambiguous(found: Sequence[State], numbers: Sequence[int]) -> bool:
    """Say whether some states look like the last of them although folders trade their names between."""
    last = numbers[-1]
    alike = [number for number in numbers if likeness(found[number]) == likeness(found[last])]
    return any(likeness(state) != likeness(found[last]) for state in found[alike[0] : last])


def likeness(state: State) -> State:
    """Return a state in which one folder is as good as another."""
    return {path: SOMETHING if is_known(held) else held for path, held in state.items()}


def is_at_start(found: Sequence[State], look: Callable[[str], Held]) -> bool:
    """Say whether a disk is as before the first step."""
    return is_at(found[0], looked_at(found, look))


def is_at(state: State, seen: State) -> bool:
    """Say whether what was seen is as in a state; the trash helps to tell states apart, but anybody may empty it."""
    return all(fit(state.get(path), held) for path, held in seen.items() if not in_trash(path))


def looked_at(found: Sequence[State], look: Callable[[str], Held]) -> State:
    """Return what is at every path of a plan."""
    return {path: look(path) for path in sorted({path for state in found for path in state})}


def fit(expected: Held, seen: Held) -> bool:
    """Say whether what is there may be what is expected."""
    if is_known(expected):
        return is_known(seen)
    return seen is not None if expected == SOMETHING else seen == expected


def tidy(hands: Hands, plan: Plan, trash: Trash) -> None:
    """Clear away the drafts of a plan.

    Raises:
        Busy: A program is writing what was a note when it opened it.
        OSError: The system refuses.
    """
    touched: dict[str, list[Step]] = {}
    for step in plan.steps:
        if step.kind in {"put", "remove"}:
            touched.setdefault(step.path, []).append(step)
    for path, steps in touched.items():
        try:
            with hands.at(path) as place:
                for draft in place.drafts():
                    with guarded(hands.disk, path, place, draft):
                        tidy_one(hands, place, draft, steps, plan.blobs, trash)
        except (FileNotFoundError, NotADirectoryError):
            # No folder, no drafts.
            continue


def tidy_one(hands: Hands, place: Place, draft: str, steps: list[Step], blobs: Blobs, trash: Trash) -> None:
    """Clear away one draft of a file, or give its name back to it."""
    before, after = {step.before for step in steps}, {step.after for step in steps}
    held, now = place.digest(draft), place.digest()
    if held in blobs or is_torn(place, draft, blobs):
        hands.disk.unlink(draft, dir_fd=place.folder)
    # What is neither is a save that came in the very moment of the replacement, and went aside with it.
    elif place.info is None and before != {None}:
        hands.disk.rename_new(draft, place.name, source_folder=place.folder, target_folder=place.folder)
    elif (
        now in after - before and is_newer(place, draft) and hands.disk.exchange(draft, place.name, folder=place.folder)
    ):
        hands.disk.unlink(draft, dir_fd=place.folder)
    else:
        # Left under its hidden name it might be taken for a newer save than what is saved after this.
        trash.take_draft(place, draft)
    place.sync()


def is_newer(place: Place, draft: str) -> bool:
    """Say whether a draft was saved after the file beside it."""
    saved, there = (place.disk.stat(name, dir_fd=place.folder, follow_symlinks=False) for name in (draft, place.name))
    return saved.st_mtime_ns >= there.st_mtime_ns


def is_torn(place: Place, draft: str, blobs: Blobs) -> bool:
    """Say whether a draft is the beginning of what was being written."""
    size = place.disk.stat(draft, dir_fd=place.folder, follow_symlinks=False).st_size
    if size > max(map(len, blobs.values()), default=0):
        return False
    data = read(place, draft)
    return any(blob.startswith(data) for blob in blobs.values())


def read(place: Place, name: str) -> bytes:
    """Read a small file beside a place."""
    descriptor = place.disk.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0), dir_fd=place.folder)
    try:
        pieces = []
        while piece := place.disk.read(descriptor, CHUNK):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        place.disk.close(descriptor)
