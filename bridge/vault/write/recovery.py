"""Computes what each path holds after each step of a plan, to see how far an interrupted change came."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from bridge.records import Record
from bridge.types import Digest
from bridge.vault.plan import Blobs, Plan, Step
from bridge.vault.write.file_ops import FileOps
from bridge.vault.write.handle import DRAFT, PathHandle, guard_file
from bridge.vault.write.trash import Trash, is_in_trash

PRESENCE: Final = "something"
"""A folder, or a file whose bytes the plan does not name."""


class Folder(Record):
    """A folder, identified by its inode."""

    inode: int


PathState = Digest | Folder | str | None
"""The digest of a file, a folder, `PRESENCE`, or None for nothing."""

State = Mapping[str, PathState]
"""The content of some paths; a path that is missing holds nothing."""


def plan_states(steps: Sequence[Step]) -> Iterator[State]:
    """Yield the state before a plan's first step and after each; folders that are made do not count."""
    return accumulate(steps, state_after, initial=initial_state(steps))


def initial_state(steps: Iterable[Step]) -> State:
    """Return the state that a plan requires, by the names before its first step."""
    *_, found = initial_states(steps)
    return found


def initial_states(steps: Iterable[Step]) -> Iterator[State]:
    """Yield the initial state that the first steps require, for each number of steps: one mapping that grows."""
    first: dict[str, PathState] = {}
    known: dict[str, PathState] = {}
    yield first
    for step, moves in steps_with_moves(steps):
        for path, content in required_state(step):
            # A file that is moved without a digest may get one from a later step.
            if content is not None and (path not in known or (known[path] == PRESENCE and content != PRESENCE)):
                before = path_before(path, moves)
                first[before] = content if first.get(before) in {None, PRESENCE} else first[before]
                known[path] = content
        if step.kind == "put":
            # In place: a change of thousands of notes has as many steps.
            known[step.path] = step.after
        else:
            known = dict(state_after(known, step))
        if step.kind == "make_folder":
            known.setdefault(step.path, PRESENCE)
        yield first


def steps_with_moves(steps: Iterable[Step]) -> Iterator[tuple[Step, Sequence[Step]]]:
    moves: list[Step] = []
    for step in steps:
        yield step, moves
        if step.kind == "move":
            moves.append(step)


def required_state(step: Step) -> list[tuple[str, PathState]]:
    match step.kind:
        case "put" | "remove":
            return [(step.path, step.before)]
        case "move":
            folder = PRESENCE if step.inode is None else Folder(step.inode)
            return [(step.path, step.before or folder), (step.to or "", None)]
        case _:
            return []


def state_after(state: State, step: Step) -> State:
    match step.kind:
        case "put":
            return {**state, step.path: step.after}
        case "remove":
            rest = {path: content for path, content in state.items() if path != step.path}
            return rest if step.to is None else {**rest, step.to: step.before}
        case "move" if step.before is not None and step.path in state:
            rest = {**state, step.to or "": state[step.path]}
            del rest[step.path]
            return rest
        case "move":
            return {path_after_move(path, step.path, step.to or ""): content for path, content in state.items()}
        case _:
            return state


def path_before(path: str, moves: Sequence[Step]) -> str:
    for step in reversed(moves):
        path = path_after_move(path, step.to or "", step.path)
    return path


