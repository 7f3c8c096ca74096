"""What each check finds and proposes, on notes of which all is known; and what agents may do."""

import os
import time
from typing import Any

import pytest

from bridge.errors import ExpectationFailed
from bridge.settings.file import save_settings
from tests.features.served import Served
from tests.features.test_tidy import content, is_sure, new_plan, root, tick, ticked_plan
from tests.mcp.client import connected
from tests.server.clients import bearer, call, made

LISTED = [f"Herb {letter}" for letter in "ABCDEF"]
LONG = "The dough rests overnight in the cold cellar, and in the morning it is folded twice before it is baked.\n" * 4
NOTES = {
    **{f"Log/{number:02}.md": f"---\nrating: {number}\nstage: done\n---\nDay {number}.\n" for number in range(1, 13)},
    "Log/13.md": '---\nrating: "4"\nstage: doone\n---\nDay 13.\n',
    "Log/14.md": "---\nRating: 4\nstage: done\n---\nDay 14.\n",
    "Log/15.md": "---\nrating: 5\nstage: done\n---\nDay 15.\n",
    "Herbs/Herbs.md": "".join(f"- [[{name}]]\n" for name in LISTED),
    **{f"Herbs/{name}.md": "Grows.\n" for name in LISTED},
    "Herbs/Lovage.md": "Grows, too.\n",
    "Rye dough.md": LONG,
    "Rye dough copy.md": LONG,
    "Void.md": "",
    "Wanted.md": "",
    "Names.md": "See [[Wanted]], [[Ida Wanted]] and ![[used.png]].\n",
    "used.png": "image",
    "named.png": "image",
    "unused.png": "image",
    "Say.md": "The picture named.png is drawn by hand. Sebastian Kneipp wrote of it.\n<img src='html.png'>\n",
    "Shelf.base": "views: [{type: cards, image: base.png}]\n",
    "html.png": "image",
    "base.png": "image",
    "favicon-32x32.png": "image",
    "Covers/Say - Cover.png": "image",
    "Covers/Quince! - Cover.png": "image",
    "Covers/Ida Wanted (2017) - Photo.png": "image",
    "Quince!.md": "The second album, without a picture so far.\n",
    "Covers/Zinfandel Valley (2019).png": "image",
    **{f"Read {n}.md": f"Day {n} about [[Sebastian Kneipp]], and how he bathed, {n}.\n" for n in range(4)},
    "Cellar notes.md": "The rye dough is in here, and we read about herbs.\n",
    "Zinfandel Valley.md": "A place.\n",
    "Journey.md": "In the morning we left for Zinfandel Valley.\n",
    "Modules.md": "# Modules\n",
    "Analytic Modules.md": "# Analytic Modules\n",
    "Lecture.md": "Today we went through the Analytic Modules of it.\n",
    "Courses.md": "**Modules:**\n\n- Algebra\n- Analysis\n",
    "Sourdough bread.md": "A bread that rises by itself.\n",
    "Weekend.md": "Sourdough bread：from the oven of the village, and it was eaten at once.\n",
    "Harvest.md": "On Saturday we baked Sourdough bread for all.\n",
    **{f"Shelf/{n:02}.md": f"---\ncover: ['[[Rye dough]]']\n---\nShelf {n}.\n" for n in range(10)},
    "Shelf/Odd.md": "---\ncover: '[[Rye dough copy]]'\n---\nOdd.\n",
    "Agents/About this folder.md": "---\ntype: agents-folder\n---\nAgents write here.\n",
    "Agents/Memory/Old.md": "---\ntype: memory\nkind: fact\nexpires: 2024-01-01\n---\nOld.\n",
    "Agents/Memory/New.md": "---\ntype: memory\nkind: fact\nexpires: 2124-01-01\n---\nNew.\n",
}


async def plan(served: Served, *checks: str) -> list[dict[str, Any]]:
    """Return what some checks find, after an attempt to write it."""
    plan = await served.result("plan_tidy", checks=list(checks), dry_run=True, skip_checked=False, limit=500)
    return [*plan["findings"]]


