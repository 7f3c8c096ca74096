"""Looks at a plan before anything is touched: what cannot be done is refused, what may be regretted is told."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from bridge.errors import InvalidArguments, NoteExists, PathKept
from bridge.steps import Plan, Step
from bridge.vault.inside import is_link, relative
from bridge.vault.paths import nfc, shown, vault_path
from bridge.vault.vault import Vault
from bridge.vault.write.conditions import changed, gone, require_unlocked, same, taken
from bridge.vault.write.expanding import named
from bridge.vault.write.guard import guarded
from bridge.vault.write.hands import Hands
from bridge.vault.write.naming import doubts, last, require_name, require_shallow, twins
from bridge.vault.write.place import Place
from bridge.vault.write.refusals import told
from bridge.vault.write.states import SOMETHING, Folder, Held, beginning, beginnings, moving, origin, states
from bridge.vault.write.trash import in_trash

LINKED = "`{}` has a second name elsewhere (a hard link): under that one it keeps its old text."


@dataclass(frozen=True, slots=True)
class Checking:
    """Knows the vault; touches nothing."""

    hands: Hands
    vault: Vault

    def require_allowed(self, plan: Plan) -> None:
        """Let only a plan pass whose paths are of the vault, and may be written.

        Raises:
            BridgeError: One is not.
        """
        for step in plan.steps:
            self._require_allowed(step)
            if not plan.back and (path := named(step)) is not None:
                require_shallow(path)

    def warnings(self, plan: Plan) -> tuple[str, ...]:
        """Return what speaks against a plan that is allowed and has all its folders.

        Raises:
            BridgeError: It cannot be carried out.
        """
        found: list[str] = []
        steps = plan.steps
        replaced = {origin(step.path, moves) for step, moves in moving(steps) if step.kind == "put"}
        removed = {origin(step.path, moves) for step, moves in moving(steps) if step.kind == "remove"}
        for known, held in beginning(steps).items():
            if known in replaced | removed:
                self._require_settled(known)
            found += self._of_present(known, held, replaced=known in replaced)
        emptied: set[str] = set()
        for (step, moves), state, first in zip(moving(steps), states(steps), beginnings(steps), strict=False):
            if (path := named(step)) is not None:
                if path in state:
                    raise taken(path)
                if not plan.back:
                    found += of_name(step, path)
                if (before := origin(path, moves)) not in first and path not in emptied:
                    found += self._of_new(step, path, before)
            if step.kind == "remove_folder":
                emptied.add(step.path)
        return tuple(dict.fromkeys(found))

    def _require_allowed(self, step: Step) -> None:
        """Let only a step pass that the rules of the vault and of the user allow."""
        for path in filter(None, (step.path, step.to)):
            if in_trash(path) and (step.kind == "move" or path != step.path):
                continue
            if vault_path(path) != path:
                raise InvalidArguments(f"`{shown(path)}` is not spelled as a path of the vault.")
            self.vault.require_writable(path)
        if step.kind in {"move", "remove"}:
            place = self.vault.root / step.path
            if os.path.lexists(place) and is_link(place.lstat()):
                raise InvalidArguments(
                    f"`{shown(step.path)}` is a link to another file.", hint="Move that one, or it by hand."
                )
        if step.kind == "move" and step.to is not None and self._keeps_below(step.path, step.to):
            raise PathKept(f"Something in `{shown(step.path)}` must stay as it is: the user's settings say so.")

    def _keeps_below(self, path: str, to: str) -> bool:
        """Say whether a rule holds for something in a folder, here or where it would go."""
        rules = self.vault.rules
        if not rules.deny and not rules.readonly:
            return False
        top = os.fspath(self.vault.root)
        for folder, folders, files in os.walk(self.vault.root / path):
            for name in (*folders, *files):
                below = nfc(relative(top, os.path.join(folder, name)) or "")  # noqa: PTH118
                if rules.keeps(below) or rules.keeps(to + below[len(path) :]):
                    return True
        return False

    def _of_present(self, path: str, held: Held, *, replaced: bool) -> Iterator[str]:
        """Look at what must be there."""
        try:
            with self.hands.at(path) as place:
                if place.info is None:
                    raise gone(path)
                if held != SOMETHING and not isinstance(held, Folder) and (now := place.digest()) != held:
                    raise changed(path, now)
                if replaced:
                    require_unlocked(path, place)
                if replaced and place.info.st_nlink > 1:
                    yield LINKED.format(shown(path))
        except OSError as error:
            raise told(path, error) from None

    def _require_settled(self, path: str) -> None:
        """Let only a file pass that no program has open for writing, where the system tells."""
        try:
            with self.hands.at(path) as place:
                if place.is_file:
                    with guarded(self.hands.disk, path, place):
                        pass
        except OSError as error:
            raise told(path, error) from None

    def _of_new(self, step: Step, path: str, before: str) -> Iterator[str]:
        """Look at a place that must be free, by the name that it has before the first step."""
        try:
            with self.hands.at(before) as place:
                names = place.names()
                if f".{last(path)}.icloud" in names:
                    raise NoteExists(f"`{shown(path)}` is in iCloud and was not downloaded to this computer.")
                if place.info is not None and not self._is_respelled(step, place) and not same_folder(step, place):
                    raise taken(path)
                yield from twins(path, [name for name in names if step.kind != "move" or nfc(name) != last(step.path)])
        except FileNotFoundError:
            # Its folder is made by an earlier step, if it is not a link that leads nowhere.
            if os.path.lexists(self.vault.root / path):
                raise taken(path) from None
        except OSError as error:
            raise told(path, error) from None

    def _is_respelled(self, step: Step, place: Place) -> bool:
        """Say whether a move only spells a name otherwise, on a disk to which both are one."""
        if step.kind != "move":
            return False
        with self.hands.at(step.path) as here:
            return same(here, place) and not place.is_spelled


def of_name(step: Step, path: str) -> Iterator[str]:
    """Look at a name that a step gives, if it is another than before."""
    if step.kind != "move" or last(path) != last(step.path):
        require_name(path)
        yield from doubts(path)


def same_folder(step: Step, place: Place) -> bool:
    """Say whether a folder is there that is to be made: it will do."""
    return step.kind == "make_folder" and place.is_folder
