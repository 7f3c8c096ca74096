"""Canvases."""

import json

import pytest

from bridge.markdown.documents import read_document
from bridge.markdown.note import CanvasEdge, Link, Note, Piece, Tag, Task
from bridge.types import VaultPath

PATH = VaultPath("Boards/Plan.canvas")


def canvas(data: object) -> Note:
    return read_document(PATH, json.dumps(data).encode())


def test_a_canvas_is_read_from_top_to_bottom() -> None:
    note = canvas(
        {
            "nodes": [
                {"id": "1", "type": "text", "text": "# Oven #hot\n- [ ] see [[Rye|rye]]\n", "x": 0, "y": 20},
                {"id": "2", "type": "file", "file": "Bread/Rye.md", "subpath": "#Dough", "x": 5, "y": 10},
                {"id": "3", "type": "group", "label": "Bake day", "x": 0, "y": -5.5},
                {"id": "4", "type": "link", "url": "https://example.org/", "x": 0, "y": 10},
                {"id": "5", "type": "text", "text": "Cool", "x": 0, "y": 30},
            ],
            "edges": [
                {"fromNode": "1", "toNode": "2", "label": "uses"},
                {"fromNode": "3", "toNode": "4"},
                {"fromNode": "5", "toNode": "1", "label": "uses"},
                {"fromNode": "1", "toNode": "gone"},
            ],
        }
    )
    assert (note.kind, note.title, note.problems, note.headings) == ("canvas", "Plan", (), ())
    assert note.text == (
        "Bake day\n\nhttps://example.org/\n\nRye\n\n# Oven #hot\n- [ ] see [[Rye|rye]]\n\nCool\n\nuses"
    )
    assert note.links == (
        Link("Bread/Rye.md#Dough", None, "canvas", 5, (32, 35)),
        Link("Rye", "rye", "wiki", 8, (59, 70)),
    )
    assert [note.text[slice(*link.span)] for link in note.links] == ["Rye", "[[Rye|rye]]"]
    assert note.tags == (Tag("hot", 7),)
    assert note.tasks == (Task(" ", "see [[Rye|rye]]", 8),)
    assert [(piece.kind, note.text[slice(*piece.span)], piece.lines) for piece in note.pieces] == [
        ("paragraph", "Bake day", (1, 1)),
        ("paragraph", "https://example.org/", (3, 3)),
        ("paragraph", "Rye", (5, 5)),
        ("card", "# Oven #hot\n- [ ] see [[Rye|rye]]", (7, 8)),
        ("card", "Cool", (10, 10)),
        ("paragraph", "uses", (12, 12)),
    ]
    assert note.edges == (
        CanvasEdge("Oven #hot", "Bread/Rye.md", "uses"),
        CanvasEdge("Bake day", "https://example.org/"),
        CanvasEdge("Cool", "Oven #hot", "uses"),
    )


def test_an_open_fence_in_a_card_does_not_swallow_the_next() -> None:
    note = canvas(
        {"nodes": [{"type": "text", "text": "```\n[[a]]", "y": 1}, {"type": "text", "text": "[[b]]", "y": 2}]}
    )
    assert [link.target for link in note.links] == ["b"]


@pytest.mark.parametrize("data", [b"", b" \n", b"{}", b'{"nodes":[],"edges":[]}'])
def test_an_empty_canvas_is_no_problem(data: bytes) -> None:
    note = read_document(PATH, data)
    assert (note.text, note.pieces, note.problems) == ("", (), ())


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'{"nodes":\n[{', "The canvas is not valid JSON, line 2: unexpected end of data."),
        (b"[" * 100_000, "The canvas is not valid JSON, line 1: depth limit exceeded."),
        (b"[1]", "The canvas is not a JSON object."),
        (b"\xff", "Line 1 contains bytes that are not UTF-8; they are shown as \N{REPLACEMENT CHARACTER}."),
    ],
)
def test_a_broken_canvas_is_a_note_with_a_problem(data: bytes, problem: str) -> None:
    note = read_document(PATH, data)
    assert (note.text, note.problems[0]) == ("", problem)


def test_odd_shapes_are_left_out() -> None:
    odd: list[object] = [
        None,
        7,
        [],
        {},
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": "file", "file": None},
        {"type": []},
    ]
    note = canvas(
        {"nodes": [*odd, {"id": {}, "type": "text", "text": "kept", "x": "left", "y": True}], "edges": "none"}
    )
    assert note.text == "kept"
    assert note.pieces == (Piece("card", (0, 4), (1, 1)),)
    assert canvas({"nodes": {"a": 1}, "edges": [{"fromNode": [], "toNode": {}}]}).edges == ()
