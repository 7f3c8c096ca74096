"""A vault of files as expensive as one file may be: the time of each result, and the bridge's memory."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from scripts.lib.torture.report import Report
from tests.markdown.pdfs import packed_pdf

MOST_S = 2.0
"""Most seconds of processor time per result: the machine's other load is not the bridge's fault."""

MOST_MIB = 600
"""Most MiB that the bridge may take at any time, without its embedding workers."""

PATIENCE_S = 600
"""Seconds to wait for a result: a busy machine must not end the run."""

PROSE = "The loaf is in the oven at Ferry House, said the miller of Odd 12. It rises [[Odd 3|slowly]].\n\n"
SMALL = 90


def write_heavy_vault(root: Path) -> list[str]:
    """Write the vault, and return the paths of its heavy files."""
    root.mkdir(parents=True, exist_ok=True)
    for number in range(SMALL):
        (root / f"Odd {number}.md").write_text(f"# Odd {number}\n\n{PROSE * (1 + number % 7)}")
    heavy = {
        "Long note.md": (PROSE * (30_000_000 // len(PROSE))).encode(),
        "One line.md": ("word Odd 12 loaf " * (28_000_000 // 17)).encode(),
        "Table.md": ("| a | b | c |\n|---|---|---|\n" + "| Odd 12 | Ferry House | 3 |\n" * 100_000).encode(),
        "Tasks.md": ("- [ ] bake the loaf of Odd 12 #task\n" * 50_000).encode(),
        "Headings.md": ("# a\n" * 300_000).encode(),
        "Rules.md": ("***\n" * 400_000).encode(),
        "Comments.md": ("%% x\n\n" * 200_000).encode(),
        "Unpacks.pdf": packed_pdf(b"BT /F1 12 Tf 72 720 Td " + b"(word of the loaf) Tj T* " * 4_800_000 + b"ET", 1),
        "Pages.pdf": packed_pdf(b"BT /F1 12 Tf 72 720 Td (loaf) Tj ET", 1_000_000_000),
    }
    for name, data in heavy.items():
        (root / name).write_bytes(data)
    return list(heavy)


def torture_heavy(steps: int, seed: int) -> Report:
    """Read, link and suggest each heavy file `steps` times."""
    del seed
    late: list[str] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="heavy") as folder:
        heavy = write_heavy_vault(Path(folder, "vault"))
        with _running_bridge(Path(folder, "vault"), Path(folder, "data")) as (url, token, pid):
            begun = time.perf_counter()
            while not _call(url, token, "status")["vaults"][0]["ready"]["keyword"]:
                time.sleep(0.2)
            figures: dict[str, object] = {"s until ready": round(time.perf_counter() - begun, 1)}
            figures["processor s until ready"], figures["MiB when ready"] = _processor_s(pid), _resident_mib(pid)
            figures["MiB at most until ready"] = _resident_mib(pid, "VmHWM")
            for operation, arguments in _calls(heavy) * steps:
                name = f"{operation} {arguments.get('path', '')}"
                at, before = time.perf_counter(), _processor_s(pid)
                try:
                    _call(url, token, operation, **arguments)
                except HTTPError as error:
                    wrong.append(f"{name}: {error.code} {error.read(300).decode()}")
                spent = _processor_s(pid) - before
                if spent > MOST_S:
                    late.append(
                        f"{name}: {spent:.1f} processor s, {time.perf_counter() - at:.1f} s, {_resident_mib(pid)} MiB"
                    )
            figures["MiB at the end"], figures["MiB at most"] = _resident_mib(pid), _resident_mib(pid, "VmHWM")
            faults = {
                "answers that took too long": len(late),
                "answers that were errors": len(wrong),
                "MiB too many": max(0, _resident_mib(pid, "VmHWM") - MOST_MIB),
            }
    return Report(faults, figures, (*wrong, *late))


def _calls(heavy: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the operations to call, with their arguments."""
    of_each: tuple[tuple[str, dict[str, Any]], ...] = (
        ("read_note", {"max_chars": 10_000}),
        ("read_note", {"outline": True}),
        ("note_links", {}),
        ("suggest_links", {}),
        ("related_notes", {}),
        ("index_status", {}),
    )
    return [
        *((operation, {"path": path, **arguments}) for path in heavy for operation, arguments in of_each),
        ("find_prospects", {}),
        ("link_report", {}),
        ("graph_view", {}),
        ("search", {"query": "loaf of Ferry House"}),
        ("status", {}),
    ]


def _processor_s(pid: int) -> float:
    """Return the processor time that a process has used."""
    spent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def _running_bridge(vault: Path, data: Path) -> Iterator[tuple[str, str, int]]:
    command = [sys.executable, "-m", "bridge.cli", "serve", str(vault), "--data-dir", str(data)]
    with subprocess.Popen(
        [*command, "--print-ready", "--parent-stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        try:
            yield ready["url"], ready["token"], ready["pid"]
        finally:
            process.terminate()


def _call(url: str, token: str, operation: str, **arguments: Any) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = Request(f"{url}/api/{operation}", json.dumps(arguments).encode(), headers)
    with urlopen(request, timeout=PATIENCE_S) as answer:
        return json.load(answer)


def _resident_mib(pid: int, which: str = "VmRSS") -> int:
    """Return a process's resident memory, now or at its peak (`VmHWM`)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition(f"{which}:")[2].split()[0]) // 1024
