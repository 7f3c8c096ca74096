"""Reads JSON files of other programs without trusting their shape."""

import math
from collections.abc import Mapping
from typing import Any

import orjson


def read_json(text: str, what: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return a JSON object and its problems; an empty object when it cannot be read."""
    if not text.strip():
        return {}, ()
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return {}, (f"The {what} is not valid JSON, line {error.lineno}: {error.msg}.",)
    if not isinstance(value, dict):
        return {}, (f"The {what} is not a JSON object.",)
    return value, ()


def get_objects(value: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list; other items are skipped."""
    found = value.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def get_text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def get_number(value: Mapping[str, Any], name: str) -> float:
    found = value.get(name)
    return float(found) if isinstance(found, int | float) and math.isfinite(found) else 0.0
