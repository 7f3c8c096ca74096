"""Writes plans to the vault; the only place that does."""

import contextlib
import itertools
import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Literal, Protocol

from msgspec.structs import replace

from bridge.errors import BridgeError, Busy, NoteChanged, NoteExists, NoteUnreadable, ReadOnly
from bridge.markdown.decode import digest_of
from bridge.records import Record
from bridge.types import Digest, VaultPath
from bridge.vault.open_file import STEPWISE
from bridge.vault.paths import display_path
from bridge.vault.plan import Blobs, Plan, Step
from bridge.vault.stable_read import LOOK_AGAIN_S, PATIENCE_S
from bridge.vault.vault import Vault
from bridge.vault.write.bulk import MIN_BULK_FILES, BulkReplacement, is_bulk, leave_out, replaces_only
from bridge.vault.write.file_ops import FileOps
from bridge.vault.write.handle import (
    DisplacedFile,
    IndeterminateWrite,
    PathHandle,
    changed_error,
    is_same_file,
    translate_os_error,
)
from bridge.vault.write.preflight import Preflight, expand_plan
from bridge.vault.write.recovery import (
    PRESENCE,
    Folder,
    PathState,
    find_progress,
    initial_state,
    path_after_move,
    path_before,
    plan_states,
    remove_drafts,
    steps_with_moves,
)
from bridge.vault.write.syscalls import SystemCalls
from bridge.vault.write.trash import TRASH, Trash, is_in_trash

Merge = Callable[[VaultPath, bytes, bytes, bytes], object]
"""Merges two changes of a file, given by its path, the common original and both versions; bytes if it can."""


def apply_step(
    file_ops: FileOps, step: Step, blobs: Blobs, keeps: Callable[[str], bool], *, throws: bool = False
) -> bool:
    """Apply a step; return False when there was nothing to do."""
    with file_ops.at(step.path, keeps) as place:
        match step.kind:
            case "put" if step.after is not None:
                here = place.respell(step.spelling)
                file_ops.put(step.path, here, step.before, step.after, blobs[step.after], step.mode)
            case "move" | "remove" if step.to is not None:
                with file_ops.at(step.to, keeps) as there:
                    target = there.respell(step.spelling) if step.kind == "move" else there
                    file_ops.move(step.path, place, step.to, target, step.before)
            case "remove" if step.before is not None and throws:
                file_ops.throw_away(step.path, place, step.before)
            case "remove" if step.before is not None:
                file_ops.delete(step.path, place, step.before)
            case "make_folder":
                file_ops.make_folder(step.path, place.respell(step.spelling))
            case "remove_folder":
                return file_ops.remove_folder(step.path, place)
            case _:
                raise AssertionError(step)
    return True


def undo_step(file_ops: FileOps, step: Step, blobs: Blobs, merge: Merge | None = None) -> bool:
    """Undo a step if it was done; later changes by others are kept."""
    try:
        with file_ops.at(step.path) as found:
            place = found.respell(step.spelling)
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
    file_ops.put(step.path, place, None, step.before, blobs[step.before], step.mode)
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


Recovery = Literal["before", "after", "conflict"]
"""The result of recovering after a crash: all old, all new, or with something that was written since."""


class JournalEntry(Protocol):
    """One change's row in the journal."""

    def prepare(self, plan: Plan) -> None:
        """Record what is about to be done; it is on disk when this returns."""

    def settle(self, done: bool) -> None:
        """Record that it was done, or that nothing was; it is on disk when this returns."""


class WriteStopped(Exception):
    """The writer was stopped between two steps: the next start finds out how far the change came, as after a crash."""


class PreparedPlan(Record):
    """A plan that was checked against the vault, and expanded by the steps that it needs there."""

    plan: Plan
    warnings: tuple[str, ...]
    """Warnings about it, as sentences."""