@pytest.mark.parametrize(
    ("check", "texts"),
    [
        ("property_names", ["Rename the property `Rating` (1 note: [[Log/14|14]]) to `rating`"]),
        (
            "property_types",
            [
                "In [[Shelf/Odd|Odd]], make `cover` a list: `[[Rye dough copy]]`",
                "In [[Log/13|13]], make `rating` a number: `4`",
            ],
        ),
        ("conventions", ["In [[Log/13|13]], change `stage` from `doone` to `done`"]),
        ("orphans", ["List [[Herbs/Lovage|Lovage]] in [[Herbs/Herbs|Herbs]] below “Herb F”"]),
        ("duplicates", ["Merge [[Rye dough copy]] into [[Rye dough]]"]),
        ("empty_notes", []),
        ("attachments", ["Delete `unused.png`"]),
        ("prospects", ["Create a note “Sebastian Kneipp”"]),
        (
            "missing_links",
            [
                "In [[Harvest]], link “Sourdough bread” to [[Sourdough bread]]",
                "In [[Weekend]], link “Sourdough bread” to [[Sourdough bread]]",
                "In [[Journey]], link “Zinfandel Valley” to [[Zinfandel Valley]]",
                "In [[Lecture]], link “Analytic Modules” to [[Analytic Modules]]",
                "In [[Courses]], link “Modules” to [[Modules]]",
            ],
        ),
        ("memories", ["Archive the memory [[Agents/Memory/Old|Old]]"]),
        ("headings", []),
        ("daily_notes", []),
        ("broken_links", []),
        ("tags", []),
        ("topics", []),
        ("corrections", []),
        ("unfilled_notes", []),
    ],
)
async def test_a_check_finds_what_is_wrong_and_nothing_else(served: Served, check: str, texts: list[str]) -> None:
    assert sorted(one["text"] for one in await plan(served, check)) == sorted(texts)


async def test_of_rules_that_contradict_each_other_the_narrower_holds(served: Served) -> None:
    head = "---\ntype: schema\nfor{}\n---\n|name|type|values|\n|-|-|-|\n|phase|text|{}|\n"
    texts = {
        "Rules/Books.md": head.format("_type: book", "opened, closed"),
        "Rules/Novels.md": head.format(": Novels", "openend, closed"),
        **{f"Novels/{name}.md": f"---\ntype: book\nphase: {name}\n---\n" for name in ("opened", "openend", "clsoed")},
        **{f"Novels/{n}.md": "---\nphase: closed\n---\n" for n in range(2)},
        **{f"Books/{n}.md": "---\ntype: book\nphase: openend\n---\n" for n in range(4)},
        **{f"Lists/{n:02}.md": "---\nphase: [closed]\n---\n" for n in range(90)},
    }
    for path, text in texts.items():
        (root(served) / path).parent.mkdir(exist_ok=True)
        (root(served) / path).write_text(text)
    await served.bridge.find(None).vault.indexer.look_at([""])
    found = [one["text"] for one in await plan(served, "conventions", "property_types") if "phase" in one["text"]]
    assert sorted(found) == [
        *(f"In [[Books/{n}|{n}]], change `phase` from `openend` to `opened`" for n in range(4)),
        "In [[Novels/clsoed|clsoed]], change `phase` from `clsoed` to `closed`",
        "In [[Novels/opened|opened]], change `phase` from `opened` to `openend`",
    ]


async def test_the_evidence_for_a_broken_link_does_nothing_in_the_plan(served: Served) -> None:
    (root(served) / "Smithy ^g9 one.md").write_text("---\naliases: [old_forge]\n---\nHot.\n")
    # An alias in another spelling may mean something else.
    (root(served) / "Iron.md").write_text("Bent in the [[smithy g9 one]] and the [[OldForge]].\n")
    await served.bridge.find(None).vault.indexer.look_at([""])
    (found,) = await plan(served, "broken_links")
    assert found["notes"] == ["Iron.md", "Smithy ^g9 one.md"]
    assert found["why"] == "its name is almost the same: “Smithy  g9 one”"


