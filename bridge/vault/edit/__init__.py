"""Edits of a note: bytes to bytes, all else equal byte by byte."""

from bridge.vault.edit.apply import edited, names_lines, replaces
from bridge.vault.edit.check import faults
from bridge.vault.edit.contents import Contents, contents
from bridge.vault.edit.create import created
from bridge.vault.edit.properties import with_properties
from bridge.vault.edit.rename import with_heading
from bridge.vault.edit.tasks import Toggled, task_text, toggled, writes_fields

__all__ = [
    "Contents",
    "Toggled",
    "contents",
    "created",
    "edited",
    "faults",
    "names_lines",
    "replaces",
    "task_text",
    "toggled",
    "with_heading",
    "with_properties",
    "writes_fields",
]
