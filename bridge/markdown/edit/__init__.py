"""Edits of a note, from bytes to bytes; everything else stays equal byte by byte."""
