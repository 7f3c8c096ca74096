"""The only place that writes to the vault."""

import contextlib
import itertools
import os
import time
from collections.abc import Sequence
from typing import Literal, Protocol

from bridge.errors import BridgeError, Busy, NoteExists, NoteUnreadable
from bridge.types import VaultPath
from bridge.vault.open_file import STEPWISE
from bridge.vault.paths import display_path
from bridge.vault.plan import Plan, Step
from bridge.vault.stable_read import LOOK_AGAIN_S, PATIENCE_S
from bridge.vault.vault import Vault
from bridge.vault.write.expand import expand_plan
from bridge.vault.write.file_ops import FileOps
from bridge.vault.write.guard import DisplacedFile
from bridge.vault.write.handle import IndeterminateWrite, translate_os_error
from bridge.vault.write.preflight import Preflight
from bridge.vault.write.recovery import (
    SOMETHING,
    Folder,
    PathState,
    find_progress,
    is_at_start,
    plan_states,
    remove_drafts,
)
from bridge.vault.write.step import apply_step, undo_step
from bridge.vault.write.syscalls import Disk
from bridge.vault.write.trash import TRASH, Trash, is_in_trash

Recovery = Literal["before", "after", "conflict"]
"""What a crash left, made whole: all old, all new, or with something in it that somebody wrote since."""


class JournalEntry(Protocol):
    """One change's row in the journal."""

    def prepare(self, plan: Plan) -> None:
        """Write down what is about to be done; it is on the disk when this returns."""

    def settle(self, done: bool) -> None:
        """Write down that it was done, or that nothing was; it is on the disk when this returns."""


