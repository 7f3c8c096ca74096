"""Clears away what a crash left beside a file; never the only copy of what somebody saved."""

import os

from bridge.steps import Blobs, Plan, Step
from bridge.vault.write.guard import guarded
from bridge.vault.write.hands import Hands
from bridge.vault.write.place import CHUNK, Place
from bridge.vault.write.trash import Trash


def tidy(hands: Hands, plan: Plan, trash: Trash) -> None:
    """Clear away the drafts of a plan.

    Raises:
        Busy: A program is writing what was a note when it opened it.
        OSError: The system refuses.
    """
    touched: dict[str, list[Step]] = {}
    for step in plan.steps:
        if step.kind in {"put", "remove"}:
            touched.setdefault(step.path, []).append(step)
    for path, steps in touched.items():
        try:
            with hands.at(path) as place:
                for draft in place.drafts():
                    with guarded(hands.disk, path, place, draft):
                        tidy_one(hands, place, draft, steps, plan.blobs, trash)
        except (FileNotFoundError, NotADirectoryError):
            # No folder, no drafts.
            continue


def tidy_one(hands: Hands, place: Place, draft: str, steps: list[Step], blobs: Blobs, trash: Trash) -> None:
    """Clear away one draft of a file, or give its name back to it."""
    before, after = {step.before for step in steps}, {step.after for step in steps}
    held, now = place.digest(draft), place.digest()
    if held in blobs or is_torn(place, draft, blobs):
        hands.disk.unlink(draft, dir_fd=place.folder)
    # What is neither is a save that came in the very moment of the replacement, and went aside with it.
    elif place.info is None and before != {None}:
        hands.disk.rename_new(draft, place.name, source_folder=place.folder, target_folder=place.folder)
    elif (
        now in after - before and is_newer(place, draft) and hands.disk.exchange(draft, place.name, folder=place.folder)
    ):
        hands.disk.unlink(draft, dir_fd=place.folder)
    else:
        # Left under its hidden name it might be taken for a newer save than what is saved after this.
        trash.take_draft(place, draft)
    place.sync()


def is_newer(place: Place, draft: str) -> bool:
    """Say whether a draft was saved after the file beside it."""
    saved, there = (place.disk.stat(name, dir_fd=place.folder, follow_symlinks=False) for name in (draft, place.name))
    return saved.st_mtime_ns >= there.st_mtime_ns


def is_torn(place: Place, draft: str, blobs: Blobs) -> bool:
    """Say whether a draft is the beginning of what was being written."""
    size = place.disk.stat(draft, dir_fd=place.folder, follow_symlinks=False).st_size
    if size > max(map(len, blobs.values()), default=0):
        return False
    data = read(place, draft)
    return any(blob.startswith(data) for blob in blobs.values())


def read(place: Place, name: str) -> bytes:
    """Read a small file beside a place."""
    descriptor = place.disk.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0), dir_fd=place.folder)
    try:
        pieces = []
        while piece := place.disk.read(descriptor, CHUNK):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        place.disk.close(descriptor)
