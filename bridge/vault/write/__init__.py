"""Writes the user's files: the only place that does."""
