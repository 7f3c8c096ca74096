"""Changing single values of a property, and its name."""

import pytest

from bridge.errors import InvalidArguments, InvalidProperties
from bridge.markdown.edit.properties import PropertyBlock, edit_properties, rename_key
from bridge.markdown.note import Value
from bridge.types import VaultPath

NOTE = VaultPath("Note.md")


def replaced(yaml: str, value: Value) -> str:
    after = edit_properties(NOTE, f"---\n{yaml}---\nText.".encode(), {"a": value}).decode()
    return after.removeprefix("---\n").removesuffix("---\nText.")


def renamed(yaml: str, name: str, to: str, *, merge: bool = False) -> str:
    text = f"---\n{yaml}---\nText."
    block = PropertyBlock.read(NOTE, text)
    after = rename_key(NOTE, text.encode(), block, name, to, merge=merge).decode()
    return after.removeprefix("---\n").removesuffix("---\nText.")


@pytest.mark.parametrize(
    ("yaml", "value", "after"),
    [
        ("a: 'x' # c\n", "y", "a: 'y' # c\n"),
        ("a: x\n", "1", 'a: "1"\n'),
        ("a: 1\n", 2, "a: 2\n"),
        ("a: [x, 'y',  z] # c\n", ["x", "w", "z"], "a: [x, 'w',  z] # c\n"),
        ("a: [x, y, z]\n", ["z"], "a: [z]\n"),
        ("a: [x, y, z]\n", ["x"], "a: [x]\n"),
        ("a: [x, y, z]\n", ["y"], "a: [y]\n"),
        ("a: [x, # why\n  y]\n", ["z", "y"], "a: [z, # why\n  y]\n"),
        ("a:\n- x # c\n# d\n- y\n- z\n", ["v", "y", "w"], "a:\n- v # c\n# d\n- y\n- w\n"),
        ("a:\n  - x # c\n  - y\n", ["y"], "a:\n  # c\n  - y\n"),
        ("a:\n  - x\n  # c\n  - y\n  - z\n", ["z"], "a:\n  # c\n  - z\n"),
        ("a:\n  - x\n  - y # c\n", ["u", "x", "y", "z"], "a:\n  - u\n  - x\n  - y # c\n  - z\n"),
        ("a:\n  - x\n  - |\n    y\n  - z\n", ["x", "z"], "a:\n  - x\n  - z\n"),
        ("a: [x, y]\n", ["x: y", "y"], 'a: ["x: y", y]\n'),
    ],
)
def test_a_value_changes_where_it_stands(yaml: str, value: Value, after: str) -> None:
    assert replaced(yaml, value) == after


def test_a_comment_between_the_items_of_a_list_is_kept() -> None:
    with pytest.raises(InvalidProperties, match="comment"):
        replaced("a: [x, # why\n  y]\n", ["y"])


@pytest.mark.parametrize(
    ("yaml", "after"),
    [
        ("b: 1\na: x # c\nc: 2\n", "b: 1\nnew name: x # c\nc: 2\n"),
        ("'a': x\n", "'new name': x\n"),
        ("a :\n  - x # c\n", "new name :\n  - x # c\n"),
        ("  a: |\n   x\n\n  b: 1\n", "  new name: |\n   x\n\n  b: 1\n"),
    ],
)
def test_a_property_is_renamed_where_it_stands(yaml: str, after: str) -> None:
    assert renamed(yaml, "a", "new name") == after


@pytest.mark.parametrize(
    ("yaml", "after"),
    [
        ("a: x\nB: y\n", "B:\n  - y\n  - x\n"),
        ("a: x\nB: x\n", "B: x\n"),
        ("a: [x, z]\nB: [y, x] # c\n", "B: [y, x, z] # c\n"),
        ("a:\nB: y\n", "B: y\n"),
        ("a: x\nB:\n", "B: x\n"),
    ],
)
def test_values_are_merged_without_doubles(yaml: str, after: str) -> None:
    assert renamed(yaml, "a", "b", merge=True) == after


@pytest.mark.parametrize("yaml", ["a: x\nb: y\n", "? a\n: x\n", "&n a: x\n", "a: 1\na: 2\n"])
def test_a_name_that_cannot_be_changed_alone_is_refused(yaml: str) -> None:
    with pytest.raises(InvalidProperties):
        renamed(yaml, "a", "b")


def test_a_comment_is_not_merged_away() -> None:
    with pytest.raises(InvalidProperties, match="comment"):
        renamed("a: x # why\nb: y\n", "a", "b", merge=True)


def test_a_name_of_two_lines_is_refused() -> None:
    with pytest.raises(InvalidArguments):
        renamed("a: x\n", "a", "b\nc")
