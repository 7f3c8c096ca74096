"""Notes of a project that are copied into the global vault."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest_asyncio

from bridge.access.tokens import Tokens
from bridge.features.promotion.promote import PromotedNote
from tests.features.served import Answer, Served, readable, serving, write_vault
from tests.mcp.client import connected, text_of

RETRY = """---
type: journal
tags: [upload]
private_to: quill
about: "[[Queue]]"
---
# Retry

Wait as [[Queue#Back off|the queue]] does, see [[Shared]] and [the plan](Plans/Plan%20A.md).

![[drawing.png|300]]

Back to [[Retry]], [[#Retry]] and [[Nowhere]].
"""
COPIED = """# Retry

Wait as [the queue](obsidian://open?vault=Home&file=Queue%23Back%20off) does, see [[Shared]] and \
[the plan](obsidian://open?vault=Home&file=Plans%2FPlan%20A).

[drawing.png](obsidian://open?vault=Home&file=drawing.png)

Back to [[Retry]], [[#Retry]] and [[Nowhere]].
"""
HOME = {
    "Retry.md": RETRY,
    "Queue.md": "# Queue\n\n## Back off\n",
    "Shared.md": "Home's.\n",
    "Plans/Plan A.md": "A plan.\n",
    "drawing.png": "",
    "Secret/Hidden.md": "klepthorn\n",
    "Kept/Lesson.md": "# Lesson\n\nA lesson that must stay as it is.\n",
    "Board.canvas": '{"nodes": []}',
    "Lesson.md": "# Lesson\n\nSay what a change is for, not what it does, when you write the reason of a change.\n",
}
MAIN = {
    "Shared.md": "Main's.\n",
    "Taken/Retry.md": "Something else.\n",
    "Reasons.md": "Say what a change is for, not what it does, when you write the reason of a change. Keep it short.\n",
}
WORK = {path: HOME[path] for path in ("Retry.md", "Queue.md", "Plans/Plan A.md", "drawing.png")}
SETTINGS = 'global_vault = "Main"\ndeny = ["Secret/**"]\nreadonly = ["Kept/**"]\n'


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vaults = [write_vault(tmp_path / name, notes) for name, notes in (("Home", HOME), ("Main", MAIN), ("Work", WORK))]
    (tmp_path / "data").mkdir()
    (tmp_path / "data/settings.toml").write_text(SETTINGS)
    async with serving(vaults, tmp_path / "data", tmp_path / "no models") as served:
        yield served


async def promote(served: Served, path: str = "Retry.md", **arguments: Any) -> Answer:
    return await served.call("promote_note", **{"vault": "Home", "path": path, **arguments})


async def done(served: Served, path: str = "Retry.md", **arguments: Any) -> dict[str, Any]:
    answer = await promote(served, path, **arguments)
    assert answer.status == 200, answer.body
    return answer.json  # type: ignore[no-any-return]


def text(served: Served, vault: str, path: str) -> str:
    return (served.bridge.find(vault).root / path).read_text("utf-8")


def files(served: Served) -> dict[str, str]:
    roots = [host.root for host in served.bridge.vaults.values()]
    return {str(file): file.read_text("utf-8") for root in roots for file in root.rglob("*") if file.is_file()}


async def test_the_copy_has_the_text_and_links_that_open_the_project(served: Served) -> None:
    made = await done(served)
    copy = text(served, "Main", "Patterns/Retry.md")
    properties, _, body = copy.removeprefix("---\n").partition("\n---\n")
    home = served.bridge.find("Home").id
    assert body == COPIED
    facts = dict(line.split(": ", 1) for line in properties.split("\n") if ": " in line)
    assert facts.pop("promoted_digest")
    assert facts == {
        "type": "pattern",
        "private_to": "quill",
        "project": "Home",
        "promoted_from": f"{home}/Retry.md",
    }
    assert "  - upload" in properties or "[upload]" in properties
    original = text(served, "Home", "Retry.md")
    flags = 'promoted: true\npromoted_to: "obsidian://open?vault=Main&file=Patterns%2FRetry"\n'
    assert original.replace('"', "") == RETRY.replace("---\n# Retry", f"{flags}---\n# Retry").replace('"', "")
    assert (made["outcome"], made["copy"]["vault"], made["copy"]["path"]) == ("copied", "Main", "Patterns/Retry.md")
    assert made["warnings"] == ["Not shown in the copy, only linked: ![[drawing.png|300]]"]
    assert made["change_ids"] == [made["copy"]["change_id"], made["original"]["change_id"]]


CLAY = "---\ntype: memory\nkind: decision\n---\nThe oven is built of clay from the river.\n"


async def test_a_memory_is_one_where_it_lands_and_known_from_a_third_vault(served: Served) -> None:
    memory = served.bridge.find("Home").root / "Agents/Memory/Oven clay.md"
    memory.parent.mkdir(parents=True)
    memory.write_text(CLAY)
    assert (await served.call("wait_until_indexed", vault="Home", path="Agents/Memory/Oven clay.md")).status == 200
    _, token = Tokens(served.bridge.folders.tokens).create("quill", ["read", "write"])
    body = orjson.dumps({"vault": "Home", "path": "Agents/Memory/Oven clay.md"})
    headers = {"Authorization": f"Bearer {token}"}
    refused = await served.request("POST", "/api/promote_note", data=body, headers=headers)
    assert refused.code == "confirmation_required"
    made = await done(served, "Agents/Memory/Oven clay.md")
    assert made["copy"]["path"] == "Agents/Memory/Oven clay.md"
    assert "\ntype: memory\n" in text(served, "Main", "Agents/Memory/Oven clay.md")
    assert (served.bridge.find("Main").root / "Agents/About this folder.md").exists()
    for vault in ("Work", "Main"):
        found = (await served.call("recall", vault=vault, query="what is the oven built of")).json["memories"]
        assert [one["title"] for one in found] == ["Oven clay"]
        told = (await served.call("brief", vault=vault, task="Build an oven of clay")).json["text"]
        assert "The oven is built of clay from the river." in told


async def test_what_would_be_told_nowhere_becomes_a_pattern(served: Served) -> None:
    assert (await done(served, "Lesson.md", confirm=True))["copy"]["path"] == "Patterns/Lesson.md"
    assert "\ntype: pattern\n" in text(served, "Main", "Patterns/Lesson.md")
    (served.bridge.find("Home").root / "Oven clay.md").write_text(CLAY)
    await served.call("wait_until_indexed", vault="Home", path="Oven clay.md")
    made = await done(served, "Oven clay.md", folder="Lessons")
    assert made["copy"]["path"] == "Lessons/Oven clay.md"
    assert "\ntype: pattern\n" in text(served, "Main", "Lessons/Oven clay.md")
    told = (await served.call("brief", vault="Work", task="Build an oven of clay")).json["text"]
    assert "Pattern: Oven clay" in told


async def test_both_changes_are_undone_as_others_are(served: Served) -> None:
    before = files(served)
    first, second = (await done(served))["change_ids"]
    for vault, change in (("Main", first), ("Home", second)):
        assert (await served.call("undo_change", vault=vault, change_id=change)).status == 200
    assert files(served) == before
    # The copy is gone, and is made once more.
    assert (await done(served))["outcome"] == "copied"


async def test_a_dry_run_writes_nothing(served: Served) -> None:
    before = files(served)
    made = await done(served, type="lesson", folder="Lessons/Deep", dry_run=True)
    assert files(served) == before
    assert (made["copy"]["path"], made["change_ids"]) == ("Lessons/Deep/Retry.md", [])
    assert "+type: lesson" in made["copy"]["diff"]
    assert "+promoted: true" in made["original"]["diff"]


async def test_a_note_that_did_not_change_is_not_copied_again(served: Served) -> None:
    await done(served)
    before = files(served)
    again = await done(served, update=True)
    assert (again["outcome"], again["change_ids"], files(served)) == ("unchanged", [], before)


async def test_a_changed_note_is_told_with_the_difference_and_updated_only_when_asked(served: Served) -> None:
    await done(served)
    edits = [{"op": "append", "text": "See [[Queue]]."}]
    assert (await served.call("edit_note", vault="Home", path="Retry.md", edits=edits)).status == 200
    before = files(served)
    told = await done(served)
    assert (told["outcome"], told["change_ids"], files(served)) == ("outdated", [], before)
    assert "+See [Queue](obsidian://open?vault=Home&file=Queue)." in told["copy"]["diff"]
    assert told["copy"]["dry_run"] is True
    updated = await done(served, update=True)
    assert (updated["outcome"], len(updated["change_ids"])) == ("updated", 1)
    assert text(served, "Main", "Patterns/Retry.md").endswith("file=Queue).\n")
    assert (await done(served, update=True))["outcome"] == "unchanged"


async def test_a_copy_that_was_edited_is_not_replaced(served: Served) -> None:
    await done(served)
    for vault, path, words in (("Main", "Patterns/Retry.md", "Main's own."), ("Home", "Retry.md", "Home's own.")):
        edits = [{"op": "append", "text": words}]
        assert (await served.call("edit_note", vault=vault, path=path, edits=edits)).status == 200
    before = files(served)
    refused = await promote(served, update=True)
    assert (refused.code, refused.json["error"]["path"]) == ("change_conflict", "Patterns/Retry.md")
    assert "+Home's own." in refused.json["error"]["diff"]
    assert files(served) == before


async def test_a_copy_without_the_flag_is_found_and_only_the_flag_is_set(served: Served) -> None:
    first, second = (await done(served))["change_ids"]
    await served.call("undo_change", vault="Home", change_id=second)
    assert text(served, "Home", "Retry.md") == RETRY
    again = await done(served)
    assert (again["outcome"], again["copy"]["change_id"]) == ("unchanged", None)
    assert again["change_ids"] == [again["original"]["change_id"]]
    assert "promoted: true" in text(served, "Home", "Retry.md")
    assert first


async def test_the_same_note_of_another_project_joins_the_copy(served: Served) -> None:
    await done(served)
    joined = await done(served, vault="Work")
    home, work = (served.bridge.find(name).id for name in ("Home", "Work"))
    assert (joined["outcome"], joined["copy"]["path"]) == ("joined", "Patterns/Retry.md")
    copy = (await served.call("read_note", vault="Main", path="Patterns/Retry.md")).json["properties"]
    assert copy["promoted_from"] == [f"{home}/Retry.md", f"{work}/Retry.md"]
    assert copy["project"] == ["Home", "Work"]
    for vault in ("Home", "Work"):
        assert (await done(served, vault=vault))["outcome"] == "unchanged"


async def test_a_note_that_was_moved_keeps_its_copy(served: Served) -> None:
    await done(served)
    digest = (await served.call("read_note", vault="Home", path="Retry.md")).json["digest"]
    await served.result("move_note", vault="Home", path="Retry.md", to="Old/Retry.md", digest=digest)
    again = await done(served, "Old/Retry.md")
    assert (again["outcome"], again["copy"]["path"]) == ("unchanged", "Patterns/Retry.md")
    home = served.bridge.find("Home").id
    copy = (await served.call("read_note", vault="Main", path="Patterns/Retry.md")).json["properties"]
    assert copy["promoted_from"] == f"{home}/Old/Retry.md"


async def test_a_note_that_repeats_one_of_the_global_vault_must_be_confirmed(served: Served) -> None:
    before = files(served)
    refused = await promote(served, "Lesson.md")
    error = refused.json["error"]
    assert (refused.code, error["path"], error["share"] >= 0.6) == ("confirmation_required", "Reasons.md", True)
    assert files(served) == before
    tried = await done(served, "Lesson.md", dry_run=True)
    assert (tried["like"][0]["path"], tried["copy"]["confirmation"]) == ("Reasons.md", error["message"])
    assert (await done(served, "Lesson.md", confirm=True))["outcome"] == "copied"


REFUSED: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"folder": "Taken"}, "note_exists", "`Taken/Retry.md` already exists in the vault Main"),
    ({"vault": "Main", "path": "Shared.md"}, "invalid_arguments", "in the global vault already"),
    ({"path": "Board.canvas"}, "invalid_arguments", "is not Markdown"),
    ({"path": "Secret/Hidden.md"}, "note_not_found", "There is no note"),
    ({"path": "Kept/Lesson.md", "confirm": True}, "protected_path", ""),
    ({"folder": "Kept"}, "protected_path", ""),
    ({"folder": "../Out"}, "outside_vault", ""),
    ({"folder": ".obsidian"}, "protected_path", ""),
)


async def test_what_cannot_be_copied_changes_neither_vault(served: Served) -> None:
    before = files(served)
    for arguments, code, said in REFUSED:
        refused = await promote(served, **{"path": "Retry.md", **arguments})
        assert (refused.code, said in refused.json["error"]["message"]) == (code, True), refused.body
        assert "klepthorn" not in refused.body.decode()
    assert files(served) == before


async def test_a_denied_place_of_the_global_vault_takes_no_copy(served: Served) -> None:
    refused = await promote(served, folder="Secret")
    created = await served.call("create_note", vault="Main", path="Secret/Retry.md", text="x")
    assert (refused.status, refused.code) == (created.status, created.code)
    assert not (served.bridge.find("Main").root / "Secret").exists()


async def test_without_a_served_global_vault_it_is_said_how_to_have_one(served: Served) -> None:
    for setting, said in (("", "No global vault is set."), ("Gone", "`Gone`")):
        served.bridge.settings_path.write_text(SETTINGS.replace("Main", setting))
        await served.bridge.reload()
        refused = await promote(served)
        error = refused.json["error"]
        assert (refused.code, said in error["message"]) == ("no_such_vault", True)
        assert "global_vault" in error["hint"] or "vaultside serve" in error["hint"]


async def test_a_client_that_proposes_proposes_both_changes(served: Served) -> None:
    before = files(served)
    _, token = Tokens(served.bridge.folders.tokens).create("quill", ["read", "write"])
    headers = {"Authorization": f"Bearer {token}"}
    data = orjson.dumps({"vault": "Home", "path": "Retry.md"})
    made = (await served.request("POST", "/api/promote_note", headers=headers, data=data)).json
    assert (made["copy"]["state"], made["original"]["state"]) == ("proposed", "proposed")
    assert files(served) == before
    for vault, change in zip(("Main", "Home"), made["change_ids"], strict=True):
        assert (await served.call("decide", vault=vault, id=change, verdict="accept")).status == 200
    assert (await done(served))["outcome"] == "unchanged"
    _, reader = Tokens(served.bridge.folders.tokens).create("reader", ["read"])
    headers = {"Authorization": f"Bearer {reader}"}
    assert (await served.request("POST", "/api/promote_note", headers=headers, data=data)).code == "forbidden"


async def test_every_transport_gives_the_same_answer(served: Served) -> None:
    given = {"path": "Retry.md", "dry_run": True}
    http = await promote(served, dry_run=True)
    msgspec.json.decode(http.body, type=PromotedNote)
    ran = await served.command("promote-note", "Retry.md", "--dry-run", "--json", cwd=served.bridge.find("Home").root)
    assert (ran.status, ran.err, ran.json) == (0, "", http.json)
    async with connected(served, preset="full") as client:
        answer = await client.call_tool("promote_note", {**given, "vault": "Home"})
    assert answer.structured_content == http.json
    shown = text_of(answer)
    assert "copied, in the vault Main:" in shown
    assert "The note itself:" in shown
    assert (await served.command("promote-note", "Retry.md", cwd=served.bridge.find("Home").root)).status == 0
    await readable(served)