async def test_a_label_and_a_note_without_words_are_no_sure_link(served: Served) -> None:
    sure = {one["notes"][0]: is_sure(one) for one in await plan(served, "missing_links")}
    assert sure == {
        "Harvest.md": True,
        "Journey.md": True,
        "Weekend.md": False,
        "Courses.md": False,
        "Lecture.md": False,
    }


async def make_old(served: Served, *names: str) -> None:
    """Let some notes seem to be a month old."""
    old = time.time() - 30 * 86_400
    for name in names:
        os.utime(root(served) / name, (old, old))
    await served.bridge.find(None).vault.indexer.look_at(names)


async def test_an_empty_note_is_told_once_it_is_old_and_nobody_wants_it(served: Served) -> None:
    await make_old(served, "Void.md", "Wanted.md")
    found = await plan(served, "empty_notes")
    assert [(one["text"], is_sure(one)) for one in found] == [("Delete [[Void]]", False)]


async def test_a_note_of_its_title_and_times_is_empty_and_listed_nowhere(served: Served) -> None:
    blank = "---\ntitle: Sorrel\ndate created: 2024-05-01\naliases: []\n---\n\n# Sorrel\n"
    texts = {"Herbs/Sorrel.md": blank, "Herbs/Thyme.md": blank.replace("Sorrel", "Thyme").replace("[]", "[Wild]")}
    for path, text in texts.items():
        (root(served) / path).write_text(text)
    await served.bridge.find(None).vault.indexer.look_at([*texts])
    await make_old(served, *texts)
    assert [one["text"] for one in await plan(served, "empty_notes")] == ["Delete [[Herbs/Sorrel|Sorrel]]"]
    listed = [one["text"] for one in await plan(served, "orphans")]
    assert not any("Sorrel" in text for text in listed)
    assert any("Thyme" in text for text in listed)


async def test_findings_of_several_checks_on_one_note_are_all_applied(served: Served) -> None:
    checks = ["property_types", "conventions"]
    made_plan = (await served.call("plan_tidy", checks=checks)).json
    before = content(served)
    await tick(served, made_plan, *(one["id"] for one in made_plan["findings"]))
    done = (await served.call("apply_plan", path=made_plan["path"], confirm=True)).json
    assert [one["state"] for one in done["checks"]] == ["applied", "applied"]
    assert not any(one["dropped"] for one in done["checks"])
    assert content(served)["Log/13.md"] == b"---\nrating: 4\nstage: done\n---\nDay 13.\n"
    await served.call("undo_change", change_id=done["session"])
    assert content(served) == before


async def test_what_nobody_has_two_of_becomes_no_list_though_obsidian_takes_it_for_one(served: Served) -> None:
    (root(served) / ".obsidian/types.json").write_text('{"types": {"picture": "multitext", "genres": "multitext"}}')
    texts = {
        **{f"Shelf/{n}.md": f"---\npicture: {n}.png\ngenres: folk\n---\n" for n in range(3)},
        "Shelf/Old.md": "---\npicture: [old.png]\ngenres: [folk, jazz]\n---\n",
    }
    for path, text in texts.items():
        (root(served) / path).write_text(text)
    await served.bridge.find(None).vault.indexer.look_at([""])
    found = [(one["text"], one["why"]) for one in await plan(served, "property_types")]
    why = "Obsidian takes it for one"
    assert [text for text, _ in found if "picture" in text] == []
    assert sorted(one for one in found if "genres" in one[0]) == [
        (f"In [[Shelf/{n}|{n}]], make `genres` a list: `folk`", why) for n in range(3)
    ]


