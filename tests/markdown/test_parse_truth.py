"""What the real Obsidian found in notes, if the development data is here."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate
from typing import Any
from urllib.parse import unquote

import pytest

from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.types import VaultPath
from tests.evaldata import EVAL, needs_eval

pytestmark = [needs_eval, pytest.mark.eval]

VAULTS = ["DawnVespero__TheBlackSunLodge", "clickear__knowledge-garden"]
CACHES = EVAL / "links/obsidian-tasks/tests/Obsidian/__test_data__"
# Obsidian 1.9 reads `tags: a, b` as one impossible tag; before it were two, and so they are here.
TAGS_BY_COMMA = "yaml_tags_with_two_values_on_one_line"


@cache
def notes(vault: str) -> list[tuple[dict[str, Any], Note]]:
    rows = json.loads((EVAL / f"links/{vault}.notes.json").read_text(encoding="utf-8"))
    folder = EVAL / "links" / vault
    return [(row, parse(row["relativePath"], (folder / row["relativePath"]).read_bytes())) for row in rows]


@pytest.mark.parametrize("vault", VAULTS)
def test_headings_are_those_of_the_real_application(vault: str) -> None:
    right = [
        [(heading["heading"], heading["level"]) for heading in row.get("headings") or ()]
        == [(heading.text, heading.level) for heading in note.headings]
        for row, note in notes(vault)
    ]
    assert sum(right) / len(right) >= 0.998


@pytest.mark.parametrize("vault", VAULTS)
def test_tags_are_those_of_the_real_application(vault: str) -> None:
    right = [set(row.get("tags") or ()) == {tag.name.lower() for tag in note.tags} for row, note in notes(vault)]
    assert sum(right) / len(right) >= 0.999


@pytest.mark.parametrize("vault", VAULTS)
def test_aliases_are_those_of_the_real_application(vault: str) -> None:
    right = [tuple(row.get("aliases") or ()) == note.aliases for row, note in notes(vault)]
    assert sum(right) / len(right) >= 0.999


@pytest.mark.parametrize("vault", VAULTS)
def test_every_link_of_the_real_application_is_found(vault: str) -> None:
    kinds = {"md": "markdown"}
    found = {(note.path, link.kind, link.target) for _, note in notes(vault) for link in note.links}
    lines = (EVAL / f"links/{vault}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) > 2000
    assert [row for row in rows if (row["source"], kinds.get(row["kind"], row["kind"]), row["raw"]) not in found] == []


def cached() -> Iterator[tuple[str, dict[str, Any], Note, list[int]]]:
    """Yield each recorded cache with our note, and what Obsidian's UTF-16 offsets are in characters."""
    for file in sorted(CACHES.glob("*.json")):
        recorded = json.loads(file.read_text(encoding="utf-8"))
        text: str = recorded["fileContents"]
        units = accumulate((2 if ord(character) > 0xFFFF else 1 for character in text), initial=0)
        characters = [0] * (len(text.encode("utf-16-le")) // 2 + 1)
        for character, unit in enumerate(units):
            characters[unit] = character
        note = parse(VaultPath(recorded["filePath"]), text.encode())
        yield file.stem, recorded, note, characters


def span(item: dict[str, Any], characters: list[int]) -> tuple[int, int]:
    place = item["position"]
    return characters[place["start"]["offset"]], characters[place["end"]["offset"]]


def line(item: dict[str, Any]) -> int:
    number: int = item["position"]["start"]["line"] + 1
    return number


def same(pairs: Iterable[tuple[list[Any], list[Any]]], at_least: int) -> None:
    """Compare item by item; the counted ones show that there was something to compare."""
    missed: Counter[str] = Counter()
    count = 0
    for theirs, ours in pairs:
        count += len(theirs)
        missed += Counter(f"missed {item}" for item in theirs if item not in ours)
        missed += Counter(f"made up {item}" for item in ours if item not in theirs)
        missed += Counter({"counted differently": abs(len(theirs) - len(ours))})
    assert count >= at_least
    assert missed == Counter()


def test_cached_headings_have_text_level_and_place() -> None:
    same(
        (
            (
                [
                    (each["heading"], each["level"], line(each), span(each, at))
                    for each in row["cachedMetadata"].get("headings", ())
                ],
                [(each.text, each.level, each.line, each.span) for each in note.headings],
            )
            for _, row, note, at in cached()
        ),
        119,
    )


def test_cached_links_and_embeds_have_target_and_place() -> None:
    def theirs(row: dict[str, Any], at: list[int]) -> list[Any]:
        cache = row["cachedMetadata"]
        links = [(each["link"], each["original"], span(each, at), False) for each in cache.get("links", ())]
        return links + [(each["link"], each["original"], span(each, at), True) for each in cache.get("embeds", ())]

    def ours(note: Note) -> list[Any]:
        return [
            (
                unquote(each.target) if each.kind == "markdown" else each.target,
                note.text[slice(*each.span)],
                each.span,
                each.embed,
            )
            for each in note.links
            if each.kind != "property"
        ]

    same(((theirs(row, at), ours(note)) for _, row, note, at in cached()), 71)


def test_cached_links_of_properties_have_target_and_original() -> None:
    same(
        (
            (
                [(each["link"], each["original"]) for each in row["cachedMetadata"].get("frontmatterLinks", ())],
                [(each.target, note.text[slice(*each.span)]) for each in note.links if each.kind == "property"],
            )
            for _, row, note, _ in cached()
        ),
        10,
    )


def test_cached_tags_have_name_and_order() -> None:
    same(
        (
            (row["getAllTags"], ["#" + tag.name for tag in note.tags])
            for name, row, note, _ in cached()
            if name != TAGS_BY_COMMA
        ),
        205,
    )


def test_cached_tags_of_the_text_have_lines() -> None:
    same(
        (
            (
                [(each["tag"], line(each)) for each in row["cachedMetadata"].get("tags", ())],
                [("#" + tag.name, tag.line) for tag in note.tags if tag.line > note.text.count("\n", 0, note.body)],
            )
            for _, row, note, _ in cached()
        ),
        195,
    )


def test_cached_tasks_have_status_and_line() -> None:
    same(
        (
            (
                [(each["task"], line(each)) for each in row["cachedMetadata"].get("listItems", ()) if "task" in each],
                [(task.status, task.line) for task in note.tasks],
            )
            for _, row, note, _ in cached()
        ),
        221,
    )


def test_cached_properties_have_the_same_values() -> None:
    same((([row["cachedMetadata"].get("frontmatter") or {}], [note.properties]) for _, row, note, _ in cached()), 89)


def test_cached_blocks_have_id_and_line() -> None:
    same(
        (
            (
                [(name, line(each)) for name, each in row["cachedMetadata"].get("blocks", {}).items()],
                [(block.id, block.lines[0]) for block in note.blocks],
            )
            for _, row, note, _ in cached()
        ),
        1,
    )


def test_cached_sections_are_the_pieces() -> None:
    names = {"fence": "code", "quote": "blockquote", "list_item": "list"}

    def theirs(row: dict[str, Any], at: list[int]) -> list[Any]:
        sections = [
            (each["type"], *span(each, at))
            for each in row["cachedMetadata"].get("sections", ())
            if each["type"] not in {"yaml", "comment"}
        ]
        # A section starts with its line, a piece with its first character; comments in HTML are no pieces.
        text = row["fileContents"]
        starts = [
            (kind, start + len(text[start:]) - len(text[start:].lstrip(" ")), end) for kind, start, end in sections
        ]
        return [(kind, start, end) for kind, start, end in starts if not text.startswith("<!--", start)]

    def ours(note: Note, sections: list[Any]) -> list[Any]:
        lists = [(start, end) for kind, start, end in sections if kind == "list"]
        found: list[Any] = []
        for piece in note.pieces:
            start, end = piece.span
            whole = next((each for each in lists if each[0] <= start and end <= each[1]), (start, end))
            found.append((names.get(piece.kind, piece.kind), *(whole if piece.kind == "list_item" else (start, end))))
        return list(dict.fromkeys(found))

    def pairs() -> Iterator[tuple[list[Any], list[Any]]]:
        for _, row, note, at in cached():
            sections = theirs(row, at)
            yield sections, ours(note, sections)

    same(pairs(), 290)
