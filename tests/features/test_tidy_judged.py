"""What people judged to be wrong in plans is not very likely right, or not proposed."""

from tests.features.served import Served
from tests.features.test_tidy import is_sure, root

ENGLISH = "A valley in the south, where the vines grow on the slopes and the river runs slowly through the fields.\n"
GERMAN = "Am Morgen fuhren wir los, und am Abend waren wir bei den Reben, die dort seit langer Zeit stehen.\n"
NOTES = {
    "Help.md": "Obsidian takes #TAG and #Tag for one.\n",
    "More.md": "Most write #Tag.\n",
    "Soil.md": "#Soil\n",
    "Plot.md": "#soil\n",
    "Bed.md": "#soil\n",
    "Zinfandel Valley.md": ENGLISH,
    "Reise.md": GERMAN + "Es war das Zinfandel Valley, von dem alle sprachen.\n" + GERMAN,
    "Journey.md": ENGLISH + "It was the Zinfandel Valley of which all spoke.\n" + ENGLISH,
    "North/Kiln house of Dunmore.md": "The Kiln house of Dunmore, in the Zinfandel Valley.\n" + ENGLISH,
    "South/Kiln house of Dunmore.md": "Another one.\n" + ENGLISH,
}


async def test_spellings_that_are_compared_in_a_note_stay(served: Served) -> None:
    plan = await served.result("plan_tidy", checks=["tags"], dry_run=True)
    assert {(one["text"], is_sure(one)) for one in plan["findings"]} == {
        ("Rename the tag `Soil` (1 note: [[Soil]]) to `soil` (2 notes)", True),
    }


async def test_a_link_to_another_language_is_doubtful_and_one_to_a_namesake_not_proposed(served: Served) -> None:
    plan = await served.result("plan_tidy", checks=["missing_links"], dry_run=True)
    sure = {tuple(one["notes"]): is_sure(one) for one in plan["findings"]}
    assert sure == {
        ("Journey.md", "Zinfandel Valley.md"): True,
        ("Reise.md", "Zinfandel Valley.md"): False,
        ("North/Kiln house of Dunmore.md", "Zinfandel Valley.md"): True,
    }


async def write(served: Served, notes: dict[str, str]) -> None:
    for path, text in notes.items():
        (root(served) / path).parent.mkdir(parents=True, exist_ok=True)
        (root(served) / path).write_text(text, "utf-8")
    await served.bridge.find(None).vault.indexer.look_at([""])


async def find(served: Served, check: str) -> set[tuple[str, ...]]:
    """Return the notes of each finding of a check."""
    plan = await served.result("plan_tidy", checks=[check], dry_run=True, limit=500)
    return {tuple(one["notes"]) for one in plan["findings"]}


async def test_an_alias_in_another_language_and_a_name_of_two_notes_are_no_links(served: Served) -> None:
    notes = {
        "it/Evidenziatore.md": f"---\naliases: [Highlight web pages]\n---\n{GERMAN * 3}",
        "en/Home.md": f"{ENGLISH}Learn how to Highlight web pages in the vines.\n{ENGLISH}",
        "Songs/Domain of Salt.md": "A song.\n",
        "Albums/Domain of Salt.md": "An album.\n",
        "Tour.md": f"{ENGLISH}They played all of Domain of Salt there.\n",
    }
    await write(served, notes)
    assert not {one for one in await find(served, "missing_links") if one[0] in notes}


async def test_names_of_notes_in_a_folder_to_which_nothing_links_are_no_links(served: Served) -> None:
    films = {f"Films/Quiet Harbour {n}.md": "Imported.\n" for n in range(50)}
    said = {
        "Diary.md": f"{ENGLISH}We saw a Quiet Harbour 7 miles on.\n",
        "Films/List.md": f"{ENGLISH}The best is Quiet Harbour 9 of them.\n",
    }
    await write(served, {**films, **said})
    # In a vault without links, names are all that there is.
    assert {one for one in await find(served, "missing_links") if one[0] in said} == {
        ("Diary.md", "Films/Quiet Harbour 7.md"),
        ("Films/List.md", "Films/Quiet Harbour 9.md"),
    }
    linked = {f"Cards/Card {n}.md": f"See [[Idea {n}]].\n" for n in range(40)}
    ideas = {f"Ideas/Idea {n}.md": f"Idea number {n}.\n" for n in range(40)}
    await write(served, {**linked, **ideas})
    assert {one for one in await find(served, "missing_links") if one[0] in said} == {
        ("Films/List.md", "Films/Quiet Harbour 9.md"),
    }


async def test_a_topic_and_the_note_of_its_name_stay_two(served: Served) -> None:
    notes = {
        "Topics/Instructions.md": "---\ntype: topics\n---\n# Instructions\n",
        "Topics/Concepts/Git.md": "Commands: reset, rebase, stash.\n",
        "Computers/Git.md": f"{ENGLISH * 3}",
        "Inbox/git.md": "",
    }
    await write(served, notes)
    assert {one for one in await find(served, "duplicates") if set(one) & {*notes}} == {
        ("Inbox/git.md", "Computers/Git.md")
    }