def path_after_move(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if path == old or path.startswith(f"{old}/") else path


def find_progress(found: Sequence[State], look: Callable[[str], PathState]) -> tuple[int | None, bool]:
    """Return after which step the disk is; of several that match, the last."""
    seen = observe(found, look)
    fits = [sum(is_compatible(state.get(path), content) for path, content in seen.items()) for state in found]
    best = [number for number, count in enumerate(fits) if count == max(fits)]
    sure = [
        number
        for number in best
        if all(seen[path] == content for path, content in found[number].items() if is_known_folder(content))
    ]
    last = (sure or best)[-1]
    if not (sure and PRESENCE not in found[last].values()) and is_ambiguous(found, sure or best):
        return None, False
    return last, is_at(found[last], seen)


def is_known_folder(content: PathState) -> bool:
    return isinstance(content, Folder)


def is_ambiguous(found: Sequence[State], numbers: Sequence[int]) -> bool:
    """Return whether some states look like the last of them although folders swap their names in between."""
    last = numbers[-1]
    alike = [number for number in numbers if ignore_inodes(found[number]) == ignore_inodes(found[last])]
    return any(ignore_inodes(state) != ignore_inodes(found[last]) for state in found[alike[0] : last])


def ignore_inodes(state: State) -> State:
    return {path: PRESENCE if is_known_folder(content) else content for path, content in state.items()}


def is_at(state: State, seen: State) -> bool:
    """Return whether observed paths match a state, ignoring the trash, which may have been emptied."""
    return all(is_compatible(state.get(path), content) for path, content in seen.items() if not is_in_trash(path))


def observe(found: Sequence[State], look: Callable[[str], PathState]) -> State:
    return {path: look(path) for path in sorted({path for state in found for path in state})}


def is_compatible(expected: PathState, seen: PathState) -> bool:
    if is_known_folder(expected):
        return is_known_folder(seen)
    return seen is not None if expected == PRESENCE else seen == expected


def remove_drafts(file_ops: FileOps, plan: Plan, trash: Trash) -> None:
    touched: dict[str, list[Step]] = {}
    for step in plan.steps:
        if step.kind in {"put", "remove"}:
            touched.setdefault(step.path, []).append(step)
    listed: dict[tuple[int, int], frozenset[str]] = {}
    for path, steps in touched.items():
        try:
            with file_ops.at(path) as place:
                if place.prefix not in _draft_prefixes(place, listed):
                    continue
                for draft in place.drafts():
                    with guard_file(file_ops.disk, path, place, draft):
                        remove_draft(file_ops, place, draft, steps, plan.blobs, trash)
        except (FileNotFoundError, NotADirectoryError):
            # Without a folder there are no drafts.
            continue


def _draft_prefixes(place: PathHandle, listed: dict[tuple[int, int], frozenset[str]]) -> frozenset[str]:
    """Return the prefixes of all drafts in the folder of a path; `listed` has those of the folders listed so far."""
    info = place.parent()
    key = info.st_dev, info.st_ino
    if key not in listed:
        listed[key] = frozenset(name[: len(place.prefix)] for name in place.names() if name.startswith(DRAFT))
    return listed[key]


def remove_draft(
    file_ops: FileOps, place: PathHandle, draft: str, steps: list[Step], blobs: Blobs, trash: Trash
) -> None:
    before, after = {step.before for step in steps}, {step.after for step in steps}
    content, now = place.digest(draft), place.digest()
    if content in blobs or is_torn(place, draft, blobs):
        file_ops.disk.unlink(draft, dir_fd=place.folder)
    # Any other draft is a save from the very moment of the replacement, which was moved aside with it.
    elif place.info is None and before != {None}:
        file_ops.disk.rename_new(draft, place.name, source_folder=place.folder, target_folder=place.folder)
    elif (
        now in after - before
        and is_newer(place, draft)
        and file_ops.disk.exchange(draft, place.name, folder=place.folder)
    ):
        file_ops.disk.unlink(draft, dir_fd=place.folder)
    else:
        # Left under its hidden name, it might later be taken for a newer save than it is.
        trash.take_draft(place, draft)
    place.sync()


def is_newer(place: PathHandle, draft: str) -> bool:
    saved, there = (place.disk.stat(name, dir_fd=place.folder, follow_symlinks=False) for name in (draft, place.name))
    return saved.st_mtime_ns >= there.st_mtime_ns


def is_torn(place: PathHandle, draft: str, blobs: Blobs) -> bool:
    size = place.disk.stat(draft, dir_fd=place.folder, follow_symlinks=False).st_size
    if size > max(map(len, blobs.values()), default=0):
        return False
    data = place.read(draft)
    return any(blob.startswith(data) for blob in blobs.values())