class Writer:
    """Applies plans to the files of one vault: checked, journalled, all or nothing.

    The caller ensures that no two changes of one file are written at once.
    """

    def __init__(
        self, vault: Vault, disk: SystemCalls | None = None, *, stepwise: bool = STEPWISE, many: int = MIN_BULK_FILES
    ) -> None:
        self.vault = vault
        self.stopping = threading.Event()
        """Set when what is being written is to be left to the next start."""
        self._many = many
        self._file_ops = FileOps(disk or SystemCalls(), vault.root, stepwise)

    def prepare(self, plan: Plan, just_read: Collection[str] = ()) -> PreparedPlan:
        """Check and expand a plan without touching anything; blocks."""
        checking = Preflight(self._file_ops, self.vault, just_read)
        checking.require_allowed(plan)
        try:
            whole = expand_plan(self._file_ops, Trash(self._file_ops, self.vault), plan)
        except OSError as error:
            raise translate_os_error(os.fspath(self.vault.root), error) from None
        return PreparedPlan(whole, checking.warnings(whole))

    def write(self, prepared: PreparedPlan, entry: JournalEntry, *, skips_overtaken: bool = False) -> Sequence[Step]:
        """Apply a plan, all of it or nothing; blocks. Files may have changed since it was prepared."""
        whole = prepared.plan
        if not skips_overtaken:
            Preflight(self._file_ops, self.vault).require_unchanged(whole)
        entry.prepare(whole)
        done: list[Step] = []
        try:
            if is_bulk(whole, self._many):
                self._do_many(whole, done, skips_overtaken=skips_overtaken)
            else:
                for step in whole.steps:
                    self._go_on()
                    with leave_out(skips_overtaken and len(whole.steps) > 1):
                        self._do(step, whole, done)
            if skips_overtaken and len(done) < len(whole.steps):
                if not done:
                    raise changed_error(whole.steps[0].path)
                entry.prepare(Plan(done))
            entry.settle(True)
        except WriteStopped:
            raise
        except BaseException as error:
            self._turn_back(done, whole, error)
            with contextlib.suppress(BridgeError):
                # An entry that stays open is settled at the next start: all is old.
                entry.settle(False)
            raise
        if any(step.kind == "move" and is_in_trash(step.path) for step in whole.steps):
            self._remove_empty_trash()
        return done

    def _remove_empty_trash(self) -> None:
        """Remove the vault's trash if nothing is left in it; Obsidian makes another with the next file."""
        with contextlib.suppress(OSError, IndeterminateWrite, BridgeError), self._file_ops.at(TRASH) as place:
            self._file_ops.remove_folder(TRASH, place)

    @property
    def displaced_files(self) -> list[DisplacedFile]:
        """Files that recently lost their name, which a program may still write into; the taker closes them."""
        return self._file_ops.displaced

    def is_ours(self, info: os.stat_result) -> bool:
        """Return whether a file is as the bridge wrote it."""
        return self._file_ops.is_ours(info)

    def recover(self, plan: Plan, merge: Merge | None = None, left: list[Step] | None = None) -> Recovery:
        """Recover a change that a crash interrupted; blocks."""
        try:
            self._tidy(plan)
            number: int | None = 0
            if replaces_only(plan.steps):
                # A power failure may have kept any of them, whatever the order in which they were written.
                is_made = all(self._digest(step.path) == step.after for step in plan.steps)
            else:
                number, fits = find_progress(list(plan_states(plan.steps)), self._look)
                is_made = fits and number == len(plan.steps) and self._finishes(plan)
            if is_made:
                return "after"
            rest = plan.steps if number is None else self._undo(plan, number, merge)
        except OSError as error:
            raise translate_os_error(str(self.vault.root), error) from None
        except IndeterminateWrite as error:
            raise translate_os_error(error.path, error.error) from None
        if left is not None:
            left += rest
        return "conflict" if rest else "before"

    def _undo(self, plan: Plan, number: int, merge: Merge | None) -> list[Step]:
        """Undo the first steps of a plan, and what else of it was written; return the steps that are left."""
        first = initial_state(plan.steps)
        began = [path_before(step.path, moves) for step, moves in steps_with_moves(plan.steps)]
        left: list[Step] = []
        for step, path in reversed([*zip(plan.steps, began, strict=True)][:number]):
            if undo_step(self._file_ops, step, plan.blobs, merge):
                if step.kind == "move" and step.to is not None:
                    left = [replace(one, path=VaultPath(path_after_move(one.path, step.to, step.path))) for one in left]
            elif step.kind != "move" or path in first:
                left.insert(0, step)
        rest = [replace(step, path=VaultPath(path)) for step, path in zip(plan.steps, began, strict=True)][number:]
        written = [step for step in reversed(rest) if step.kind == "put" and step.path in first]
        return [*left, *(step for step in written if not undo_step(self._file_ops, step, plan.blobs, merge))]

    def _tidy(self, plan: Plan) -> None:
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return remove_drafts(self._file_ops, plan, Trash(self._file_ops, self.vault))
            except Busy:
                if time.monotonic() > end:
                    raise
                time.sleep(LOOK_AGAIN_S)

    def _finishes(self, plan: Plan) -> bool:
        """Apply the folder steps at the end of a plan, since the files do not show whether they were done."""
        trailing = itertools.takewhile(lambda step: step.kind.endswith("_folder"), reversed(plan.steps))
        for step in reversed(list(trailing)):
            try:
                apply_step(self._file_ops, step, plan.blobs, self._keeps)
            except (FileNotFoundError, NotADirectoryError, NoteExists):
                if step.kind == "make_folder":
                    return False
        return True

    def _do(self, step: Step, plan: Plan, done: list[Step]) -> None:
        try:
            if step.to is not None and is_in_trash(step.to):
                with self._file_ops.at(TRASH) as trash:
                    self._file_ops.make_folder(TRASH, trash)
            throws = step.kind == "remove" and Trash(self._file_ops, self.vault).is_thrown(step, plan)
            if apply_step(self._file_ops, step, plan.blobs, self._keeps, throws=throws):
                done.append(step)
        except IndeterminateWrite as error:
            done.append(step)
            raise translate_os_error(error.path, error.error) from None
        except OSError as error:
            raise translate_os_error(step.path, error) from None
        except BridgeError:
            raise
        except BaseException:
            done.append(step)
            raise

    def _do_many(self, plan: Plan, done: list[Step], *, skips_overtaken: bool) -> None:
        work = BulkReplacement(self._file_ops, plan.blobs, self._keeps, self._go_on, done, skips_overtaken)
        try:
            work.run(plan.steps)
        except IndeterminateWrite as error:
            raise translate_os_error(error.path, error.error) from None
        except OSError as error:
            raise translate_os_error(work.path, error) from None

    def _go_on(self) -> None:
        if self.stopping.is_set():
            raise WriteStopped

    def _turn_back(self, done: Sequence[Step], plan: Plan, error: BaseException) -> None:
        left: list[VaultPath] = []
        with contextlib.suppress(OSError, BridgeError):
            remove_drafts(self._file_ops, plan, Trash(self._file_ops, self.vault))
        for step in reversed(done):
            try:
                if not undo_step(self._file_ops, step, plan.blobs):
                    left.append(step.path)
            except (OSError, IndeterminateWrite, BridgeError):
                # The rest is the beginning of the change, as after a crash: `recover` finds out how far it came.
                left.append(step.path)
                break
        if left:
            names = ", ".join(f"`{display_path(path)}`" for path in left)
            why = error.message if isinstance(error, BridgeError) else type(error).__name__
            raise NoteUnreadable(
                f"{why} Completed steps could not be reverted in {names}.",
                hint="Nothing is lost: their old text is stored. The bridge tries again at its next start.",
                paths=left,
            ) from error

    def _keeps(self, path: str) -> bool:
        """Return whether a path is protected; the trash is ours to use, whatever the rules name."""
        return not is_in_trash(path) and self.vault.rules.keeps(path)

    def _digest(self, path: str) -> Digest | None:
        try:
            with self._file_ops.at(path) as place:
                return place.digest() if place.is_file else None
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _look(self, path: str) -> PathState:
        try:
            with self._file_ops.at(path) as place:
                if place.info is None or not place.is_spelled:
                    return None
                if place.is_folder:
                    return Folder(place.info.st_ino)
                return place.digest() if place.is_file else PRESENCE
        except (FileNotFoundError, NotADirectoryError):
            return None
