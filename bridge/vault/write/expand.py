"""Expands a plan before it is journalled: adds the folders that it needs, and where removed files go."""

from collections.abc import Sequence

from msgspec.structs import replace

from bridge.types import VaultPath
from bridge.vault.paths import parents
from bridge.vault.plan import Plan, Step
from bridge.vault.write.file_ops import FileOps
from bridge.vault.write.recovery import path_after_move
from bridge.vault.write.trash import Trash, is_in_trash


def expand_plan(file_ops: FileOps, trash: Trash, plan: Plan) -> Plan:
    """Return a plan with a step for each folder to make and a trash path for each removed file that gets one."""
    steps: list[Step] = []
    for step in plan.steps:
        for folder in parents(new_path(step) or ""):
            if not is_folder_after(file_ops, folder, steps):
                steps.append(Step("make_folder", VaultPath(folder)))
        match step.kind:
            case "remove":
                steps.append(trash.takes(step, plan))
            # A step without effect is dropped, as it must not be undone.
            case "make_folder" if is_folder_after(file_ops, step.path, steps):
                continue
            case "remove_folder" if not is_folder_after(file_ops, step.path, steps):
                continue
            case "move":
                steps.append(replace(step, inode=None if step.before else folder_inode(file_ops, step.path, steps)))
            case _:
                steps.append(step)
    return replace(plan, steps=tuple(steps))


def is_folder_after(file_ops: FileOps, path: str, steps: Sequence[Step]) -> bool:
    for step in reversed(steps):
        match step.kind:
            case "make_folder" if step.path == path:
                return True
            case "remove_folder" if step.path == path:
                return False
            case "move" if step.to is not None and is_at_or_in(path, step.to):
                path = path_after_move(path, step.to, step.path)
            case "move" if is_at_or_in(path, step.path):
                return False
            case _:
                pass
    return is_folder(file_ops, path)


def folder_inode(file_ops: FileOps, path: str, steps: Sequence[Step]) -> int | None:
    for step in reversed(steps):
        if step.kind == "make_folder" and step.path == path:
            return None
        if step.kind == "move" and step.to is not None:
            path = path_after_move(path, step.to, step.path)
    try:
        with file_ops.at(path) as place:
            return (place.info.st_ino or None) if place.info is not None and place.is_folder else None
    except FileNotFoundError:
        return None


def is_at_or_in(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder}/")


def is_folder(file_ops: FileOps, path: str) -> bool:
    try:
        with file_ops.at(path) as place:
            return place.is_folder
    except FileNotFoundError:
        return False


def new_path(step: Step) -> str | None:
    match step.kind:
        case "put" if step.before is None:
            return step.path
        case "make_folder":
            return step.path
        case "move":
            return step.to if step.to is not None and not is_in_trash(step.to) else None
        case _:
            return None
