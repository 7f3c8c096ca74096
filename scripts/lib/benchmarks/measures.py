"""The measurements, each on a sidecar started for it."""

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.lib.benchmarks.client import Client, processor_seconds, resident_memory
from scripts.lib.benchmarks.generate import term
from scripts.lib.benchmarks.profile import profile_command
from scripts.lib.benchmarks.questions import questions
from scripts.lib.benchmarks.rows import Measurements, Row, latency_rows, median_and_worst
from tests.system.sidecar import Sidecar

LARGE = 20_000
"""From this many notes on, the targets of the largest vault apply."""

# Topics that no note of a kitchen garden has, so that only the edit matches.
WHO = ("astronaut", "chess champion", "deep-sea diver", "drummer", "falconer", "glassblower", "goalkeeper", "locksmith")
DID = ("repaired a telescope", "lost a passport", "filmed a solar eclipse", "tuned a piano", "bought a locomotive")
WHERE = ("on the moon", "in a submarine", "at the opera", "under a volcano", "in a casino", "on a ski lift", "in court")


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of a run."""

    vault: Path
    data: Path
    models: Path | None
    large: bool
    profile: Path | None = None
    """The folder of the profiles, one of each start; None measures without profiling."""


@contextmanager
def start_sidecar(place: Place) -> Iterator[tuple[Client, float, float]]:
    """Start a sidecar; yield a client, the time of the start, and the seconds until it listened."""
    before = [] if place.profile is None else profile_command(place.profile)
    began = time.perf_counter()
    bridge = Sidecar.start(place.vault, data_dir=place.data, models_dir=place.models, before=before)
    try:
        bridge.wait_ready()
        listening = time.perf_counter() - began
        yield Client(bridge), began, listening
        bridge.stop(60)
    finally:
        bridge.close()


def measure_cold_start(place: Place, found: Measurements) -> None:
    """Measure the very first start, searching during indexing, and the complete index."""
    asked = questions(place.vault, 100)
    with start_sidecar(place) as (client, began, listening):
        found.add(*cold_start_rows(place, client, began, listening, asked[0]))
        busy: dict[str, list[float]] = {mode: [] for mode in modes(client)}
        for query in asked:
            for mode, seconds in busy.items():
                seconds.append(client.timed("search", query=query, mode=mode))
        still = client.vault()["pending"]["vectors"]
        note = "" if still else "the index was complete before the last query"
        for mode, seconds in busy.items():
            found.add(*latency_rows(f"search {mode} while a full index runs", seconds, (200, 60), note)[1:])
        sidecar, workers = resident_memory(client.bridge)
        found.add(Row("memory while indexing: sidecar", sidecar, "MB", 1200 if place.large else 300))
        if workers:
            found.add(Row("memory: each embedding worker", max(workers), "MB", 150))
        status = client.wait_all()
        whole = time.perf_counter() - began
        found.add(
            Row("whole index with vectors", whole, "s"),
            Row("passages", status["passages"], ""),
            Row("passages embedded a second, from the start on", status["embedded_total"] / whole, "1/s"),
        )


def measure_keyword_only(place: Place, found: Measurements) -> None:
    """Measure the first start of a vault whose vectors are not computed here."""
    asked = questions(place.vault, 1)
    with start_sidecar(place) as (client, began, listening):
        found.add(*cold_start_rows(place, client, began, listening, asked[0]))


def cold_start_rows(place: Place, client: Client, began: float, listening: float, query: str) -> list[Row]:
    """Search as soon as that answers from all notes, and then wait until all of them are indexed."""
    client.wait_words()
    client.timed("search", query=query, mode="keyword")
    first, spent_first = time.perf_counter() - began, processor_seconds(client.bridge)
    client.wait_keyword()
    whole, spent = time.perf_counter() - began, processor_seconds(client.bridge)
    notes = sum(1 for _ in place.vault.rglob("*.md"))
    return [
        Row("cold start: listening", listening, "s", 0.5),
        Row("cold start: first keyword answer over all notes", first, "s", 60 if place.large else 6),
        Row("cold start: processor time until then", spent_first, "s"),
        Row("cold start: every passage in the keyword index", whole, "s"),
        Row("first index: processor time", spent, "s", 1 + 0.8 * notes / 1000),
    ]


def measure_warm_start(place: Place, found: Measurements) -> None:
    """Measure a later start, and searching an idle vault."""
    asked = questions(place.vault, 200, seed=5)
    with start_sidecar(place) as (client, began, listening):
        client.until(lambda status: status["ready"]["keyword"], 0.01)
        client.call("search", query=asked[0], mode="keyword")
        first = time.perf_counter() - began
        found.add(
            Row("warm start: listening", listening, "s", 0.5),
            Row("warm start: first keyword answer", first, "s", 3 if place.large else 1.2),
            Row("warm start: processor time until then", processor_seconds(client.bridge), "s"),
        )
        client.wait_all()
        client.call("search", query=asked[1])
        for mode in modes(client):
            reach = {"keyword": (6, 15), "hybrid": (12, 30)}[mode]
            spent = processor_seconds(client.bridge)
            seconds = [client.timed("search", query=query, mode=mode) for query in asked]
            spent = 1000 * (processor_seconds(client.bridge) - spent) / len(asked)
            found.add(
                *latency_rows(f"search {mode}, idle", seconds, (100, 100) if place.large else reach),
                Row(f"search {mode}, idle, mean processor time", spent, "ms"),
            )
        sidecar, workers = resident_memory(client.bridge)
        found.add(Row("memory: sidecar", sidecar, "MB", 1200 if place.large else 300))
        if workers:
            found.add(Row("memory: each embedding worker, idle", max(workers), "MB", 150))


def modes(client: Client) -> tuple[str, ...]:
    """Return the modes in which the vault can be searched."""
    return ("keyword", "hybrid") if client.has_model() else ("keyword",)


def measure_reuse(place: Place, found: Measurements) -> None:
    """Count the passages embedded by changes that alter no passage."""
    with start_sidecar(place) as (client, *_):
        total = client.wait_all()["embedded_total"]
    notes = sorted(place.vault.rglob("*.md"))
    counted: list[tuple[str, int]] = []
    with start_sidecar(place) as (client, *_):
        counted.append(("restart", client.wait_all()["embedded_total"]))
        renamed = notes[0].with_name("Renamed for the measurement.md")
        notes[0].rename(renamed)
        wait_until_indexed(client, place.vault, renamed)
        counted.append(("rename", client.wait_all()["embedded_total"]))
        moved = place.vault / "Moved for the measurement" / notes[1].name
        moved.parent.mkdir()
        notes[1].rename(moved)
        wait_until_indexed(client, place.vault, moved)
        counted.append(("move", client.wait_all()["embedded_total"]))
        for note in notes[2:200]:
            os.utime(note)
        client.call("reindex")
        wait_until_indexed(client, place.vault, notes[2])
        counted.append(("touch", client.wait_all()["embedded_total"]))
    for what, after in counted:
        found.add(Row(f"passages embedded on {what}", after - total, "", 0))
        total = after


def wait_until_indexed(client: Client, vault: Path, note: Path) -> None:
    """Wait until the index shows a note as it is on disk."""
    path = note.relative_to(vault).as_posix()
    answer = client.call("wait_until_indexed", path=path, what="vectors", timeout=60)
    if not answer.get("indexed"):
        raise TimeoutError(f"{path}: {answer}")


def measure_edits(place: Place, found: Measurements, count: int = 50) -> None:
    """Measure how long a saved edit takes to be found by keyword and by meaning."""
    chance = random.Random(11)
    notes = chance.choices(sorted(place.vault.rglob("*.md")), k=count)
    with start_sidecar(place) as (client, *_):
        client.until(lambda status: status["ready"]["keyword"], 0.01)
        # The watcher's own start counts towards the start, not the first edit.
        client.until(lambda status: status["ready"]["semantic"], 0.01)
        words, meaning = [], []
        for note in notes:
            by_words, by_meaning = time_edit(client, place.vault, note, chance)
            words.append(by_words)
            meaning.append(by_meaning)
    found.add(*median_and_worst("saved edit → found by keyword", words, (0.1, 1)))
    found.add(*median_and_worst("saved edit → found by meaning", meaning, (0.3, 2)))


def time_edit(client: Client, vault: Path, note: Path, chance: random.Random) -> tuple[float, float]:
    """Append a sentence to a note and return the seconds until keyword and semantic search find it."""
    path = note.relative_to(vault).as_posix()
    mark = f"{term(chance)}{term(chance)}{chance.randrange(10**6)}"
    sentence = f"The {chance.choice(WHO)} {chance.choice(DID)} {chance.choice(WHERE)}"
    text = f"{note.read_text(encoding='utf-8', errors='replace').rstrip()}\n\n## {sentence}\n\n{sentence} {mark}\n"
    last = text.count("\n")
    note.write_text(text, encoding="utf-8")
    saved = time.perf_counter()
    by_words = wait_until_found(client, path, last, saved, query=mark, mode="keyword")
    return by_words, wait_until_found(client, path, last, saved, query=sentence, mode="semantic")


def wait_until_found(client: Client, path: str, last: int, saved: float, **search: Any) -> float:
    """Search until the note is found by its last line, and return the seconds since it was saved."""
    while time.perf_counter() - saved < 120:
        hits = client.call("search", limit=10, **search).get("hits", [])
        if any(hit["path"] == path and hit["lines"][1] >= last for hit in hits):
            return time.perf_counter() - saved
        time.sleep(0.005)
    raise TimeoutError(f"an edit of {path} was not found by {search['mode']}")


def measure_disk(place: Place, found: Measurements, count: int) -> None:
    """Measure how the index grows over many edits that keep the vault's size."""
    chance = random.Random(13)
    notes = sorted(place.vault.rglob("*.md"))
    with start_sidecar(place) as (client, *_):
        client.wait_all()
        fresh = folder_size(place.data)
        for _ in range(count):
            note = chance.choice(notes)
            lines = note.read_text(encoding="utf-8", errors="replace").rstrip().split("\n")
            note.write_text("\n".join([*lines[:-1], f"{term(chance)} {term(chance)}", ""]), encoding="utf-8")
            wait_until_indexed(client, place.vault, note)
        client.wait_all()
    grown = folder_size(place.data)
    found.add(
        Row("disk: fresh index", fresh / 1e6, "MB"),
        Row(f"disk after {count} edits, times the fresh index", grown / fresh, "×", 1.5),
    )


def folder_size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
