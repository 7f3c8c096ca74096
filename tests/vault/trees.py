"""Vaults on disk for tests, and the permissions of a user who is not root."""

import os
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


def grow(root: Path, *paths: str) -> Path:
    """Write files that contain their own names; folders end with `/`."""
    for path in paths:
        place = root / path
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(path, encoding="utf-8")
    return root


def apart(text: str) -> str:
    """Return a text with accents decomposed, as macOS wrote it."""
    return unicodedata.normalize("NFD", text)


@contextmanager
def without_rights() -> Iterator[Path]:
    """Yield a folder to work in as a user subject to file permissions, even if root runs the tests."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    superuser = os.geteuid() == 0
    if superuser:
        os.chown(root, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    try:
        yield root
    finally:
        if superuser:
            os.seteuid(0)
        for folder in [root, *root.rglob("*")]:
            if not folder.is_symlink():
                folder.chmod(0o755)
        shutil.rmtree(root)
