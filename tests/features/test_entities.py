"""What the notes are about, and which names they lack."""

from tests.features.served import Served

NOTES = {
    "People/Ada.md": "---\ntype: person\naliases: [Countess]\n---\nShe wrote the first program.",
    "People/Bob.md": "---\nType: '[[Person|person]]'\n---\nKnows [[Ada]] and the Countess.",
    "Places/Rome.md": "[[Ada|the lady]] and [[People/Ada|the lady]] were there. Countess!",
    "Loose.md": "#thing [[Ada#Life|her life]] ![[Ada|shown]]",
    "Bare.md": "Nothing.",
    "Drawing.canvas": '{"nodes":[]}',
}


async def test_entities_have_names_kinds_and_weight(served: Served) -> None:
    found = (await served.call("list_entities")).json
    assert found["total"] == 5
    assert found["categories"] == {"person": 2, "Places": 1, "thing": 1}
    kinds = {one["path"]: (one["category"], one["category_from"]) for one in found["entities"]}
    assert kinds == {
        "People/Ada.md": ("person", "property"),
        "People/Bob.md": ("person", "property"),
        "Places/Rome.md": ("Places", "folder"),
        "Loose.md": ("thing", "tag"),
        "Bare.md": ("", "none"),
    }
    ada = found["entities"][0]
    assert (ada["path"], ada["aliases"], ada["linked"], ada["hub"]) == ("People/Ada.md", ["Countess"], 3, 100.0)
    assert ada["mentioned"] == 3


async def test_entities_are_chosen_and_ordered(served: Served) -> None:
    async def paths(**arguments: object) -> list[str]:
        return [one["path"] for one in (await served.call("list_entities", **arguments)).json["entities"]]

    assert await paths(category="Person", sort="name") == ["People/Ada.md", "People/Bob.md"]
    assert await paths(query="countess") == ["People/Ada.md"]
    assert await paths(folder="Places") == ["Places/Rome.md"]
    assert await paths(sort="name", limit=2, offset=1) == ["Bare.md", "People/Bob.md"]
    assert (await served.call("list_entities", folder="None")).code == "folder_not_found"


async def test_forms_that_links_show_are_suggested_as_aliases(served: Served) -> None:
    assert (await served.call("note_profile", path="People/Ada.md", parts=["aliases"])).json["aliases"] == [
        {"form": "the lady", "why": ["link text"], "notes": 1, "examples": ["Places/Rome.md"]}
    ]
