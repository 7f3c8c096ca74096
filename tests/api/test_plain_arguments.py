"""Arguments that are bound without pydantic: those that it would bind to the same values, and no others."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bridge.api.arguments import MAX_INTEGER, bind_plain, model_of
from bridge.features import get_operation, operations

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 300),
    st.sampled_from([2**53, 2**64, -(2**60), 1.0, 0.5, "x" * 501, "x" * 10_001, "\ud800", "keyword", "true", "3"]),
    st.text(max_size=4),
    st.lists(st.text(max_size=2), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=1),
)


@pytest.mark.parametrize("name", [operation.name for operation in operations()])
@settings(max_examples=30)
@given(data=st.data())
def test_what_is_bound_is_what_pydantic_binds(name: str, data: st.DataObject) -> None:
    operation = get_operation(name)
    names = [argument.name for argument in operation.arguments]
    required = {argument.name: VALUES for argument in operation.arguments if argument.is_required}
    others = st.dictionaries(st.sampled_from([*names, "unknown"]), VALUES, max_size=3)
    arguments = {**data.draw(st.fixed_dictionaries(required)), **data.draw(others)}
    found = bind_plain(operation.arguments, arguments)
    if found is None:
        return
    try:
        model = model_of(operation).model_validate_json(orjson.dumps(arguments))
    except (ValidationError, TypeError) as error:
        raise AssertionError(arguments) from error
    assert found == {argument: getattr(model, argument) for argument in names}
    assert [*map(type, found.values())] == [type(getattr(model, argument)) for argument in names]
    assert all(value <= MAX_INTEGER for value in found.values() if isinstance(value, int))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": "会议", "limit": 100, "mode": "keyword", "explain": True, "folder": "a", "among": None}),
        ("status", {}),
        ("read_note", {"path": "a.md"}),
    ],
)
def test_usual_calls_are_bound(name: str, arguments: dict[str, Any]) -> None:
    found = bind_plain(get_operation(name).arguments, arguments)
    assert found is not None
    assert arguments.items() <= found.items()
