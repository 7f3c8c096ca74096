"""An orphan is listed where the notes that are like it are listed, or nowhere."""

from collections.abc import Callable

import pytest

from bridge.features.tidy.checks import links
from tests.features.served import Served
from tests.features.test_tidy import content, edit_file, is_sure, new_plan, root

LOAF = "The sourdough of rye rests overnight in the cold cellar, is folded twice and baked on the hot stone."
TREE = "Prune the branches of the apple tree in February, before the sap rises into the young wood."
LOAVES = [f"Loaf {letter}" for letter in "ABCDEFGH"]
TREES = [f"Tree {letter}" for letter in "ABCDEFGH"]
LISTS = "\n".join(
    [
        *("# All that I do", "", "## Bread", "", *(f"- [[{name}]]" for name in LOAVES), ""),
        *("## Trees", "", *(f"- [[{name}]]" for name in TREES), "", "## Sources", "", "- Books", ""),
    ]
)
NOTES = {
    "Index.md": LISTS,
    **{f"Bread/{name}.md": f"{LOAF} It was {name}.\n" for name in LOAVES},
    **{f"Garden/{name}.md": f"{TREE} It was {name}.\n" for name in TREES},
    "Inbox/Rye thoughts.md": f"{LOAF} I thought of it today.\n",
    "Inbox/Other thoughts.md": "The ferry to the island sails at noon, and the lighthouse is painted red and white.\n",
    "Inbox/2025-01-02.md": f"{LOAF} I thought of it on this day.\n",
    "Inbox/Short.md": "Rye sourdough.\n",
    "Inbox/Linked.md": f"{LOAF} See [[Tree A]].\n",
}


async def texts(served: Served) -> list[tuple[str, bool]]:
    plan = await served.result("plan_tidy", checks=["orphans"], dry_run=True, skip_checked=False)
    return [(one["text"], is_sure(one)) for one in plan["findings"]]


async def test_an_orphan_is_listed_below_the_note_most_like_it(served: Served) -> None:
    plan = await new_plan(served, checks=["orphans"])
    before = content(served)
    (found,) = plan["findings"]
    assert (found["text"], is_sure(found)) == (
        "List [[Inbox/Rye thoughts|Rye thoughts]] in [[Index]] below “Loaf H”",
        False,
    )
    assert found["why"].startswith("it lists 8 of the ")
    await served.result("judge_finding", path=plan["path"], finding="g1", verdict="accept")
    done = await served.result("apply_plan", path=plan["path"], confirm=True)
    assert [(one["state"], one["dropped"]) for one in done["checks"]] == [("applied", [])]
    assert content(served)["Index.md"].decode() == LISTS.replace("- [[Loaf H]]\n", "- [[Loaf H]]\n- [[Rye thoughts]]\n")
    assert await texts(served) == []
    await served.result("undo_change", change_id=done["session"])
    assert content(served) == before


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "---\ntidy: ignore\n---\n" + text,
        lambda text: text.replace("- [[Loaf", "See [[Loaf"),
        lambda text: text.replace("\n- [[Loaf D", "\n\n## Later\n\n[[Loaf D").replace("- [[Loaf", "[[Loaf"),
    ],
)
async def test_where_it_would_stand_must_be_known(served: Served, edit: Callable[[str], str]) -> None:
    assert len(await texts(served)) == 1
    await edit_file(served, "Index.md", edit)
    assert await texts(served) == []


async def test_a_day_lists_no_notes(served: Served) -> None:
    await edit_file(served, "Inbox/2025-01-02.md", lambda _: LISTS)
    await edit_file(served, "Index.md", lambda _: "Nothing.\n")
    assert await texts(served) == []


@pytest.mark.parametrize(("page", "is_found"), [("Inbox/Index.md", True), ("Index.md", False)])
async def test_a_page_beside_the_orphan_must_list_fewer_of_them(served: Served, page: str, is_found: bool) -> None:
    await edit_file(served, "Index.md", lambda _: "Nothing.\n")
    listed = "".join(f"- [[{name}]]\n" for name in LOAVES[:5])
    (root(served) / page).write_text(f"## Bread\n\n{listed}")
    await served.bridge.find(None).vault.indexer.look_at([page])
    assert any("Rye thoughts" in text for text, _ in await texts(served)) == is_found


async def test_the_next_plan_goes_on_with_orphans_that_were_left(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "MAX_ORPHANS", 1)
    await edit_file(served, "Inbox/Other thoughts.md", lambda text: text + "More.\n")
    first = await served.result("plan_tidy", checks=["orphans"])
    assert (first["findings"], [run["complete"] for run in first["checks"]]) == ([], [False])
    second = await served.result("plan_tidy", checks=["orphans"])
    assert [one["notes"][0] for one in second["findings"]] == ["Inbox/Rye thoughts.md"]


async def test_orphans_go_below_what_is_nested_in_the_note_most_like_them(served: Served) -> None:
    nested = LISTS.replace("- [[Loaf H]]\n", "3. [[Loaf H]]\n   - with butter\n")
    await edit_file(served, "Index.md", lambda _: nested)
    (root(served) / "Inbox/More rye.md").write_text(f"{LOAF} I thought of it at night.\n")
    await served.bridge.find(None).vault.indexer.look_at(["Inbox/More rye.md"])
    plan = await new_plan(served, checks=["orphans"])
    assert {one["text"].partition(" below ")[2] for one in plan["findings"]} == {"“Loaf H”"}
    for one in plan["findings"]:
        await served.result("judge_finding", path=plan["path"], finding=one["id"], verdict="accept")
    await served.result("apply_plan", path=plan["path"], confirm=True)
    index = content(served)["Index.md"].decode()
    assert index.startswith(nested[: nested.index("\n## Trees")].rstrip("\n"))
    assert {line for line in index.splitlines() if "rye" in line.lower()} == {"4. [[More rye]]", "4. [[Rye thoughts]]"}
