"""Whatever is parsed, a note comes out whose places are true."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import AmbiguousHeading
from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.markdown.sections import Outline, find_section
from bridge.types import VaultPath

# Bits of markup that break parsers when they meet.
MARKUP = st.sampled_from(
    [
        "\n", "\n\n", "\r\n", "\r", " ", "    ", "\t", "a", "漢", "🥖", "\u3000", "\x00", "\ufeff",
        "#", "# ", "## ", " #tag", "#1", "===", "---", "---\n", "...", "- ", "1. ", "- [ ] ", "- [x] ", "> ",
        "> [!note]- ", "[[", "]]", "![[", "[", "](", ")", "](b c.md)", "(a.md)", "|", "\\", "\\|", "^id", " ^id", "^",
        "%%", "%", "`", "```", "```py\n", "~~~", "$", "$$", "<!--", "-->", "<div>", "<br>", "</div>", "<", ">",
        "*", "**", "_", "==", "~~", "::", "key:: ", "[k:: v]", "| a | b |\n|--|--|\n", "[^1]", "[^1]: ", "[r]: b\n",
        "&amp;", "http://x.y", "tags: [a, b]\n", "up: '[[x]]'\n", "aliases:\n  - x\n", "a: &x [*x]\n", "a: {b: c}\n",
        'a: "', "!!str ", "? ", ": ",
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(MARKUP, st.text(max_size=4)), max_size=60).map("".join)
FILES = st.one_of(
    st.binary(max_size=200),
    TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")),
    TEXTS.map(lambda text: ("---\n" + text).encode("utf-8", "surrogatepass")),
)
OPENINGS = {
    "wiki": ("[[",),
    "embed": ("![[",),
    "markdown": ("[", "!["),
    "property": ("[", "!", "'", '"', "|", ">", "&", "*"),
}


def line_of(note: Note, offset: int) -> int:
    return note.text.count("\n", 0, offset) + 1


def check(note: Note) -> None:
    last = len(note.text)
    for link in note.links:
        start, end = link.span
        assert 0 <= start < end <= last
        assert note.text[start:end].startswith(OPENINGS[link.kind])
        assert link.line == line_of(note, start)
    for heading in note.headings:
        assert heading.text.partition("\n")[0] in note.text[slice(*heading.span)]
        assert heading.line == line_of(note, heading.span[0])
        assert 1 <= heading.level <= 6
    previous = note.body
    for piece in note.pieces:
        start, end = piece.span
        assert previous <= start < end <= last
        assert piece.lines == (line_of(note, start), line_of(note, end - 1))
        previous = end
    for task in note.tasks:
        assert f"[{task.status}]" in note.text.split("\n")[task.line - 1]
        assert len(task.status) == 1
    for tag in note.tags:
        assert tag.name
        assert not re.search(r"[\s#,.]", tag.name)
        assert 1 <= tag.line <= line_of(note, last)
    for span in note.comments:
        assert note.text[slice(*span)].startswith("%%")
        assert note.text[slice(*span)].endswith("%%")
    for lines in (*(block.lines for block in note.blocks), *(callout.lines for callout in note.callouts)):
        assert 1 <= lines[0] <= lines[1] <= line_of(note, last)


@given(FILES)
@settings(max_examples=400, deadline=None)
def test_any_bytes_are_a_note(data: bytes) -> None:
    note = parse(VaultPath("a.md"), data)
    check(note)
    assert note.digest == parse(VaultPath("b.md"), data).digest


@given(FILES, st.sampled_from(["a.md", "a.canvas", "a.excalidraw", "a.excalidraw.md", "a.pdf"]))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_a_document(data: bytes, path: str) -> None:
    note = read_document(VaultPath(path), data)
    previous = 0
    for piece in note.pieces:
        assert previous <= piece.span[0] < piece.span[1] <= len(note.text)
        previous = piece.span[1]


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_every_heading_leads_to_a_section_or_is_ambiguous(text: str) -> None:
    note = parse(VaultPath("a.md"), text.encode("utf-8", "surrogatepass"))
    outline = Outline(note)
    for heading, path in zip(note.headings, outline.paths, strict=True):
        assert outline.at(heading.span[0]) == path
        try:
            span = find_section(note, path)
        except AmbiguousHeading:
            continue
        assert span[0] in {each.span[0] for each in note.headings}
