"""Maps files and names of the vault to their paths after the steps of a draft."""

from collections.abc import Collection, Iterable
from dataclasses import field

from bridge.changes.draft import Draft, path_after_move
from bridge.records import dataclass
from bridge.state.file_history import GRAVE, FolderEvent, without_grave
from bridge.types import VaultPath
from bridge.vault.plan import Step

Identity = tuple[VaultPath, str | None]
"""A file or folder in the journal: its current path, and the change that took it away."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Follows files and names through the steps of a draft.

    A file follows every move. A name stays when the file that has it moves, and follows only moves of the folders
    around it.
    """

    draft: Draft
    _restored: dict[Identity, tuple[int, VaultPath]] = field(default_factory=dict, init=False)
    """Restored files and folders: the number of steps until then, and the path."""
    _takers: dict[int, str] = field(default_factory=dict, init=False)
    """By the number of a draft step that makes a folder: the change that took that folder away."""

    def of_name(self, path: VaultPath, events: Iterable[FolderEvent]) -> VaultPath:
        """Return the name after the steps so far for a name from an earlier moment."""
        path = name_after(events, path)
        for number, step in enumerate(self.draft.steps):
            taker = self._takers.get(number)
            path = _path_after_step(step, path, "", None if taker is None else {taker})
        return VaultPath(without_grave(path))

    def of_file(self, path: VaultPath, gone: str | None) -> VaultPath:
        """Return the path of a file or folder after the steps so far; its name, while it is gone."""
        if (restored := self._restored.get((path, gone))) is not None:
            count, place = restored
            return file_after(self.draft.steps[count:], place) if self.draft.moves else place
        if gone is None:
            return file_after(self.draft.steps, path) if self.draft.moves else path
        return self.of_name(VaultPath(without_grave(path)), ())

    def restore(self, path: VaultPath, gone: str | None, place: VaultPath) -> None:
        """Record that the last step of the draft restored a file or folder."""
        self._restored[path, gone] = len(self.draft.steps), place
        if gone is not None:
            self._takers[len(self.draft.steps) - 1] = gone

    def is_restored(self, path: VaultPath, gone: str | None) -> bool:
        return (path, gone) in self._restored


def file_after(steps: Iterable[Step], path: VaultPath) -> VaultPath:
    for step in steps:
        if step.kind == "move" and step.to is not None:
            path = path_after_move(path, step.path, step.to) or path
    return path


def name_after(events: Iterable[FolderEvent], path: VaultPath) -> VaultPath:
    """Return a path after the events of the folders around it.

    A name in a removed folder does not belong to the next folder of the same name: it is marked until the folder is
    restored.
    """
    for event in events:
        path = _path_after_step(event.step, path, event.by, event.back)
    return path


def _path_after_step(step: Step, path: VaultPath, by: str, back: Collection[str] | None) -> VaultPath:
    """Return a path after a step of a change; `back` holds the changes whose folders it restores, None for any."""
    if step.path == path or not path.startswith(step.path):
        return path
    graves, taker = _graves(path[len(step.path) :])
    match step.kind:
        case "move" if step.to is not None and step.before is None:
            return path_after_move(path, step.path, step.to) or path
        case "remove_folder":
            # Of several folders that one change took away from here, the last is restored first.
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
    name = rest.partition("/")[0]
    taker = name.lstrip(GRAVE)
    return name[: len(name) - len(taker)], taker


def _grave(folder: VaultPath, taker: str, depth: int) -> VaultPath:
    """Return the marked name of a folder that a change took away and that is restored after `depth - 1` others."""
    return VaultPath(f"{folder}{GRAVE * depth}{taker}")
