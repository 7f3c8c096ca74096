"""The tables' columns, and the version of the whole folder."""

from collections.abc import Mapping
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

    number, text = pa.int64(), pa.string()
    first = {"seq": number, "key": number, "path": text, "kind": text, "digest": text, "recipe": text}
    facts = {"mtime_ns": number, "size": number, "passages": pa.int32(), "title_text": text, "facts": text}
    return _not_null_schema(first | facts | {"headings": text, "links": text, "whole": text})


def passages_schema() -> Any:
    """Return the passages table's schema: one row per passage; `key` refers to its note's row.

    Its text is in `words`, from `start` on; the heading path is before it, and behind it what no tokenizer would find.
    """
    import pyarrow as pa

    places = dict.fromkeys(("ordinal", "first", "last", "start", "length"), pa.int32())
    texts = {"digest": pa.binary(32), "words": pa.string(), "embed_text": pa.string()}
    return _not_null_schema({"key": pa.int64(), **places, **texts})


def vectors_schema(dimensions: int) -> Any:
    """Return the vectors table's schema: one row per text; without a vector, the text is rejected."""
    import pyarrow as pa

    vector = pa.field("vector", pa.list_(pa.float16(), dimensions), nullable=True)
    return pa.schema([*_not_null_schema({"digest": pa.binary(32)}), vector])


def summaries_schema() -> Any:
    """Return the summaries table's schema: one row per text that a model wrote, `made` in seconds since the epoch."""
    import pyarrow as pa

    return _not_null_schema({"digest": pa.binary(32), "made": pa.int64(), "text": pa.string()})


def _not_null_schema(columns: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns.items()])
