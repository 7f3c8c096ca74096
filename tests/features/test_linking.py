"""Links that are missing, in a vault that changes while it is served."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.access.tokens import Tokens
from tests.features.served import Answer, Served, readable, serving, write_vault

NOTES = {
    "Old Rye Starter.md": "---\naliases: [Gertrude]\n---\nFed daily.\n",
    "Diary.md": "Today I fed the Old Rye Starter.\n\n`Old Rye Starter` [[Spelt]] and Spelt again.\n",
    "Spelt.md": "A grain. Gertrude likes it.\n",
    "a/Index.md": "One.\n",
    "b/Index.md": "Two.\n",
    "b/List.md": "- Index\n",
}


async def targets(served: Served, **arguments: Any) -> list[str]:
    answer = await served.call("suggest_links", strictness="aggressive", **arguments)
    return [found["target"] for found in answer.json["suggestions"]]


async def test_prose_that_names_a_note_is_suggested_with_its_place(served: Served) -> None:
    answer = (await served.call("suggest_links", path="Diary.md")).json
    (found,) = answer["suggestions"]
    assert (found["target"], found["text"], found["lines"]) == ("Old Rye Starter.md", "Old Rye Starter", [1, 1])
    start, end = found["span"]
    assert NOTES["Diary.md"][start:end] == "Old Rye Starter"
    assert "says “Old Rye Starter”" in found["why"]
    assert answer["digest"] == (await served.call("read_note", path="Diary.md")).json["digest"]


async def test_of_some_lines_each_place_counts_that_stands_on_them(served: Served) -> None:
    text = "The Old Rye Starter.\n\nThat old rye starter again.\n"
    for line in (1, 3):
        answer = await served.call("suggest_links", text=text, lines=[line, line], strictness="aggressive")
        assert [(found["target"], found["lines"]) for found in answer.json["suggestions"]] == [
            ("Old Rye Starter.md", [line, line])
        ]
    assert await targets(served, text=text, lines=[2, 2]) == []
    assert (await served.call("suggest_links", text=text, lines=[9, 9])).json["error"]["code"] == "invalid_arguments"


async def test_of_a_long_text_only_so_much_is_looked_at_and_it_is_told(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.features.links.suggest.MAX_CHARACTERS", 20)
    text = "Nothing here at all.\n\nThe Old Rye Starter.\n"
    answer = (await served.call("suggest_links", text=text)).json
    assert answer["suggestions"] == []
    assert answer["notices"] == ["Only 20 characters were looked at, up to line 1; give `lines`."]
    answer = (await served.call("suggest_links", text=text, lines=[3, 3])).json
    assert [(found["text"], found["lines"]) for found in answer["suggestions"]] == [("Old Rye Starter", [3, 3])]
    start, end = answer["suggestions"][0]["span"]
    assert text[start:end] == "Old Rye Starter"


async def test_of_notes_of_one_name_the_nearest_is_suggested(served: Served) -> None:
    assert await targets(served, path="b/List.md") == ["b/Index.md"]


async def test_a_text_outside_the_vault_is_read_as_markdown(served: Served) -> None:
    assert await targets(served, text="see `Spelt` and Old Rye Starter") == ["Old Rye Starter.md"]


async def test_new_names_texts_and_links_count_at_once(served: Served) -> None:
    assert "Sea Salt.md" not in await targets(served, text="with Sea Salt")
    (host,) = served.bridge.vaults.values()
    vault = host.root
    (vault / "Sea Salt.md").write_text("Salt.\n")
    await served.call("wait_until_indexed", path="Sea Salt.md")
    assert await targets(served, text="with Sea Salt") == ["Sea Salt.md"]
    (vault / "Sea Salt.md").rename(vault / "Rock Salt.md")
    rename = {"kind": "rename", "from": "Sea Salt.md", "path": "Rock Salt.md"}
    await served.call("report_changes", changes=[rename])
    await served.call("wait_until_indexed", path="Rock Salt.md")
    assert await targets(served, text="with Sea Salt and Rock Salt") == ["Rock Salt.md"]
    (vault / "Diary.md").write_text("I fed the [[Old Rye Starter]].\n")
    await served.call("wait_until_indexed", path="Diary.md")
    assert await targets(served, path="Diary.md") == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "invalid_arguments"),
        ({"path": "Spelt.md", "text": "x"}, "invalid_arguments"),
        ({"path": "Speld.md"}, "note_not_found"),
        ({"path": "Spelt.md", "strictness": "wild"}, "invalid_arguments"),
        ({"path": "../x.md"}, "outside_vault"),
    ],
)
async def test_what_cannot_be_asked_is_told(served: Served, arguments: dict[str, Any], code: str) -> None:
    assert (await served.call("suggest_links", **arguments)).code == code


async def test_nobody_means_a_template(tmp_path: Path) -> None:
    vault = write_vault(
        tmp_path / "Notes", {"Forms/Sea Salt.md": "", ".obsidian/templates.json": '{"folder": "Forms"}'}
    )
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        await readable(served)
        assert await targets(served, text="with Sea Salt") == []


async def test_an_empty_text_has_no_suggestions(served: Served) -> None:
    assert await targets(served, text="") == []


async def test_what_is_declined_is_suggested_there_no_more_until_revived(served: Served) -> None:
    said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": "Old Rye Starter"}
    answer = await served.call("judge_link", **said, verdict="decline")
    assert answer.json == {"accepted": 0, "declined": 1, "rate": 0.0}
    assert await targets(served, path="Diary.md") == []
    assert await targets(served, text="Old Rye Starter") == ["Old Rye Starter.md"]
    answer = await served.call("judge_link", **said, verdict="revive")
    assert answer.json == {"accepted": 0, "declined": 0, "rate": None}
    assert await targets(served, path="Diary.md") == ["Old Rye Starter.md"]


async def test_what_an_agent_declines_counts_for_agents_and_what_the_user_declines_for_all(served: Served) -> None:
    token = Tokens(served.bridge.folders.tokens).create("agent", ["read", "write"])[1]
    said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": "Old Rye Starter"}

    async def by_agent(operation: str, **arguments: Any) -> Answer:
        headers = {"Authorization": f"Bearer {token}"}
        return await served.request("POST", f"/api/{operation}", headers=headers, data=orjson.dumps(arguments))

    async def suggested() -> tuple[int, list[str]]:
        """Return how many links are suggested to the agent, and the reasons of the one for the user."""
        to_agent = (await by_agent("suggest_links", path="Diary.md")).json["suggestions"]
        to_user = (await served.call("suggest_links", path="Diary.md")).json["suggestions"]
        return len(to_agent), [why for one in to_user for why in one["why"]]

    assert (await by_agent("judge_link", **said, verdict="decline")).status == 200
    of_agent, of_user = await suggested()
    assert (of_agent, "an agent declined it here" in of_user) == (0, True)
    assert (await by_agent("judge_link", **said, verdict="revive")).json["declined"] == 0
    of_agent, of_user = await suggested()
    assert (of_agent, "an agent declined it here" in of_user) == (1, False)

    await by_agent("judge_link", **said, verdict="decline")
    await served.call("judge_link", **said, verdict="decline")
    for verdict in ("revive", "accept"):
        assert (await by_agent("judge_link", **said, verdict=verdict)).code == "declined"
    assert await suggested() == (0, [])
    assert (await served.call("judge_link", **said, verdict="revive")).json["declined"] == 0
    assert (await suggested())[0] == 1


async def test_an_agent_can_judge_only_words_of_the_note(served: Served) -> None:
    Tokens(served.bridge.folders.tokens).create("agent", ["read", "write"])
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Client": "agent"}

    async def judged(text: str) -> Answer:
        said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": text, "verdict": "decline"}
        return await served.request("POST", "/api/judge_link", headers=headers, data=orjson.dumps(said))

    refused = await judged("sourdough starter")
    assert (refused.code, refused.json["error"]["closest"]) == ("text_not_found", ["Old Rye Starter"])
    assert served.bridge.find(None).store.feedback.all() == []
    assert (await judged("old  rye starter")).status == 200
    ran = await served.command("judge-link", "Diary.md", "Old Rye Starter.md", "sourdough", "accept")
    assert (ran.status, "the closest is “Old Rye Starter”" in ran.err) == (1, True)


async def test_what_is_accepted_counts_for_other_notes(served: Served) -> None:
    before = (await served.call("suggest_links", text="Old Rye Starter")).json["suggestions"][0]
    said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": "Old Rye Starter"}
    await served.call("judge_link", **said, verdict="accept")
    after = (await served.call("suggest_links", text="Old Rye Starter")).json["suggestions"][0]
    assert after["score"] > before["score"]
    assert "you accepted links to it once" in after["why"]


async def applied(served: Served, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = (await served.call("apply_links", **arguments)).json
    return answer


async def test_a_dry_run_gives_the_diff_and_writes_nothing(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "Notes/Diary.md"
    path.write_bytes(b"\xef\xbb\xbf" + NOTES["Diary.md"].replace("\n", "\r\n").encode())
    await served.call("wait_until_indexed", path="Diary.md")
    before = path.read_bytes()
    answer = await applied(served, path="Diary.md", dry_run=True)
    assert (path.read_bytes(), answer["change_id"]) == (before, None)
    assert answer["links"] == [{"target": "Old Rye Starter.md", "line": 1, "link": "[[Old Rye Starter]]"}]
    patch = await asyncio.create_subprocess_exec("git", "apply", "-", cwd=path.parent, stdin=asyncio.subprocess.PIPE)
    await patch.communicate(answer["diff"].encode())
    assert patch.returncode == 0
    after = path.read_bytes()
    assert after == before.replace(b"the Old Rye Starter", b"the [[Old Rye Starter]]")
    assert answer["digest"] == hashlib.sha256(after).hexdigest()
    assert answer["before"] == hashlib.sha256(before).hexdigest()


async def test_links_are_written_and_taken_back(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "Notes/Diary.md"
    before = path.read_bytes()
    answer = await applied(served, path="Diary.md")
    assert path.read_bytes() == before.replace(b"the Old Rye Starter", b"the [[Old Rye Starter]]")
    links = (await served.call("note_links", path="Diary.md")).json["links"]
    assert "Old Rye Starter.md" in {link["path"] for link in links}
    assert (await served.call("undo_change", change_id=answer["change_id"])).status == 200
    assert path.read_bytes() == before


async def test_what_was_suggested_can_be_chosen(served: Served) -> None:
    found = (await served.call("suggest_links", path="Spelt.md", strictness="aggressive")).json["suggestions"]
    chosen = [{name: one[name] for name in ("target", "text", "span")} for one in found]
    (link,) = (await applied(served, path="Spelt.md", suggestions=chosen))["links"]
    assert link == {"target": "Old Rye Starter.md", "line": 1, "link": "[[Old Rye Starter|Gertrude]]"}


async def test_the_users_way_to_write_links_is_kept(served: Served, tmp_path: Path) -> None:
    settings = '{"useMarkdownLinks": true, "newLinkFormat": "relative"}'
    (tmp_path / "Notes/.obsidian/app.json").write_text(settings)
    (link,) = (await applied(served, path="b/List.md", targets=["b/Index.md"]))["links"]
    assert link["link"] == "[Index](Index.md)"


async def test_a_note_that_changed_or_cannot_be_edited_is_refused(served: Served, tmp_path: Path) -> None:
    async def code(**arguments: Any) -> str:
        return (await served.call("apply_links", **arguments)).code

    chosen = {"target": "Spelt.md", "text": "Wheat", "span": [0, 5]}
    assert await code(path="Diary.md", digest="0" * 64) == "note_changed"
    assert await code(path="Diary.md", suggestions=[chosen]) == "note_changed"
    assert await code(path="Diary.md", targets=["Gone.md"]) == "note_not_found"
    (tmp_path / "Notes/Latin.md").write_bytes(b"Old Rye Starter \xe9")
    (tmp_path / "Notes/Board.canvas").write_text("{}")
    assert await code(path="Latin.md") == "invalid_arguments"
    assert await code(path="Board.canvas") == "invalid_arguments"


async def test_a_note_renamed_between_suggestion_and_edit_is_told(served: Served, tmp_path: Path) -> None:
    (found,) = (await served.call("suggest_links", path="Diary.md")).json["suggestions"]
    chosen = {name: found[name] for name in ("target", "text", "span")}
    root = tmp_path / "Notes"
    (root / "Old Rye Starter.md").rename(root / "Gertrude.md")
    renamed = {"kind": "rename", "from": "Old Rye Starter.md", "path": "Gertrude.md"}
    await served.call("report_changes", changes=[renamed])
    answer = await served.call("apply_links", path="Diary.md", suggestions=[chosen])
    assert answer.code == "note_not_found"
    (root / "Diary.md").rename(root / "Log.md")
    await served.call("report_changes", changes=[{"kind": "rename", "from": "Diary.md", "path": "Log.md"}])
    assert (await served.call("apply_links", path="Diary.md")).code == "note_not_found"


async def test_names_worth_a_note_are_those_that_several_notes_link_to(served: Served, tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    (root / "a/Trip.md").write_text("We met in Lisbon. [[Sea Salt]] ![[map.png]] [[Dr. Who]] [[Take #1]]\n")
    (root / "b/Trip.md").write_text(
        "Back in Lisbon. [[sea salt#Fine|it]] ![[map.png]] [[Dr. Who]] [[Index]] [[Take #1]]\n"
    )
    await served.call("wait_until_indexed", path="a/Trip.md", what="links")
    await served.call("wait_until_indexed", path="b/Trip.md", what="links")
    found = (await served.call("find_prospects")).json["prospects"]
    assert [(one["name"], one["notes"]) for one in found] == [("Dr. Who", 2), ("Sea Salt", 2), ("Take #1", 2)]
    assert found[0]["examples"] == ["a/Trip.md", "b/Trip.md"]
    assert (await served.call("find_prospects", folder="a")).json == {"prospects": [], "total": 0}
    page = (await served.call("find_prospects", limit=1, offset=2)).json
    assert ([one["name"] for one in page["prospects"]], page["total"], page.get("next_offset")) == (
        ["Take #1"],
        3,
        None,
    )
    assert (await served.call("find_prospects", limit=1, offset=1)).json["next_offset"] == 2
    assert (await served.call("find_prospects", folder="c")).code == "folder_not_found"


async def wrote(served: Served, path: Path, text: str) -> None:
    path.write_text(text)
    await served.call("wait_until_indexed", path=path.name, what="links")


async def test_taking_out_an_accepted_link_declines_it(served: Served, tmp_path: Path) -> None:
    diary, (host,) = tmp_path / "Notes/Diary.md", served.bridge.vaults.values()
    said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": "Old Rye Starter"}
    await served.call("judge_link", **said, verdict="accept")
    await wrote(served, diary, "Not linked yet: Old Rye Starter.\n")
    await wrote(served, diary, "I fed the [[Old Rye Starter]].\n")
    assert [(one.accepted, one.declined) for one in host.store.feedback.all()] == [(1, 0)]
    await wrote(served, diary, "I fed the Old Rye Starter.\n")
    assert [(one.accepted, one.declined) for one in host.store.feedback.all()] == [(0, 1)]
    assert await targets(served, path="Diary.md") == []


async def test_a_link_that_is_there_when_it_is_accepted_was_seen(served: Served, tmp_path: Path) -> None:
    diary, (host,) = tmp_path / "Notes/Diary.md", served.bridge.vaults.values()
    await wrote(served, diary, "I fed the [[Old Rye Starter]].\n")
    said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": "Old Rye Starter"}
    await served.call("judge_link", **said, verdict="accept")
    await wrote(served, diary, "I fed the Old Rye Starter.\n")
    assert [(one.accepted, one.declined) for one in host.store.feedback.all()] == [(0, 1)]


async def test_what_was_said_follows_a_note_that_is_renamed(served: Served, tmp_path: Path) -> None:
    said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": "Old Rye Starter"}
    await served.call("judge_link", **said, verdict="decline")
    root = tmp_path / "Notes"
    for old, new in (("Diary.md", "Log.md"), ("Old Rye Starter.md", "a/Old Rye Starter.md")):
        (root / old).rename(root / new)
        await served.call("report_changes", changes=[{"kind": "rename", "from": old, "path": new}])
    assert await targets(served, path="Log.md") == []
    assert await targets(served, text="Old Rye Starter") == ["a/Old Rye Starter.md"]


async def test_mentions_of_a_note_are_told_with_their_places_when_asked_for(served: Served, tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    (root / "Long.md").write_text("The Old Rye Starter Book.\n")
    (root / "Old Rye Starter Book.md").write_text("[[Old Rye Starter]] `Gertrude`\n")
    for name in ("Long.md", "Old Rye Starter Book.md"):
        await served.call("wait_until_indexed", path=name, what="links")
    answer = (await served.call("note_links", path="Old Rye Starter.md", mentions=True)).json
    assert answer["mentions"] == [
        {
            "path": "Diary.md",
            "line": 1,
            "text": "Old Rye Starter",
            "span": [16, 31],
            "context": "Today I fed the Old Rye Starter.",
            "day": None,
        },
        {
            "path": "Spelt.md",
            "line": 1,
            "text": "Gertrude",
            "span": [9, 17],
            "context": "Gertrude likes it.",
            "day": None,
        },
    ]
    assert "mentions" not in (await served.call("note_links", path="Old Rye Starter.md")).json
    assert answer["mentions_total"] == 2
    page = (await served.call("note_links", path="Old Rye Starter.md", mentions=True, limit=1, offset=1)).json
    assert ([one["path"] for one in page["mentions"]], page["mentions_total"]) == (["Spelt.md"], 2)
    ran = await served.command("note-links", "Old Rye Starter.md", "--mentions", "--vault", str(root))
    assert "Spelt.md\tMentioned without a link\t1\t\tGertrude\tGertrude likes it.\n" in ran.out


async def test_mentions_in_other_forms_are_told_and_linked_with_their_words(served: Served, tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    (root / "Анна Ковалёва.md").write_text("Сестра.\n")
    (root / "Дача.md").write_text("Вчера говорил с Анной Ковалевой.\n")
    (root / "Работа.md").write_text("Анна и Ковалевский.\n")
    for name in ("Анна Ковалёва.md", "Дача.md", "Работа.md"):
        await served.call("wait_until_indexed", path=name, what="links")
    answer = (await served.call("note_links", path="Анна Ковалёва.md", mentions=True)).json
    assert [(one["path"], one["text"]) for one in answer["mentions"]] == [("Дача.md", "Анной Ковалевой")]
    edit = (await served.call("apply_links", path="Дача.md", dry_run=True)).json
    assert [one["link"] for one in edit["links"]] == ["[[Анна Ковалёва|Анной Ковалевой]]"]


async def test_a_link_with_brackets_resolves_if_the_note_that_says_it_links_there(
    served: Served, tmp_path: Path
) -> None:
    root, said = tmp_path / "Notes", ("wiki [link]", "[a] b", "a] b", "a [b [c]]", "a[[b", "a [b", "x]]y")
    for name in said:
        (root / f"{name}.md").write_text("Named.\n")
        await served.call("wait_until_indexed", path=f"{name}.md")
    for name in said:
        await wrote(served, root / "Index here.md", f"[[{name}]]\n")
        links = (await served.call("note_links", path="Index here.md")).json["links"]
        found = (await served.call("resolve_link", link=name, source="Index here.md")).json["path"]
        assert [found] == ([link["path"] for link in links if link["target"] == name] or [None]), name
        markdown = await served.call("resolve_link", link=f"{name}.md", source="Index here.md", kind="markdown")
        assert markdown.json["path"] == f"{name}.md"
