"""Templates are known without Obsidian's settings, and neither merged nor linked nor tidied."""

from tests.features.served import Served
from tests.features.test_tidy import content, root, ticked_plan

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
    found = (await served.result("merge_suggestions"))["pairs"]
    named = {path for pair in found for path in (pair["path"], pair["into"])}
    assert named == {"Meals/Beans.md", "Odd/Beans copy.md", "Help/Beans.md"}
    plan = await served.result("plan_tidy", checks=["duplicates"], dry_run=True)
    assert {path for one in plan["findings"] for path in one["notes"]} <= named
    assert plan["findings"]


async def test_what_is_renamed_everywhere_is_renamed_in_templates(served: Served) -> None:
    before = content(served)
    plan = await ticked_plan(served, checks=["tags"])
    assert [one["text"] for one in plan["findings"]] == [
        "Rename the tag `Bean` (2 notes: [[Extras/04_Templates/Meal|Meal]], [[Meals/Soup|Soup]]) to `bean` (2 notes)"
    ]
    done = await served.result("apply_plan", path=plan["path"], confirm=True)
    assert done["files"] == 2
    assert (root(served) / "Extras/04_Templates/Meal.md").read_text() == "A meal. #bean\n"
    await served.result("undo_change", change_id=done["session"])
    assert content(served) == before


async def test_templates_are_no_orphans_ask_for_no_notes_and_are_not_summed_up(served: Served) -> None:
    folder = root(served) / ".obsidian/plugins/templater-obsidian"
    folder.mkdir(parents=True)
    (folder / "data.json").write_text('{"templates_folder": "Forms"}', encoding="utf-8")
    await served.bridge.reload()
    for name, text in (
        ("Forms/Release.md", "Released by [[Some Label]], sung by Old Singer."),
        ("_templates/Song.md", "Released by [[Some Label]], sung by Old Singer."),
        ("Meals/Salad.md", "A salad is made of leaves. See [[Dressing]]."),
    ):
        (root(served) / name).parent.mkdir(exist_ok=True)
        (root(served) / name).write_text(f"{text}\n", encoding="utf-8")
        await served.call("wait_until_indexed", path=name)
    found = await served.result("graph_insights", parts=["orphans", "stubs"], limit=100)
    assert not [path for path in found["orphans"]["notes"] if "emplate" in path or "Forms" in path]
    assert [one["name"] for one in found["stubs"]] == ["Dressing"]
    assert [one["name"] for one in (await served.result("link_report", limit=100))["stubs"]] == ["Dressing"]
    names = [one["name"] for one in (await served.result("find_prospects"))["prospects"]]
    assert not {"Some Label", "Old Singer"} & {*names}
    told = await served.result("summarise", modified_after="2001-01-01", length="long")
    assert not [one["path"] for one in told["sentences"] if "emplate" in one["path"] or "Forms" in one["path"]]
    assert "Old Singer" in (await served.result("summarise", paths=["Forms/Release.md"]))["text"]


async def test_tasks_and_properties_of_templates_are_left_out_unless_asked_for(served: Served) -> None:
    for name, text in (
        ("Extras/04_Templates/Day.md", "---\nmade: '{{date}}'\n---\n- [ ] \n- [ ] Water\n"),
        ("Meals/Day.md", "---\nmade: 2026-11-30\n---\n- [ ] Cook\n"),
    ):
        (root(served) / name).write_text(text, encoding="utf-8")
        await served.call("wait_until_indexed", path=name)
    tasks = (await served.result("list_tasks"))["tasks"]
    assert [one["text"] for one in tasks] == ["Cook"]
    for place in ({"folder": "Extras"}, {"path": "Extras/04_Templates/Day.md"}):
        assert "Water" in [one["text"] for one in (await served.result("list_tasks", **place))["tasks"]]
    made = next(one for one in (await served.result("property_report"))["properties"] if one["name"] == "made")
    assert (made["types"], made["problems"]) == ({"date": 1}, [])
    assert (await served.result("property_report", folder="Extras/04_Templates"))["properties"]
