"""Each kind of change is one record, from which its operation and its place in a change set come."""

from typing import get_args

import pytest
from msgspec import Struct

from bridge.api.hints import union_tag
from bridge.api.write import WriteOptions
from bridge.changes.requests.base import KINDS, Request
from bridge.features import get_operation

OPTIONS = WriteOptions.__struct_fields__


def members() -> dict[str, type[Struct]]:
    """Return the records that a change set takes, by operation."""
    edits = next(argument for argument in get_operation("change_set").arguments if argument.name == "edits")
    tagged = union_tag(get_args(get_args(edits.hint)[0])[0])
    assert tagged is not None
    return dict(tagged[1])


def test_a_change_set_takes_every_kind_of_change() -> None:
    assert set(members().values()) == set(KINDS)


@pytest.mark.parametrize("name", members())
def test_an_operation_takes_the_fields_of_its_record_and_the_options_of_every_change(name: str) -> None:
    record, operation = members()[name], get_operation(name)
    assert [argument.name for argument in operation.arguments] == [
        *(name for name in record.__struct_fields__ if name != "op"),
        *OPTIONS,
    ]
    assert (operation.scope, operation.reads, operation.function.__name__) == ("write", False, name)


def test_a_kind_of_change_that_plans_nothing_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="plan"):
        type("Nothing", (Request,), {"op": "nothing"})("a.md")
