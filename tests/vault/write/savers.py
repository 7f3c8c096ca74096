"""A program that saves notes as editors do, each in its manner; it receives the saves line by line."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Literal

Manner = Literal["truncate", "half", "in place", "rename", "backup"]
MANNERS: tuple[Manner, ...] = ("truncate", "half", "in place", "rename", "backup")


def save(place: Path, manner: Manner, text: bytes, pause: float) -> None:
    """Save a note; between opening the file and having written it all, the program pauses."""
    middle = len(text) // 2
    match manner:
        case "truncate" | "half":
            first = middle if manner == "half" else 0
            with place.open("wb", buffering=0) as file:
                file.write(text[:first])
                time.sleep(pause)
                file.write(text[first:])
        case "in place":
            with place.open("r+b", buffering=0) as file:
                file.write(text[:middle])
                time.sleep(pause)
                file.write(text[middle:])
                file.truncate()
        case "rename":
            draft = place.with_name(f".{place.name}.saving")
            draft.write_bytes(text)
            time.sleep(pause)
            draft.replace(place)
        case "backup":
            backup = place.with_name(f".{place.name}~")
            place.replace(backup)
            with place.open("wb", buffering=0) as file:
                time.sleep(pause)
                file.write(text)
            backup.unlink()


def main() -> None:
    """Perform the requested saves, and report each one."""
    for line in sys.stdin:
        asked = json.loads(line)
        save(Path(asked["place"]), asked["manner"], asked["text"].encode(), asked["pause"])
        os.write(1, b"saved\n")


if __name__ == "__main__":
    main()
