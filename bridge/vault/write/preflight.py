"""Checks a plan before anything is touched: refuses what cannot be done, and warns of what may be regretted."""

import contextlib
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePath

from msgspec.structs import replace

from bridge.errors import InvalidArguments, NoteExists, PathKept
from bridge.markdown.links import find_flaw
from bridge.markdown.names import file_name
from bridge.records import Record
from bridge.text.fold import nfc
from bridge.text.invisible import is_line
from bridge.types import VaultPath
from bridge.vault.open_file import is_link, relative_path
from bridge.vault.paths import DEVICE, display_path, parents, vault_path
from bridge.vault.plan import Plan, Step
from bridge.vault.vault import Vault
from bridge.vault.write.file_ops import FileOps
from bridge.vault.write.handle import (
    PathHandle,
    changed_error,
    exists_error,
    guard_file,
    is_same_file,
    missing_error,
    require_unlocked,
    translate_os_error,
)
from bridge.vault.write.recovery import (
    PRESENCE,
    Folder,
    PathState,
    initial_state,
    initial_states,
    path_after_move,
    path_before,
    plan_states,
    steps_with_moves,
)
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
                steps.append(keep_mode(file_ops, spell(file_ops, trash.takes(step, plan)), steps))
            # A step without effect is dropped, as it must not be undone.
            case "make_folder" if is_folder_after(file_ops, step.path, steps):
                continue
            case "remove_folder" if not is_folder_after(file_ops, step.path, steps):
                continue
            case "move":
                inode = None if step.before else folder_inode(file_ops, step.path, steps)
                steps.append(spell(file_ops, replace(step, inode=inode)))
            case "remove_folder":
                steps.append(spell(file_ops, step))
            case _:
                steps.append(step)
    return replace(plan, steps=tuple(steps))


def spell(file_ops: FileOps, step: Step) -> Step:
    """Return a step with the name that the disk has for what it takes away, so that it can be given back."""
    if step.path.isascii() or step.spelling is not None:
        return step
    try:
        with file_ops.at(step.path) as place:
            name = os.path.basename(place.name)  # noqa: PTH119
    except FileNotFoundError:
        return step
    return step if name == file_name(step.path) else replace(step, spelling=name)


def keep_mode(file_ops: FileOps, step: Step, steps: Sequence[Step]) -> Step:
    """Return a removal with the permissions of its file, which earlier steps may move."""
    path = path_before(step.path, [one for one in steps if one.kind == "move"])
    with contextlib.suppress(OSError), file_ops.at(path) as place:
        return step if place.info is None else replace(step, mode=stat.S_IMODE(place.info.st_mode))
    return step


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


MAX_NAME_BYTES = 255
"""Bytes of a name that every common disk allows."""
MAX_FOLDERS = 100
"""Folders around a new path: each is opened again for each level below it, which takes half a minute for 400."""
FOREIGN_CHARS = re.compile(r'[:*?"<>]')
"""Characters that Windows and Android refuse."""


def require_name(path: str) -> None:
    name = file_name(path)
    if not is_line(PurePath(name).stem):
        raise InvalidArguments(
            f"`{display_path(name)}` is no line of text, so nobody could see the name.", hint="Choose another name."
        )
    if flaw := find_flaw(name):
        raise InvalidArguments(
            f"`{display_path(name)}` has `{flaw}`, which no link can contain.",
            hint="Choose a name without `|`, `#`, `^` and `%%`, and with brackets only in pairs and not at its start.",
        )
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InvalidArguments(
            f"`{display_path(name)}` is longer than {MAX_NAME_BYTES} bytes, more than a disk allows.",
            hint="Choose a shorter name.",
        )


def require_shallow(path: str) -> None:
    if (folders := path.count("/")) > MAX_FOLDERS:
        raise InvalidArguments(
            f"`{display_path(path)}` would lie in {folders} nested folders; at most {MAX_FOLDERS} are allowed.",
            hint="Choose a place with fewer levels.",
        )


def name_warnings(path: str) -> list[str]:
    """Return warnings about the last part of a path on other systems that may sync the vault."""
    name = file_name(path)
    bad = [f"`{sign}`" for sign in dict.fromkeys(FOREIGN_CHARS.findall(name))]
    found = [
        f"`{display_path(name)}` has {' and '.join(bad)} in it, which Windows, Android and Obsidian there refuse."
    ] * bool(bad)
    if name.endswith((".", " ")):
        found.append(f"`{display_path(name)}` ends with a dot or a space: Windows takes that away.")
    if DEVICE.match(name):
        found.append(f"`{display_path(name)}` is a name that Windows keeps for itself.")
    return found


def case_conflicts(path: str, names: list[str]) -> list[str]:
    """Return a warning when a name in the folder differs in case only: Windows and macOS take both for one file."""
    name = file_name(path)
    # All names at once, since a folder may have many thousand; none contains the separator.
    folded = f"/{nfc('/'.join(names)).casefold()}/"
    if f"/{name.casefold()}/" not in folded:
        return []
    twin = next((other for other in names if nfc(other).casefold() == name.casefold() and nfc(other) != name), None)
    return [f"`{display_path(twin)}` differs in case only: Windows and macOS take both for one."] if twin else []


HARD_LINK_WARNING = "`{}` has a second name elsewhere (a hard link): under that one it keeps its old text."


