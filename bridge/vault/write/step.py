"""Applies one step of a plan, and undoes one."""

from collections.abc import Callable

from bridge.errors import Busy, NoteChanged, NoteExists, ReadOnly
from bridge.markdown.decode import digest_of
from bridge.types import VaultPath
from bridge.vault.plan import Blobs, Step
from bridge.vault.write.file_ops import FileOps
from bridge.vault.write.handle import PathHandle, is_same_file

Merge = Callable[[VaultPath, bytes, bytes, bytes], object]
"""Merges two changes of a file, given by its path, the common original and both versions; bytes if it can."""


def apply_step(
    file_ops: FileOps, step: Step, blobs: Blobs, keeps: Callable[[str], bool], *, throws: bool = False
) -> bool:
    """Apply a step; return False when there was nothing to do."""
    with file_ops.at(step.path, keeps) as place:
        match step.kind:
            case "put" if step.after is not None:
                file_ops.put(step.path, place, step.before, step.after, blobs[step.after])
            case "move" | "remove" if step.to is not None:
                with file_ops.at(step.to, keeps) as there:
                    file_ops.move(step.path, place, step.to, there, step.before)
            case "remove" if step.before is not None and throws:
                file_ops.throw_away(step.path, place, step.before)
            case "remove" if step.before is not None:
                file_ops.delete(step.path, place, step.before)
            case "make_folder":
                file_ops.make_folder(step.path, place)
            case "remove_folder":
                return file_ops.remove_folder(step.path, place)
            case _:
                raise AssertionError(step)
    return True


def undo_step(file_ops: FileOps, step: Step, blobs: Blobs, merge: Merge | None = None) -> bool:
    """Undo a step if it was done; later changes by others are kept."""
    try:
        with file_ops.at(step.path) as place:
            match step.kind:
                case "put":
                    return undo_put(file_ops, step, blobs, place, merge)
                case "remove":
                    return place.digest() == step.before or undo_remove(file_ops, step, blobs, place)
                case "move":
                    return undo_move(file_ops, step, place)
                case "make_folder":
                    file_ops.remove_folder(step.path, place)
                case "remove_folder":
                    file_ops.make_folder(step.path, place)
    except (Busy, NoteChanged, NoteExists, ReadOnly):
        return False
    except (FileNotFoundError, NotADirectoryError):
        # Without the folder, what the step would have made does not exist either.
        return step.kind == "make_folder" or (step.kind == "put" and step.before is None)
    return True


def undo_put(file_ops: FileOps, step: Step, blobs: Blobs, place: PathHandle, merge: Merge | None) -> bool:
    now = place.digest()
    if now == step.before and (now is not None or place.info is None):
        return True
    if now is None or step.after is None:
        return False
    if step.before is None:
        if now == step.after:
            file_ops.delete(step.path, place, now)
        return now == step.after
    back: object = blobs.get(step.before)
    if now != step.after and isinstance(back, bytes) and merge is not None and step.after in blobs:
        data = place.read()
        back, now = merge(step.path, blobs[step.after], data, back), digest_of(data)
    elif now != step.after:
        return False
    if not isinstance(back, bytes):
        return False
    if (restored := digest_of(back)) != now:
        file_ops.put(step.path, place, now, restored, back)
    return True


def undo_remove(file_ops: FileOps, step: Step, blobs: Blobs, place: PathHandle) -> bool:
    if place.info is not None:
        return False
    if step.to is not None:
        with file_ops.at(step.to) as there:
            if there.digest() == step.before:
                file_ops.move(step.to, there, step.path, place, step.before)
                return True
    if step.before is None or step.before not in blobs:
        return False
    file_ops.put(step.path, place, None, step.before, blobs[step.before])
    return True


def undo_move(file_ops: FileOps, step: Step, place: PathHandle) -> bool:
    if step.to is None:
        raise AssertionError(step)
    with file_ops.at(step.to) as there:
        if there.info is None:
            return place.info is not None
        if place.info is None:
            file_ops.move(step.to, there, step.path, place, None)
            return True
        if not is_same_file(place, there):
            return False
        if there.is_spelled and place.is_spelled:
            # Where renames may overwrite, a file gets its new name before it loses the old one.
            file_ops.disk.unlink(there.name, dir_fd=there.folder)
        elif not place.is_spelled:
            file_ops.move(step.to, there, step.path, place, None)
        return True
