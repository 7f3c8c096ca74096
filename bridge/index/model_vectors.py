"""The vectors of one model, as a table has them and as they are in memory."""

import logging
import re

from bridge.index.folder import BrokenIndex, translate_disk_error
from bridge.index.matrix import VectorMatrix
from bridge.index.open import OpenIndex
from bridge.index.schema import VECTORS, vectors_schema
from bridge.index.table import Table, table_names
from bridge.records import dataclass

log = logging.getLogger(__name__)

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(slots=True)
class ModelVectors:
    """One model's vectors, on disk and in memory."""

    key: str
    table: Table
    layout: VectorMatrix


def table_name(key: str) -> str:
    return VECTORS + _UNSAFE.sub("_", key)


async def load_model_vectors(opened: OpenIndex, key: str, dimensions: int | None) -> ModelVectors:
    """Open or create a model's table, and assign its vectors to the notes; a damaged table is recreated."""
    try:
        return await _read(opened, key, dimensions)
    except (OSError, RuntimeError, ValueError) as error:
        is_of_disk = translate_disk_error(opened.folder.path, error) is not None
        if is_of_disk or table_name(key) not in await table_names(opened.database):
            raise
        log.warning("The vectors of `%s` cannot be read and are computed again: %s", key, type(error).__name__)
        await opened.database.drop_table(table_name(key))
        if dimensions is None:
            raise BrokenIndex("vectors") from error
        return await _read(opened, key, dimensions)


async def _read(opened: OpenIndex, key: str, dimensions: int | None) -> ModelVectors:
    if dimensions is None:
        inner = await opened.database.open_table(table_name(key))
        dimensions = (await inner.schema()).field("vector").type.list_size
    table = await Table.open(opened.database, table_name(key), vectors_schema(dimensions))
    layout = VectorMatrix(dimensions)
    own_digests = {d: d for digests in opened.digests.values() for d in (digests.title, *digests.passages) if d}
    async for rows in table.batches(["digest", "vector"]):
        # The digests of current notes are kept in memory only once.
        digests = [own_digests.get(digest, digest) for digest in rows["digest"].to_pylist()]
        there = rows["vector"].is_valid().to_numpy(zero_copy_only=False)
        layout.poison.update(digest for digest, sound in zip(digests, there.tolist(), strict=True) if not sound)
        vectors = rows["vector"].drop_null().flatten().to_numpy().reshape(-1, dimensions)
        layout.rows.extend([d for d, sound in zip(digests, there.tolist(), strict=True) if sound], vectors)
    del own_digests
    layout.put(opened.digests)
    return ModelVectors(key, table, layout)
