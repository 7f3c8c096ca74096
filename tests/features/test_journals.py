"""Journals of sessions: written once the user agreed, kept current, and the user's as soon as the user edits them."""

import asyncio
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.engine.agents_folder import agents_folder
from bridge.features.sessions import lifetime
from bridge.features.sessions.facts import gather_facts
from bridge.features.sessions.operations import ListedSession
from bridge.features.workflows.questions import list_journal_lines
from bridge.markdown.decode import digest_of
from bridge.markdown.parse import parse
from bridge.settings.file import save_settings
from bridge.state.session_log import SessionFilter
from bridge.types import VaultPath
from tests.features.results import record_of
from tests.features.served import PATIENCE_S, Served, serving, write_vault
from tests.mcp.client import connected, text_of
from tests.server.clients import made

BEANS, RYE = "Garden/Beans.md", "Bread/Rye.md"
NOTES = {
    RYE: "# Rye\n\nDense bread. See [[Beans]].\n",
    BEANS: "# Beans\n\nSow after the last frost. #garden/beans\n",
    **{f"Notes/{number}.md": f"# {number}\n" for number in range(6)},
}


@pytest.fixture(autouse=True)
def swift(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for news without a pause, and let no stop cut a journal off."""
    monkeypatch.setattr(lifetime, "JOURNAL_LOOK_S", 0.02)
    monkeypatch.setattr("bridge.engine.hooks.STOP_S", PATIENCE_S)


async def begin(served: Served, **settings: Any) -> Path:
    """Set up the agents' folder; return the folder of journals."""
    values = {"sessions.journal_after_s": 0} | {f"sessions.{name}": value for name, value in settings.items()}
    await served.bridge.use(save_settings(served.bridge.settings_path, values))
    assert (await served.call("set_up_memory", templates=False)).status == 200
    return served.bridge.find(None).root / "Agents/Sessions"


async def until(look: Callable[[], Any]) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        while not (found := look()):
            await asyncio.sleep(0.02)
    return found


def recorded_journals(served: Served) -> list[VaultPath]:
    """Return the journals that are recorded as those of their sessions."""
    sessions, _ = served.bridge.find(None).store.sessions.page(SessionFilter(), 9)
    return [session.note for session in sessions if session.note is not None]


def journals(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.md")) if folder.is_dir() else []


def having(folder: Path, *parts: str) -> Callable[[], Path | None]:
    """Return a function that returns the only journal once it has these parts."""

    def look() -> Path | None:
        found = journals(folder)
        assert len(found) <= 1
        return next((path for path in found if all(part in path.read_text() for part in parts)), None)

    return look


def properties(path: Path) -> dict[str, Any]:
    return dict(parse(VaultPath("a.md"), path.read_bytes()).properties)


EDIT = {"path": BEANS, "edits": [{"op": "append", "text": "Cover them."}], "reason": "Frost is coming"}


async def test_a_session_that_changed_something_has_a_journal(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("read_note", {"path": RYE})
        await agent.call_tool("edit_note", EDIT)
        first = await until(having(folder, "status: active", "+2 -0"))
        assert "- `edit_note`: [[Garden/Beans|Beans]] +2 -0 – Frost is coming\n" in first.read_text()
        await agent.call_tool("read_note", {"path": "Notes/1.md"})
        await until(having(folder, "[[Notes/1|1]]"))
    path = await until(having(folder, "status: completed"))
    assert path == first
    said = properties(path)
    # Its tags are those of no other note.
    assert "tags" not in said
    assert said["type"] == "journal"
    (listed,) = (await served.call("list_sessions", status="completed")).json["sessions"]
    assert (listed["note"], listed["id"]) == (f"Agents/Sessions/{path.name}", said["session"])
    # The account of a session is not part of its work.
    assert (await served.call("undo_change", change_id=listed["id"])).status == 200
    assert path.exists()


async def test_without_the_folder_there_is_no_journal(served: Served) -> None:
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        refused = await agent.call_tool("save_session", {"decisions": ["Cover"]})
    assert "confirmation_required" in text_of(refused)
    assert not (served.bridge.find(None).root / "Agents").exists()


@pytest.mark.parametrize(("settings", "count"), [({"journals": "off"}, 0), ({}, 1)])
async def test_reading_enough_is_worth_a_journal(served: Served, settings: dict[str, str], count: int) -> None:
    folder = await begin(served, **settings)
    async with connected(served, "legacy", preset="full") as agent:
        for number in range(5):
            assert journals(folder) == []
            await agent.call_tool("read_note", {"path": f"Notes/{number}.md"})
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("read_note", {"path": "Notes/1.md"})
        await until(
            lambda: any("# Read 5 notes in Notes\n" in path.read_text() for path in journals(folder)) or not count
        )
        # Its journal is looked at after the one before.
        await agent.call_tool("save_session", {"outcomes": ["Found it"]})
    found = await until(lambda: journals(folder) if len(journals(folder)) == count + 1 else None)
    assert sum("Found it" in path.read_text() for path in found) == 1
    await until(lambda: sum("the session before" in path.read_text() for path in found) == count)


async def test_what_is_handed_over_stays_through_updates(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool(
            "save_session",
            {"goal": "Save the beans", "summary": "Looked.\n\n## Not a heading", "decisions": ["Cover them"]},
        )
        await agent.call_tool("save_session", {"open_questions": ["Which cover? [[Garden/Beans|Beans]]"]})
        await agent.call_tool("edit_note", EDIT)
        await until(having(folder, "edit_note"))
        await agent.call_tool("save_session", {"decisions": ["Cover them", "Use fleece"], "status": "paused"})
        path = await until(having(folder, "status: paused", "Use fleece"))
    text = path.read_text()
    assert text.count("Cover them") == 1
    assert "Which cover? [[Garden/Beans|Beans]]" in text
    assert "> ## Not a heading" in text
    sessions = (await served.call("list_sessions", status="paused")).json["sessions"]
    assert [one["goal"] for one in sessions] == ["Save the beans"]
    store = served.bridge.find(None).store
    rows = store.database.read(lambda connection: connection.execute("SELECT * FROM session").fetchall())
    assert "beans" not in repr(rows).replace(BEANS, "").lower()


async def test_what_the_user_writes_stays_byte_for_byte(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        path = await until(having(folder, "edit_note"))
        mine = path.read_bytes().replace(b"## Approach", b"## My own words\r\n\n## Approach") + b"\nNot to be lost  \n"
        path.write_bytes(mine)
        await served.call("wait_until_indexed", path=f"Agents/Sessions/{path.name}", timeout=60)
        await agent.call_tool("save_session", {"problems": ["It rains"]})
        await agent.call_tool("edit_note", EDIT | {"path": RYE})
        await until(having(folder, "Rye]]: edit_note"))
    await until(having(folder, "The session is completed."))
    after = path.read_bytes()
    assert after.startswith(mine)
    assert b"## Later" in after[len(mine) :]
    assert b"Problem: It rains" in after[len(mine) :]


async def test_a_journal_that_the_user_deleted_does_not_return(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        path = await until(having(folder, "edit_note"))
        await until(lambda: recorded_journals(served))
        path.unlink()
        await agent.call_tool("edit_note", EDIT)
        assert (await served.call("list_changes", operation="write_journal")).json["changes"]
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        (other,) = await until(lambda: journals(folder))
    assert properties(other)["session"] not in path.name


async def test_a_renamed_note_is_followed_in_a_journal(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        await until(having(folder, "edit_note"))
        await agent.call_tool("move_note", {"path": BEANS, "to": "Garden/Broad.md"})
        await agent.call_tool("read_note", {"path": RYE})
        await until(
            having(
                folder,
                "`edit_note`: [[Garden/Broad|Broad]] +2 -0",
                "`move_note` in 2 notes: `Garden/Beans.md` → [[Garden/Broad|Broad]], [[Bread/Rye|Rye]] +1 -1\n",
            )
        )
    path = await until(having(folder, "status: completed"))
    assert "## Later" not in path.read_text()


@pytest.mark.parametrize("ours", [True, False])
async def test_a_journal_in_which_only_links_changed_is_still_brought_up_to_date(served: Served, ours: bool) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        path = await until(having(folder, "edit_note"))
        journal = f"Agents/Sessions/{path.name}"
        if ours:
            await agent.call_tool("merge_notes", {"path": BEANS, "into": RYE})
        else:
            assert (await served.call("rename_heading", path=journal, heading="Changes", to="Beds")).status == 200
        await agent.call_tool("save_session", {"decisions": ["Grow rye"]})
        await until(having(folder, "Grow rye"))
    path = await until(having(folder, "completed"))
    assert ("## Later" not in path.read_text()) == ours
    assert ("## Beds" in path.read_text()) != ours
    assert "sions/" not in "".join(line for line in path.read_text().splitlines() if "`merge_notes`" in line)


async def test_a_journal_says_that_what_was_refused_changed_nothing(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("delete_note", {"path": "Notes/1.md"})
        await agent.call_tool("search", {"query": "rye"})
        await agent.call_tool("ask", {"question": "How is rye baked?"})
        await agent.call_tool("save_session", {"outcomes": ["Removed a note."], "actions": ["Looked"]})
        path = await until(having(folder, "## Problems", "Nothing was changed."))
        said = path.read_text()
        assert "- Calls with mistakes, which changed nothing: `delete_note` on `Notes/1.md`\n" in said
        assert "Looked\n\nSearched 2 times.\n" in said
        (listed,) = (await served.call("list_sessions", limit=1)).json["sessions"]
        assert listed["told"] == [{"what": "outcome", "text": "Nothing was changed."}]
        await agent.call_tool("delete_note", {"path": "Notes/1.md", "digest": digest_of(b"# 1\n")})
        await until(lambda: "Nothing was changed." not in path.read_text())
    assert "mistakes" not in path.read_text()


async def test_a_journal_says_how_a_tag_was_called(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("change_notes", {"rename_tags": {"garden": "plot"}})
        await until(having(folder, "- `change_notes`: `#garden` → `#plot`, [[Garden/Beans|Beans]] +1 -1\n"))


async def test_a_journal_links_to_no_note_that_is_gone(served: Served) -> None:
    folder, root = await begin(served), served.bridge.find(None).root
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("read_note", {"path": "Notes/2.md"})
        await agent.call_tool("merge_notes", {"path": BEANS, "into": RYE, "digest": digest_of(NOTES[BEANS].encode())})
        await agent.call_tool("delete_note", {"path": "Notes/1.md", "digest": digest_of(b"# 1\n")})
        await agent.call_tool("delete_note", {"path": "Notes/2.md", "digest": digest_of(b"# 2\n")})
        await agent.call_tool("create_note", {"path": "Notes/New.md", "text": "Sown.\n"})
        created = (await served.call("list_changes", operation="create_note")).json["changes"][0]
        assert (await served.call("undo_change", change_id=created["id"])).status == 200
        await agent.call_tool("rename_heading", {"path": "Notes/3.md", "heading": "3", "to": "Three"})
        await agent.call_tool("save_session", {"actions": ["Tidied"]})
        path = await until(having(folder, "- `create_note`, undone: `Notes/New.md`\n"))
    text = path.read_text()
    assert "- `merge_notes` in 2 notes: `Garden/Beans.md` removed, [[Bread/Rye|Rye]] +" in text
    assert "- `delete_note` in 2 notes: `Notes/1.md` removed, `Notes/2.md` removed\n" in text
    assert "- `rename_heading`: `3` → `Three`, [[Notes/3|3]] +1 -1\n" in text
    assert sorted(properties(path)["files"]) == [RYE, "Notes/3.md"]
    for target in re.findall(r"\[\[([^|\]]*)", text):
        assert (root / f"{target}.md").exists()


async def test_what_was_left_off_is_taken_back(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("save_session", {"goal": "Sow", "where_left_off": "Rye is missing"})
        path = await until(having(folder, "where_left_off: Rye is missing", "> Rye is missing"))
        await agent.call_tool("save_session", {"summary": "Sown.", "where_left_off": ""})
        assert "Rye is missing" not in path.read_text()
        await agent.call_tool("save_session", {"where_left_off": "Water it"})
        await agent.call_tool("save_session", {"actions": ["Watered"], "status": "paused"})
        assert properties(path)["where_left_off"] == "Water it"
        await agent.call_tool("save_session", {"status": "completed"})
    assert "Water it" not in path.read_text()
    assert properties(path)["goal"] == "Sow"


async def test_a_session_that_only_asked_has_no_journal(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("search", {"query": "rye"})
        said = text_of(await agent.call_tool("save_session", {"status": "paused"}))
    assert "No journal is written" in said
    assert journals(folder) == []


async def test_a_completed_session_is_followed_by_another(served: Served) -> None:
    folder = await begin(served)
    for goal, status in (("Sow", "completed"), ("Weed", "paused"), ("Weed again", "completed"), ("Reap", "completed")):
        assert (await served.call("save_session", goal=goal, summary=f"{goal}.", status=status)).status == 200
    assert sorted(properties(path)["title"] for path in journals(folder)) == ["Reap", "Sow", "Weed again"]
    sessions = (await served.call("list_sessions")).json["sessions"]
    assert sorted(one["title"] for one in sessions if one["note"]) == ["Reap", "Sow", "Weed again"]


async def test_the_users_notes_come_first_in_a_journal(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        for number in range(11):
            memory = {"title": f"Memory {number}", "text": f"Field {number} is of {'rye ' * number}.\n\nIt is green."}
            await agent.call_tool("remember", memory)
        await agent.call_tool("edit_note", EDIT | {"reason": None})
        path = await until(having(folder, "edit_note"))
    assert properties(path)["files"][0] == BEANS
    assert properties(path)["title"] == "Beans"


async def test_a_denied_note_is_never_named(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        await agent.call_tool("read_note", {"path": BEANS})
        await agent.call_tool("edit_note", EDIT | {"path": RYE, "reason": "Another"})
        await until(having(folder, "Rye]] +2 -0"))
        await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Garden/**"]}))
        await agent.call_tool("read_note", {"path": "Notes/1.md"})
        path = await until(having(folder, "[[Notes/1|1]]"))
    assert "Beans" not in path.read_text()


SOWN = """\
Beans are sown in two rows below the southern wall. They need no manure where clover stood before.

The seed is soaked overnight in rain water. After a cold week in May the whole row was sown again.

The new password: hunter2hunter2 opens the shed of the beans.

| row | beans |
| --- | --- |
| one | 40 |
"""


async def test_a_journal_sums_up_what_was_written(served: Served) -> None:
    folder = await begin(served)
    hidden = "The klepthorn is a secret of beans. Nobody else may know of the klepthorn in the bean rows."
    async with connected(served, "legacy", preset="full") as agent:
        edits = [{"op": "append", "text": f"{SOWN}\nThis is wrong about the beans and is taken out again soon."}]
        await agent.call_tool("edit_note", {"path": BEANS, "edits": edits})
        edits = [
            {"op": "replace_text", "old": "\nThis is wrong about the beans and is taken out again soon.", "new": ""}
        ]
        digest = (await served.call("read_note", path=BEANS)).json["digest"]
        taken_out = await agent.call_tool("edit_note", {"path": BEANS, "edits": edits, "digest": digest})
        assert not taken_out.is_error, text_of(taken_out)
        mood = {"mood": "The beans of the garden are content with all beans"}
        await agent.call_tool("set_properties", {"path": BEANS, "properties": mood})
        await agent.call_tool("move_note", {"path": BEANS, "to": "Garden/Broad beans.md"})
        await agent.call_tool("create_note", {"path": "Notes/Hidden.md", "text": hidden})
        await agent.call_tool("remember", {"title": "Mine", "text": hidden, "private": True})
        await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Notes/Hidden.md"]}))
        await agent.call_tool("save_session", {"decisions": ["Sow again."]})
        path = await until(having(folder, "Sow again.", "## Summary"))
        told = path.read_text().partition("## Summary\n\n")[2].partition("\n\n")[0]
        assert told.startswith("“Beans are sown in two rows below the southern wall. ")
        sentences = told.strip("“”").removesuffix(".").split(". ")
        assert len(sentences) in {2, 3}
        assert all(f"{one}." in SOWN for one in sentences)
        for unsaid in ("klepthorn", "hunter2", "wrong", "content", "|"):
            assert unsaid not in told
        await agent.call_tool("save_session", {"summary": "Beans."})
        assert "## Summary\n\n> Beans.\n" in path.read_text()
        assert "## Summary\n\n“" not in path.read_text()


WRITTEN = """\
---
mood: We decided to be content in all things.
---
# Plan

Here we decided to cover the beans with fleece, because it breathes. It is still open whether the rye needs it.

> We decided to quote others now and then.

We decided what the template says each day.

- [ ] Buy fleece
- [ ] Check the template's box
"""


async def test_a_journal_quotes_what_was_decided_and_left_open(served: Served) -> None:
    folder, root = await begin(served), served.bridge.find(None).root
    (root / "Templates").mkdir()
    template = "# {{title}}\n\nWe decided what the template says each day.\n\n- [ ] Check the template's box\n"
    (root / "Templates/Plan.md").write_text(template)
    (root / "Old.md").write_text(
        "# Old\n\nHere we decided long ago. See [[Beans]].\n\n- [ ] Oil the [[Beans]]\n- [ ] Weed\n"
    )
    (root / "Notes/Apart.md").write_text("---\ndeny_agents: [other]\n---\n# Apart\n")
    for path in ("Templates/Plan.md", "Old.md", "Notes/Apart.md"):
        await served.call("wait_until_indexed", path=path)
    secret = {"op": "append", "text": "I decided to keep the klepthorn."}
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("create_note", {"path": "Plan.md", "text": WRITTEN})
        await agent.call_tool("move_note", {"path": BEANS, "to": "Garden/Broad.md"})
        await agent.call_tool("toggle_task", {"path": "Old.md", "line": 6, "text": "Weed"})
        await agent.call_tool("edit_note", {"path": "Notes/Apart.md", "edits": [secret]})
        await agent.call_tool("create_note", {"path": "Notes/Hidden.md", "text": "We decided to hide the klepthorn.\n"})
        await agent.call_tool("remember", {"title": "Mine", "text": "We decided on the klepthorn.", "private": True})
        await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Notes/Hidden.md"]}))
        await agent.call_tool("save_session", {"problems": ["It rains."]})
        path = await until(having(folder, "It rains.", "## Key decisions"))
    text = path.read_text()
    decided = "Here we decided to cover the beans with fleece, because it breathes."
    assert f"# {decided}\n" in text
    assert f"## Key decisions\n\n- “{decided}” ([[Plan]], line 6)\n\n" in text
    assert "## Outcome\n\n- “Weed” ([[Old]], line 6)\n\n" in text
    assert (
        "## Open questions\n\n- “It is still open whether the rye needs it.” ([[Plan]], line 6)\n"
        "- To do: “Buy fleece” ([[Plan]], line 12)\n"
    ) in text
    for unsaid in ("klepthorn", "long ago", "template", "content", "quote others", "Oil"):
        assert unsaid not in text
    (listed,) = (await served.call("list_sessions", limit=1)).json["sessions"]
    assert listed["title"] == decided
    assert [one["what"] for one in listed["told"]] == ["decision", "outcome", "question", "task"]


async def test_what_was_asked_is_not_in_a_journal(served: Served) -> None:
    folder = await begin(served)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"keep_questions": "all"}))
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("brief", {"task": "Save the klepthorn"})
        await agent.call_tool("search", {"query": "klepthorn"})
        await agent.call_tool("edit_note", EDIT)
        path = await until(having(folder, "+2 -0"))
        assert (properties(path)["title"], "goal" in properties(path)) == ("Beans: Frost is coming", False)
        await agent.call_tool("save_session", {"goal": "Cover them"})
    assert properties(path)["goal"] == "Cover them"
    assert "klepthorn" not in path.read_text()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_a_journal_lists_its_commits(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = served.bridge.find(None).root
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = A. User\n\temail = user@example.org\n")
    monkeypatch.setenv("HOME", str(tmp_path))

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout

    folder = await begin(served)
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "start")):
        git(*words)
    await served.call("edit_note", path=RYE, edits=EDIT["edits"])
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT | {"path": "Notes/1.md"})
        await until(having(folder, "Notes/1|1]] +"))
        await served.bridge.use(save_settings(served.bridge.settings_path, {"git_commit": True}))
        await served.call("edit_note", path=RYE, edits=EDIT["edits"])
        await agent.call_tool("edit_note", EDIT)
        [commit] = git("log", "--format=%H", "--", BEANS).split()[:-1]
        path = await until(having(folder, "commits:"))
        assert properties(path)["commits"] == [commit[:12]]


async def test_what_failed_was_undone_or_waits_is_said(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full", token=made(served, "Cursor", "read", "write")) as agent:
        await agent.call_tool("edit_note", EDIT)
        for digest in ("0" * 12, "1" * 12):
            await agent.call_tool("edit_note", EDIT | {"path": RYE, "digest": digest})
        await agent.call_tool("edit_note", EDIT | {"path": "Notes/2.md", "digest": "0" * 12})
        await agent.call_tool("set_properties", {"path": "Notes/2.md", "properties": {"done": True}})
        await agent.call_tool("edit_note", {"path": "Notes/3.md", "edits": []})
        await agent.call_tool("delete_note", {"path": "Notes/1.md", "digest": "0" * 12})
        await agent.call_tool("delete_note", {"path": "Notes/1.md", "digest": digest_of(b"# 1\n")})
        await agent.call_tool("save_session", {"problems": ["Rye is stubborn"]})
        path = await until(having(folder, "Rye is stubborn", "- `delete_note`, awaits approval: [[Notes/1|1]]"))
        assert "- `edit_note`, awaits approval: [[Garden/Beans|Beans]]" in path.read_text()
        assert "- `edit_note` on `Bread/Rye.md` failed: `note_changed`, 2 times" in path.read_text()
        assert "- Calls with mistakes, which changed nothing: `edit_note` on `Notes/3.md`\n" in path.read_text()
        assert path.read_text().count(" failed: ") == 2
        proposals = (await served.call("list_changes", client="Cursor", operation="edit_note")).json["changes"]
        assert (await served.call("decide", id=proposals[0]["id"], verdict="accept")).status == 200
        await agent.call_tool("list_tags", {})
        await until(having(folder, "- `edit_note`: [[Garden/Beans|Beans]] +2 -0"))
        assert (await served.call("undo_change", change_id=proposals[0]["id"])).status == 200
        await agent.call_tool("list_tags", {})
        await until(having(folder, "- `edit_note`, undone: [[Garden/Beans|Beans]]\n"))
    assert "+2 -0" not in path.read_text()
    assert path.name.endswith(" Cursor.md")


async def test_a_failure_is_told_until_the_same_is_written(served: Served) -> None:
    folder = await begin(served)
    item, decided = {"op": "add_item", "text": "Buy rye"}, {"op": "append", "text": "Decision: bake at dawn."}
    lost = {"path": RYE, "edits": [item | {"task": " "}, decided]}
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", lost)
        await agent.call_tool(
            "edit_note", {"path": RYE, "edits": [{"op": "add_item", "text": "Buy rye", "task": True}]}
        )
        await agent.call_tool("run_tool", {"name": "move_note", "arguments": {"path": RYE, "to": BEANS}})
        await agent.call_tool("run_tool", {"name": "delete_note", "arguments": {"path": "Notes/1.md"}})
        path = await until(having(folder, "`delete_note` on `Notes/1.md`"))
        _, _, problems = path.read_text().partition("## Problems\n\n")
        assert problems.partition("\n\n")[0].splitlines() == [
            f"- `move_note` on `{RYE}` and `{BEANS}` failed: `note_exists` – There is a note of this name already.",
            f"- Calls with mistakes, which changed nothing: `edit_note` on `{RYE}`, `delete_note` on `Notes/1.md`",
        ]
        under = {"op": "insert_under", "heading": "Dawn", "text": "Decision: bake at dawn.", "create_heading": True}
        await agent.call_tool("edit_note", {"path": BEANS, "edits": [under]})
        await until(lambda: f"`edit_note` on `{RYE}`" not in path.read_text())
    calls = served.bridge.find(None).vault.store.calls.since(0.0)
    assert not any(word in f"{call.cause}{call.sums}" for call in calls for word in ("dawn", "rye"))


async def test_what_was_handed_over_is_goal_and_next_step_and_taking_it_over_is_no_work(served: Served) -> None:
    folder = await begin(served)
    handed = {"goal": "Bake every week", "state": "Begun.", "next_action": "Buy rye\nand salt"}
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        await agent.call_tool("hand_over", handed)
        path = await until(having(folder, "hand_over"))
        facts = properties(path)
        assert (facts["title"], facts["goal"], facts["where_left_off"]) == (
            "Bake every week", "Bake every week", "Buy rye and salt",
        )  # fmt: skip
        assert "## Goal\n\nBake every week\n" in path.read_text()
        assert "## Where it left off\n\nBuy rye and salt\n" in path.read_text()
        await agent.call_tool("save_session", {"status": "completed", "where_left_off": "Salt is there"})
        assert path.read_text().endswith("## Where it left off\n\n> Salt is there\n")
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("take_over", {})
        await agent.call_tool("save_session", {"status": "completed"})
    assert [*folder.glob("*.md")] == [path]


async def test_a_large_change_that_was_confirmed_and_undone_is_one_line(served: Served) -> None:
    folder = await begin(served)
    edits = [{"op": "set_properties", "path": path, "properties": {"color": "red"}} for path in NOTES]
    more = [{"op": "create_note", "path": f"More/{one}.md", "properties": {"color": one}} for one in range(6)]
    assert (await served.call("change_set", edits=[*edits, *more], confirm=True)).status == 200
    await served.bridge.use(save_settings(served.bridge.settings_path, {"confirm_files": 5, "agents_confirm": True}))
    async with connected(served, "legacy", preset="full") as agent:
        rename = {"rename": {"color": "colour"}}
        assert "confirmation_required" in text_of(await agent.call_tool("change_notes", rename))
        await agent.call_tool("change_notes", {**rename, "confirm": True})
        path = await until(having(folder, "- `change_notes` in 14 notes: `color` → `colour`\n"))
        # The change is known before the call that made it has ended.
        await until(lambda: "## Problems" not in path.read_text())
        session = properties(path)["session"]
        assert (await served.call("undo_change", change_id=session)).status == 200
        await agent.call_tool("list_tags", {})
        await until(having(folder, "- `change_notes` in 14 notes, undone: `color` → `colour`\n"))
    assert "[[" not in path.read_text()


async def test_a_folder_that_may_not_be_written_is_left_alone_and_named(served: Served) -> None:
    folder = await begin(served)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"readonly": ["Agents/**"]}))
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        refused = await agent.call_tool("save_session", {"outcomes": ["Nothing"]})
    assert "protected_path" in text_of(refused)
    (finding,) = [one for one in (await served.call("doctor")).json["findings"] if one["check"] == "journals"]
    assert finding["verdict"] == "warn"
    assert journals(folder) == []
    await served.bridge.use(save_settings(served.bridge.settings_path, {"readonly": []}))
    # What happened meanwhile is in the records, so that the session before may get its journal, too.
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        await until(lambda: any("edit_note" in path.read_text() for path in journals(folder)))


def test_a_long_session_takes_few_places_among_the_changes() -> None:
    assert [lifetime.pause_after(count, 60) for count in range(8)] == [0, 60, 120, 240, 480, 960, 960, 960]


async def test_secrets_are_not_written(served: Served) -> None:
    folder = await begin(served)
    for operation, given in (
        ("save_session", {"decisions": ["The password is hunter2-and-3"]}),
        ("save_session", {"problems": ["Fine", "See https://me:secret1@example.org/"]}),
        ("save_session", {"goal": "Hidden\u200b words"}),
    ):
        assert (await served.call(operation, **given)).code == "invalid_arguments"
    assert journals(folder) == []


@pytest.fixture
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Live fourteen hours ahead."""
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "Etc/GMT-14")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("far_east")
async def test_the_day_of_a_journal_is_local(served: Served) -> None:
    folder = await begin(served)
    before = datetime.now(timezone(timedelta(hours=14)))
    await served.call("save_session", outcomes=["Done"])
    (path,) = journals(folder)
    session = (await served.call("list_sessions")).json["sessions"][0]
    started = datetime.fromisoformat(session["started"])
    assert started.utcoffset() == timedelta(hours=14)
    assert path.name.startswith(f"{started:%Y-%m-%d %H%M} ")
    assert started <= before


async def test_asking_proposes_the_journal_at_the_end(served: Served) -> None:
    folder = await begin(served, journals="ask")
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)

    async def proposals() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await served.call("list_changes", state="proposed")).json["changes"]
        return found

    async with asyncio.timeout(PATIENCE_S):
        while not (found := await proposals()):
            await asyncio.sleep(0.02)
    assert [one["operation"] for one in found] == ["write_journal"]
    assert journals(folder) == []
    accepted = await served.call("decide", id=found[0]["id"], verdict="accept")
    assert accepted.status == 200
    assert len(journals(folder)) == 1


async def test_a_stop_pauses_the_journal_and_the_next_call_continues_it(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", NOTES)

    async def note(served: Served, text: str) -> None:
        headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Session": "mine"}
        body = orjson.dumps({"outcomes": [text]})
        assert (await served.request("POST", "/api/save_session", headers=headers, data=body)).status == 200

    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        folder = await begin(served)
        await note(served, "Before the stop")
        (path,) = journals(folder)
        assert properties(path)["status"] == "active"
    assert properties(path)["status"] == "paused"
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        await note(served, "After the stop")
        assert journals(folder) == [path]
        assert properties(path)["status"] == "active"
    assert properties(path)["status"] == "paused"
    assert "Before the stop" in path.read_text()
    assert "After the stop" in path.read_text()


async def test_a_journal_that_is_written_while_its_session_is_paused_says_so(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = await begin(served)
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Session": "mine"}
    body = orjson.dumps({"outcomes": ["Before the stop"]})
    assert (await served.request("POST", "/api/save_session", headers=headers, data=body)).status == 200
    (path,) = journals(folder)
    vault = served.bridge.find(None).vault
    gathered, go_on = threading.Event(), threading.Event()

    def gather_slowly(*given: Any) -> Any:
        facts = gather_facts(*given)
        gathered.set()
        assert go_on.wait(PATIENCE_S)
        return facts

    (session,) = {one.id for one in vault.store.sessions.page(SessionFilter(), 10, 0)[0] if one.note is not None}
    monkeypatch.setattr(lifetime, "gather_facts", gather_slowly)
    keeping = asyncio.create_task(lifetime.keep_journal(vault, session))
    assert await asyncio.to_thread(gathered.wait, PATIENCE_S)
    monkeypatch.setattr(lifetime, "gather_facts", gather_facts)
    pausing = asyncio.create_task(lifetime.pause_sessions(vault))
    # The pause waits for its turn; without turns it would be over before what was gathered earlier is written.
    await until(lambda: pausing.done() or lifetime._turns[vault.store]._waiters)
    go_on.set()
    await asyncio.gather(keeping, pausing)
    assert properties(path)["status"] == "paused"


async def test_two_sessions_of_one_client_have_journals_of_their_own(served: Served) -> None:
    folder = await begin(served)

    async def note(session: str, number: int) -> None:
        headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Session": session}
        body = orjson.dumps({"outcomes": [f"{session} {number}"]})
        answer = await served.request("POST", "/api/save_session", headers=headers, data=body)
        assert answer.status == 200, answer.body

    await asyncio.gather(*(note(f"session {one}", number) for one in "xy" for number in range(5)))
    found = [path.read_text() for path in journals(folder)]
    assert len(found) == 2
    for text in found:
        own = "session x" if "session x" in text else "session y"
        assert {f"{own} {number}" in text for number in range(5)} == {True}
        assert sum(text.count(f" session {one}") for one in "xy") == 5 + len(["title", "# "])


async def test_a_missing_note_that_was_to_be_changed_is_named(served: Served) -> None:
    folder = await begin(served)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Hidden/**"]}))
    async with connected(served, "legacy", preset="full") as agent:
        for name in ("Notes/Gone.md", "Hidden/Klepthorn.md", "Notes/`klepthorn`.md"):
            edits = [{"op": "append", "text": "Something that is written nowhere else."}]
            await agent.call_tool("edit_note", {"path": name, "edits": edits})
        await agent.call_tool("read_note", {"path": "Notes/Klepthorn.md"})
        await agent.call_tool("edit_note", EDIT)
        path = await until(having(folder, "which changed nothing: `edit_note` on `Notes/Gone.md`"))
    path = await until(having(folder, "status: incomplete"))
    assert "lepthorn" not in path.read_text()


async def test_the_journal_of_what_was_undone_is_short_and_names_real_notes(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        for path in ("New/One.md", "New/Deep/Two.md"):
            await agent.call_tool("create_note", {"path": path, "text": "Sown."})
        await agent.call_tool("move_note", {"path": "Notes/1.md", "to": "New/1.md"})
        await agent.call_tool("delete_note", {"path": "Notes/2.md"})
        path = await until(having(folder, "`move_note`: `Notes/1.md` → [[New/1|1]]", "which changed nothing"))
        session = properties(path)["session"]
        assert (await served.call("undo_change", change_id=session)).status == 200
        await agent.call_tool("list_tags", {})
        await until(having(folder, ", undone"))
    text = path.read_text()
    assert text.partition("## Changes\n\n")[2].partition("\n\n")[0].strip() == (
        "- `create_note`, `move_note` in 3 notes, undone: `New/One.md`, `New/Deep/Two.md`, [[Notes/1|1]]"
    )
    assert properties(path)["title"] == "One, undone"
    [listed] = (await served.call("list_sessions", limit=1)).json["sessions"]
    assert listed["changed"] == []
    # Nor does a review of the week tell of it.
    found = list_journal_lines([record_of(ListedSession, listed)], {}, agents_folder(served.bridge.settings))
    assert (found["count"], found["text"]) == (0, "")


async def test_a_journal_says_what_was_changed_in_many_notes_and_links_to_no_folder(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("change_notes", {"folder": "Notes", "add_tags": ["seed"], "properties": {"rows": 2}})
        await agent.call_tool("change_notes", {"folder": "Bread", "find": "Dense", "replace": "Light"})
        await agent.call_tool("move_note", {"path": "Notes", "to": "Old notes"})
        path = await until(having(folder, "`move_note`: `Notes` → `Old notes`\n"))
    text = path.read_text()
    assert "- `change_notes` in 7 notes: `rows: 2` added, `#seed` added, `Dense` → `Light`, " in text
    assert "Old notes" not in properties(path)["files"]


async def test_a_journal_quotes_labels_and_sums_up_only_what_was_written(served: Served) -> None:
    folder, root = await begin(served), served.bridge.find(None).root
    filler = "\n\n".join(
        f"## Part {number}\n\nThe {number}th part is about the soil of the garden." for number in range(9)
    )
    (root / "Long.md").write_text(f"# Long\n\n{filler}\n")
    await served.call("wait_until_indexed", path="Long.md")
    said = (
        "Problem: the rail pass is sold out.\n\nTODO: ask Steph about the pass\n\n**待办：** 打电话给客户确认时间\n\n"
        "The train leaves at nine from the old station. Seats are booked by the travel office in town."
    )
    async with connected(served, "legacy", preset="full") as agent:
        under = {"op": "insert_under", "heading": "Plan", "text": said, "create_heading": True}
        await agent.call_tool("edit_note", {"path": "Long.md", "edits": [under]})
        path = await until(having(folder, "## Problems"))
    text = path.read_text()
    assert "## Problems\n\n- “the rail pass is sold out.” ([[Long]], line" in text
    assert "- To do: “ask Steph about the pass” ([[Long]], line" in text
    assert "- To do: “打电话给客户确认时间” ([[Long]], line" in text
    assert "Part 1" not in text
