"""How words of notes stand in a plan, where they may neither act nor be lost."""

import pytest

from bridge.features.tidy.plan_note import code_words, name_notes
from bridge.markdown.parse import parse
from bridge.types import VaultPath


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[[Modules]]", "`[[Modules]]`"),
        ("[[通用|模块]]", "`[[通用|模块]]`"),
        ("a `b` #c", "`a  b  #c`"),
        ("x\ny ^g12", "`x y  g12`"),
        ("x^2", "`x^2`"),
        ("", "` `"),
    ],
)
def test_a_value_keeps_its_brackets_and_does_nothing(text: str, shown: str) -> None:
    assert code_words(text) == shown
    read = parse(VaultPath("P.md"), f"- [ ] change {code_words(text)} to x ^g1\n".encode())
    assert (read.links, read.tags, [block.id for block in read.blocks]) == ((), (), ["g1"])


def test_of_many_notes_the_first_are_named_with_the_number_of_the_others() -> None:
    paths = [VaultPath(f"Log/{number}.md") for number in range(1, 8)]
    assert name_notes(paths[:1]) == "1 note: [[Log/1|1]]"
    first = ", ".join(f"[[Log/{number}|{number}]]" for number in range(1, 6))
    assert name_notes(paths) == f"7 notes: {first} and 2 more"
