"""The vaults written for the tests, and the names that cannot be committed."""

import os
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLE = HERE / "sample"
TANGLED = HERE / "tangled"
HOSTILE = HERE / "hostile"
QUERIES = HERE / "sample.queries.json"
TANGLED_LINKS = HERE / "tangled.links.json"

AWKWARD_NAMES: tuple[bytes, ...] = (
    b"case.md",
    b"Case.md",
    b"CASE.md",
    "ne\u0301.md".encode(),
    "n\u00e9.md".encode(),
    b'double "quotes".md',
    b"colon: and question?.md",
    b"star * and pipe |.md",
    b"angle <brackets>.md",
    b"back\\slash.md",
    b"line\nbreak.md",
    b"tab\tstop.md",
    b"bell \x07 and escape \x1b[31m.md",
    b"not utf-8 \xff\xfe.md",
    b"trailing space.md ",
    b"trailing dot.md.",
    b"CON.md",
    b"x" * 252 + b".md",
    "\u9762".encode() * 84 + b".md",
)
"""Names that some file system, or git on some system, refuses or confuses."""


def write_awkward_names(root: Path) -> set[str]:
    """Write a note under each awkward name that this file system accepts; return the names that then exist."""
    for name in AWKWARD_NAMES:
        with suppress(OSError):
            (root / os.fsdecode(name)).write_bytes(b"An awkward note.\n")
    return {path.name for path in root.iterdir()}
