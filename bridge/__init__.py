"""Vaultside: a local companion for an Obsidian vault."""

__version__ = "0.1.0"
