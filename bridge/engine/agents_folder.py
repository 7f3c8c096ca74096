"""The agents' folder: where it is, the note by which a person agreed to it, and what lies in it."""

import os
import secrets
from collections.abc import Iterable, Mapping

from bridge.errors import BridgeError
from bridge.index.apart import KeptFolder
from bridge.index.note import IndexedNote
from bridge.markdown.note import property_of
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.settings.schema import Settings
from bridge.text.fold import fold_case, nfc
from bridge.types import VaultPath
from bridge.vault.vault import Vault

ABOUT_TYPE = "agents-folder"
"""The property `type` of the note by which a person agreed to the folder."""

ID = "id"
"""The property by which the bridge knows that note again."""

_ABOUT_FILE = "About this folder.md"


class AgentsFolder(Record):
    """The folder of the agents' notes, and the folders in it."""

    path: VaultPath
    is_whole: bool = False
    """Whether changes of the note by which a person agreed, and among the plans, in which one ticks, apply at once."""

    @property
    def about(self) -> VaultPath:
        """The note by which a person agreed to the folder."""
        return self.place(_ABOUT_FILE)

    @property
    def memory(self) -> VaultPath:
        return self.place("Memory")

    @property
    def sessions(self) -> VaultPath:
        return self.place("Sessions")

    @property
    def handoffs(self) -> VaultPath:
        return self.place("Handoffs")

    @property
    def templates(self) -> VaultPath:
        return self.place("Templates")

    @property
    def workflows(self) -> VaultPath:
        return self.place("Workflows")

    @property
    def plans(self) -> VaultPath:
        return self.place("Tidy")

    @property
    def plan(self) -> VaultPath:
        """The note of that plan."""
        return self.place("Tidy/Plan.md")

    @property
    def kept_apart(self) -> tuple[KeptFolder, ...]:
        """The folders of which ordinary questions leave one out: this one if it was set up, else that of the plan."""
        return KeptFolder(self.path, self.about), KeptFolder(self.plans, self.plan)

    def place(self, name: str) -> VaultPath:
        return VaultPath(f"{self.path}/{name}")

    def holds(self, path: str) -> bool:
        """Return whether a path lies in the folder; the folder itself does not."""
        return path.startswith(f"{self.path}/")


def agents_folder(settings: Settings) -> AgentsFolder:
    return AgentsFolder(VaultPath(nfc(settings.agents_folder)))


def is_about_note(note: IndexedNote) -> bool:
    """Return whether it has the form of a note by which a person agrees to an agents' folder, wherever it is."""
    return note.note_type == ABOUT_TYPE and is_about_path(note.path)


def is_about_path(path: str) -> bool:
    return fold_case(path).endswith(fold_case(f"/{_ABOUT_FILE}"))


def new_id() -> str:
    return f"agents-{secrets.token_hex(16)}"


def read_id(vault: Vault, about: VaultPath) -> str | None:
    """Return the id of the note by which a person agreed to a folder, empty without one; None if there is no note."""
    try:
        return id_in(about, vault.read(about)[0])
    except BridgeError:
        return None


def id_in(about: VaultPath, data: bytes) -> str:
    """Return the id in the text of such a note; empty without one."""
    value = property_of(parse(about, data).properties, ID)
    return value if isinstance(value, str) else ""


def holds_all(folder: AgentsFolder, vault: Vault, paths: Iterable[VaultPath]) -> bool:
    """Return whether all paths lie in the folder, also behind links.

    Unless the folder is whole, the note by which a person agreed and the plans are no part of it.
    """
    real, plans, about = (os.path.realpath(vault.root / place) for place in (folder.path, folder.plans, folder.about))
    apart = tuple(f"{place}{os.sep}".casefold() for place in (plans, about))

    def is_held(path: VaultPath) -> bool:
        place = os.path.realpath(vault.root / path)
        if not (folder.holds(path) and place.startswith(f"{real}{os.sep}")):
            return False
        return folder.is_whole or not f"{place}{os.sep}".casefold().startswith(apart)

    return all(map(is_held, paths))


_ABOUT_NOTE = """\
---
type: {type}
id: {id}
---
# About this folder

Agents that use Vaultside keep their own notes here, so that a later session, or another agent, knows what this one
learned. You agreed to that when this folder was set up.

- **Memory** holds what was remembered: one fact, preference, decision or lesson in each note.
- **Sessions** holds a journal of each session that did something.
- **Handoffs** holds what one session leaves for the next.
- **Templates** holds templates for notes of your own.

These are notes like all others. Read, edit, move or delete them as you like; what you write stays as you wrote it.
Searches leave this folder out unless they ask for it. Every change made here is listed under *Changes by agents* and
can be undone.

You may move or rename this folder: agents follow it by this note. To end it, delete the folder, or only this note:
agents then write nothing here until you agree again.
"""

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "Decision": ("Context", "Decision", "Alternatives", "Consequences"),
    "Bug": ("What happens", "What should happen", "Steps", "Cause", "Fix"),
    "Module": ("Purpose", "Interface", "Depends on", "Notes"),
    "Pattern": ("Problem", "Solution", "Example", "When not to use it"),
    "Meeting": ("Present", "Notes", "Decisions", "Tasks"),
}
"""The headings of each template."""


def starter_notes(folder: AgentsFolder, id_: str, *, templates: bool) -> dict[VaultPath, str]:
    """Return the text of each note with which the folder begins, the one that explains it first, with its id."""
    notes = {folder.about: _ABOUT_NOTE.format(type=ABOUT_TYPE, id=id_)}
    for name, headings in TEMPLATES.items() if templates else ():
        head = f"---\ntype: {name.lower()}\ncreated: {{{{date}}}}\n---\n# {{{{title}}}}\n"
        notes[VaultPath(f"{folder.templates}/{name}.md")] = "\n".join((head, *(f"## {each}\n" for each in headings)))
    return notes