class Writer:
    """Changes files of one vault: checked, journalled, whole or not at all.

    Whoever calls sees to it that no two changes of one file are written at once.
    """

    def __init__(self, vault: Vault, disk: Disk | None = None, *, stepwise: bool = STEPWISE) -> None:
        """Name the vault.

        Args:
            vault: Its files and rules; may be replaced when the rules change.
            disk: What touches it.
            stepwise: Hold each folder open on the way; without it paths are checked and then used.
        """
        self.vault = vault
        self._hands = FileOps(disk or Disk(), vault.root, stepwise)

    def check(self, plan: Plan) -> tuple[str, ...]:
        """Look at what a plan would do, and touch nothing.

        Returns:
            What speaks against it, in sentences.

        Raises:
            BridgeError: As `write`, for all that can be seen before.
        """
        _, warnings = self._whole(plan)
        return warnings

    def write(self, plan: Plan, entry: JournalEntry) -> Sequence[Step]:
        """Carry out a plan, all of it or nothing; blocks.

        Args:
            plan: The steps, and the bytes of every `before` and `after` that is put.
            entry: The change's row in the journal.

        Returns:
            What was done, with the folders that had to be made and where removed files went.

        Raises:
            NoteChanged: A file is not the one that was read.
            NoteExists: There is a file where a new one should be.
            Busy: Another program is saving one of the files.
            ProtectedPath: A path must stay as it is.
            OutsideVault: A path leads out of the vault.
            InvalidArguments: A name that the disk or a link cannot hold.
            ReadOnly: The user or the system forbids it.
            DiskFull: There is no room.
            NoteUnreadable: The disk failed; when something could not be turned back, the message says so.
        """
        whole, _ = self._whole(plan)
        entry.prepare(whole)
        done: list[Step] = []
        try:
            for step in whole.steps:
                self._do(step, whole, done)
            entry.settle(True)
        except BaseException as error:
            self._turn_back(done, whole, error)
            with contextlib.suppress(BridgeError):
                # An entry that stays open is settled when the bridge starts: all is old.
                entry.settle(False)
            raise
        return done

    @property
    def displaced(self) -> list[DisplacedFile]:
        """Files that lost their names lately, which a program may still write into; whoever takes one closes it."""
        return self._hands.displaced

    def is_ours(self, info: os.stat_result) -> bool:
        """Say whether a file is as the bridge wrote it."""
        return self._hands.is_ours(info)

    def recover(self, plan: Plan) -> Recovery:
        """Make a change whole again that a crash broke off; blocks.

        Args:
            plan: The steps that were written down, and the bytes that are kept of them.

        Returns:
            Whether all is old or all is new now. After `conflict` what somebody wrote since is left as it is, and all
            else is old; all is left when folders that trade their names cannot be told apart.

        Raises:
            BridgeError: The disk does not let us; to be tried again.
        """
        try:
            self._tidy(plan)
            trail = list(plan_states(plan.steps))
            number, fits = find_progress(trail, self._look)
            if number is None:
                return "conflict"
            if fits and number == len(plan.steps) and self._finishes(plan):
                return "after"
            for step in reversed(plan.steps[:number]):
                undo_step(self._hands, step, plan.blobs)
            at_start = is_at_start(trail, self._look)
        except OSError as error:
            raise translate_os_error(str(self.vault.root), error) from None
        except IndeterminateWrite as error:
            raise translate_os_error(error.path, error.error) from None
        return "before" if at_start else "conflict"

    def _tidy(self, plan: Plan) -> None:
        """Clear away the drafts of a plan, when nobody writes into one any more.

        Raises:
            Busy: A program goes on writing.
            OSError: The system refuses.
        """
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return remove_drafts(self._hands, plan, Trash(self._hands, self.vault))
            except Busy:
                if time.monotonic() > end:
                    raise
                time.sleep(LOOK_AGAIN_S)

    def _finishes(self, plan: Plan) -> bool:
        """Do the folder steps at the end of a plan, of which the files do not tell whether they were done.

        Returns:
            False when the vault leaves no room for such a folder; then all must go back.
        """
        trailing = itertools.takewhile(lambda step: step.kind.endswith("_folder"), reversed(plan.steps))
        for step in reversed(list(trailing)):
            try:
                apply_step(self._hands, step, plan.blobs, self._keeps)
            except (FileNotFoundError, NotADirectoryError, NoteExists):
                if step.kind == "make_folder":
                    return False
        return True

    def _whole(self, plan: Plan) -> tuple[Plan, tuple[str, ...]]:
        """Return a plan with all that belongs to it, and what speaks against it."""
        checking = Preflight(self._hands, self.vault)
        checking.require_allowed(plan)
        try:
            whole = expand_plan(self._hands, Trash(self._hands, self.vault), plan)
        except OSError as error:
            raise translate_os_error(os.fspath(self.vault.root), error) from None
        return whole, checking.warnings(whole)

    def _do(self, step: Step, plan: Plan, done: list[Step]) -> None:
        """Do a step, and note it as done as soon as it may be."""
        try:
            if step.to is not None and is_in_trash(step.to):
                with self._hands.at(TRASH) as trash:
                    self._hands.make_folder(TRASH, trash)
            throws = step.kind == "remove" and Trash(self._hands, self.vault).is_thrown(step, plan)
            if apply_step(self._hands, step, plan.blobs, self._keeps, throws=throws):
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

    def _turn_back(self, done: Sequence[Step], plan: Plan, error: BaseException) -> None:
        """Turn back what was done.

        Raises:
            NoteUnreadable: Something could not be; the journal keeps the change as begun.
        """
        left: list[VaultPath] = []
        with contextlib.suppress(OSError, BridgeError):
            remove_drafts(self._hands, plan, Trash(self._hands, self.vault))
        for step in reversed(done):
            try:
                if not undo_step(self._hands, step, plan.blobs):
                    left.append(step.path)
            except (OSError, IndeterminateWrite, BridgeError):
                # What is left is the beginning of the change, as after a crash: `recover` knows how far it came.
                left.append(step.path)
                break
        if left:
            names = ", ".join(f"`{display_path(path)}`" for path in left)
            why = error.message if isinstance(error, BridgeError) else type(error).__name__
            raise NoteUnreadable(
                f"{why} What was done already could not be turned back in {names}.",
                hint="Nothing is lost: what these notes said is kept. It is tried again when the bridge starts.",
                paths=left,
            ) from error

    def _keeps(self, path: str) -> bool:
        """Say whether a path must stay as it is; the trash is ours to use, whatever has been named so."""
        return not is_in_trash(path) and self.vault.rules.keeps(path)

    def _look(self, path: str) -> PathState:
        """Say what is at a path."""
        try:
            with self._hands.at(path) as place:
                if place.info is None or not place.is_spelled:
                    return None
                if place.is_folder:
                    return Folder(place.info.st_ino)
                return place.digest() if place.is_file else SOMETHING
        except (FileNotFoundError, NotADirectoryError):
            return None
