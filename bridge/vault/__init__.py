"""Reads and watches the user's folder; `write` is the only part that writes to it."""
