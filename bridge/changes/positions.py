"""Where the files of the vault, and the names in it, are after the steps of a desk."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from bridge.changes.draft import Draft, path_after_move
from bridge.state.file_history import GRAVE, FolderEvent, without_grave
from bridge.types import VaultPath
from bridge.vault.plan import Step

Identity = tuple[VaultPath, str | None]
"""A file or folder of the journal: where it is today, and the change that took it away."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Follows files and names through the steps of a desk.

    A file goes wherever it is moved. A name stays when what has it is moved, and goes along only with the folders that
    it is in.
    """

    draft: Draft
    _restored: dict[Identity, tuple[int, VaultPath]] = field(default_factory=dict, init=False)
    """Where files were brought back, and after how many steps."""
    _takers: dict[int, str] = field(default_factory=dict, init=False)
    """By the number of a step of the desk that makes a folder: which change took that folder away."""

    def of_name(self, path: VaultPath, events: Iterable[FolderEvent]) -> VaultPath:
        """Return what a name of an earlier moment is called after the steps so far.

        Args:
            path: The name.
            events: What happened to folders between then and today.
        """
        path = name_after(events, path)
        for number, step in enumerate(self.draft.steps):
            taker = self._takers.get(number)
            path = _path_after_step(step, path, "", None if taker is None else {taker})
        return VaultPath(without_grave(path))

    def of_file(self, path: VaultPath, gone: str | None) -> VaultPath:
        """Return where a file or folder is after the steps so far; its name, while it is gone."""
        if (restored := self._restored.get((path, gone))) is not None:
            count, place = restored
            return file_after(self.draft.steps[count:], place)
        if gone is None:
            return file_after(self.draft.steps, path)
        return self.of_name(VaultPath(without_grave(path)), ())

    def restore(self, path: VaultPath, gone: str | None, place: VaultPath) -> None:
        """Note that the last step of the desk brought a file or folder back."""
        self._restored[path, gone] = len(self.draft.steps), place
        if gone is not None:
            self._takers[len(self.draft.steps) - 1] = gone

    def is_restored(self, path: VaultPath, gone: str | None) -> bool:
        """Say whether a file or folder was brought back."""
        return (path, gone) in self._restored


def file_after(steps: Iterable[Step], path: VaultPath) -> VaultPath:
    """Return where a file or folder is after steps."""
    for step in steps:
        if step.kind == "move" and step.to is not None:
            path = path_after_move(path, step.path, step.to) or path
    return path


def name_after(events: Iterable[FolderEvent], path: VaultPath) -> VaultPath:
    """Return what a path is called after what happened to the folders it may be in.

    A name in a folder that was taken away is no name in the next folder of that name: it is marked until the folder is
    back.
    """
    for event in events:
        path = _path_after_step(event.step, path, event.by, event.back)
    return path


def _path_after_step(step: Step, path: VaultPath, by: str, back: Collection[str] | None) -> VaultPath:
    """Return what a path is called after a step of a change; `back` is what it brings back, None for anything."""
    if step.path == path or not path.startswith(step.path):
        return path
    graves, taker = _graves(path[len(step.path) :])
    match step.kind:
        case "move" if step.to is not None and step.before is None:
            return path_after_move(path, step.path, step.to) or path
        case "remove_folder":
            # Of several that one change took away from here, the last comes back first.
            deeper = path_after_move(
                path, _grave(step.path, by, len(graves) or 1), _grave(step.path, by, len(graves) + 1)
            )
            return deeper or path_after_move(path, step.path, _grave(step.path, by, 1)) or path
        case "make_folder" if graves and (back is None or taker in back):
            less = step.path if len(graves) == 1 else _grave(step.path, taker, len(graves) - 1)
            return path_after_move(path, _grave(step.path, taker, len(graves)), less) or path
        case _:
            return path


def _graves(rest: str) -> tuple[str, str]:
    """Return the marks after the name of a folder, and the change that took it away."""
    name = rest.partition("/")[0]
    taker = name.lstrip(GRAVE)
    return name[: len(name) - len(taker)], taker


def _grave(folder: VaultPath, taker: str, depth: int) -> VaultPath:
    """Return what a folder that a change took away is called when it comes back after `depth - 1` others."""
    return VaultPath(f"{folder}{GRAVE * depth}{taker}")
