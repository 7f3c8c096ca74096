"""Notes: found, read, written, moved and deleted."""
