"""Decides where removed files go, by the user's setting in Obsidian."""

import os
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from bridge.text.fold import fold_case, nfc
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.plan import Plan, Step
from bridge.vault.vault import Vault
from bridge.vault.write.file_ops import FileOps
from bridge.vault.write.handle import PathHandle
from bridge.vault.write.syscalls import has_trash

TRASH = ".trash"
"""Obsidian's trash in the vault."""


class Trash(Struct, dict=True):
    """The trash of a vault during one change."""

    file_ops: FileOps
    vault: Vault
    _names_in_trash: set[str] | None = None

    def takes(self, step: Step, plan: Plan) -> Step:
        """Return a removal with the file's path in the vault's trash, if it goes there.

        It does if the user's setting and the plan want that, or if nothing else would keep its bytes.
        """
        elsewhere = step.before in plan.blobs and (self._is_deleted(plan) or self.is_thrown(step, plan))
        if step.to is not None or elsewhere:
            return step
        return replace(step, to=VaultPath(f"{TRASH}/{self._free(step.path.rpartition('/')[2])}"))

    def is_thrown(self, step: Step, plan: Plan) -> bool:
        """Return whether a removed file goes to the system's trash, if there is one."""
        is_wanted = step.to is None and not plan.back and self._wish == "system"
        return is_wanted and has_trash(self.vault.root) and os.path.lexists(self.vault.place(step.path))

    def take_draft(self, place: PathHandle, draft: str) -> None:
        """Move a draft that another program wrote to the vault's trash, under the name of its note."""
        name = self._free(nfc(os.path.basename(place.name)))  # noqa: PTH119
        with self.file_ops.at(TRASH) as folder:
            self.file_ops.make_folder(TRASH, folder)
        with self.file_ops.at(f"{TRASH}/{name}") as there:
            self.file_ops.disk.rename_new(draft, there.name, source_folder=place.folder, target_folder=there.folder)
            there.sync()

    def _is_deleted(self, plan: Plan) -> bool:
        return plan.back or self._wish == "none"

    @cached_property
    def _wish(self) -> str:
        return read_obsidian_settings(self.vault.root).trash

    def _free(self, name: str) -> str:
        names = self._names()
        stem, dot, end = name.rpartition(".") if "." in name else (name, "", "")
        number, free = 0, name
        while fold_case(free) in names:
            number += 1
            free = f"{stem} {number}{dot}{end}"
        names.add(fold_case(free))
        return free

    def _names(self) -> set[str]:
        if self._names_in_trash is None:
            try:
                with self.file_ops.at(f"{TRASH}/any") as place:
                    self._names_in_trash = {fold_case(name) for name in place.names()}
            except FileNotFoundError:
                self._names_in_trash = set()
        return self._names_in_trash


def is_in_trash(path: str) -> bool:
    return path.startswith(f"{TRASH}/") and not {"", ".", ".."} & {*path.split("/")}
