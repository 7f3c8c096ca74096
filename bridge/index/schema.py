"""The tables' columns, and the version of the whole folder."""

from typing import Any

VERSION = 2
"""Version of the index folder; increased whenever a table or the meaning of a column changes."""

NOTES = "notes"
PASSAGES = "passages"
VECTORS = "vectors_"
SUMMARIES = "summaries"


def notes_schema() -> Any:
    """Return the notes table's schema: one row per note; `seq` identifies this write of it, `key` its passages."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("seq", pa.int64(), nullable=False),
            pa.field("key", pa.int64(), nullable=False),
            pa.field("path", pa.string(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("digest", pa.string(), nullable=False),
            pa.field("recipe", pa.string(), nullable=False),
            pa.field("mtime_ns", pa.int64(), nullable=False),
            pa.field("size", pa.int64(), nullable=False),
            pa.field("passages", pa.int32(), nullable=False),
            pa.field("title_text", pa.string(), nullable=False),
            pa.field("facts", pa.string(), nullable=False),
            pa.field("headings", pa.string(), nullable=False),
            pa.field("links", pa.string(), nullable=False),
            pa.field("whole", pa.string(), nullable=False),
        ]
    )


def passages_schema() -> Any:
    """Return the passages table's schema: one row per passage; `key` refers to its note's row.

    Its text is in `words`, from `start` on; the heading path is before it, and behind it what no tokenizer would find.
    """
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("key", pa.int64(), nullable=False),
            pa.field("ordinal", pa.int32(), nullable=False),
            pa.field("first", pa.int32(), nullable=False),
            pa.field("last", pa.int32(), nullable=False),
            pa.field("start", pa.int32(), nullable=False),
            pa.field("length", pa.int32(), nullable=False),
            pa.field("digest", pa.binary(32), nullable=False),
            pa.field("words", pa.string(), nullable=False),
            pa.field("embed_text", pa.string(), nullable=False),
        ]
    )


def vectors_schema(dimensions: int) -> Any:
    """Return the vectors table's schema: one row per text; without a vector, the text is rejected."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("digest", pa.binary(32), nullable=False),
            pa.field("vector", pa.list_(pa.float16(), dimensions), nullable=True),
        ]
    )


def summaries_schema() -> Any:
    """Return the summaries table's schema: one row per text that a model wrote, `made` in seconds since the epoch."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("digest", pa.binary(32), nullable=False),
            pa.field("made", pa.int64(), nullable=False),
            pa.field("text", pa.string(), nullable=False),
        ]
    )
