"""Writes the user's files; nothing else does."""
