"""Publishes one generation of notes after the other to a store, until it is killed."""

import asyncio
import sys
from typing import Any

import numpy as np

from bridge.index.shared_store import Publication, SharedStore, publication_schema

NAME, NOTES, DIMENSIONS = "0123456789abcdef", 40, 16


def generation(number: int) -> tuple[Publication, Any]:
    """Return a publication whose every row, and the row about it, tells its number."""
    import pyarrow as pa

    vector = np.full(DIMENSIONS, DIMENSIONS**-0.5, np.float16)
    # One more or less each time, so that rows are inserted, replaced and deleted.
    rows = [row(note, number, vector) for note in range(NOTES + number % 2)]
    about = Publication("Notes", "anna", float(number), (f"{number}",), "made-1", len(rows), len(rows))
    return about, pa.Table.from_pylist(rows, schema=publication_schema(DIMENSIONS))


def row(note: int, number: int, vector: Any) -> dict[str, Any]:
    """Return the one passage of a note in a generation."""
    texts = dict.fromkeys(("path", "title", "heading", "properties", "digest"), "")
    numbers = {"first": 1, "last": 1, "start": 0, "modified": 0.0}
    text = f"common generation{number}."
    key = f"{note:032x}"
    lists: dict[str, list[str]] = {"tags": [], "links": []}
    return {**texts, **numbers, **lists, "id": f"{key}-0", "note": key, "state": text, "text": text, "vector": vector}


async def publish(store: SharedStore, number: int) -> None:
    """Publish a generation in place of the one before."""
    about, rows = generation(number)
    before = await store.publication(NAME)
    keys = {f"{note:032x}" for note in range(NOTES + 1)}
    await store.write(NAME, about, rows, keys, overwrite=before is None)
    await store.finish(NAME, removes=True)


async def main(place: str) -> None:
    """Publish until killed, beginning after the last generation."""
    store = await SharedStore.open(place)
    async with store.lease(NAME):
        before = await store.publication(NAME)
        number = int(before.time) if before is not None else 0
        while True:
            number += 1
            await publish(store, number)
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
            # The next one once somebody has read.
            await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
