"""A note is read whole, by section, by lines, and in pages that join to the whole."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bridge.api.note_text import select_lines
from bridge.errors import InvalidArguments
from bridge.features.notes.read import slice_note
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.types import VaultPath
from tests.features.served import Served, serving, write_vault

NOTES = {
    "A.md": "---\ntags: [x/y]\naliases: [Other]\nn: 1\n---\nIntro\n\n"
    "# One\n\nfirst\n\n## Deep\n\nsecond\n\n# Two\n\nthird\n",
    "Twice.md": "# Same\n\none\n\n# Same\n\ntwo\n",
    "Windows.md": "\ufeffa\r\n# H\r\nb\r\n",
    "Empty.md": "",
    "Long.md": "x" * 5000,
    "picture.png": "no text",
}


def note(text: str) -> Note:
    return parse(VaultPath("A.md"), text.encode())


@given(some.text(alphabet=some.sampled_from("ab\n\r#é "), max_size=200), some.integers(1, 50))
def test_pages_join_to_the_whole(text: str, max_chars: int) -> None:
    whole = note(text)
    lines, offset, pages = select_lines(whole, None, None), 0, []
    while True:
        page = slice_note(whole, *lines, offset, max_chars)
        assert len(page.text) <= max_chars
        pages.append(page)
        if page.next is None:
            break
        lines, offset = page.next.lines, page.next.offset
    assert "".join(page.text for page in pages) == whole.text
    assert [page.lines[0] for page in pages] == sorted(page.lines[0] for page in pages)
    assert pages[-1].lines[1] == pages[-1].total_lines


@given(some.lists(some.sampled_from(["", "a", "bc"]), min_size=1, max_size=9), some.data())
def test_lines_are_those_that_splitting_at_lf_gives(written: list[str], data: some.DataObject) -> None:
    text = "\n".join(written)
    lines = text.split("\n")[: -1 if text.endswith("\n") else None] or [""]
    first = data.draw(some.integers(1, len(lines)))
    last = data.draw(some.integers(first, len(lines)))
    page = slice_note(note(text), *select_lines(note(text), None, (first, last)), 0, None)
    closed = last < len(lines) or text.endswith("\n")
    assert page.text == "\n".join(lines[first - 1 : last]) + "\n" * closed
    assert (page.lines, page.total_lines) == ((first, last), len(lines))


@pytest.mark.parametrize("lines", [(0, 1), (2, 1), (-1, 3), (99, 100)])
def test_lines_that_are_none_are_refused(lines: tuple[int, int]) -> None:
    with pytest.raises(InvalidArguments, match="lines"):
        select_lines(note("a\nb"), None, lines)


async def test_a_note_is_read_as_it_is_on_disk(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        await reads_whole(served, vault)
        await reads_parts(served)
        await refuses(served)


async def reads_whole(served: Served, vault: Path) -> None:
    whole = (await served.call("read_note", path="A.md")).json
    assert whole == {
        "path": "A.md",
        "title": "A",
        "text": NOTES["A.md"],
        "digest": hashlib.sha256(NOTES["A.md"].encode()).hexdigest(),
        "lines": [1, 18],
        "total_lines": 18,
        "properties": {"tags": ["x/y"], "aliases": ["Other"], "n": 1},
        "headings": ["One", "One > Deep", "Two"],
        "tags": ["x/y"],
        "aliases": ["Other"],
        "problems": [],
        "notices": [],
    }
    (vault / "A.md").write_text("changed a moment ago")
    again = (await served.call("read_note", path="A.md")).json
    assert (again["text"], again["digest"]) == (
        "changed a moment ago",
        hashlib.sha256(b"changed a moment ago").hexdigest(),
    )
    (vault / "A.md").write_text(NOTES["A.md"])


async def reads_parts(served: Served) -> None:
    async def part(path: str, **arguments: Any) -> Any:
        return (await served.call("read_note", path=path, **arguments)).json

    section = await part("A.md", section="One > Deep")
    assert (section["text"], section["lines"]) == ("## Deep\n\nsecond\n\n", [12, 15])
    lines = await part("A.md", lines=[8, 10])
    assert (lines["text"], lines["lines"], "next" in lines) == ("# One\n\nfirst\n", [8, 10], False)
    first = await part("A.md", section="One", max_chars=10)
    assert (first["text"], first["next"]) == ("# One\n\n", {"lines": [10, 15], "offset": 0})
    long = await part("Long.md", max_chars=100)
    assert (len(long["text"]), long["next"]) == (100, {"lines": [1, 1], "offset": 100})
    beyond = await part("A.md", offset=10_000)
    assert (beyond["text"], beyond["lines"]) == ("", [beyond["total_lines"]] * 2)
    windows = await part("Windows.md")
    assert (windows["text"], windows["lines"]) == ("a\r\n# H\r\nb\r\n", [1, 3])
    empty = await part("Empty.md")
    assert (empty["text"], empty["lines"], empty["total_lines"]) == ("", [1, 1], 1)


async def refuses(served: Served) -> None:
    twice = await served.call("read_note", path="Twice.md", section="Same")
    assert (twice.status, twice.code, len(twice.json["error"]["headings"])) == (409, "ambiguous_heading", 2)
    absent = await served.call("read_note", path="A.md", section="Three")
    assert (absent.status, absent.code, absent.json["error"]["headings"]) == (
        404, "heading_not_found", ["One", "One > Deep", "Two"]
    )  # fmt: skip
    both = await served.call("read_note", path="A.md", section="One", lines=[1, 2])
    assert (both.status, both.code) == (400, "invalid_arguments")
    beyond = await served.call("read_note", path="A.md", lines=[30, 31])
    assert (beyond.code, beyond.json["error"]["total_lines"]) == ("invalid_arguments", 18)
    attachment = await served.call("read_note", path="picture.png")
    assert (attachment.status, attachment.code) == (404, "note_not_found")
    nothing = await served.call("read_note", path="nothing.png")
    assert (nothing.status, nothing.code) == (404, "note_not_found")


async def test_a_file_that_is_no_note_is_refused_with_its_reason(tmp_path: Path) -> None:
    root = write_vault(tmp_path / "vault", {"A.md": "text\n"})
    (root / "Loop.md").symlink_to("Loop.md")
    async with serving([root], tmp_path / "data", tmp_path / "none") as served:
        refused = await served.call("read_note", path="Loop.md")
        assert refused.status == 404
        assert "A symbolic link without a target." in refused.json["error"]["message"]
