"""A private folder full of words that occur nowhere else, and notes beside it that link there."""

import json
import os
import shutil
from pathlib import Path

from tests.markdown.pdfs import pdf

SAMPLE = Path(__file__).resolve().parents[1] / "vaults" / "sample"

FOLDER = "Jundapeak"
NOTE = f"{FOLDER}/Vexhollow.md"
DENIED = (
    NOTE,
    f"{FOLDER}/Trespelith.md",
    f"{FOLDER}/Whimbrelode/Gull.md",
    f"{FOLDER}/Board.canvas",
    f"{FOLDER}/Paper.pdf",
)

SECRET = (
    *("quillmarsh", "snorbeck", "brindlewick", "skarnfeld", "torvandale", "ormulith", "gorsebane", "fenwhistle"),
    *("plovendusk", "drazimoor", "trespelith", "whimbrelode", "umberlash"),
)
"""Words of the private notes, their names, tags, properties, aliases and files; no other note contains one."""

LINKED = ("vexhollow", "jundapeak", "klepthorn")
"""Names that other notes contain too, in links."""

PRIVATE = {
    "Vexhollow.md": (
        "---\naliases: [Ormulith]\ntags: [brindlewick/inner]\ntorvandale: skarnfeld\n---\n# Snorbeck\n\n"
        "The quillmarsh opens at noon. See [[Welcome]] and [[Sourdough starter#Feeding]]. #brindlewick\n\n"
        "- [ ] gorsebane ^fenwhistle\n"
    ),
    "Trespelith.md": "Bread and quillmarsh, as in [[Open doors]].\n",
    "Whimbrelode/Gull.md": "# Gull\n\nA sourdough starter of quillmarsh. [[Vexhollow]]\n",
}

OPEN = {
    "Open doors.md": (
        "---\nup: '[[Vexhollow]]'\n---\n# Open doors\n\nSee [[Vexhollow]], [[Jundapeak/Vexhollow#Snow|there]] and "
        "![[klepthorn.png]].\n\nA [paper](Jundapeak/Paper.pdf), and [[Welcome]].\n"
    ),
    "Map.canvas": json.dumps({"nodes": [{"id": "a", "type": "file", "file": NOTE, "x": 0, "y": 0}], "edges": []}),
}


def write_open(root: Path, *parts: str) -> Path:
    """Write a copy of the sample vault with notes that link into the private folder, which does not exist in it.

    Args:
        root: The folder to write.
        parts: Copy only these of its files and folders.
    """
    left_out = {path.name for path in SAMPLE.iterdir()} - {*parts} if parts else set()
    shutil.copytree(SAMPLE, root, ignore=lambda folder, _: left_out if Path(folder) == SAMPLE else ())
    for name, text in OPEN.items():
        (root / name).write_text(text, encoding="utf-8")
    for number, file in enumerate(sorted(root.rglob("*.*"))):
        # Read in this order, the newest first, whatever else there is to read.
        os.utime(file, (1_700_000_000 + number,) * 2)
    (root / "alias.md").symlink_to(NOTE)
    return root


def write_private(root: Path) -> Path:
    """Add the private folder to a vault."""
    folder = root / FOLDER
    for name, text in PRIVATE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    cards = [{"id": "a", "type": "text", "text": "The plovendusk is open.", "x": 0, "y": 0}]
    (folder / "Board.canvas").write_text(json.dumps({"nodes": cards, "edges": []}), encoding="utf-8")
    (folder / "Paper.pdf").write_bytes(pdf("drazimoor and more"))
    (folder / "klepthorn.png").write_bytes(b"umberlash")
    (folder / "umberlash.png").write_bytes(b"umberlash")
    return root
