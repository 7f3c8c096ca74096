"""Results become JSON, whatever they hold."""

import os
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import pytest

from bridge.api.schemas import encode
from bridge.records import Record
from tests.features.served import serving, write_vault


class Answer(Record):
    """An answer.

    Attributes:
        held: What it holds.
        more: What it may hold.
    """

    held: Any
    more: str | None = None


def decoded(value: Any) -> Any:
    return orjson.loads(encode(value))


@pytest.mark.parametrize(
    ("held", "arrives"),
    [
        (None, None),
        ((1, 2), [1, 2]),
        (MappingProxyType({"a": frozenset({"c", "b"})}), {"a": ["b", "c"]}),
        (float("nan"), None),
        (2**64 - 1, 2**64 - 1),
        (2**64, str(2**64)),
        (-(2**70), str(-(2**70))),
        ("caf\udce9.md", "caf?.md"),
        ({"caf\udce9.md": [Answer("\udce9")]}, {"caf?.md": [{"held": "?", "more": None}]}),
        ({"a": {"\ud800"}}, {"a": ["?"]}),
    ],
)
def test_every_value_arrives(held: Any, arrives: Any) -> None:
    assert decoded(Answer(held)) == {"held": arrives}


def test_a_field_with_nothing_to_say_is_left_out() -> None:
    assert (decoded(Answer(1)), decoded(Answer(1, "x"))) == ({"held": 1}, {"held": 1, "more": "x"})


def test_what_is_no_json_is_our_fault() -> None:
    with pytest.raises(TypeError):
        encode(Answer(object()))


@pytest.mark.skipif(os.name != "posix", reason="other systems know only names that are text")
async def test_a_file_name_that_is_no_unicode_is_no_obstacle(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"A.md": "# A\n\nalpha\n"})
    Path(os.fsdecode(os.fsencode(vault) + b"/caf\xe9.md")).write_text("# Caf\n\nalpha\n")
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        for operation, arguments in (
            ("status", {}),
            ("search", {"query": "alpha"}),
            ("find_notes", {}),
            ("read_note", {"path": "caf.md"}),
        ):
            answer = await served.call(operation, **arguments)
            assert answer.status in {200, 404}, answer.body
            assert answer.json
