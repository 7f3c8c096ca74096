"""The sentence that a new topic begins with says what it is, or there is none."""

import pytest

from bridge.features.topics.validate import find_definition
from bridge.types import VaultPath


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Gong Fu Cha", "We drank. [[Gong Fu Cha]] is a way of making tea in small pots."),
        ("Kanban", "[[Kanban]] ist eine Methode zur Steuerung."),
        ("ETF", "Un [[ETF]] è un fondo che replica un indice."),
        ("B+树", "[[B+树]]是一种多路平衡查找树。"),
        ("悲观锁", "[[悲观锁]]：先加锁再访问数据。"),
    ],
)
def test_a_sentence_that_defines_a_name_is_quoted(name: str, text: str) -> None:
    found = find_definition(name, {VaultPath("Other.md"): f"See [[{name}]] here.", VaultPath("A.md"): text})
    assert found is not None
    assert (found.path, found.text in text.replace("[[", "").replace("]]", "")) == ("A.md", True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("B+树", "参考: [一个视频带你看懂[[B+树]]_bilibili](https://example.com)"),
        ("悲观锁", "底层实现，是通过锁中的[[悲观锁]]来实现的。"),
        ("悲观锁", "[[悲观锁]]是用悲观锁来实现的。"),
        ("page directory", "[[page directory]] 和 slot 有什么区别呢？"),
        ("Atomic Habits", "quote:: [[Atomic Habits]] say that you fall to the level of your systems"),
        ("Emergence", "We discussed [[Emergence]] at length on the way."),
        ("Emergence", "Is [[Emergence]] the answer?"),
    ],
)
def test_what_only_says_a_name_is_no_definition(name: str, text: str) -> None:
    assert find_definition(name, {VaultPath("A.md"): text}) is None
