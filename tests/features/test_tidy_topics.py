"""A plan gives notes the topics that they name, and mends values that are no topic."""

import pytest

from bridge.features.tidy.checks import topics
from tests.features.served import Served
from tests.features.test_tidy import content, is_sure, new_plan, root
from tests.features.test_tidy_values import put_value
from tests.features.test_topics import LEAVEN, note, use, write
from tests.features.test_topics import NOTES as OF_TOPICS

NOTES = {
    **OF_TOPICS,
    "Bread/Preferred.md": note("Sours", f"{LEAVEN} Named as nobody wants it."),
    "Bread/Alike.md": f"{LEAVEN} It does not say what that is.\n",
    "Leavening/Of the folder.md": f"{LEAVEN} It does not say what that is, either.\n",
    "Bread/Ignored.md": f"---\ngardener: ignore\n---\n{LEAVEN} Of all raising agents this is the oldest.\n",
    "Bread/2025-01-02.md": f"{LEAVEN} Of all raising agents this is the oldest.\n",
}


@pytest.fixture
async def tree(served: Served) -> Served:
    await use(served, folder="Ontology")
    return served


async def test_a_note_gets_the_topic_that_it_or_its_folder_names(tree: Served) -> None:
    plan = await tree.result("plan_tidy", checks=["topics"], dry_run=True)
    given = {one["text"]: one["why"] for one in plan["findings"] if one["text"].startswith("Give")}
    assert set(given) == {
        "Give [[Bread/New loaf|New loaf]] the topic [[Ontology/Concepts/Leavening|Leavening]]",
        "Give [[Leavening/Of the folder|Of the folder]] the topic [[Ontology/Concepts/Leavening|Leavening]]",
        "Give [[Bread/Chinese too|Chinese too]] the topic [[Ontology/Entities/发酵|发酵]]",
    }
    assert (
        "its folder has the name"
        in given["Give [[Leavening/Of the folder|Of the folder]] the topic [[Ontology/Concepts/Leavening|Leavening]]"]
    )
    assert not any(is_sure(one) for one in plan["findings"] if one["text"].startswith("Give"))


async def test_values_that_are_no_topic_go_or_are_replaced(tree: Served) -> None:
    plan = await tree.result("plan_tidy", checks=["topics"], dry_run=True)
    changed = {one["text"]: is_sure(one) for one in plan["findings"] if not one["text"].startswith("Give")}
    leavening = "[[Ontology/Concepts/Leavening|Leavening]]"
    assert changed == {
        f"In [[Bread/Preferred|Preferred]], change `topics`: {leavening} in place of `Sours`": True,
        f"In [[Bread/Stray|Stray]], change `topics`: {leavening} in place of `Sours`": True,
    }


async def test_topics_are_written_and_undone_byte_for_byte(tree: Served) -> None:
    plan = await new_plan(tree, checks=["topics"])
    before = content(tree)
    for one in plan["findings"]:
        await tree.result("judge_finding", path=plan["path"], finding=one["id"], verdict="accept")
    done = await tree.result("apply_plan", path=plan["path"], confirm=True)
    assert [(one["state"], one["dropped"], len(one["findings"])) for one in done["checks"]] == [("applied", [], 5)]
    now = content(tree)
    assert now["Bread/New loaf.md"].startswith(b'---\ntopics:\n  - "[[Leavening]]"\n---\nWild yeast')
    assert b"[[Loaf 1]]" in now["Bread/Stray.md"]
    assert b"[[Nowhere]]" in now["Bread/Stray.md"]
    again = await tree.result("plan_tidy", checks=["topics"], skip_checked=False, dry_run=True)
    assert again["findings"] == []
    await tree.result("undo_change", change_id=done["session"])
    assert content(tree) == before


async def test_another_topic_can_be_put_into_the_line(tree: Served) -> None:
    for path in ("Leavening/Of the folder.md", "Bread/Chinese too.md", "Bread/Preferred.md", "Bread/Stray.md"):
        (root(tree) / path).unlink()
    await tree.bridge.find(None).vault.indexer.look_at([""])
    plan = await new_plan(tree, checks=["topics"])
    assert [one["value"] for one in plan["findings"]] == ["[[Leavening]]"]
    await put_value(tree, plan, "topics", "[[Pruning]]")
    await tree.result("apply_plan", path=plan["path"], confirm=True)
    assert content(tree)["Bread/New loaf.md"].startswith(b'---\ntopics:\n  - "[[Pruning]]"\n---\n')


async def test_with_little_to_learn_from_only_what_a_title_folder_or_link_says_is_proposed(served: Served) -> None:
    for at in range(12):
        (root(served) / f"Garden/Tree {at}.md").unlink()
    (root(served) / "Other.md").write_text("Of [[Ontology/Concepts/Pruning|pruning]] in winter.\n", "utf-8")
    (root(served) / "On pruning.md").write_text("When, and how far.\n", "utf-8")
    await served.bridge.find(None).vault.indexer.look_at([""])
    plan = await served.result("plan_tidy", checks=["topics"], dry_run=True)
    assert {one["notes"][0] for one in plan["findings"] if one["text"].startswith("Give")} == {
        "Leavening/Of the folder.md",
        "Other.md",
        "On pruning.md",
    }
    assert [run["complete"] for run in plan["checks"]] == [True]


async def test_without_a_topic_folder_nothing_is_said(served: Served) -> None:
    (root(served) / "Ontology/Instructions.md").unlink()
    await served.bridge.find(None).vault.indexer.look_at([""])
    assert (await served.result("plan_tidy", checks=["topics"], dry_run=True))["findings"] == []


async def test_the_next_plan_goes_on_with_notes_that_were_left(tree: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "MAX_NOTES", 1)
    await write(tree, {"Bread/Late loaf.md": f"{LEAVEN} Of all raising agents this is the oldest.\n"})
    first = await new_plan(tree, checks=["topics"])
    assert ["Late loaf" in one["text"] for one in first["findings"] if one["text"].startswith("Give")] == [True]
    assert [run["complete"] for run in first["checks"]] == [False]
    given: set[str] = set()
    for one in first["findings"]:
        await tree.result("judge_finding", path=first["path"], finding=one["id"], verdict="reject")
    for _ in range(10):
        plan = await tree.result("plan_tidy", checks=["topics"])
        given |= {one["text"] for one in plan["findings"]}
        for one in plan["findings"]:
            await tree.result("judge_finding", path=plan["path"], finding=one["id"], verdict="reject")
        if plan["checks"][0]["complete"]:
            break
    assert any("New loaf" in text for text in given)
    assert not any("Late loaf" in text for text in given)
