"""The block of a workflow is found and named by its digest."""

import pytest

from bridge.errors import InvalidArguments
from bridge.features.workflows.read import find_block

BEFORE, AFTER = "---\ntype: workflow\n---\nProse.\n\n", "\nMore prose.\n\n```js\nx\n```\n"


def note(block: str, fence: str = "```", end: str = "\n") -> str:
    return f"{BEFORE}{fence}workflow\n{block}\n{fence}\n{AFTER}".replace("\n", end)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("fence", ["```", "~~~", "``````", "   ```"])
def test_a_block_is_found_in_any_fence(fence: str, end: str) -> None:
    text = note("version: 1\na: b", fence, end)
    block = find_block(text)
    assert (block.text, block.line) == ("version: 1\na: b\n", 6)
    assert block.digest == find_block(note("version: 1\na: b")).digest


def test_the_digest_is_that_of_every_letter() -> None:
    texts = ("a: b", "a: b ", "a:  b", "a: B", "a: b\nc: d", " a: b", "a: b # c")
    assert len({find_block(note(text)).digest for text in texts}) == len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "```workflow\na",
        note("a") + note("b"),
        "````\n```workflow\na: b\n```\n````\n",
        "    ```workflow\n    a\n    ```\n",
    ],
)
def test_a_note_without_exactly_one_has_none(text: str) -> None:
    with pytest.raises(InvalidArguments):
        find_block(text)