async def test_a_plan_leaves_out_what_would_change_a_read_only_note(served: Served) -> None:
    (root(served) / "Journey.md").chmod(0o444)
    answer = await served.result("plan_tidy", checks=["missing_links"], dry_run=True, skip_checked=False)
    assert "Left out: 1 finding that would change what is read-only: `Journey.md`." in answer["notices"]
    assert not any("[[Journey]]" in one["text"] for one in answer["findings"])
    assert any("[[Harvest]]" in one["text"] for one in answer["findings"])


async def test_a_name_that_is_a_link_to_the_web_is_no_missing_link(served: Served) -> None:
    (root(served) / "Harvest.md").write_text(
        "[Sourdough bread](https://example.org) is old. Sourdough bread for all.\n"
    )
    await served.bridge.find(None).vault.indexer.look_at(["Harvest.md"])
    assert not any("[[Harvest]]" in one["text"] for one in await plan(served, "missing_links"))


async def test_an_agent_proposes_and_neither_accepts_nor_mutes(served: Served) -> None:
    agent = bearer(made(served, "agent", "read", "write"), "agent/1")
    made_plan = await ticked_plan(served, checks=["property_types", "memories"])
    before = content(served)
    done = (await call(served, agent, "apply_plan", path=made_plan["path"], confirm=True)).json
    assert {one["state"] for one in done["checks"]} == {"proposed"}
    assert content(served) == before
    assert "archived" not in (root(served) / "Agents/Memory/Old.md").read_text()
    accepted = await call(served, agent, "judge_finding", path=made_plan["path"], finding="g1", verdict="accept")
    assert accepted.code == "declined"
    assert (await call(served, agent, "tidy_rules", check="tags", muted=True)).code == "declined"
    rejected = await call(served, agent, "judge_finding", path=made_plan["path"], finding="g1", verdict="reject")
    assert rejected.code == "declined"
    shown = (await served.call("show_plan", path=made_plan["path"])).json["findings"]
    assert {one["state"] for one in shown if one["ticked"]} == {"proposed"}
    # What an agent proposed does not keep the user from doing it.
    applied = (await served.call("apply_plan", path=made_plan["path"], confirm=True)).json
    assert {one["state"] for one in applied["checks"]} == {"applied"}
    again = (await served.call("apply_plan", path=made_plan["path"], confirm=True)).json
    assert {(one["state"], one["findings"] == []) for one in again["checks"]} == {("left_out", True)}
    rules = (await served.call("tidy_rules")).json["rules"]
    assert not any(one["rejected"] for one in rules)


async def test_who_acts_as_the_user_applies_a_plan_under_its_forecast(served: Served) -> None:
    before = content(served)
    made_plan = await ticked_plan(served, checks=["property_names"])
    async with connected(served, preset="full") as client:
        done = (await client.call_tool("apply_plan", {"path": made_plan["path"]})).structured_content
    assert ([one["state"] for one in done["checks"]], bool(done["forecast"])) == (["applied"], True)
    assert content(served) != before
    await served.call("undo_change", change_id=done["session"])
    assert content(served) == before


