"""Notes as things that others speak of, and which names they lack."""

from tests.features.served import Served

NOTES = {
    "People/Ada.md": "---\ntype: person\naliases: [Countess]\n---\nShe wrote the first program.",
    "People/Bob.md": "---\nType: '[[Person|person]]'\n---\nKnows [[Ada]] and the Countess.",
    "Places/Rome.md": "[[Ada|the lady]] and [[People/Ada|the lady]] were there. Countess!",
    "Loose.md": "#thing [[Ada#Life|her life]] ![[Ada|shown]]",
    "Bare.md": "Nothing.",
    "Drawing.canvas": '{"nodes":[]}',
}


async def test_notes_of_a_kind_are_listed_with_their_names_the_most_linked_first(served: Served) -> None:
    found = (await served.call("find_notes", sort="-linked")).json["notes"]
    assert [(one["path"], one["linked"], one["aliases"]) for one in found[:2]] == [
        ("People/Ada.md", 3, ["Countess"]),
        ("Bare.md", 0, []),
    ]
    people = (await served.call("find_notes", properties={"type": "person"})).json["notes"]
    assert [(one["path"], one["linked"]) for one in people] == [("People/Ada.md", None), ("People/Bob.md", None)]


async def test_forms_that_links_show_are_suggested_as_aliases(served: Served) -> None:
    assert (await served.call("suggest_aliases", path="People/Ada.md")).json["aliases"] == [
        {"form": "the lady", "why": ["link text"], "notes": 1, "examples": ["Places/Rome.md"]}
    ]
    missing = await served.call("suggest_aliases", path="People/Adda.md")
    assert (missing.code, "People/Ada.md" in str(missing.json)) == ("note_not_found", True)
