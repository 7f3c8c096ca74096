"""Excalidraw drawings."""

import json

import pytest

from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.types import VaultPath

CLASSIC = """---
excalidraw-plugin: parsed
tags: [excalidraw, oven]
---
==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==


# Text Elements
Dome: 40 cm ^JT0EJxgg

[[Oven|the oven]]
fired twice ^MU3q_V-l

# Embedded files
81f90b6f538d5a18ec3e8b5158c065bb92caf4f2: [[Oven.png]]

%%
# Drawing
```compressed-json
N4KAkARALgngDgUwgLgAQQQ [[no]] #no

ZMzYBXUtiRoIACyhQ4zZAHo
```
%%
"""
NEWER = CLASSIC.replace("# Text Elements", "%%\n# Excalidraw Data\n\n## Text Elements").replace(
    "%%\n# Drawing\n```compressed-json", "## Drawing\n```json"
)


def read(path: str, text: str) -> Note:
    return read_document(VaultPath(path), text.encode())


def shown(note: Note) -> list[str]:
    return [note.text[slice(*piece.span)] for piece in note.pieces]


@pytest.mark.parametrize("text", [CLASSIC, NEWER, CLASSIC.replace("\n", "\r\n"), CLASSIC[: CLASSIC.index("ZMz")]])
@pytest.mark.parametrize("path", ["Drawings/Oven.md", "Drawings/Oven.excalidraw.md"])
def test_only_the_texts_and_links_of_a_drawing_are_kept(path: str, text: str) -> None:
    note = read(path, text)
    assert (note.kind, note.title, note.problems) == ("excalidraw", "Oven", ())
    texts = [piece.replace("\r", "") for piece in shown(note)]
    assert texts == ["Dome: 40 cm", "[[Oven|the oven]]\nfired twice", "[[Oven.png]]"]
    assert [(link.target, link.shown) for link in note.links] == [("Oven", "the oven"), ("Oven.png", None)]
    assert [tag.name for tag in note.tags] == ["excalidraw", "oven"]
    assert note.headings == ()


def test_texts_keep_the_lines_of_their_file() -> None:
    note = read("a.excalidraw.md", CLASSIC + "after\n")
    lines = CLASSIC.split("\n")
    assert [piece.lines[0] for piece in note.pieces] == [
        lines.index("Dome: 40 cm ^JT0EJxgg") + 1,
        lines.index("[[Oven|the oven]]") + 1,
        next(number for number, line in enumerate(lines, 1) if "Oven.png" in line),
        len(lines),
    ]


def test_a_note_that_only_ends_like_a_drawing_is_one() -> None:
    note = read("Sketch.excalidraw.md", "Only words ^abcd1234\n")
    assert (note.kind, note.title, shown(note)) == ("excalidraw", "Sketch", ["Only words"])


def test_another_note_is_no_drawing() -> None:
    text = "# Drawing\n```json\n{}\n```\n^abcd1234\n"
    note = read("A.md", text)
    assert (note.kind, note.text) == ("note", text)


def test_a_drawing_file_gives_its_texts_from_top_to_bottom() -> None:
    elements = [
        {"type": "text", "text": "Second [[b]]", "x": 0, "y": 9},
        {"type": "text", "text": "wrapped\nline", "originalText": "wrapped line", "x": 0, "y": 1},
        {"type": "text", "text": "gone", "isDeleted": True},
        {"type": "rectangle", "text": "no"},
        {"type": "text", "text": 7},
        None,
    ]
    note = read("Oven.excalidraw", json.dumps({"type": "excalidraw", "elements": elements}))
    assert (note.kind, note.title, note.text) == ("excalidraw", "Oven", "wrapped line\n\nSecond [[b]]")
    assert [(link.target, link.line) for link in note.links] == [("b", 3)]
    assert [piece.lines for piece in note.pieces] == [(1, 1), (3, 3)]


def test_a_broken_drawing_file_is_a_note_with_a_problem() -> None:
    note = read("Oven.excalidraw", '{"elements": [')
    assert (note.text, note.problems) == ("", ("The drawing is not valid JSON, line 1: unexpected end of data.",))


def test_the_ids_of_element_links_are_no_text() -> None:
    text = (
        "---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n\n## Text Elements\nShopping: milk ^abcd1234\n\n"
        "## Element Links\nxyz98765: [[Bread]]\nAbCdEfGhIjKlMnOpQrStU: https://example.org\n\n"
        "%%\n## Drawing\n```json\n{}\n```\n%%"
    )
    note = read_document(VaultPath("D.excalidraw.md"), text.encode())
    assert "Shopping: milk" in note.text
    assert "xyz98765" not in note.text
    assert "AbCdEfGh" not in note.text
    assert [(link.target, link.line) for link in note.links] == [("Bread", 10)]
