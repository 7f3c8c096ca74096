"""Measures how soon the first edits after a start show their links in a densely linked vault, and their memory."""

import random
import statistics
import time
from dataclasses import replace
from pathlib import Path

from scripts.lib.benchmarks.client import Client, resident_memory
from scripts.lib.benchmarks.generate import generate_vault
from scripts.lib.benchmarks.measures import Place, start_sidecar, wait_until_indexed
from scripts.lib.benchmarks.rows import Measurements, Row
from scripts.lib.benchmarks.vectors import invent_vectors

NOTES = 4_600
MORE_LINKS = 17_000
"""Added to those of the generated notes: 32,000 in all."""

EDITS = 21


def measure_dense_vault(place: Place, found: Measurements, samples: Path) -> None:
    """Measure a vault of 4,600 notes and 32,000 links."""
    place = replace(place, vault=place.vault.with_name("dense"), data=place.data.with_name("dense-data"))
    chance = random.Random(17)
    generate_vault(place.vault, NOTES, samples)
    notes = sorted(place.vault.rglob("*.md"))
    for _ in range(MORE_LINKS):
        append_link(chance.choice(notes), chance.choice(notes))
    with start_sidecar(place) as (client, *_):
        client.wait_keyword()
    invent_vectors(place.data, place.models)
    with start_sidecar(place) as (client, *_):
        client.until(lambda status: status["ready"]["keyword"] and status["ready"]["semantic"], 0.01)
        before, _ = resident_memory(client.bridge)
        seconds = [time_backlink(client, place.vault, *chance.sample(notes, 2)) for _ in range(EDITS)]
        after, _ = resident_memory(client.bridge)
    links = sum(note.read_text(encoding="utf-8").count("[[") for note in notes)
    what = f"{NOTES:,} notes, {links:,} links: saved edit → its link is a backlink"
    found.add(
        Row(f"{what}, the first after the start", seconds[0], "s", 1.0),
        Row(f"{what}, median of the next {EDITS - 1}", statistics.median(seconds[1:]), "s", 1.0),
        Row(f"{what}, worst", max(seconds), "s", 1.0),
        Row(f"{what}: memory that these edits took", after - before, "MB", 100.0),
    )


def append_link(note: Path, target: Path) -> None:
    """Add a link to a note."""
    with note.open("a", encoding="utf-8") as file:
        file.write(f"\nSee [[{target.stem}]] too.\n")


def time_backlink(client: Client, vault: Path, note: Path, target: Path) -> float:
    """Add a link to a note and return the seconds until it is a backlink of its target."""
    source, path = (each.relative_to(vault).as_posix() for each in (note, target))
    append_link(note, target)
    saved = time.perf_counter()
    line = note.read_text(encoding="utf-8").count("\n")
    while time.perf_counter() - saved < 120:
        back = client.call("note_links", path=path)["backlinks"]
        if any(link["path"] == source and link["line"] == line for link in back):
            took = time.perf_counter() - saved
            # The next edit should start after this one is fully indexed.
            wait_until_indexed(client, vault, note)
            return took
        time.sleep(0.005)
    raise TimeoutError(f"a link from {source} was not seen")