async def test_accepting_what_an_agent_applies_is_compared_with_the_forecast(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = bearer(made(served, "agent", "read", "write"), "agent/1")
    made_plan = await ticked_plan(served, checks=["property_types"])
    done = (await call(served, agent, "apply_plan", path=made_plan["path"])).json
    [(state, change)] = [(one["state"], one["change_id"]) for one in done["checks"]]
    assert state == "proposed"
    before = content(served)

    def wrong(*_: object) -> None:
        raise ExpectationFailed("The change did something else than was forecast, and was undone.")

    with monkeypatch.context() as patched:
        patched.setattr("bridge.engine.planned_change.measure_files", wrong)
        assert (await served.call("decide", id=change, verdict="accept")).code == "expectation_failed"
    assert content(served) == before


async def test_an_agent_ticks_and_rewords_nothing(served: Served) -> None:
    await served.call("set_up_memory", templates=False)
    save_settings(served.bridge.settings_path, {"notebook_clients": ["*"]})
    await served.bridge.reload()
    agent = bearer(made(served, "agent", "read", "write"), "agent/1")
    planned = (await call(served, agent, "plan_tidy", checks=["attachments", "memories"])).json
    assert (planned["state"], planned["path"].startswith("Agents/Tidy/")) == ("applied", True)
    deletion = next(one for one in planned["findings"] if one["check"] == "attachments")
    text = (root(served) / planned["path"]).read_text()
    line = next(line for line in text.splitlines() if line.endswith(f"^{deletion['id']}"))
    forged = f"- [x] In [[Names]], mend a broken link · 0.95 ^{deletion['id']}"
    edits = [{"op": "replace_text", "old": line, "new": forged}]
    await served.call("wait_until_indexed", path=planned["path"])
    digest = (await call(served, agent, "read_note", path=planned["path"])).json["digest"]
    edited = await call(served, agent, "edit_note", path=planned["path"], edits=edits, digest=digest)
    assert edited.json["state"] == "proposed"
    assert (root(served) / planned["path"]).read_text() == text
    # Beside the plans it may write, and what it writes there is no plan.
    copy = await call(
        served, agent, "create_note", path="Agents/Copy.md", text=text.replace(line, forged), confirm=True
    )
    assert copy.json["state"] == "applied"
    await served.call("wait_until_indexed", path="Agents/Copy.md")
    refused = await served.call("apply_plan", path="Agents/Copy.md", confirm=True)
    assert (refused.code, "Agents/Tidy" in refused.json["error"]["hint"]) == ("invalid_arguments", True)
    # Whoever rewords a line, what it does is told.
    assert (await served.call("decide", id=edited.json["change_id"], verdict="accept")).status == 200
    shown = (await served.call("show_plan", path=planned["path"])).json
    told = next(one for one in shown["findings"] if one["id"] == deletion["id"])
    assert (told["text"], told["ticked"]) == (deletion["text"], True)
    assert any(f"^{deletion['id']}" in one for one in shown["notices"])
    tried = (await served.call("apply_plan", path=planned["path"], dry_run=True)).json
    assert deletion["text"] in [text for one in tried["checks"] for text in one["texts"]]


async def test_a_tick_outweighs_what_an_agent_dismissed(served: Served) -> None:
    first = await new_plan(served, checks=["duplicates"])
    pair = next(one for one in first["findings"] if one["notes"][0].startswith("Rye dough"))
    agent = bearer(made(served, "agent", "read", "write"), "agent/1")
    assert (await call(served, agent, "dismiss", kind="merge", paths=pair["notes"])).status == 200
    later = (await served.call("plan_tidy", checks=["duplicates"], skip_checked=False, dry_run=True)).json
    assert not any(one["notes"] == pair["notes"] for one in later["findings"])
    assert any("1 finding dismissed" in one for one in later["notices"])
    assert (await served.call("judge_finding", path=first["path"], finding=pair["id"], verdict="accept")).status == 200
    assert (await call(served, agent, "dismiss", kind="merge", paths=pair["notes"])).status == 200
    done = (await served.call("apply_plan", path=first["path"], confirm=True)).json
    assert pair["id"] in done["checks"][0]["findings"]


async def test_a_file_whose_embed_was_damaged_by_a_link_is_not_unused(served: Served) -> None:
    (root(served) / "A_rye_loaf.webp").write_bytes(b"image")
    await served.call("create_note", path="Damaged.md", text="![[A_[[rye]]_loaf.webp]]\n")
    await served.bridge.find(None).vault.indexer.look_at([""])
    planned = (await served.call("plan_tidy", checks=["attachments"], dry_run=True)).json
    assert any("unused.png" in one["text"] for one in planned["findings"])
    assert not any("rye_loaf" in one["text"] for one in planned["findings"])


async def test_what_is_linked_by_now_is_not_deleted(served: Served) -> None:
    planned = (await served.call("plan_tidy", checks=["attachments"])).json
    deletion = next(one for one in planned["findings"] if "unused.png" in one["text"])
    await served.call("judge_finding", path=planned["path"], finding=deletion["id"], verdict="accept")
    await served.call("create_note", path="Uses it.md", text="![[unused.png]]\n", confirm=True)
    done = (await served.call("apply_plan", path=planned["path"], confirm=True)).json
    assert [one["why"] for one in done["checks"][0]["dropped"]] == [
        "`[[unused.png]]` in `Uses it.md:1` would lead nowhere."
    ]
    assert (root(served) / "unused.png").exists()


async def test_an_empty_note_is_deleted_although_the_plan_links_to_it(served: Served) -> None:
    await make_old(served, "Void.md")
    planned = (await served.call("plan_tidy", checks=["empty_notes"])).json
    await served.call("judge_finding", path=planned["path"], finding="g1", verdict="accept")
    done = (await served.call("apply_plan", path=planned["path"], confirm=True)).json
    assert [(one["state"], one["dropped"]) for one in done["checks"]] == [("applied", [])]
    assert not (root(served) / "Void.md").exists()


async def test_an_applied_merge_still_says_what_was_merged(served: Served) -> None:
    planned = (await served.call("plan_tidy", checks=["duplicates"])).json
    before = content(served)
    await served.call("judge_finding", path=planned["path"], finding="g1", verdict="accept")
    done = (await served.call("apply_plan", path=planned["path"], confirm=True)).json
    text = (root(served) / planned["path"]).read_text(encoding="utf-8")
    [line] = [one for one in text.splitlines() if one.endswith("^g1")]
    assert line.startswith("- [x] Merge [[Rye dough copy]] into [[Rye dough]] · ")
    assert line.endswith(" · done ^g1")
    await served.call("undo_change", change_id=done["session"])
    assert content(served) == before


async def test_what_is_asked_for_must_exist(served: Served) -> None:
    assert (await served.call("plan_tidy", checks=["weeds"])).code == "invalid_arguments"
    assert (await served.call("plan_tidy", folder="Nowhere")).code == "folder_not_found"
    assert (await served.call("show_plan", path="Journey.md")).code == "invalid_arguments"
    assert (await served.call("apply_plan", path="Nowhere.md")).code == "note_not_found"
    assert (await served.call("tidy_rules", check="weeds", muted=True)).code == "invalid_arguments"


async def test_the_unused_files_of_a_folder_are_one_finding(served: Served) -> None:
    (root(served) / "Scans").mkdir()
    for name in "abcd":
        (root(served) / f"Scans/{name}-scan.png").write_bytes(name.encode())
    await served.call("create_note", path="Uses it.md", text="![[b-scan.png]]\n")
    await served.bridge.find(None).vault.indexer.look_at([""])
    before = content(served)
    first = await new_plan(served, checks=["attachments"])
    wanted = "Delete 3 files of `Scans`: `a-scan.png`, `c-scan.png`, `d-scan.png`"
    assert sorted(one["text"] for one in first["findings"]) == [wanted, "Delete `unused.png`"]
    deletion = next(one for one in first["findings"] if one["text"] == wanted)
    await served.result("judge_finding", path=first["path"], finding=deletion["id"], verdict="accept")
    done = await served.result("apply_plan", path=first["path"], confirm=True)
    assert [(one["state"], one["dropped"]) for one in done["checks"]] == [("applied", [])]
    assert {path for path in before if path not in content(served)} == {f"Scans/{one}-scan.png" for one in "acd"}
    await served.result("undo_change", change_id=done["session"])
    assert content(served) == before
    # Whoever dismisses them is not asked for a single one of the folder either.
    await served.result("judge_finding", path=first["path"], finding=deletion["id"], verdict="reject")
    for name in "ac":
        (root(served) / f"Scans/{name}-scan.png").unlink()
    await served.bridge.find(None).vault.indexer.look_at([""])
    later = await served.result("plan_tidy", checks=["attachments"], dry_run=True, skip_checked=False)
    assert [one["text"] for one in later["findings"]] == ["Delete `unused.png`"]
