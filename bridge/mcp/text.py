"""Answers as a model reads them best: short lines instead of JSON, which costs twice as much."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

EMPTY: tuple[Any, ...] = (None, [], {}, "")


def written(operation: str, answer: Mapping[str, Any]) -> str:
    """Write an operation's answer.

    Args:
        operation: Its name.
        answer: The answer as it goes over HTTP.
    """
    return "\n".join(FORMS.get(operation, fields)(answer)) or "Nothing."


def fields(answer: Mapping[str, Any]) -> Iterable[str]:
    """Write any record, a line a field and a line for each record in a list; what is empty is left out."""
    for name, value in answer.items():
        match value:
            case [{}, *_]:
                yield f"{name}:"
                yield from (f"- {inline(item)}" for item in value)
            case _ if value not in EMPTY:
                yield f"{name}: {inline(value)}"


def inline(value: Any) -> str:
    """Write a value on one line."""
    match value:
        case str():
            return " ".join(value.split())
        case {}:
            return " · ".join(f"{name}: {inline(item)}" for name, item in value.items() if item not in EMPTY)
        case list():
            return ", ".join(map(inline, value))
        case _:
            return orjson.dumps(value).decode()


Form = Callable[[Mapping[str, Any]], Iterable[str]]

FORMS: Mapping[str, Form] = {}
