"""A process that changes a note repeatedly until it is killed, while another one saves the note."""

import random
import subprocess
import sys
import threading
import time
from pathlib import Path

from bridge.errors import BridgeError
from bridge.state.change_records import Change
from bridge.types import VaultPath
from bridge.vault.stable_read import read_settled
from bridge.vault.write.handle import DRAFT
from tests.vault.write.dying import opened
from tests.vault.write.plans import put, write_plan
from tests.vault.write.savers import MANNERS, save

NOTE = VaultPath("a.md")


def raced_once(place: Path, draw: random.Random) -> str | None:
    """Kill a process that changes a note which is being saved, recover, and return any fault."""
    note = place / "vault" / NOTE
    command = [sys.executable, "-m", "tests.vault.write.dying_races", str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        end, saved = time.monotonic() + draw.random() * 1.5, ""

        def go_on_saving() -> None:
            nonlocal saved
            number = 0
            while time.monotonic() < end + 0.2:
                number += 1
                saved = f"# Note\n\nSave {end} {number}.\n{'More. ' * draw.randrange(3000)}\n"
                save(note, draw.choice(MANNERS), saved.encode(), draw.choice([0.0, 0.01, 0.1, 0.3]))
                time.sleep(draw.random() * 0.05)

        saving = threading.Thread(target=go_on_saving)
        saving.start()
        time.sleep(max(end - time.monotonic(), 0))
        process.kill()
        # A bridge restarts while the editor continues.
        if draw.random() < 0.5:
            saving.join()
        with opened(place, conflicts=True) as (_, store):
            left = len(store.journal.find_unsettled())
        saving.join()
    if left:
        return "a change is open"
    if drafts := [file.name for file in note.parent.glob(f"{DRAFT}*")]:
        return f"left: {drafts}"
    return None if saved.strip() in note.read_text() else f"lost: {saved[:40]!r}, there is {note.read_text()[:40]!r}"


def main() -> None:
    """Append to the note until killed."""
    place = Path(sys.argv[1])
    with opened(place, conflicts=True) as (writer, store):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        number = 0
        while True:
            number += 1
            try:
                old = read_settled(writer.vault, NOTE, writer.is_ours, None)
                new = old + f"Line {number}.\n".encode()
                write_plan(
                    writer, put(NOTE, old, new), store.journal.begin(Change(store.journal.next_id(), 0.0, "edit_note"))
                )
            except BridgeError:
                continue


if __name__ == "__main__":
    main()
