"""Where the agents' folder is, whether a person agreed to it, and where it is once that person moves it."""

import json
import logging
import os
import time
from collections.abc import Collection, Mapping, Sequence
from math import inf
from pathlib import Path

from msgspec.structs import replace

from bridge.engine.agents_folder import (
    ID,
    AgentsFolder,
    agents_folder,
    id_in,
    is_about_note,
    is_about_path,
    read_id,
)
from bridge.errors import BridgeError
from bridge.index.note import IndexedNote
from bridge.markdown.note import property_of
from bridge.private_files import write_private
from bridge.settings.schema import Settings
from bridge.text.fold import fold_case, nfc
from bridge.types import VaultPath
from bridge.vault.open_file import birth_time, place_on_disk
from bridge.vault.paths import parents
from bridge.vault.plan import Plan, Step
from bridge.vault.vault import Vault

log = logging.getLogger(__name__)

_TOGETHER_S = 60.0
"""Seconds within which the folder vanishes and appears elsewhere; what appears earlier or later is a copy."""

Notes = Mapping[VaultPath, IndexedNote]


class FolderAgreement:
    """The agents' folder of one vault; the settings name it for all vaults.

    That a person agreed to it is known here, in the data folder: the note in the folder only counts with an id that is
    kept here. So a note that an agent, a sync program or another vault puts somewhere gives no right.
    """

    def __init__(self, file: Path, root: Path) -> None:
        self._file = file
        self._root = root
        self._named = ""
        """The folder that the settings named when it was moved."""
        self._place = ""
        """Its place since then."""
        self._ids: list[str] = []
        self._agreed = ""
        """The folder to which a person agreed, where it is now; a note with an id counts nowhere else."""
        self._note = ""
        """What tells the file of the note there from a copy of it, wherever it is moved."""
        self.unmarked = ""
        """A folder to which a person agreed before there were ids, while its note has none."""
        self.declined: float | None = None
        """When a person took the agreement back, in seconds since 1970; None once there is another."""
        self._is_known = False
        self._load()
        self._appeared: dict[VaultPath, float] = {}
        self._current = ""
        self._lost = -inf
        """When the note in the folder vanished."""
        self._lost_from = ""
        """The folder from which it did."""
        self._left: dict[str, float] = {}
        """When each note of the folder vanished, by its path in the folder."""
        self._of_clients: set[str] = set()
        """Files and folders that changes of clients wrote; what appears there was not moved by a person."""

    def begin(self, settings: Settings, notes: Notes) -> None:
        """Take the explaining notes that are there before anything is scanned for old ones.

        A folder that was set up before there were ids is adopted, once: by what this vault's index knows from before.
        """
        # The data of a vault that was moved are here only now.
        self._load()
        self._appeared = dict.fromkeys((path for path, note in notes.items() if is_about_note(note)), -inf)
        about = notes.get(_about(agents_folder(self.apply(settings, notes)).path))
        if not self._is_known:
            self.unmarked = about.path.rpartition("/")[0] if about is not None else ""
            self._keep()
        elif self.unmarked and about is not None and property_of(about.properties, ID) in self._ids:
            self.unmarked = ""
            self._keep()

    def apply(self, settings: Settings, notes: Notes) -> Settings:
        """Return the settings with the agents' folder where it is in this vault."""
        named = agents_folder(settings)
        moved = named.about not in notes and self._named == settings.agents_folder and _about(self._place) in notes
        self._current = self._place if moved else named.path
        if self._current == self._agreed and (note := self._identify(_about(self._current))) not in ("", self._note):
            self._note = note
            self._keep()
        return replace(settings, agents_folder=self._place) if moved else settings

    def _identify(self, path: VaultPath) -> str:
        """Return what a file keeps when it is moved, and no copy has; empty if it is gone. Blocks for a moment."""
        place = place_on_disk(self._root, path)
        try:
            return f"{place.stat().st_ino} {birth_time(place)}"
        except OSError:
            return ""

    def is_agreed(self, files: Vault, settings: Settings) -> bool:
        """Return whether a person agreed to the folder, and did not take that back. Blocks."""
        folder = agents_folder(settings)
        return self._counts(folder, read_id(files, folder.about))

    def _counts(self, folder: AgentsFolder, id_: str | None) -> bool:
        return (id_ in self._ids and folder.path == self._agreed) or (id_ == "" and folder.path == self.unmarked)

    def agree(self, settings: Settings, id_: str) -> None:
        """Keep that a person agreed to the folder, whose note has this id or gets it now."""
        self._agreed, self.declined = agents_folder(settings).path, None
        self._ids = list(dict.fromkeys((*self._ids, id_)))
        self._keep()

    def withdraw(self) -> None:
        """Keep that the person said no; no note that is there counts, wherever it is moved."""
        self._agreed = self.unmarked = ""
        self.declined = time.time()
        self._ids.clear()
        self._keep()

    def notice(
        self, settings: Settings, notes: Notes, written: Collection[IndexedNote], gone: Collection[VaultPath]
    ) -> Settings:
        """Notice that the folder was moved, and return the settings with it where it is now.

        It is followed where exactly its notes are, and the very file of the note in it: not to a folder with others,
        nor while some stay behind, nor to a copy.
        """
        since = time.monotonic() - _TOGETHER_S
        old = AgentsFolder(VaultPath(self._lost_from if self._lost > since else self._current))
        if old.about in gone:
            self._lost, self._lost_from = time.monotonic(), old.path
        self._left = {path: when for path, when in self._left.items() if when > since}
        for path in gone:
            self._appeared.pop(path, None)
            if old.holds(path):
                self._left[path.removeprefix(f"{old.path}/")] = time.monotonic()
        if self._of_clients and gone:
            self._of_clients -= {one for path in gone for one in (path, *parents(path))}
        for note in filter(is_about_note, written):
            self._appeared.setdefault(note.path, time.monotonic())
        if self._lost > since:
            recent = [notes[path] for path, when in self._appeared.items() if path in notes and when > since]
            moved = [note for note in recent if self._was_moved(old, note, notes)]
            if len(moved) == 1:
                self._lost = -inf
                self._left.clear()
                self._named, self._place = settings.agents_folder, moved[0].path.rpartition("/")[0]
                self._agreed = self._place
                self._keep()
        return self.apply(settings, notes)

    def _was_moved(self, old: AgentsFolder, about: IndexedNote, notes: Notes) -> bool:
        new = AgentsFolder(VaultPath(about.path.rpartition("/")[0]))
        if property_of(about.properties, ID) not in self._ids:
            return False
        if self._of_clients & {about.path, *parents(about.path)} or self._identify(about.path) != self._note:
            return False
        inside = new.path if old.holds(new.about) else ""
        stayed = any(old.holds(path) and not (inside and path.startswith(f"{inside}/")) for path in notes)
        return not stayed and all(path.removeprefix(f"{new.path}/") in self._left for path in notes if new.holds(path))

    def ignore(self, steps: Sequence[Step]) -> None:
        """Do not take what a change of a client writes for the folder that a person moved."""
        written = {
            step.to if step.kind == "move" and step.to is not None else step.path
            for step in steps
            if step.kind == "move" or is_about_path(step.path)
        }
        self._of_clients |= written
        former = _about(self._place)
        if self._place != self._current and written & {former, *parents(former)}:
            # The folder to which a person had moved it, and where it is no more.
            self._named = self._place = ""
            self._keep()

    def touches_agreement(self, settings: Settings, plan: Plan) -> bool:
        """Return whether a change writes, moves or removes the note by which a person agreed, also with its folder."""
        # Also where the folder was: with its note there it may count again.
        folders = {agents_folder(settings).path, self._agreed, self._place, self.unmarked} - {""}
        abouts = [self._follow(_about(folder)) for folder in folders]
        files = [step for step in plan.steps if not step.kind.endswith("_folder")]
        places = [self._follow(place) for step in files for place in (step.path, step.to) if place is not None]
        return any(_inside(about, place) is not None for place in places for about in abouts)

    def _follow(self, path: VaultPath) -> VaultPath:
        """Return where a path leads through links. Blocks for a moment."""
        real = os.path.relpath(os.path.realpath(self._root / path), os.path.realpath(self._root))
        return VaultPath(nfc(real.replace(os.sep, "/")))

    def _id_after(self, files: Vault, plan: Plan, path: VaultPath) -> str | None:
        """Return the id that a note has once a plan is made; None if there is none then. Blocks."""
        for step in reversed(plan.steps):
            taken = step.path if step.kind == "put" else step.to if step.kind == "move" else None
            if taken is not None and (inside := _inside(path, self._follow(taken))) is not None:
                digest = step.after if step.kind == "put" else step.before
                if digest is not None and digest in plan.blobs:
                    return id_in(path, plan.blobs[digest])
                path = VaultPath(step.path + inside)
            elif step.kind in ("move", "remove") and _inside(path, self._follow(step.path)) is not None:
                return None
        return read_id(files, path)

    def explain(self, files: Vault, settings: Settings, plan: Plan, agreement: str | None, about: VaultPath) -> str:
        """Return what accepting a change of a note means for what agents may do; empty when nothing of that."""
        folder = agents_folder(settings)
        if agreement is not None:
            return f"Accepting this lets agents write in `{folder.path}` at once from then on."
        if self.touches_agreement(settings, plan):
            was = self.is_agreed(files, settings)
            if self._counts(folder, self._id_after(files, plan, self._follow(folder.about))):
                return "" if was else f"Accepting this lets agents write in `{folder.path}` at once from then on."
            if was:
                return f"Accepting this ends that agents write in `{folder.path}` at once, until you set it up again."
        own = [step for step in plan.steps if step.kind in {"move", "remove"} and not folder.holds(step.path)]
        # A note that is merged into another is removed.
        own = [step for step in own if folder.holds(about if step.kind == "remove" else step.to or step.path)]
        if own and self.is_agreed(files, settings):
            return (
                f"Accepting this takes `{own[0].path}`{f' and {len(own) - 1} more' if len(own) > 1 else ''} into"
                f" `{folder.path}`, where agents change notes at once and which ordinary searches leave out."
            )
        written = (step.path if step.kind == "put" else step.to or "" for step in plan.steps if step.kind != "remove")
        if copy := next(filter(is_about_path, written), None):
            return f"`{copy}` gives agents no right: only `set-up-memory` does."
        return ""

    def _load(self) -> None:
        try:
            facts = json.loads(self._file.read_bytes())
            self._named, self._place = str(facts["named"]), str(facts["place"])
            self._ids, self.unmarked = [*map(str, facts["ids"])], str(facts["unmarked"])
            self._agreed, self._note = str(facts["agreed"]), str(facts.get("note", ""))
            self.declined = float(when) if (when := facts.get("declined")) is not None else None
            self._is_known = True
        except (OSError, ValueError, KeyError, TypeError):
            # An earlier version kept no ids.
            return

    def _keep(self) -> None:
        self._is_known = True
        facts: dict[str, object] = {"named": self._named, "place": self._place, "ids": self._ids}
        facts |= {"unmarked": self.unmarked, "agreed": self._agreed, "note": self._note, "declined": self.declined}
        try:
            write_private(self._file, json.dumps(facts).encode())
        except BridgeError as error:
            log.warning("What is known of the agents' folder cannot be kept for the next start: %s", error.code)


def _about(place: str) -> VaultPath:
    return AgentsFolder(VaultPath(place)).about


def _inside(path: str, place: str) -> str | None:
    """Return the rest of a path that is a place, however it is spelled, or lies in it; None elsewhere."""
    names, count = path.split("/"), place.count("/") + 1
    if fold_case("/".join(names[:count])) != fold_case(place):
        return None
    return "".join(f"/{name}" for name in names[count:])
