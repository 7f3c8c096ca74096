"""Killed in a stream of writes, the bridge has kept each that it acknowledged, and no file is half of one."""

import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

from tests.system.sidecar import Sidecar, request, serving
from tests.system.vaults import everything

NOTES = tuple(f"Folder/Note {number}.md" for number in range(4))
START = "# Start\n"
ROUNDS = 4


class Stream:
    """Appends to notes until the bridge is gone; what each was told is kept."""

    def __init__(self, bridge: Sidecar, number: int) -> None:
        self.written: list[tuple[str, str, str]] = []
        """Note, line and change of what was acknowledged."""
        self.asked: list[tuple[str, str]] = []
        self._bridge = bridge
        self._number = number
        self._thread = threading.Thread(target=self._work)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait until the bridge is gone."""
        self._thread.join()

    def _work(self) -> None:
        ready = self._bridge.ready
        with suppress(OSError, HTTPException, ValueError):
            for step in range(10_000):
                path, line = NOTES[step % len(NOTES)], f"line {ready['pid']} {self._number} {step}."
                self.asked.append((path, line))
                asked = {"path": path, "edits": [{"op": "append", "text": line}]}
                status, answer = request(ready["url"], ready["token"], "edit_note", asked)
                assert status == 200, answer
                self.written.append((path, line, answer["change_id"]))


def crashed(bridge: Sidecar, chance: random.Random) -> list[Stream]:
    """Let three write, kill the bridge in the midst of it, and return them."""
    streams = [Stream(bridge, number) for number in range(3)]
    for stream in streams:
        stream.start()
    wanted = chance.randrange(3, 20)
    bridge.until(lambda: sum(len(stream.written) for stream in streams) >= wanted, "some is written")
    bridge.kill()
    for stream in streams:
        stream.join()
    return streams


def test_what_was_acknowledged_outlives_a_crash_and_nothing_is_half_written(tmp_path: Path) -> None:
    vault, data, chance = tmp_path / "vault", tmp_path / "data", random.Random(5)
    for name in NOTES:
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(START)
    streams: list[Stream] = []
    for _ in range(ROUNDS):
        bridge = Sidecar.start(vault, data_dir=data, models_dir=tmp_path / "none")
        try:
            bridge.wait_ready().wait_indexed(vectors=False)
            streams += crashed(bridge, chance)
        finally:
            bridge.close()
    written = [one for stream in streams for one in stream.written]
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        bridge.wait_indexed(vectors=False)
        listed = dict(changes(bridge))
        found = {hit["path"] for hit in bridge.call("search", query='"line"', mode="keyword")["hits"]}
        findings = {finding["check"]: finding["verdict"] for finding in bridge.call("doctor")["findings"]}
        assert "Traceback" not in bridge.errors()
    for name in NOTES:
        there = [line for line in (vault / name).read_text().removeprefix(START).splitlines() if line]
        assert {line for path, line, _ in written if path == name} <= set(there)
        # At most what was under way is there besides, and every line is whole and there once.
        assert set(there) <= {line for stream in streams for path, line in stream.asked if path == name}
        assert len(there) == len(set(there))
        assert [*listed.values()].count(("applied", name)) == len(there), "the journal says something else"
    assert {id_ for *_, id_ in written} <= set(listed)
    assert found == set(NOTES)
    assert findings["changes"] == "ok"
    kept = {str(path.relative_to(vault)) for path in everything(vault)}
    assert kept == {".", "Folder", *NOTES}, "what was being written is left behind"


def changes(bridge: Sidecar) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield every change with its state and note."""
    offset = 0
    while page := bridge.call("list_changes", limit=200, offset=offset)["changes"]:
        yield from ((change["id"], (change["state"], change["paths"][0])) for change in page)
        offset += len(page)
