"""Templates are known without Obsidian's settings, and neither merged nor linked nor tidied."""

from tests.features.served import Served
from tests.features.test_gardener import call, content, root

PROSE = "Wash the beans, soak them overnight, and cook them in fresh water until they are soft. Salt comes last.\n" * 4
NOTES = {
    "Meals/Beans.md": PROSE,
    "Extras/04_Templates/Meal/Beans.md": PROSE,
    "日常/テンプレート/Beans dish.md": PROSE,
    "Odd/Beans.md": f"# {{{{title}}}}\n\n{PROSE}",
    "Odd/Beans (2).md": f"---\nmade: <% tp.date.now() %>\n---\n{PROSE}",
    "Odd/Beans copy.md": PROSE + "#soup\n",
    "Help/Beans.md": "# The field `{{date}}`\n\n" + PROSE,
    "Meals/Soup.md": "A soup. #Bean\n",
    "Meals/Stew.md": "A stew. #bean\n",
    "Meals/Roast.md": "A roast. #bean\n",
    "Extras/04_Templates/Meal.md": "A meal. #Bean\n",
    "Meals/Blank.md": "",
}


async def test_only_notes_are_suggested_for_merging(served: Served) -> None:
    found = (await call(served, "merge_suggestions"))["pairs"]
    named = {path for pair in found for path in (pair["path"], pair["into"])}
    assert named == {"Meals/Beans.md", "Odd/Beans copy.md", "Help/Beans.md"}
    plan = await call(served, "plan_garden", checks=["duplicates"], dry_run=True)
    assert {path for one in plan["findings"] for path in one["notes"]} <= named
    assert plan["findings"]


async def test_what_is_renamed_everywhere_is_renamed_in_templates(served: Served) -> None:
    before = content(served)
    plan = await call(served, "plan_garden", checks=["tags"])
    assert [one["text"] for one in plan["findings"]] == [
        "Rename the tag `Bean` (2 notes: [[Extras/04_Templates/Meal|Meal]], [[Meals/Soup|Soup]]) to `bean` (2 notes)"
    ]
    done = await call(served, "apply_plan", path=plan["path"], confirm=True)
    assert done["checks"][0]["files"] == 2
    assert (root(served) / "Extras/04_Templates/Meal.md").read_text() == "A meal. #bean\n"
    await call(served, "undo_session", session=done["session"])
    assert content(served) == before
