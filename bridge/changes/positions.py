"""Where the files of the vault, and the names in it, are after the steps of a desk."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from bridge.changes.desk import Desk, moved
from bridge.steps import Step
from bridge.store import GRAVE, FolderEvent, without_grave
from bridge.types import VaultPath

Identity = tuple[VaultPath, str | None]
"""A file or folder of the journal: where it is today, and the change that took it away."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Follows files and names through the steps of a desk.

    A file goes wherever it is moved. A name stays when what has it is moved, and goes along only with the folders that
    it is in.
    """

    desk: Desk
    _restored: dict[Identity, tuple[int, VaultPath]] = field(default_factory=dict, init=False)
    """Where files were brought back, and after how many steps."""

    def of_name(self, path: VaultPath, events: Iterable[FolderEvent]) -> VaultPath:
        """Return what a name of an earlier moment is called after the steps so far.

        Args:
            path: The name.
            events: What happened to folders between then and today.
        """
        path = name_after(events, path)
        for step in self.desk.steps:
            path = _after(step, path, "", None)
        return VaultPath(without_grave(path))

    def of_file(self, path: VaultPath, gone: str | None) -> VaultPath:
        """Return where a file or folder is after the steps so far; its name, while it is gone."""
        if (restored := self._restored.get((path, gone))) is not None:
            count, place = restored
            return file_after(self.desk.steps[count:], place)
        if gone is None:
            return file_after(self.desk.steps, path)
        return self.of_name(VaultPath(without_grave(path)), ())

    def restore(self, path: VaultPath, gone: str | None, place: VaultPath) -> None:
        """Note that the last step of the desk brought a file or folder back."""
        self._restored[path, gone] = len(self.desk.steps), place

    def is_restored(self, path: VaultPath, gone: str | None) -> bool:
        """Say whether a file or folder was brought back."""
        return (path, gone) in self._restored


def file_after(steps: Iterable[Step], path: VaultPath) -> VaultPath:
    """Return where a file or folder is after steps."""
    for step in steps:
        if step.kind == "move" and step.to is not None:
            path = moved(path, step.path, step.to) or path
    return path


def name_after(events: Iterable[FolderEvent], path: VaultPath) -> VaultPath:
    """Return what a path is called after what happened to the folders it may be in.

    A name in a folder that was taken away is no name in the next folder of that name: it is marked until the folder is
    back.
    """
    for event in events:
        path = _after(event.step, path, event.by, event.back)
    return path


def _after(step: Step, path: VaultPath, by: str, back: Collection[str] | None) -> VaultPath:
    """Return what a path is called after a step of a change; `back` is what it brings back, None for anything."""
    if step.path == path or not path.startswith(step.path):
        return path
    match step.kind:
        case "move" if step.to is not None and step.before is None:
            return moved(path, step.path, step.to) or path
        case "remove_folder":
            return moved(path, step.path, VaultPath(f"{step.path}{GRAVE}{by}")) or path
        case "make_folder" if path.startswith(f"{step.path}{GRAVE}"):
            taker, _, rest = path[len(step.path) + 1 :].partition("/")
            return VaultPath(f"{step.path}/{rest}") if back is None or taker in back else path
        case _:
            return path
