"""RecordList notes, folders, tags and links."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.features.served import Served, serving, write_vault

NOTES = {
    "Index.md": "Root. [[Rye]] [[Rye#Baking|how]] ![[Beans]] [beans](Garden/Beans.md) [[Nowhere]] ![[crumb.png]]\n",
    "Bread/Rye.md": "---\ntags: [grain/rye, Bread]\nstatus: done\nyear: 2024\nnext: '[[Beans]]'\n---\n"
    "# Rye\n\n## Baking\n",
    "Bread/Old/Spelt.md": "---\ntags: [grain, bread]\nstatus: draft\n---\n[[Rye]]\n",
    "Garden/Beans.md": "#bread #garden/beans\n\n[[#Self]]\n",
    "Garden/crumb.png": "",
    "Left out/Draft.md": "First.\n\n[[Spelt]] and [[Nowhere]]\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("listing")
    vault = write_vault(folder / "Notes", NOTES)
    for number, path in enumerate(NOTES):
        os.utime(vault / path, (1_700_000_000 + number * 86_400,) * 2)
    (folder / "data").mkdir()
    (folder / "data/settings.toml").write_text('exclude = ["Left out/**"]\n')
    async with serving([vault], folder / "data", folder / "no models") as served:
        yield served


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_what_no_note_has_is_named_with_the_closest(served: Served) -> None:
    async def notices(operation: str, **arguments: Any) -> list[str]:
        answer = (await served.call(operation, **arguments)).json
        assert answer.get("total", 0) == 0
        said: list[str] = answer["notices"]
        return said

    assert await notices("find_notes", folder="Bred", tags=["beans"]) == [
        "There is no folder `Bred` with notes; the closest is `Bread`.",
        "There is no tag `beans`; the closest is `garden/beans`.",
    ]
    assert await notices("find_notes", properties={"stauts": "done"}) == [
        "There is no property `stauts`; the closest is `status`."
    ]
    assert await notices("find_notes", properties={"status": "don"}) == [
        "No note has the value `don` in `status`; the closest is `done`."
    ]
    assert await notices("list_tasks", folder="Gardem") == [
        "There is no folder `Gardem` with notes; the closest is `Garden`."
    ]
    assert await notices("list_tags", prefix="braed") == ["There is no tag `braed`; the closest is `bread`."]
    assert (await served.call("find_notes", folder="Bread", tags=["garden"])).json["notices"] == []


async def found(served: Served, **arguments: Any) -> list[str]:
    answer = await served.result("find_notes", **arguments)
    assert answer["total"] >= len(answer["notes"])
    return [Path(note["path"]).stem for note in answer["notes"]]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["Spelt", "Rye", "Beans", "Index"]),
        ({"folder": "Bread"}, ["Spelt", "Rye"]),
        ({"folder": "Bread/"}, ["Spelt", "Rye"]),
        ({"folder": "/"}, ["Spelt", "Rye", "Beans", "Index"]),
        ({"folder": "Bre"}, []),
        ({"types": ["canvas"]}, []),
        ({"types": ["note"], "folder": "Bread"}, ["Spelt", "Rye"]),
        ({"tags": ["grain"]}, ["Spelt", "Rye"]),
        ({"tags": ["#grain/rye"]}, ["Rye"]),
        ({"tags": ["bread", "garden"]}, ["Beans"]),
        ({"properties": {"status": "done"}}, ["Rye"]),
        ({"properties": {"status": ["done", "draft"]}}, ["Spelt", "Rye"]),
        ({"properties": {"year": 2024}}, ["Rye"]),
        ({"properties": {"year": 2025}}, []),
        ({"links_to": "Bread/Rye.md"}, ["Spelt", "Index"]),
        ({"links_to": "Bread/Rye.md", "folder": "Bread"}, ["Spelt"]),
        ({"links_to": "Garden/crumb.png"}, ["Index"]),
        ({"linked_from": "Index.md"}, ["Rye", "Beans"]),
        ({"modified_after": "2023-11-16T12:00"}, ["Spelt", "Beans"]),
        ({"modified_before": "2023-11-15T12:00"}, ["Index"]),
        ({"sort": "-path"}, ["Index", "Beans", "Rye", "Spelt"]),
        ({"sort": "title"}, ["Beans", "Index", "Rye", "Spelt"]),
        ({"sort": "-modified"}, ["Beans", "Spelt", "Rye", "Index"]),
        ({"limit": 2, "offset": 1}, ["Rye", "Beans"]),
        ({"offset": 99}, []),
    ],
)
async def test_notes_are_found(served: Served, arguments: dict[str, Any], names: list[str]) -> None:
    assert await found(served, **arguments) == names


async def test_the_total_counts_what_is_not_on_the_page(served: Served) -> None:
    answer = (await served.call("find_notes", limit=1)).json
    assert (len(answer["notes"]), answer["total"]) == (1, 4)
    assert set(answer["notes"][0]) == {
        "path",
        "title",
        "tags",
        "modified",
        "digest",
        "note_type",
        "excerpt",
        "created",
        "aliases",
        "linked",
    }


@pytest.mark.parametrize("argument", ["links_to", "linked_from"])
async def test_links_of_a_file_that_is_not_there_are_refused(served: Served, argument: str) -> None:
    answer = await served.call("find_notes", **{argument: "Bread/Rie.md"})
    assert (answer.code, answer.json["error"]["closest"][0]) == ("note_not_found", "Bread/Rye.md")


async def test_folders_are_listed_with_what_is_below(served: Served) -> None:
    assert (await served.call("list_folders")).json["folders"] == [
        {"path": "Bread", "notes": 2, "direct": 1},
        {"path": "Bread/Old", "notes": 1, "direct": 1},
        {"path": "Garden", "notes": 1, "direct": 1},
    ]


async def test_tags_are_counted_by_note_whatever_their_case(served: Served) -> None:
    tags = (await served.call("list_tags")).json["tags"]
    assert tags == [
        {"tag": "bread", "count": 3},
        {"tag": "garden/beans", "count": 1},
        {"tag": "grain", "count": 1},
        {"tag": "grain/rye", "count": 1},
    ]
    assert (await served.call("list_tags", prefix="#GRAIN/")).json["tags"] == [{"tag": "grain/rye", "count": 1}]


async def test_links_are_listed_in_both_directions(served: Served) -> None:
    def brief(links: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        return [(link["path"], link["line"], link["text"], link["kind"], link["embed"]) for link in links]

    index = (await served.call("note_links", path="Index.md")).json
    assert brief(index["links"]) == [
        ("Bread/Rye.md", 1, "Rye", "wiki", False),
        ("Bread/Rye.md", 1, "how", "wiki", False),
        ("Garden/Beans.md", 1, "Beans", "embed", True),
        ("Garden/Beans.md", 1, "beans", "markdown", False),
        ("Garden/crumb.png", 1, "crumb.png", "embed", True),
    ]
    assert brief(index["unresolved"]) == [(None, 1, "Nowhere", "wiki", False)]
    rye = (await served.call("note_links", path="Bread/Rye.md")).json
    assert brief(rye["backlinks"]) == [
        ("Bread/Old/Spelt.md", 5, "Rye", "wiki", False),
        ("Index.md", 1, "Rye", "wiki", False),
        ("Index.md", 1, "how", "wiki", False),
    ]
    assert [(link["path"], link["kind"]) for link in rye["links"]] == [("Garden/Beans.md", "property")]
    assert rye["digest"] == (await served.call("read_note", path="Bread/Rye.md")).json["digest"][:12]


async def test_links_of_one_direction_come_in_pages(served: Served) -> None:
    back = (await served.call("note_links", path="Bread/Rye.md", direction="in", limit=2, offset=1)).json
    assert [(link["path"], link["line"]) for link in back["backlinks"]] == [("Index.md", 1), ("Index.md", 1)]
    assert (back["totals"], back["offset"]) == (
        {"links": 0, "backlinks": 3, "unresolved": 0},
        1,
    )
    out = (await served.call("note_links", path="Index.md", direction="out", limit=1)).json
    assert ([len(out[sort]) for sort in ("links", "backlinks", "unresolved")], out["totals"]["links"]) == ([1, 0, 1], 5)


async def test_a_link_to_itself_is_no_backlink(served: Served) -> None:
    beans = (await served.call("note_links", path="Garden/Beans.md")).json
    assert [link["path"] for link in beans["links"]] == ["Garden/Beans.md"]
    assert {link["path"] for link in beans["backlinks"]} == {"Index.md", "Bread/Rye.md"}


async def test_a_picture_has_backlinks_too(served: Served) -> None:
    picture = (await served.call("note_links", path="Garden/crumb.png")).json
    assert ([link["path"] for link in picture["backlinks"]], picture["links"]) == (["Index.md"], [])


async def test_a_note_that_is_left_out_of_the_index_has_links_too(served: Served) -> None:
    draft = (await served.call("note_links", path="Left out/Draft.md")).json
    assert [(link["path"], link["line"]) for link in draft["links"]] == [("Bread/Old/Spelt.md", 3)]
    assert [link["target"] for link in draft["unresolved"]] == ["Nowhere"]


@pytest.mark.parametrize(
    ("link", "kind", "answer"),
    [
        ("Rye", "wiki", ["Bread/Rye.md", None, None]),
        ("rye#Baking", "wiki", ["Bread/Rye.md", "Baking", None]),
        ("Rye#^abc", "embed", ["Bread/Rye.md", None, "abc"]),
        ("#Here", "wiki", ["Index.md", "Here", None]),
        ("Garden/Beans.md", "markdown", ["Garden/Beans.md", None, None]),
        ("Nowhere", "wiki", [None, None, None]),
        ("", "wiki", [None, None, None]),
        ("../../etc/passwd", "wiki", [None, None, None]),
        ("https://example.org", "markdown", [None, None, None]),
    ],
)
async def test_links_are_resolved(served: Served, link: str, kind: str, answer: list[str | None]) -> None:
    found = await served.call("resolve_link", link=link, source="Index.md", kind=kind)
    assert (found.status, list(found.json.values())) == (200, answer)
