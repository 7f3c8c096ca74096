"""Edits of a note: bytes to bytes; all else stays equal byte by byte."""
