"""Pairs of notes that may be one, asked of a served vault."""

from tests.features.served import Served

PROSE = "Feed the starter twice a day when the kitchen is warm, once when it is cold, and keep the rest of it in a jar."
DAY = "We walked along the river until the rain came, took the bus back to town, and read by the window until late."
NOTES = {
    "Rye.md": f"# Rye\n\n{PROSE} It is dark.\n\n[[Grain]]",
    "Roggen.md": f"# Roggen\n\n{PROSE} Then bake it.\n\n[[Grain]]",
    "Grain.md": "All about grain and mills, and nothing of what the other notes have to say on bread.",
    "Days/Erster.md": f"{DAY} Monday was long.",
    "Days/Zweiter.md": f"{DAY} Monday was long.",
    "Jar.md": "A jar is of glass.",
    "Jar copy.md": "A jar is of clay, as were those of old, and so was the lid that went with it.",
    "Lid.md": "A lid of wood.",
    "Lid copy.md": "Another lid, of cork, that never fitted any of the jars in this kitchen or the cellar.",
    "Templates/Recipe.md": PROSE,
    "Board.canvas": '{"nodes":[{"id":"1","type":"text","text":"A card","x":0,"y":0}],"edges":[]}',
    ".obsidian/daily-notes.json": '{"folder": "Days", "format": "dddd"}',
    ".obsidian/templates.json": '{"folder": "Templates"}',
}


async def test_neither_daily_notes_nor_templates_are_suggested(served: Served) -> None:
    found = (await served.call("merge_suggestions")).json
    days = {"Days/Erster.md", "Days/Zweiter.md"}
    pairs = [{one["path"], one["into"]} for one in found["pairs"]]
    assert {"Rye.md", "Roggen.md"} in pairs
    assert days not in pairs
    assert not any("Templates/Recipe.md" in pair for pair in pairs)
    assert found["total"] == len(pairs)
    first = next(one for one in found["pairs"] if {one["path"], one["into"]} == {"Rye.md", "Roggen.md"})
    assert first["why"] == ["text", "neighbours"]
    assert 0.5 < first["common"] < 1


async def test_a_folder_and_pages_narrow_the_list(served: Served) -> None:
    total = (await served.call("merge_suggestions")).json["total"]
    page = (await served.call("merge_suggestions", limit=1, offset=1)).json
    assert (page["total"], page["next_offset"], len(page["pairs"])) == (total, 2, 1)
    inside = (await served.call("merge_suggestions", folder="Days")).json
    assert inside["total"] < total
    assert all("Days/" in f"{one['path']} {one['into']}" for one in inside["pairs"])
    assert (await served.call("merge_suggestions", folder="None")).code == "folder_not_found"
