"""Edits of a note: bytes to bytes, all else equal byte by byte."""

from bridge.vault.edit.apply import edited, replaces
from bridge.vault.edit.check import faults
from bridge.vault.edit.create import created
from bridge.vault.edit.properties import with_properties
from bridge.vault.edit.rename import with_heading

__all__ = ["created", "edited", "faults", "replaces", "with_heading", "with_properties"]
