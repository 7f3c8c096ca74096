"""Edits of a note: bytes to bytes, all else equal byte by byte."""
