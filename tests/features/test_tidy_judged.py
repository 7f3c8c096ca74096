"""What people judged to be wrong in plans is not very likely right, or not proposed."""

from tests.features.served import Served
from tests.features.test_tidy import call, is_sure

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


async def test_spellings_that_are_compared_in_a_note_are_doubtful(served: Served) -> None:
    plan = await call(served, "plan_tidy", checks=["tags"], dry_run=True)
    assert {(one["text"], is_sure(one)) for one in plan["findings"]} == {
        ("Rename the tag `TAG` (1 note: [[Help]]) to `Tag` (2 notes)", False),
        ("Rename the tag `Soil` (1 note: [[Soil]]) to `soil` (2 notes)", True),
    }


async def test_a_link_to_another_language_is_doubtful_and_one_to_a_namesake_not_proposed(served: Served) -> None:
    plan = await call(served, "plan_tidy", checks=["missing_links"], dry_run=True)
    sure = {tuple(one["notes"]): is_sure(one) for one in plan["findings"]}
    assert sure == {
        ("Journey.md", "Zinfandel Valley.md"): True,
        ("Reise.md", "Zinfandel Valley.md"): False,
        ("North/Kiln house of Dunmore.md", "Zinfandel Valley.md"): True,
    }
