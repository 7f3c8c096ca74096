"""The notes with which the agents' folder begins: one that explains it, and templates."""

from collections.abc import Mapping

from bridge.notebook.folder import ABOUT_TYPE, AgentsFolder
from bridge.types import VaultPath

_ABOUT = """\
---
type: {type}
id: {id}
---
# About this folder

Agents that use Vault Bridge keep their own notes here, so that a later session, or another agent, knows what this one
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
    notes = {folder.about: _ABOUT.format(type=ABOUT_TYPE, id=id_)}
    for name, headings in TEMPLATES.items() if templates else ():
        notes[VaultPath(f"{folder.templates}/{name}.md")] = template_text(name, headings)
    return notes


def template_text(name: str, headings: tuple[str, ...]) -> str:
    head = f"---\ntype: {name.lower()}\ncreated: {{{{date}}}}\n---\n# {{{{title}}}}\n"
    return "\n".join((head, *(f"## {heading}\n" for heading in headings)))
