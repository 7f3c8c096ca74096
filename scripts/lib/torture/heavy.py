"""A vault of files as expensive as one file may be: the time of each result, and the bridge's memory.

Then twelve clients call everything at once, while a reader and a writer measure how long they wait.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from bridge.features import operations
from scripts.lib.torture.report import Report
from tests.hostile_texts import REPEATED
from tests.markdown.pdfs import packed_pdf

MAX_PROCESSOR_S = 2.0
"""Most seconds of processor time per result: the machine's other load is not the bridge's fault."""

MAX_MIB = 600
"""Most MiB that the bridge may take at any time, without its embedding workers."""

PATIENCE_S = 600
"""Seconds to wait for a result: a busy machine must not end the run."""

CLIENTS = 12
CALLS = 500
"""Calls of these clients for each step."""

MAX_CROWDED_MIB = 700
MAX_READ_S, MAX_WRITE_S, MAX_STOP_S = 1.0, 2.0, 5.0
"""Most seconds that a small read, a small write and a stop may take beside them."""

APART = {"change_server", "change_settings", "open_pairing", "pause_indexing", "revoke_client"}
"""Operations that change what all calls are measured by."""

TAGGED = 1_500

PROSE = "The loaf is in the oven at Ferry House, said the miller of Odd 12. It rises [[Odd 3|slowly]].\n\n"
SMALL = 90


def write_heavy_vault(root: Path) -> list[str]:
    """Write the vault, and return the paths of its heavy files."""
    root.mkdir(parents=True, exist_ok=True)
    for number in range(SMALL):
        (root / f"Odd {number}.md").write_text(f"# Odd {number}\n\n{PROSE * (1 + number % 7)}")
    for number in range(TAGGED):
        tagged = f"---\ntags: [alpha]\n---\n[[Odd {number % SMALL}]] #alpha/x\n{PROSE}"
        (root / f"Tagged {number}.md").write_text(tagged)
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
    """Read, link and suggest each heavy file `steps` times, and let clients call everything at once."""
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
                if spent > MAX_PROCESSOR_S:
                    late.append(
                        f"{name}: {spent:.1f} processor s, {time.perf_counter() - at:.1f} s, {_resident_mib(pid)} MiB"
                    )
            figures["MiB at the end"], figures["MiB at most"] = _resident_mib(pid), _resident_mib(pid, "VmHWM")
            faults = {
                "answers that took too long": len(late),
                "answers that were errors": len(wrong),
                "MiB too many": max(0, _resident_mib(pid, "VmHWM") - MAX_MIB),
            }
            crowd = Crowd(url, token, heavy, seed)
            crowd.run(steps * CALLS, pid)
            faults |= crowd.faults
            figures |= crowd.figures
    return Report(faults, figures, (*wrong, *late, *crowd.wrong))


class Crowd:
    """Clients that call everything at once, and two that measure how long they wait meanwhile."""

    def __init__(self, url: str, token: str, heavy: list[str], seed: int) -> None:
        self.faults: dict[str, int] = {}
        self.figures: dict[str, object] = {}
        self.wrong: list[str] = []
        self._url, self._token = url, token
        self._dice = random.Random(seed)
        self._examples = [(each.name, dict(each.example)) for each in operations() if each.name not in APART]
        self._heavy = _heavy_calls(heavy)
        self._answers: Counter[int] = Counter()
        self._waits: dict[str, list[tuple[float, str]]] = {"reader": [], "writer": []}
        self._over = threading.Event()
        self._under_way: Counter[str] = Counter()

    def run(self, calls: int, pid: int) -> None:
        """Make the calls, then stop the bridge in the middle of others."""
        begun = time.perf_counter()
        measuring = [threading.Thread(target=self._measure, args=(name,)) for name in self._waits]
        for thread in measuring:
            thread.start()
        with ThreadPoolExecutor(CLIENTS) as clients:
            chosen = [self._dice.choice(self._dice.choice((self._examples, self._heavy))) for _ in range(calls)]
            list(clients.map(self._take_turn, chosen))
            self._over.set()
            for thread in measuring:
                thread.join()
            self.figures |= {f"calls by {CLIENTS} clients": calls, "s": round(time.perf_counter() - begun)}
            self.figures |= {f"  answers {status}": count for status, count in sorted(self._answers.items())}
            crowded = _resident_mib(pid, "VmHWM")
            self.faults |= {"MiB too many beside others": max(0, crowded - MAX_CROWDED_MIB)}
            self.figures |= {"MiB at most beside others": crowded}
            last = [clients.submit(self._ask, *one) for one in self._heavy[:CLIENTS]]
            wait(last, timeout=1)
            begun = time.perf_counter()
            os.kill(pid, signal.SIGTERM)
            while Path(f"/proc/{pid}/stat").exists() and _state(pid) != "Z":
                time.sleep(0.05)
            stopped = time.perf_counter() - begun
        waits = {name: sorted(found, reverse=True) for name, found in self._waits.items()}
        for name, ((longest, beside), *_) in waits.items():
            median = waits[name][len(waits[name]) // 2][0]
            self.figures[f"s that the {name} waited"] = f"{median:.3f} as a rule, {longest:.2f} at most ({beside})"
        self.figures["s to stop"] = round(stopped, 1)
        self.faults |= {
            "answers 500": self._answers[500],
            "reads that waited too long": sum(seconds > MAX_READ_S for seconds, _ in waits["reader"]),
            "writes that waited too long": sum(seconds > MAX_WRITE_S for seconds, _ in waits["writer"]),
            "stops that took too long": int(stopped > MAX_STOP_S),
        }

    def _take_turn(self, one: tuple[str, dict[str, Any]]) -> None:
        """Make a call beside which others are measured."""
        self._under_way[one[0]] += 1
        self._ask(*one)
        self._under_way[one[0]] -= 1

    def _ask(self, operation: str, arguments: dict[str, Any]) -> None:
        """Call an operation, whatever it answers; none at all once the bridge stops."""
        status = 200
        try:
            _call(self._url, self._token, operation, **arguments)
        except HTTPError as error:
            status = error.code
            if status == HTTPStatus.INTERNAL_SERVER_ERROR:
                self.wrong.append(f"{operation}: {error.read(300).decode()}")
        except (OSError, HTTPException):
            status = 0
        self._answers[status] += 1

    def _measure(self, name: str) -> None:
        """Read or write a little, again and again."""
        number = 0
        while not self._over.wait(0.05):
            number += 1
            begun = time.perf_counter()
            if name == "reader":
                self._ask("read_note", {"path": "Odd 1.md"})
            else:
                self._ask("create_note", {"path": f"Mine/{number}.md", "text": "A word."})
            spent = time.perf_counter() - begun
            beside = ", ".join(sorted(name for name, count in self._under_way.items() if count)[:CLIENTS])
            self._waits[name].append((spent, beside))


def _heavy_calls(heavy: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return calls that take long, or are meant to."""
    long = [{"op": "append", "text": "a\n" * 1_000_000}]
    snapshot = [{"path": f"F{number % 50}/N{number}.md", "mtime": 1, "size": 1} for number in range(50_000)]
    texts = [text * (300_000 // len(text)) for text in REPEATED.values()]
    return [
        ("change_notes", {"rename_tags": {"alpha": "beta"}, "confirm": True}),
        ("change_notes", {"rename_tags": {"beta": "alpha"}, "confirm": True}),
        ("change_notes", {"rename_tags": {"alpha": "gamma"}, "dry_run": True}),
        ("undo_change", {"change_id": "none"}),
        ("edit_note", {"path": "Odd 1.md", "edits": long, "dry_run": True}),
        ("create_note", {"path": "New.md", "text": "- [ ] x [[Odd 1]] #t\n" * 100_000, "dry_run": True}),
        ("report_changes", {"snapshot": snapshot}),
        ("plan_tidy", {"limit": 500, "dry_run": True}),
        ("merge_suggestions", {}),
        *_calls(heavy),
        *(
            ("edit_note", {"path": "Odd 2.md", "edits": [{"op": "append", "text": text}], "dry_run": True})
            for text in texts
        ),
    ]


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


def _state(pid: int) -> str:
    """Return the state of a process, `Z` once it ended."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _resident_mib(pid: int, which: str = "VmRSS") -> int:
    """Return a process's resident memory, now or at its peak (`VmHWM`)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition(f"{which}:")[2].split()[0]) // 1024
