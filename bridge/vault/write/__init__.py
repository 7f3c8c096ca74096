"""Writes the user's files: the only place that does."""

from bridge.vault.write.conditions import Overtaken
from bridge.vault.write.guard import Displaced
from bridge.vault.write.writer import Entry, Recovered, Writer

__all__ = ["Displaced", "Entry", "Overtaken", "Recovered", "Writer"]