class Preflight(Record):
    """Checks plans against the vault; touches nothing."""

    file_ops: FileOps
    vault: Vault
    just_read: Collection[str] = ()
    """Files that were read for the plan: no program was writing them, and their content is not read again."""

    def require_allowed(self, plan: Plan) -> None:
        folders: dict[str, str] = {}
        for step in plan.steps:
            self._require_allowed(step, folders)
            if not plan.back and (path := new_path(step)) is not None:
                require_shallow(path)

    def warnings(self, plan: Plan) -> tuple[str, ...]:
        found: list[str] = []
        steps = plan.steps
        replaced = {path_before(step.path, moves) for step, moves in steps_with_moves(steps) if step.kind == "put"}
        removed = {path_before(step.path, moves) for step, moves in steps_with_moves(steps) if step.kind == "remove"}
        rewritten = replaced | removed
        for present, content in initial_state(steps).items():
            found += self._of_present(present, content, replaced=present in replaced, rewritten=present in rewritten)
        if any(new_path(step) is not None for step in steps):
            found += self._of_new_paths(plan)
        return tuple(dict.fromkeys(found))

    def _of_new_paths(self, plan: Plan) -> Iterator[str]:
        steps = plan.steps
        emptied: set[str] = set()
        for (step, moves), state, first in zip(
            steps_with_moves(steps), plan_states(steps), initial_states(steps), strict=False
        ):
            if (path := new_path(step)) is not None:
                if path in state:
                    raise exists_error(path)
                if not plan.back:
                    yield from check_new_name(step, path)
                if (before := path_before(path, moves)) not in first and path not in emptied:
                    yield from self._of_new(step, path, before)
            if step.kind == "remove_folder":
                emptied.add(step.path)

    def require_unchanged(self, plan: Plan) -> None:
        for path, state in initial_state(plan.steps).items():
            try:
                with self.file_ops.at(path) as place:
                    _require_held(path, place, state)
            except OSError as error:
                raise translate_os_error(path, error) from None

    def _require_allowed(self, step: Step, folders: dict[str, str]) -> None:
        for path in filter(None, (step.path, step.to)):
            if is_in_trash(path) and (step.kind == "move" or path != step.path):
                continue
            if vault_path(path) != path:
                raise InvalidArguments(f"`{display_path(path)}` is not a normalised vault path.")
            self.vault.require_writable(path, folders)
        if step.kind in {"move", "remove"}:
            place = self.vault.place(step.path)
            if os.path.lexists(place) and is_link(place.lstat()):
                raise InvalidArguments(
                    f"`{display_path(step.path)}` is a symbolic link to another file.",
                    hint="Move that file, or the link by hand.",
                )
        if step.kind == "move" and step.to is not None and self._keeps_below(step.path, step.to):
            raise PathKept(
                f"Something in `{display_path(step.path)}` may not be changed: the user's settings protect it."
            )

    def _keeps_below(self, path: str, to: str) -> bool:
        rules = self.vault.rules
        if not rules.deny and not rules.readonly:
            return False
        top = os.fspath(self.vault.root)
        for folder, folders, files in os.walk(self.vault.place(path)):
            for name in (*folders, *files):
                below = nfc(relative_path(top, os.path.join(folder, name)) or "")  # noqa: PTH118
                if rules.keeps(below) or rules.keeps(to + below[len(path) :]):
                    return True
        return False

    def _of_present(self, path: str, state: PathState, *, replaced: bool, rewritten: bool) -> Iterator[str]:
        """Check a path where something must exist; of one that is rewritten, that no program has it open for writing.

        Only some systems can tell the latter.
        """
        try:
            with self.file_ops.at(path) as place:
                if not (place.is_file and path in self.just_read):
                    if rewritten and place.is_file:
                        with guard_file(self.file_ops.disk, path, place):
                            pass
                    _require_held(path, place, state)
                if replaced:
                    require_unlocked(path, place)
                if replaced and place.info is not None and place.info.st_nlink > 1:
                    yield HARD_LINK_WARNING.format(display_path(path))
        except OSError as error:
            raise translate_os_error(path, error) from None

    def _of_new(self, step: Step, path: str, before: str) -> Iterator[str]:
        try:
            with self.file_ops.at(before) as place:
                names = place.names()
                if f".{file_name(path)}.icloud" in names:
                    raise NoteExists(f"`{display_path(path)}` is in iCloud and not downloaded to this computer.")
                is_there = step.kind == "make_folder" and place.is_folder
                if place.info is not None and not is_there and not self._is_respelled(step, place):
                    raise exists_error(path)
                if step.kind == "move":
                    names = [name for name in names if nfc(name) != file_name(step.path)]
                yield from case_conflicts(path, names)
        except FileNotFoundError:
            # Its folder is made by an earlier step, unless the path is a broken link.
            if os.path.lexists(self.vault.place(path)):
                raise exists_error(path) from None
        except OSError as error:
            raise translate_os_error(path, error) from None

    def _is_respelled(self, step: Step, place: PathHandle) -> bool:
        """Return whether a move only changes the spelling of a name, on a disk that takes both for one."""
        if step.kind != "move":
            return False
        with self.file_ops.at(step.path) as here:
            return is_same_file(here, place) and not place.is_spelled


def _require_held(path: str, place: PathHandle, state: PathState) -> None:
    if place.info is None:
        raise missing_error(path)
    if state != PRESENCE and not isinstance(state, Folder) and (now := place.digest()) != state:
        raise changed_error(path, now)


def check_new_name(step: Step, path: str) -> Iterator[str]:
    if step.kind != "move" or file_name(path) != file_name(step.path):
        require_name(path)
        yield from name_warnings(path)
